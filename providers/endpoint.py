"""The offline model behind OpenAI's protocol, for callers on this machine only.

``python -m providers.endpoint --port N`` answers ``POST /v1/embeddings`` and ``GET /health``.
The database's ``embed_text`` calls it. No text is logged, and no address but a loopback one is
accepted.
"""

import argparse
import asyncio
import base64
import ipaddress
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np
import uvicorn
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.exceptions import HTTPException

from providers.background import SERVICE
from providers.inputs import estimate_tokens
from providers.local import MODEL, WIDTH, LocalEmbedder
from providers.protocols import Embedder, ProviderError

MAX_BODY = 1_000_000  # bytes
MAX_ITEMS = 256
# Texts computed before another waiting request gets its turn.
SLICE = 8
LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


class EmbeddingsRequest(msgspec.Struct):
    """What a client may ask; other fields of OpenAI's protocol are ignored."""

    model: str
    input: str | list[str]
    dimensions: int | None = None
    encoding_format: Literal["float", "base64"] | None = None


class Refusal(Exception):
    """A request that is answered with an error in OpenAI's shape."""

    def __init__(
        self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code


def _error_response(
    message: str, *, status: int, param: str | None = None, code: str | None = None
) -> Response[dict[str, Any]]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Response({"error": error}, status_code=status, media_type=MediaType.JSON)


def _answer_refusal(_: Request[Any, Any, Any], error: Refusal) -> Response[dict[str, Any]]:
    return _error_response(str(error), status=error.status, param=error.param, code=error.code)


def _answer_http(_: Request[Any, Any, Any], error: HTTPException) -> Response[dict[str, Any]]:
    return _error_response(error.detail, status=error.status_code)


def _answer_unexpected(_: Request[Any, Any, Any], error: Exception) -> Response[dict[str, Any]]:
    # the class only: a message could hold the text
    print(f"request failed: {type(error).__name__}", file=sys.stderr, flush=True)
    return _error_response("the embedding endpoint failed", status=500)


def _refuse_strangers(request: Request[Any, Any, Any]) -> None:
    """A web page open on this machine must not reach us through its browser."""
    host = request.headers.get("host", "")
    name = host.rsplit(":", 1)[0] if host.rpartition(":")[2].isdigit() else host
    if name not in LOCAL_NAMES:
        raise Refusal("this endpoint answers only to this machine's own names", status=403)


def _read_request(body: bytes, *, model: str, width: int) -> tuple[EmbeddingsRequest, list[str]]:
    try:
        asked = msgspec.json.decode(body, type=EmbeddingsRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refusal(f"the body is not a valid embeddings request: {error}") from None
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    if asked.model != model:
        raise Refusal(
            f"the only model here is {model}", status=404, param="model", code="model_not_found"
        )
    if asked.dimensions not in (None, width):
        raise Refusal(f"{model} has {width} dimensions and no others", param="dimensions")
    if not 1 <= len(texts) <= MAX_ITEMS:
        raise Refusal(f"input must hold between 1 and {MAX_ITEMS} texts", param="input")
    return asked, texts


def _encode(vector: list[float], encoding: str | None) -> list[float] | str:
    if encoding != "base64":
        return vector
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def create_app(embedder: Embedder) -> Litestar:
    """The endpoint as an ASGI application around an embedder that is ready to use."""
    turn = asyncio.Lock()

    @get("/health")
    async def health() -> dict[str, Any]:
        return {
            "status": "ok",
            "service": SERVICE,
            "model": embedder.model,
            "width": embedder.width,
            "pid": os.getpid(),
        }

    @post("/v1/embeddings", status_code=200)
    async def embeddings(request: Request[Any, Any, Any]) -> dict[str, Any]:
        # a browser must ask before it sends this type to another origin, and is never told yes
        if request.content_type[0] != "application/json":
            raise Refusal("the content type must be application/json", status=415)
        body = await request.body()
        asked, texts = _read_request(body, model=embedder.model, width=embedder.width)
        vectors: list[list[float]] = []
        for start in range(0, len(texts), SLICE):
            async with turn:
                try:
                    vectors += await embedder.aembed(texts[start : start + SLICE])
                except ProviderError as error:
                    at = None if error.item is None else f"input.{start + error.item}"
                    raise Refusal(str(error), param=at, code=error.code) from None
        tokens = sum(map(estimate_tokens, texts))
        return {
            "object": "list",
            "model": embedder.model,
            "data": [
                {
                    "object": "embedding",
                    "index": index,
                    "embedding": _encode(vector, asked.encoding_format),
                }
                for index, vector in enumerate(vectors)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }

    return Litestar(
        [health, embeddings],
        before_request=_refuse_strangers,
        exception_handlers={
            Refusal: _answer_refusal,
            HTTPException: _answer_http,
            Exception: _answer_unexpected,
        },
        request_max_body_size=MAX_BODY,
        logging_config=None,
        openapi_config=None,
    )


def bind(host: str, port: int) -> socket.socket:
    """A socket bound to a loopback address. Raises ProviderError for any other, or a taken port."""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise ProviderError(
            f"the embedding endpoint has no password, so it cannot listen on {host}: use 127.0.0.1",
            code="misconfigured",
        )
    if not 0 <= port <= 65535:
        raise ProviderError(
            f"{port} is not a port: use a number from 1 to 65535", code="misconfigured"
        )
    bound = socket.socket(socket.AF_INET6 if address.version == 6 else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((str(address), port))
    except OSError as error:
        bound.close()
        raise ProviderError(
            f"port {port} on {address} cannot be used ({error.strerror}): "
            "stop the program that has it, or choose another port",
            code="misconfigured",
        ) from None
    return bound


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until told to stop; 2 when the arguments, the port or the model are unusable."""
    parser = argparse.ArgumentParser(prog="python -m providers.endpoint", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address")
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args(argv)
    try:
        bound = bind(arguments.host, arguments.port)
        with bound:
            app = create_app(LocalEmbedder(model=MODEL, width=WIDTH))
            address = f"http://{arguments.host}:{bound.getsockname()[1]}/v1"
            print(f"serving {MODEL} on {address}", flush=True)
            _server(app).run(sockets=[bound])
    except ProviderError as error:
        print(f"embedding endpoint: {error}", file=sys.stderr)
        return 2
    return 0


def _server(app: Litestar) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_level="warning",
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=5,
        )
    )


if __name__ == "__main__":
    sys.exit(main())
