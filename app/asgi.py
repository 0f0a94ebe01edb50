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
from app.access.tokens import Tokens
from app.admin.routes import ADMIN_CONTROLLERS
from app.embedders import Embedders
from app.errors import answer_error, send_request_id
from app.pool import pool_of
from app.routes.chat import ChatController
from app.routes.health import HealthController
from app.routes.search import SearchController
from app.settings import Settings, from_environ

# a question is at most 4,000 characters; nothing this version accepts comes near
_BODY_LIMIT = 256 * 1024


def create_app(settings: Settings | None = None, *, embedders: Embedders | None = None) -> Litestar:
    """The application; without settings it reads the environment (raises `SettingsError`).

    `uvicorn --factory app.asgi:create_app` runs it too.
    """
    chosen = settings or from_environ()
    tokens = Tokens(chosen.token_keys or [secrets.token_hex(32)])
    lent = embedders or Embedders(timeout=chosen.embed_timeout)

    @asynccontextmanager
    async def with_pool(app: Litestar) -> AsyncIterator[None]:
        async with pool_of(chosen) as pool:
            app.state.pool = pool
            try:
                yield
            finally:
                await lent.close()

    app = Litestar(
        route_handlers=[HealthController, SearchController, ChatController, *ADMIN_CONTROLLERS],
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
    return app


def version() -> str:
    """The installed version of pgkb, or `0+checkout` when it runs without being installed."""
    try:
        return metadata.version("pgkb")
    except metadata.PackageNotFoundError:
        return "0+checkout"
