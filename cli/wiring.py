"""How commands reach the rooms: the database's address, and a loop for the async ones."""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from app.chat.desk import Desk
    from app.settings import Settings

Result = TypeVar("Result")

# within the home; what is uploaded waits there when PGKB_UPLOAD_DIR names no other folder
UPLOADS = "uploads"


def own_database() -> bool:
    """Whether PGKB_DATABASE_URL names a server that is not ours to start or stop."""
    return bool(os.environ.get("PGKB_DATABASE_URL", "").strip())


def database_url() -> str:
    """The database commands talk to; raises `ServerError` when there is none yet."""
    from db import server

    return server.database_url()


def shown_url(url: str) -> str:
    """The URL without its password."""
    from app.masking import mask_secrets

    return mask_secrets(url)


def settings() -> "Settings":
    """The app's settings for that database; raises `SettingsError` for a bad variable."""
    from dataclasses import replace

    from app.settings import from_environ
    from db.tree import read_tree

    newest = max(file.stem for file in read_tree().migrations)
    return replace(from_environ(database_url=database_url()), migration=newest)


@asynccontextmanager
async def desk() -> "AsyncIterator[Desk]":
    """A pool of one connection, checked to be alive, the embedders, and a chat model and a
    reranker where they are configured."""
    from app.chat.desk import Desk
    from app.embedders import Embedders
    from app.pool import check_settings, pool_of
    from providers.chat_models import chat_model_for
    from providers.rerank import reranker_for

    chosen = settings()
    model = chat_model_for()
    reranker = reranker_for()
    async with pool_of(chosen, size=1) as pool:
        await check_settings(pool, chosen)
        embedders = Embedders(timeout=chosen.embed_timeout)
        try:
            yield Desk(
                pool=pool,
                embedders=embedders,
                model=model,
                reranker=reranker,
                max_retries=chosen.max_retries,
                chat_timeout=chosen.chat_timeout,
            )
        finally:
            await embedders.close()
            if model:
                await model.aclose()
            if reranker:
                await reranker.aclose()


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run async work to its end."""
    return asyncio.run(work)
