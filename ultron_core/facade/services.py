"""The service objects that `Ultron` offers: trajectories, clusters, lists to leaf through, access keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ultron_core.access.keys import AccessKey
from ultron_core.steps import browse, given
from ultron_core.steps import keys as key_step
from ultron_core.steps.runtime import Runtime

if TYPE_CHECKING:
    from ultron_core.steps.clusters import read as cluster_step
    from ultron_core.steps.stages.waiting.loop import StageResult, Step

__all__ = ["BrowseService", "ClusterService", "KeyService", "TrajectoryService"]


class TrajectoryService:
    """Segments, labels, extraction and training rows; each method works on one batch."""

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        """`runtime` gives the one for each call: the embedder in use may change in between."""
        self._current = runtime

    @property
    def _runtime(self) -> Runtime:
        return self._current()

    def segment_pending_sessions(self, batch_size: int = 50) -> list[StageResult]:
        """Segment up to `batch_size` sessions that wait."""
        given.check_count("batch_size", batch_size, least=0)
        return self._batch("segment", batch_size)

    def index_pending_sessions(self, batch_size: int = 50) -> list[StageResult]:
        """Make the windows that `search_sessions` finds, of up to `batch_size` sessions that wait."""
        given.check_count("batch_size", batch_size, least=0)
        return self._batch("windows", batch_size)

    def label_pending_segments(self, batch_size: int = 50) -> list[StageResult]:
        """Label up to `batch_size` closed segments."""
        given.check_count("batch_size", batch_size, least=0)
        return self._batch("label", batch_size)

    def extract_memories_from_segments(self, batch_size: int = 50) -> list[StageResult]:
        """Extract memories from up to `batch_size` labelled segments."""
        given.check_count("batch_size", batch_size, least=0)
        return self._batch("extract", batch_size)

    def _batch(self, stage: str, batch_size: int) -> list[StageResult]:
        # the rules of the stages take longer to load than a search takes
        from ultron_core.steps.stages import extract, label, segment, windows
        from ultron_core.steps.stages.waiting.loop import run_batch

        steps: dict[str, Step[Any]] = {
            "segment": segment.STEP,
            "windows": windows.STEP,
            "label": label.STEP,
            "extract": extract.STEP,
        }
        return run_batch(self._runtime, steps[stage], batch_size)

    def get_trajectory_stats(self) -> dict[str, Any]:
        """`{sessions: {...}, segments: {total, labeled, memory_eligible, sft_eligible, ...}}`."""
        from ultron_core.steps.overview import trajectory_stats

        return trajectory_stats(self._runtime)

    def export_sft(
        self,
        task_type: str | None = None,
        min_quality_score: float | None = None,
        limit: int = 5000,
        *,
        project: str | None = None,
    ) -> list[dict[str, Any]]:
        """Training rows `{messages, tools, topic, trust, ...}` of eligible segments, best first; writes nothing.
        With `project` of its sessions alone.

        `min_quality_score` None is the configured threshold. Raises InputError for a negative limit.
        """
        given.check_task_type(task_type)
        if min_quality_score is not None:
            given.check_score("min_quality_score", min_quality_score)
        given.check_count("limit", limit, least=0)
        from ultron_core.steps.sft.export import export_rows

        return export_rows(
            self._runtime,
            task_type=task_type,
            min_quality_score=min_quality_score,
            limit=limit,
            project=project,
        )


class ClusterService:
    """Knowledge clusters and when they are ready to become skills."""

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        """`runtime` gives the one for each call: the embedder in use may change in between."""
        self._current = runtime

    @property
    def _runtime(self) -> Runtime:
        return self._current()

    def assign_memory_to_cluster(self, memory: Any) -> cluster_step.KnowledgeCluster:
        """Put a memory (record or id) into the nearest cluster, or a new one."""
        from ultron_core.steps.clusters import read as cluster_step

        return cluster_step.assign_memory_to_cluster(self._runtime, memory)

    def get_clusters_ready_to_crystallize(self) -> Sequence[cluster_step.KnowledgeCluster]:
        """Clusters at the threshold that have no skill yet."""
        from ultron_core.steps.clusters import read as cluster_step

        return cluster_step.get_clusters_ready_to_crystallize(self._runtime)

    def get_clusters_ready_to_recrystallize(self) -> Sequence[cluster_step.KnowledgeCluster]:
        """Clusters that gained enough members since their skill was made."""
        from ultron_core.steps.clusters import read as cluster_step

        return cluster_step.get_clusters_ready_to_recrystallize(self._runtime)

    def get_cluster_memories(self, cluster_id: str | UUID) -> Sequence[Any]:
        """All active members as memory records."""
        from ultron_core.steps.clusters import read as cluster_step

        return cluster_step.get_cluster_memories(self._runtime, cluster_id)

    def run_initial_clustering(self) -> Any:
        """Cluster every active memory from scratch, in one pass."""
        from ultron_core.steps.clusters import read as cluster_step

        return cluster_step.run_initial_clustering(self._runtime)

    def get_changes(
        self, cluster_id: str | UUID | None = None, limit: int = 20
    ) -> Sequence[cluster_step.ClusterChange]:
        """Merges and splits with their reasons, newest first."""
        given.check_count("limit", limit, most=given.MOST_RESULTS)
        from ultron_core.steps.clusters import read as cluster_step

        return cluster_step.get_cluster_changes(self._runtime, cluster_id, limit)

    def mark_crystallized(self, cluster_id: str | UUID, skill_slug: str) -> None:
        """Record that the cluster's memories became this skill."""
        given.check_name("skill_slug", skill_slug)
        from ultron_core.steps.clusters import read as cluster_step

        cluster_step.mark_crystallized(self._runtime, cluster_id, skill_slug)


