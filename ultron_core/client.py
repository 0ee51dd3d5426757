"""`Ultron`: everything that scripts, the command line and Dagster do, behind one object.

    with Ultron() as ultron:
        ultron.ingest(["~/logs"], agent_id="my-agent", process=True)
        for hit in ultron.search_memories("pip install fails in docker"):
            print(hit.record.memory_type, hit.record.content)

`Ultron()` attaches to a running server or starts one, and stops it when nobody else uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from ultron_core.embeddings.protocol import Embedder
from ultron_core.errors import InputError
from ultron_core.facade.assembly import Given, assemble, open_server
from ultron_core.facade.editing import Editing
from ultron_core.facade.recalling import Recalling
from ultron_core.facade.services import BrowseService, ClusterService, KeyService, TrajectoryService
from ultron_core.facade.transferring import Transferring
from ultron_core.llm.protocol import LLM
from ultron_core.redaction.protocol import Redactor
from ultron_core.settings import Settings
from ultron_core.steps import given
from ultron_core.steps.projects import scope_of
from ultron_core.steps.runtime import Clock, Runtime
from ultron_core.steps.search import memories as search_step
from ultron_core.steps.search import sessions as session_search_step
from ultron_core.store.tables.memories import MemoryRecord, MemorySource

if TYPE_CHECKING:
    from ultron_core.steps.costs import Costs
    from ultron_core.steps.files.ingest import FileResult, Progress
    from ultron_core.steps.upkeep.reembed import ReembedReport
    from ultron_core.steps.upkeep.tiers import TierReport

__all__ = ["Ultron"]


def _without_keys(message: str) -> str:
    from ultron_core.redaction.patterns import hide_secrets  # loaded with the first error

    return hide_secrets(message)


# an error quotes what it was given, and goes on to logs, events and answers
InputError.clean = staticmethod(_without_keys)


class Ultron(Recalling, Editing, Transferring):
    """One account's memory, sessions and datasets. A context manager; `close()` ends what it started."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        llm: LLM | None = None,
        quality_llm: LLM | None = None,
        embedder: Embedder | None = None,
        redactor: Redactor | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Open the database (starting the embedded server if no URL is set) and bring its schema up to date.

        `llm`, `quality_llm`, `embedder` and `redactor` replace what the settings name; a given `llm` also
        judges quality unless `quality_llm` is given. Raises SettingsError and StoreError subclasses.
        """
        self.settings = settings if settings is not None else Settings.load()
        self._closing = ExitStack()
        try:
            #: the hold on the embedded server; None when the settings name a database
            self.server = open_server(self.settings, self._closing)
            url = self.server.url() if self.server else str(self.settings.store.database_url)
            models = Given(llm, quality_llm, embedder, redactor, clock)
            self._models = assemble(self.settings, url, models, self._closing)
        except BaseException:
            self._closing.close()
            raise
        self.trajectory_service = TrajectoryService(self._models.runtime)
        self.clusters = ClusterService(self._models.runtime)
        self.browse = BrowseService(self._models.runtime)
        self.keys = KeyService(self._models.runtime)
        super().__init__()

    @property
    def runtime(self) -> Runtime:
        """What steps work with, with the embedder that made the account's current vectors."""
        return self._models.runtime()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the pool; stop the embedded server when nobody else uses it. May be called twice."""
        self._closing.close()

    def within(self, folder: Path | None) -> Self:
        """The same store and models, asked in another working folder; closing it closes nothing."""
        other = copy(self)
        other.settings = self.settings.in_folder(folder)
        other._closing = ExitStack()
        other._models = self._models.with_settings(other.settings)
        return other

    def scrub(self) -> None:
        """Rewrite the files of the embedded server, so that none keeps bytes of what was erased. Raises InputError for
        another server, whose administrator does this (docs/erasure.md)."""
        if self.server is None:
            raise InputError(
                "Only the files of the embedded server are rewritten: docs/erasure.md says what the administrator of "
                "another one does."
            )
        from ultron_core.steps.upkeep.scrub import scrub

        scrub(self.runtime, Path(self.describe_server()["log"]))

    def describe_server(self) -> dict[str, str]:
        """Where the embedded server keeps its files; empty when a URL is set."""
        return dict(self.server.describe()) if self.server is not None else {}

    # --- in ---------------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Sequence[str | Path],
        agent_id: str,
        process: bool = False,
        *,
        over: bool = False,
        again: bool = False,
        brought_by: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Archive and normalise session files; with `process` all stages run at once. `over` says that the sessions
        have ended: their last tasks are judged without waiting for the log to be quiet. `again` reads all of them,
        also what was erased. `brought_by` names the key of somebody else than the owner who hands them in: what a
        person says in them is then not the owner's word.

        Directories are searched for .jsonl files (hidden parts and symlinks are skipped). Returns
        `{total_files, successful, failed, new_segments, total_memories, results}`, one result per file
        with its line ledger. Raises InputError for a path that does not exist; a bad file is a failed result.
        """
        from ultron_core.steps.files.receive import ingest_paths
        from ultron_core.steps.stages.process import ProcessReport, process_pending

        given.check_agent("agent_id", agent_id)
        several = [paths] if isinstance(paths, (str, Path)) else given.items_of("paths", paths)
        results = ingest_paths(
            self.runtime, several, agent_id, over=over, brought_by=brought_by, lift=again, progress=progress
        )
        report = process_pending(self.runtime) if process else ProcessReport()
        return {
            "total_files": len(results),
            "successful": sum(r.success for r in results),
            "failed": sum(not r.success for r in results),
            "new_segments": report.new_segments,
            "total_memories": report.memories,
            "results": [{"success": r.success, **asdict(r)} for r in results],
        }

    def ingest_log(
        self, body: bytes, agent_id: str, name: str, *, over: bool = False, brought_by: str | None = None
    ) -> FileResult:
        """Keep the bytes of one log in the drop folder and read it; see `ingest`. For logs of other machines."""
        from ultron_core.steps.files.receive import receive_log

        return receive_log(self.runtime, body, agent_id, name, over=over, brought_by=brought_by)

    def process_pending(self, *, project: str | None = None) -> dict[str, Any]:
        """Run all stages on what waits, of one project's sessions alone if one is named; returns counts and errors."""
        from ultron_core.steps.stages.process import process_pending

        return asdict(process_pending(self.runtime, project=project))

    def ingest_text(self, text: str, agent_id: str = "default") -> dict[str, Any]:
        """Archive a plain text, then store what is worth keeping of it.

        Returns `{status, memories_extracted, memories_uploaded, memories, refused, error}`; status is
        `pending` when a model is configured but unavailable.
        """
        given.check_agent("agent_id", agent_id)
        given.check_text("text", text, most=given.MOST_COUNT)
        from ultron_core.steps.stages.text import ingest_text

        result = ingest_text(self.runtime, text, agent_id)
        return {
            "success": result.status == "done",
            "status": result.status,
            "memories_extracted": result.counts.get("drafts", 0),
            "memories_uploaded": len(result.uploads),
            "memories": [{**asdict(u.record), "action": u.action} for u in result.uploads],
            "refused": [drop.reason for drop in result.drops],
            "error": result.error,
        }

    def upload_memory(
        self,
        content: str,
        context: str = "",
        resolution: str = "",
        tags: Sequence[str] = (),
        idempotency_key: str | None = None,
        *,
        agent_id: str = "default",
        project: str | None = None,
    ) -> MemoryRecord:
        """Redact, classify, deduplicate and store one memory; returns the row it became or was merged into.

        Each text may have a million characters, a memory 100 tags, and a tag, key, agent or project 200 characters.
        Raises InputError.
        """
        body = {"content": content, "context": context, "resolution": resolution, "tags": tags}
        owner = {"agent_id": agent_id, "project": project, "idempotency_key": idempotency_key}
        return self.upload_memories([body | owner])[0]

    def upload_memories(self, memories: Sequence[Any]) -> list[MemoryRecord]:
        """Many at once: mappings with the arguments of `upload_memory`. The result is as if given one by one.

        Raises InputError for anything else in a mapping.
        """
        uploads = [given.upload_of(memory) for memory in given.items_of("memories", memories)]
        from ultron_core.steps.upload.upload import upload_memories

        return [result.record for result in upload_memories(self.runtime, uploads)]

    def load_memories(
        self,
        memories: Iterable[Any],
        *,
        expected: int | None = None,
        progress: Callable[[int], None] = lambda done: None,
    ) -> int:
        """Very many at once, for example from another Ultron: like `upload_memories`, but without a search for
        near-duplicates, and with index and clusters built at the end. Returns how many are new. `expected` is
        the number of memories, when it is known."""
        uploads = (given.upload_of(memory) for memory in memories)
        from ultron_core.steps.upload.bulk import load_memories

        return load_memories(self.runtime, uploads, expected=expected, progress=progress)

    # --- out --------------------------------------------------------------------------------------------

    def search_memories(
        self,
        query: str,
        detail_level: str = "l1",
        limit: int = 10,
        *,
        memory_types: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        status: str = "active",
        claimed: bool = False,
        proof: Sequence[str] | None = None,
        agent_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        record_hits: bool = True,
        explain: bool = False,
        rerank: bool | None = None,
        project: str | None = None,
        all_projects: bool = False,
    ) -> search_step.SearchResults:
        """Memories by meaning and by words, best first. `detail_level` is `l0` or `l1`.

        `claimed` adds, below them, up to as many of what only an agent said in one session (`record.status` "claimed").
        `proof` narrows to what is borne out so: person, check, result, repeated or claimed.
        Only those of `project`; by default those of the working folder's project come first, unless `all_projects`.
        `rerank` True lets the model reorder the best of them (None: ULTRON_SEARCH_RERANK). A hit that is
        probably not about the query is marked `weak`. Raises InputError, also for a tier, type, status, proof or
        project that does not exist; `limit` may be up to 10,000.
        """
        given.check_search(query, limit, agent_id, since, until)
        given.check_text("detail_level", detail_level, most=given.MOST_NAME)
        given.check_filters(memory_types, tags, tiers, status, proof)
        return search_step.search_memories(
            self.runtime,
            query,
            detail_level=detail_level,
            limit=limit,
            memory_types=memory_types,
            tags=tags,
            tiers=tiers,
            status=status,
            claimed=claimed,
            proof=proof,
            agent_id=agent_id,
            since=since,
            until=until,
            record_hits=record_hits,
            explain=explain,
            rerank=rerank,
            scope=scope_of(self.runtime, project, all_projects),
        )

    def search_sessions(
        self,
        query: str,
        limit: int = 10,
        *,
        agent_id: str | None = None,
        all_agents: bool = False,
        since: datetime | None = None,
        until: datetime | None = None,
        project: str | None = None,
        all_projects: bool = False,
    ) -> list[session_search_step.SessionHit]:
        """Sessions that talk about it, each with its best lines, verbatim (private log, not redacted).

        Without `agent_id` those of the agent that ULTRON_AGENT_ID names; when it is unset and several agents have
        logs here, `all_agents` must be True. `project` and `all_projects` are those of `search_memories`. A hit that is
        probably not about the query is marked `weak`. `since` and `until` filter by time; a time named in the query
        only ranks what was said then higher. Raises InputError; `limit` may be up to 10,000.
        """
        given.check_search(query, limit, agent_id, since, until)
        agent = session_search_step.searched_agent(self.runtime, agent_id, all_agents)
        return session_search_step.search_sessions(
            self.runtime,
            query,
            limit,
            agent_id=agent,
            since=since,
            until=until,
            scope=scope_of(self.runtime, project, all_projects),
        )

    def get_memory_details(self, ids: Sequence[str | UUID]) -> list[MemoryRecord]:
        """Full memories in the order of `ids`; unknown ids are left out. Counts two hits each."""
        from ultron_core.steps import edit as curate

        return curate.get_memories(self.runtime, given.items_of("ids", ids))

    def get_memory_sources(self, memory_id: str | UUID) -> list[MemorySource]:
        """Where a memory comes from: file, lines and the quote it is based on."""
        from ultron_core.steps import edit as curate

        return curate.get_memory_sources(self.runtime, memory_id)

    def get_memory_stats(self, *, project: str | None = None) -> dict[str, Any]:
        """Totals by tier, type and status, of one project alone if one is named."""
        from ultron_core.steps import edit as curate

        return curate.get_stats(self.runtime, scope_of(self.runtime, project, project is None).only)

    def get_costs(self, *, since: datetime | None = None) -> Costs:
        """What models were asked since a moment, or ever: in all, by stage, day and model, and for each memory kept."""
        from ultron_core.steps.costs import costs

        return costs(self.runtime, since)

    # --- change -----------------------------------------------------------------------------------------

    def reembed(
        self,
        embedder: Embedder | None = None,
        *,
        keep_old: bool = False,
        grace_seconds: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReembedReport:
        """Rebuild all vectors with another model (default: the configured one) while others search and upload,
        then switch to it at once. May be interrupted and called again. Raises EmbeddingError and InputError.
        """
        target = embedder or self._models.own
        self._models.add(target)
        from ultron_core.steps.upkeep.reembed import GRACE_SECONDS, reembed

        return reembed(
            self.runtime,
            target,
            keep_old=keep_old,
            grace_seconds=GRACE_SECONDS if grace_seconds is None else grace_seconds,
            progress=progress,
            switched=self._models.look_again,
        )

    def run_tier_rebalance(self) -> TierReport:
        """Reassign the tier of every active memory by hits, and archive COLD ones that are too old."""
        from ultron_core.steps.upkeep.tiers import run_tier_rebalance

        return run_tier_rebalance(self.runtime)
