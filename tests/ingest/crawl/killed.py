"""A worker as a process of its own, to be killed. Arguments: database, provider, host."""

import sys

from ingest import worker
from providers.embed import embedder_for
from tests.ingest.fetch.sites import BRISK, names, tourist


def main(url: str, provider: str, host: str) -> None:
    """Work until killed."""
    embedder = embedder_for(
        "compatible",
        "all-MiniLM-L6-v2-int8",
        384,
        {"PGKB_EMBED_BASE_URL": provider, "PGKB_EMBED_SEND_DIMENSIONS": "1"},
    )
    worker.run(
        url,
        embedder=embedder,
        fetcher=tourist(BRISK, names(**{host.replace(".", "_"): "127.0.0.1"})),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