class BrowseService:
    """Lists of memories, sessions, tasks and lines; reading them counts no hits."""

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        self._current = runtime

    def memories(self, **filters: Any) -> browse.Page:
        """One page of memories, newest first: see `steps/browse.py` for the filters."""
        return browse.list_memories(self._current(), **filters)

    def sessions(self, **filters: Any) -> browse.Page:
        """One page of sessions, the one that grew last first."""
        return browse.list_sessions(self._current(), **filters)

    def session(self, session_id: str | UUID, *, agent_id: str | None = None) -> dict[str, Any]:
        """One session; with `agent_id` only of that agent. Raises NotFoundError."""
        return browse.session(self._current(), session_id, agent_id=agent_id)

    def lines(
        self, session_id: str | UUID, start: int = 1, end: int | None = None, *, agent_id: str | None = None
    ) -> list[dict[str, Any]]:
        """What was said on some lines of a session, verbatim and private. Raises NotFoundError."""
        return browse.read_lines(self._current(), session_id, start, end, agent_id=agent_id)

    def task(self, segment_id: str | UUID, *, agent_id: str | None = None) -> browse.Task:
        """One task with its label and what was learned from it. Raises NotFoundError."""
        return browse.task(self._current(), segment_id, agent_id=agent_id)

    def projects(self, *, agent_id: str | None = None) -> list[dict[str, Any]]:
        """Projects of one agent or of all, with their numbers of sessions."""
        return browse.projects(self._current(), agent_id)

    def segments(self, session_id: UUID) -> list[dict[str, Any]]:
        """The tasks of a session, in order."""
        return browse.segments(self._current(), session_id)

    def agents(self) -> list[dict[str, Any]]:
        """Agents with their numbers of sessions and memories."""
        return browse.agents(self._current())


class KeyService:
    """Access keys of the account."""

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        self._current = runtime

    def add(
        self,
        name: str,
        *,
        preset: str | None = None,
        scopes: Sequence[str] = (),
        agent_id: str | None = None,
        expires_at: datetime | None = None,
    ) -> tuple[AccessKey, str]:
        """A new key and its text, which is shown here and never again. Raises InputError and ConflictError."""
        key, made = key_step.add_key(
            self._current(), name, preset=preset, scopes=scopes, agent_id=agent_id, expires_at=expires_at
        )
        return key, made.text

    def list(self) -> Sequence[AccessKey]:
        """All keys, the newest first, revoked ones too."""
        return key_step.list_keys(self._current())

    def revoke(self, which: str) -> Sequence[AccessKey]:
        """End a key by id or name, at once. Raises NotFoundError."""
        return key_step.revoke_key(self._current(), which)

    def recognise(self, text: str) -> AccessKey:
        """The key that a caller sent. Raises KeyRefusedError."""
        return key_step.recognise(self._current(), text)

    def standing(self, key_id: str) -> AccessKey:
        """A key that was recognised before. Raises KeyRefusedError once it has ended."""
        return key_step.standing_key(self._current(), key_id)
