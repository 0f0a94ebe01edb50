"""`create_app`: the whole HTTP side, put together from settings."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata

from litestar import Litestar
from litestar.middleware import DefineMiddleware
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from app.access.authentication import BearerTokens
from app.access.passwords import Passwords
from app.access.tokens import Tokens
from app.chat.desk import Desk
from app.embedders import Embedders
from app.errors import answer_error, send_request_id
from app.pool import Lane, pool_of
from app.routes.auth import AuthController
from app.routes.chat import ChatController
from app.routes.conversations import ConversationController
from app.routes.health import HealthController
from app.routes.me import MeController
from app.routes.people import PeopleController
from app.routes.search import SearchController
from app.settings import Settings, from_environ
from providers.chat_models import chat_model_for
from providers.protocols import ChatModel

# a question is at most 4,000 characters; nothing this version accepts comes near
_BODY_LIMIT = 256 * 1024


def create_app(
    settings: Settings | None = None,
    *,
    embedders: Embedders | None = None,
    model: ChatModel | None = None,
    passwords: Passwords | None = None,
) -> Litestar:
    """The application; without settings it reads the environment (raises `SettingsError`).

    `uvicorn --factory app.asgi:create_app` runs it too.
    """
    chosen = settings or from_environ()
    tokens = Tokens(chosen.token_keys or [secrets.token_hex(32)])
    lent = embedders or Embedders(timeout=chosen.embed_timeout)
    speaking = model or chat_model_for()
    hashing = passwords or Passwords()

    @asynccontextmanager
    async def with_pool(app: Litestar) -> AsyncIterator[None]:
        async with pool_of(chosen) as pool:
            app.state.pool = pool
            desk = Desk(
                # answers take a share, and leave the rest to what is quick
                pool=Lane(pool, most=max(1, chosen.pool_size - 2)),
                embedders=lent,
                model=speaking,
                max_retries=chosen.max_retries,
                chat_timeout=chosen.chat_timeout,
            )
            app.state.desk = desk
            try:
                yield
            finally:
                await desk.keeper.drain()
                await lent.close()
                if speaking:
                    await speaking.aclose()
                hashing.close()

    app = Litestar(
        route_handlers=[
            HealthController,
            SearchController,
            ChatController,
            ConversationController,
            AuthController,
            MeController,
            PeopleController,
        ],
        lifespan=[with_pool],
        middleware=[DefineMiddleware(BearerTokens, exclude_http_methods=())],
        exception_handlers={Exception: answer_error},
        before_send=[send_request_id],
        request_max_body_size=_BODY_LIMIT,
        # the framework's own logging would print stacks with their arguments' texts
        logging_config=None,
        openapi_config=OpenAPIConfig(
            title="pgkb",
            version=version(),
            description="Ask a knowledge base whose retrieval lives inside PostgreSQL.",
            path="/schema",
            # plain JSON: the bundled pages would load scripts from elsewhere
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
            use_handler_docstrings=True,
            components=Components(
                security_schemes={
                    "bearer": SecurityScheme(type="http", scheme="bearer", bearer_format="JWT")
                }
            ),
        ),
    )
    app.state.settings = chosen
    app.state.embedders = lent
    app.state.tokens = tokens
    app.state.passwords = hashing
    return app


def version() -> str:
    """The installed version of pgkb, or `0+checkout` when it runs without being installed."""
    try:
        return metadata.version("pgkb")
    except metadata.PackageNotFoundError:
        return "0+checkout"
