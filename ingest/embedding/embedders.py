"""The embedder that belongs to the embedding set in use."""

from ingest.embedding.calls import EmbeddingSet
from ingest.errors import IngestError
from providers.embed import embedder_for
from providers.protocols import Embedder


def chosen_embedder(active: EmbeddingSet) -> Embedder:
    """The embedder of a set. Raises ProviderError when its key or package is missing."""
    return embedder_for(active.provider, active.model, active.width)


def check_embedder(embedder: Embedder, active: EmbeddingSet) -> None:
    """Raise IngestError when an embedder does not make what the set holds."""
    if (embedder.model, embedder.width) != (active.model, active.width):
        raise IngestError(
            f"the embedder makes {embedder.width} numbers with {embedder.model}, the active set "
            f"{active.name} holds {active.width} of {active.model}: use that set's provider"
        )
