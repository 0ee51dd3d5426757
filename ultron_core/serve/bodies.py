"""Bodies of requests: exactly the specification's, with the names that the original's clients use as aliases."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from ultron_core.models import MemoryType, Proof, Status, Worth
from ultron_core.steps.given import MOST_NAME, MOST_QUERY

__all__ = [
    "ChangeBody",
    "DetailsBody",
    "IngestBody",
    "KeyBody",
    "RecallBody",
    "SearchBody",
    "SessionSearchBody",
    "Sort",
    "TextBody",
    "Tier",
    "UploadBody",
    "VerdictBody",
]

#: results of one answer; the library gives more
_MOST_RESULTS = 100
#: characters of a text
_MOST_TEXT = 1_000_000


def _storable(value: object) -> object:
    """Half surrogate pairs, which JSON can spell, are no text."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ValueError("holds half a surrogate pair") from error
        if "\0" in value:
            raise ValueError("holds a NUL")
    return value


Name = Annotated[str, BeforeValidator(_storable), Field(min_length=1, max_length=MOST_NAME, pattern=r"\S")]
Query = Annotated[str, BeforeValidator(_storable), Field(min_length=1, max_length=MOST_QUERY, pattern=r"\S")]
Text = Annotated[str, BeforeValidator(_storable), Field(max_length=_MOST_TEXT)]
Tier = Literal["HOT", "WARM", "COLD"]
Sort = Literal["time", "hits", "last_hit"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class UploadBody(_Body):
    content: Annotated[Text, Field(min_length=1, pattern=r"\S")]
    context: Text = ""
    resolution: Text = ""
    tags: Annotated[list[Name], Field(max_length=100)] = []
    project: Name | None = None
    agent_id: Name | None = None
    idempotency_key: Name | None = None


class SearchBody(_Body):
    query: Query
    detail_level: Literal["l0", "l1"] = "l1"
    limit: Annotated[int, Field(ge=1, le=_MOST_RESULTS)] = 10
    tier: Tier | None = None
    memory_types: list[MemoryType] | None = None
    tags: list[Name] | None = None
    status: Status = "active"
    claimed: bool = False
    proof: list[Proof] | None = None
    agent_id: Name | None = None
    project: Name | None = None
    explain: bool = False


class DetailsBody(_Body):
    ids: Annotated[
        list[Name], Field(max_length=_MOST_RESULTS, validation_alias=AliasChoices("ids", "memory_ids"))
    ]


class ChangeBody(_Body):
    """What is left out stays. With `version`, 409 when somebody else was faster."""

    content: Text | None = None
    context: Text | None = None
    resolution: Text | None = None
    tags: Annotated[list[Name], Field(max_length=100)] | None = None
    version: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class VerdictBody(_Body):
    verdict: Worth


class IngestBody(_Body):
    paths: Annotated[
        list[Name | Annotated[str, Field(max_length=4096)]], Field(min_length=1, max_length=1000)
    ]
    agent_id: Name | None = None
    #: these sessions have ended
    over: bool = False


class TextBody(_Body):
    text: Annotated[Text, Field(min_length=1, pattern=r"\S")]
    agent_id: Name | None = None


class SessionSearchBody(_Body):
    query: Query
    limit: Annotated[int, Field(ge=1, le=_MOST_RESULTS)] = 10
    agent_id: Name | None = None
    project: Name | None = None


class RecallBody(_Body):
    """For a message; without `query`, what is known of the project when an agent begins."""

    query: Query | None = None
    agent_id: Name | None = None
    session_id: Name | None = None
    #: its name, or a folder on the server's machine
    project: Annotated[str, BeforeValidator(_storable), Field(min_length=1, max_length=4096)] | None = None
    top_k: Annotated[int, Field(ge=1, le=20)] = 5
    budget_tokens: Annotated[int, Field(ge=1, le=4000)] = 600


class KeyBody(_Body):
    name: Name
    preset: Literal["agent", "person", "admin"] | None = None
    scopes: list[Literal["read", "write", "ingest", "sessions", "curate", "admin"]] = []
    agent_id: Name | None = None
    expires_at: Annotated[datetime | None, Field(strict=False)] = None
