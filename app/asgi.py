"""`create_app`: the whole HTTP side, put together from settings."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import metadata

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.middleware import DefineMiddleware
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme

from app.access.authentication import BearerTokens
from app.access.passwords import Passwords
from app.access.tokens import Tokens
from app.admin.routes import ADMIN_CONTROLLERS
from app.chat.desk import Desk
from app.documenting import SIGNED_IN, CompleteJson
from app.embedders import Embedders
from app.errors import answer_error, send_request_id
from app.operations import tracing
from app.operations.observing import Observing
from app.operations.remembered import Remembered
from app.pool import Lane, pool_of
from app.reading import ApiRequest
from app.routes import health, metrics
from app.routes.auth import AuthController
from app.routes.chat import ChatController
from app.routes.conversations import ConversationController
from app.routes.library import LibraryController
from app.routes.me import MeController
from app.routes.people import PeopleController
from app.routes.search import SearchController
from app.settings import Settings, from_environ
from providers.chat_models import chat_model_for
from providers.protocols import ChatModel, Reranker
from providers.rerank import reranker_for

# a question is at most 4,000 characters; nothing this version accepts comes near
_BODY_LIMIT = 256 * 1024


def create_app(
    settings: Settings | None = None,
    *,
    embedders: Embedders | None = None,
    model: ChatModel | None = None,
    reranker: Reranker | None = None,
    passwords: Passwords | None = None,
) -> Litestar:
    """The application; without settings it reads the environment (raises `SettingsError`).

    `uvicorn --factory app.asgi:create_app` runs it too.
    """
    chosen = settings or from_environ()
    tokens = Tokens(chosen.token_keys or [secrets.token_hex(32)])
    lent = embedders or Embedders(timeout=chosen.embed_timeout)
    speaking = model or chat_model_for()
    ranking = reranker or reranker_for()
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
                reranker=ranking,
                max_retries=chosen.max_retries,
                chat_timeout=chosen.chat_timeout,
            )
            app.state.desk = desk
            tracing.start()
            try:
                yield
            finally:
                tracing.stop()
                await desk.keeper.drain()
                await lent.close()
                if speaking:
                    await speaking.aclose()
                if ranking:
                    await ranking.aclose()
                hashing.close()

    app = Litestar(
        route_handlers=[
            health.HealthController,
            metrics.read_metrics,
            metrics.probe_metrics,
            SearchController,
            LibraryController,
            ChatController,
            ConversationController,
            AuthController,
            MeController,
            PeopleController,
            *ADMIN_CONTROLLERS,
        ],
        request_class=ApiRequest,
        cors_config=_cors(chosen),
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
            render_plugins=[CompleteJson(path="/openapi.json")],
            security=SIGNED_IN,
            use_handler_docstrings=True,
            components=Components(
                security_schemes={
                    "bearer": SecurityScheme(
                        type="http",
                        scheme="bearer",
                        bearer_format="JWT",
                        description="The access token that signing in gives.",
                    )
                }
            ),
        ),
    )
    app.state.settings = chosen
    app.state.embedders = lent
    app.state.tokens = tokens
    app.state.passwords = hashing
    app.state.readiness = Remembered(partial(health.look, app.state), seconds=2)
    app.state.vital_signs = Remembered(partial(metrics.look, app.state), seconds=5)
    # around everything, so that what no route answers is counted, too
    app.asgi_handler = Observing(app.asgi_handler)
    return app


def _cors(settings: Settings) -> CORSConfig | None:
    """Pages of other sites may call the API only when the operator names those sites."""
    if not settings.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["authorization", "content-type", "x-request-id"],
        expose_headers=["x-request-id", "retry-after"],
        # tokens travel in a header that a page sets itself, so no cookie is ever needed
        allow_credentials=False,
    )


def version() -> str:
    """The installed version of pgkb, or `0+checkout` when it runs without being installed."""
    try:
        return metadata.version("pgkb")
    except metadata.PackageNotFoundError:
        return "0+checkout"
