"""Whatever is done in whatever order, all that is counted or copied agrees with the rows it was made of."""

import dataclasses
import random
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from tests.support.claims import said
from tests.support.clock import Clock
from tests.support.memories import StubEmbedder, axis, rows
from tests.support.recount import counters_off
from tests.support.worlds import CuttingLLM, solved, write_log
from ultron_core.client import Ultron
from ultron_core.steps.stages import segment
from ultron_core.steps.stages.waiting.loop import run_batch
from ultron_core.steps.upkeep.backfill import backfill

#: of each row the first two are near-duplicates, the third diverges, the fourth shares only the cluster
FACTS = (
    (
        "The build failed because wheel was missing in the docker image.",
        "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt.",
        "Builds on port 5433 failed because wheel was missing in the docker image.",
        "An error: the image could not be pulled from the registry.",
    ),
    (
        "I prefer tabs over spaces in all my code.",
        "I prefer tabs in code, as written in ~/.editorconfig of mine.",
        "I prefer 2 spaces in yaml code.",
        "I prefer short lines in comments.",
    ),
)
COSINES = (1.0, 0.97, 0.93, 0.8)
TASKS = [solved("alpha", "pandas"), solved("beta", "requests"), solved("gamma", "pandas")]


def vectors():
    """Each fact at its cosine to the first of its row; a merged body has the vector of its first line."""
    found = {}
    for row, facts in enumerate(FACTS):
        middle = axis(row)
        for place, (fact, cosine) in enumerate(zip(facts, COSINES, strict=True)):
            found[fact[:25]] = middle if place == 0 else axis(4 + 4 * row + place, middle, cosine)
    return found


class Agents:
    """Does one thing after another to a store, as many agents and people would; each picks what there is."""

    def __init__(self, ultron, embedder, folder, seed, clock):
        self.ultron, self.embedder, self.folder, self.clock = ultron, embedder, folder, clock
        self.dice = random.Random(seed)
        self.cutting = dataclasses.replace(ultron.runtime, llm=CuttingLLM())
        self.keys = {}

    def act(self):
        todo = self.dice.choices(list(ACTIONS), weights=list(ACTIONS.values()))[0]
        getattr(self, todo)()
        return todo

    def fact(self):
        return self.dice.choice(self.dice.choice(FACTS))

    def hits(self):
        return rows(self.ultron, "SELECT coalesce(sum(hit_count), 0) AS n FROM memory_usage")[0]["n"]

    def any_memory(self):
        ids = [
            row["id"] for row in rows(self.ultron, "SELECT id FROM memories ORDER BY created_at, content, id")
        ]
        return self.dice.choice(ids) if ids else None

    def upload(self):
        before = self.hits()
        self.ultron.upload_memory(self.fact(), tags=[self.dice.choice("ab")])
        assert self.hits() == before + 1

    def upload_many(self):
        self.ultron.upload_memories([{"content": self.fact(), "tags": ["b"]} for _ in range(3)])

    def upload_with_key(self):
        key = self.dice.choice("xyz")
        fact = self.keys.get(key) or self.fact()
        record = self.ultron.upload_memory(fact, idempotency_key=key)
        again = self.ultron.upload_memory(fact, idempotency_key=key)
        assert (again.id, again.hit_count) == (record.id, record.hit_count)
        self.keys[key] = fact

    def change(self):
        if chosen := self.any_memory():
            self.ultron.update_memory(
                chosen, content=self.fact(), context=self.dice.choice(["", "On Friday."])
            )

    def delete(self):
        if chosen := self.any_memory():
            self.ultron.delete_memory(chosen)
            left = {row["key"] for row in rows(self.ultron, "SELECT key FROM idempotency_keys")}
            self.keys = {k: fact for k, fact in self.keys.items() if sha256(k.encode()).hexdigest() in left}

    def undo(self):
        merges = "SELECT id FROM merge_decisions WHERE decision = 'merge' AND undone_at IS NULL"
        if found := rows(self.ultron, f"{merges} ORDER BY created_at, id"):
            self.ultron.unmerge(self.dice.choice(found)["id"])

    def archive(self):
        self.ultron.archive_memories_by_tag(self.dice.choice("ab"))

    def rebalance(self):
        self.clock.now += timedelta(days=self.dice.choice([0, 20]))
        self.ultron.run_tier_rebalance()

    def search(self):
        before = self.hits()
        found = self.ultron.search_memories(self.fact(), limit=3)
        assert all(hit.record.status == "active" for hit in found)
        self.ultron.get_memory_details([hit.record.id for hit in found])
        assert self.hits() == before + 2 * len(found)

    def switch_embedder(self):
        self.embedder.down = not self.embedder.down

    def fill(self):
        self.embedder.down = False
        backfill(self.ultron.runtime)

    def cluster(self):
        self.ultron.clusters.run_initial_clustering()

    def rewrite_log(self):
        tasks = self.dice.sample(TASKS, self.dice.choice([1, 2, 3]))
        name = self.dice.choice(["log", "log", "other"])
        self.ultron.ingest([write_log(self.folder / f"{name}.jsonl", *tasks)], "agent")
        run_batch(self.cutting, segment.STEP)
        self.ultron.process_pending()

    def say(self):
        """A task of the log says a fact: the agent, a tool or a person, with or without proof."""
        found = rows(self.ultron, "SELECT session_id, id FROM task_segments ORDER BY session_id, start_line")
        if found:
            who = self.dice.choices(["agent", "tool", "human"], [4, 1, 1])[0]
            task = self.dice.choice(found)
            proof = self.dice.choice([None, None, "check"])
            said(self.ultron, (task["session_id"], task["id"]), self.fact(), trust=who, proof=proof)

    def confirm(self):
        if chosen := self.any_memory():
            self.ultron.confirm_memory(chosen)

    def load(self):
        self.ultron.load_memories([{"content": self.fact()}, {"content": self.fact()}])


#: how often each of them is done
ACTIONS = {
    "upload": 5,
    "upload_many": 3,
    "upload_with_key": 3,
    "change": 3,
    "delete": 2,
    "undo": 4,
    "archive": 1,
    "rebalance": 1,
    "search": 1,
    "switch_embedder": 2,
    "fill": 2,
    "cluster": 1,
    "rewrite_log": 3,
    "say": 5,
    "confirm": 1,
    "load": 1,
}


@pytest.mark.parametrize("seed", range(5))
def test_counters_are_those_of_the_rows_after_any_sequence(settings, tmp_path, seed):
    embedder, clock = StubEmbedder(vectors()), Clock(datetime(2026, 1, 5, 12, tzinfo=UTC))
    with Ultron(settings, embedder=embedder, clock=clock) as ultron:
        agents = Agents(ultron, embedder, tmp_path, seed, clock)
        done = []
        for _ in range(40):
            done.append(agents.act())
            assert counters_off(ultron) == [], " ".join(done)
        agents.fill()
        assert counters_off(ultron) == [], "after the last back-fill"
        bare = "SELECT id FROM memories WHERE status = 'active' AND id NOT IN (SELECT memory_id FROM cluster_members)"
        assert rows(ultron, bare) == []
