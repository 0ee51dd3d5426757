"""A store with something on every page: a merge, a correction, an archived memory, a session with a lesson."""

from dataclasses import dataclass
from datetime import UTC, datetime

from tests.support.memories import StubEmbedder, axis, rows
from tests.support.worlds import solved, task, write_log
from ultron_core.models import Drop
from ultron_core.steps.clusters.read import cluster_report, get_clusters
from ultron_core.store.tables.drops import replace_of_session

FIRST = "The build failed because wheel was missing in the docker image."
AGAIN = "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt."
CHINESE = "部署之前必须先运行数据库迁移脚本，否则服务启动失败。"
NEAR = {"The build failed": axis(0), "Building failed": axis(4, axis(0), 0.96)}


@dataclass
class World:
    """The ids of what the pages show."""

    merged: object
    decision: object
    changed: object
    archived: object
    learned: object
    session: object
    task: object
    cluster: object

    @property
    def paths(self):
        """Every page that reads."""
        return [
            "/ui",
            "/ui?q=docker+wheel",
            "/ui?status=archived",
            *(f"/ui/memories/{one}" for one in (self.merged, self.changed, self.archived, self.learned)),
            f"/ui/memories/{self.merged}/history",
            f"/ui/memories/{self.changed}/history",
            f"/ui/memories/{self.changed}/edit",
            f"/ui/memories/{self.changed}/delete",
            "/ui/log",
            "/ui/log?q=parser+yaml",
            "/ui/sessions",
            f"/ui/sessions/{self.session}",
            f"/ui/sessions/{self.session}/lines",
            f"/ui/sessions/{self.session}/lines/3",
            f"/ui/tasks/{self.task}",
            "/ui/clusters",
            f"/ui/clusters/{self.cluster}",
            "/ui/refusals",
            "/ui/statistics",
            "/ui/keys",
        ]


def embedder():
    return StubEmbedder(NEAR)


def furnish(ultron, folder):
    """Fill an empty store through the library."""
    merged = ultron.upload_memory(FIRST, tags=["docker", "build"], agent_id="writer", project="shop").id
    ultron.upload_memory(AGAIN, agent_id="other")
    changed = ultron.upload_memory(
        CHINESE, context="上线", resolution="先跑迁移", tags=["部署"], agent_id="writer"
    ).id
    ultron.update_memory(changed, content=CHINESE + "每次都要。", changed_by="a person")
    archived = ultron.upload_memory("The staging host is rebuilt every night.", agent_id="writer").id
    ultron.archive_memory(archived)
    ultron.ingest(
        [write_log(folder / "run.jsonl", solved("parser", "yaml"), task("lexer"))], "coder", process=True
    )
    cluster_report(ultron.runtime)
    rows(ultron, "UPDATE sessions SET project = 'shop', harness = 'a harness', model = 'm' RETURNING 1")
    rows(
        ultron,
        "INSERT INTO llm_calls (account_id, stage, model, prompt_hash, input_tokens, output_tokens, cost, latency_ms,"
        " cached, created_at) VALUES (%(a)s, 'label', 'a-model', 'x', 1200, 80, 0.0042, 900, false, %(now)s)"
        " RETURNING 1",
        a=ultron.runtime.account_id,
        now=datetime.now(UTC),
    )
    learned = "SELECT memory_id, session_id, segment_id FROM memory_sources WHERE segment_id IS NOT NULL"
    source = rows(ultron, learned)[0]
    _refuse(ultron, source["session_id"])
    ultron.keys.add("ci", preset="agent", agent_id="coder")
    return World(
        merged=merged,
        decision=rows(ultron, "SELECT id FROM merge_decisions WHERE decision = 'merge'")[0]["id"],
        changed=changed,
        archived=archived,
        learned=source["memory_id"],
        session=source["session_id"],
        task=source["segment_id"],
        cluster=get_clusters(ultron.runtime)[0].cluster_id,
    )


def _refuse(ultron, session_id):
    """What the gate of memories says no to."""
    refused = Drop(
        "extract", "too_vague", "It says nothing that another session could use.", {"content": "It works."}
    )
    owner = ultron.runtime.account_id, "coder"
    with ultron.runtime.database.transaction() as conn:
        replace_of_session(conn, owner, session_id, "extract", [(refused, 3, 4)], datetime.now(UTC))
