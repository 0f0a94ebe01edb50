"""The request as this app reads it: JSON that says it is JSON, and not nested without end."""

from typing import Any

from litestar import Request
from litestar.exceptions import ClientException, HTTPException


class UnreadableKindError(HTTPException):
    """A body of another media type than the address reads."""

    status_code = 415


class ApiRequest(Request[Any, Any, Any]):
    """A request whose JSON is read with care."""

    async def json(self) -> Any:  # noqa: ANN401 - as the framework has it
        """The body as JSON. Raises 415 for another kind, 400 for what is none."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json" and not kind.endswith("+json"):
            raise UnreadableKindError
        try:
            return await super().json()
        except RecursionError:
            raise ClientException(extra=[{"message": "nested too deeply"}]) from None
