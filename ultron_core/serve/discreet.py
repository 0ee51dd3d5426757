"""The SDK's server, but quoting nothing that a client sent: an argument at the wrong place may be a secret.

The SDK names the value in what it says of a wrong argument, cut in the middle, so that half a key stays that no rule
knows; of an unknown tool, prompt, resource or method it tells and logs the whole name.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import ValidationError
from starlette.types import Message, Send

from ultron_core.errors import InputError, UnknownNameError
from ultron_core.serve.answers import told_fields

__all__ = ["DiscreetServer", "discreet"]

logger = logging.getLogger("ultron.serve")
Ctx = Context[Any, Any]


class DiscreetServer(MCPServer[Any]):
    """Tools alone, no prompts and no resources; what it refuses it names without what was sent."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Ctx | None = None) -> Any:
        """As the SDK's. Raises ToolError, or MCPError for a tool that does not exist."""
        known = [tool.name for tool in await self.list_tools()]
        if name not in known:
            raise MCPError(INVALID_PARAMS, str(UnknownNameError("tool", name, known)))
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            logger.error("a tool failed: %s", type(error.__cause__).__name__)
            raise ToolError("Ultron failed to answer; its log names the kind of error.") from None
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(told_fields(error.__cause__.errors())) from None
            raise

    async def get_prompt(self, *_: Any, **__: Any) -> Any:
        """Raises MCPError."""
        raise MCPError(INVALID_PARAMS, "There are no prompts here, only tools.")

    async def read_resource(self, *_: Any, **__: Any) -> Any:
        """Raises MCPError."""
        raise MCPError(INVALID_PARAMS, "There are no resources here, only tools.")


def discreet(send: Send) -> Send:
    """Answers on their way out: what JSON-RPC calls an error keeps the first line of its message and no data."""
    held: list[Message] = []
    body = bytearray()

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_json(message):
            held.append(message)
        elif message["type"] == "http.response.body" and held:
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                answer = _without_quotes(bytes(body))
                start = held.pop()
                await send({**start, "headers": _with_length(start["headers"], len(answer))})
                await send({"type": "http.response.body", "body": answer})
        else:
            await send(message)

    return sent


def _is_json(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and b"json" in value for name, value in start.get("headers", ())
    )


def _with_length(headers: Any, length: int) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in headers if name.lower() != b"content-length"]
    return [*kept, (b"content-length", str(length).encode())]


def _without_quotes(body: bytes) -> bytes:
    """The first line says what is wrong, those after it which value; a name in it is told as redaction leaves it."""
    try:
        answer = json.loads(body)
    except ValueError:  # not JSON-RPC
        return body
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict) or "message" not in error:
        return body
    first = str(error["message"]).partition("\n")[0]
    told = {"code": error.get("code", 0), "message": InputError.clean(first)}
    return json.dumps({**answer, "error": told}).encode()
