"""Whatever happened before, erasing leaves the store as one that never saw it: by digest, over random histories."""

import json
import random

import pytest

from tests.support.memories import StubEmbedder, axis, rows
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.store.digest import content_digest

#: packages whose memories are near enough to be one, and some of which each is alone
NEAR = ("quetzalite", "wyvernite", "zygomite")
ALONE = ("agate", "beryl", "cinnabar", "diopside")
VECTORS = {name: axis(0) for name in NEAR}
LOGS = ("a/one", "a/two", "b/three", "b/four")
SEEDS = 50
#: a number in the words would keep two memories apart
LETTERS = "abcdefghij"
#: memories that lost a part and stayed, by history: without any the test would show nothing
reworded = {}


class World:
    """One store with the account of a history, in a home of its own."""

    def __init__(self, settings, account):
        store = settings.store.model_copy(update={"account_id": account})
        self.ultron = Ultron(settings.model_copy(update={"store": store}), embedder=StubEmbedder(VECTORS))
        self.folder, self.account = settings.sessions_dir / account, account

    def write(self, name, tasks):
        """The log as it is now: the drop folder of the account."""
        path = self.ultron.settings.sessions_dir / f"{name}.jsonl"
        write_log(path, *tasks)
        self.ultron.ingest([path], name.partition("/")[0], process=True)

    def upload(self, agent, text):
        self.ultron.upload_memory(text, agent_id=agent)

    def edit(self, old, new):
        (row,) = rows(
            self.ultron,
            "SELECT id FROM memories WHERE account_id = %(account)s AND content = %(old)s",
            account=self.account,
            old=old,
        )
        self.ultron.update_memory(row["id"], content=new)

    def merges(self):
        """Merges that can be undone, each as (contribution, its session's file, files of all that gave the memory)."""
        return rows(
            self.ultron,
            "SELECT d.id, c.content, s.session_file AS file, (SELECT array_agg(DISTINCT o.session_file)"
            " FROM memory_contributions p LEFT JOIN sessions o ON o.id = p.session_id"
            " WHERE p.memory_id = d.memory_id) AS files"
            " FROM merge_decisions d JOIN memory_contributions c ON c.id = d.contribution_id"
            " LEFT JOIN sessions s ON s.id = c.session_id"
            " WHERE d.account_id = %(account)s AND d.decision = 'merge' AND d.undone_at IS NULL"
            " ORDER BY d.created_at, d.id",
            account=self.account,
        )

    def digest(self):
        return content_digest(self.ultron.runtime.database, self.account)


@pytest.fixture(scope="module")
def homes(database_url, _migrated, other_url, tmp_path_factory):
    """Two stores on two databases."""

    def made(url, name):
        return Settings(
            store=StoreSettings(home=tmp_path_factory.mktemp(name), database_url=url),
            sessions=SessionSettings(quiet_minutes=0),
            llm=LLMSettings(offline=True),
        )

    return made(database_url, "seen"), made(other_url, "unseen")


@pytest.fixture(scope="module")
def other_url(server_url):
    import secrets

    from tests.conftest import drop_database, with_database
    from ultron_core.store.database import ensure_database

    name = f"ultron_test_{secrets.token_hex(6)}"
    url = with_database(server_url, name)
    ensure_database(url)
    yield url
    drop_database(server_url, name)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_store_is_as_if_it_had_never_seen_what_is_erased(homes, seed):
    chance = random.Random(seed)
    seen, unseen = (World(home, f"history-{seed}") for home in homes)
    gone = set(chance.sample(LOGS, chance.randint(1, 2)))
    logs, done, apart = {}, set(), False
    with seen.ultron, unseen.ultron:
        for step in range(chance.randint(6, 10)):
            act = chance.choice(("log", "log", "log", "upload", "edit", "unmerge", "erase"))
            name = chance.choice(LOGS)
            if act == "log":
                # a log that grows is cut again, and its old memories are out of sight meanwhile: near ones in one log
                # may stay apart or not; which of two equal ones after an unmerge is chosen is chance
                package = chance.choice(ALONE if name in logs or apart else NEAR)
                logs.setdefault(name, []).append(solved(f"{name[2:]}{LETTERS[step]}", package))
                seen.write(name, logs[name])
                if name not in gone:
                    unseen.write(name, logs[name])
            elif act == "upload":
                text = f"The {chance.choice(ALONE)} service of {step} listens on port {8000 + step}."
                for world in (seen, unseen):
                    world.upload("a", text)
                if chance.random() < 0.5:
                    for world in (seen, unseen):
                        world.edit(text, text + " It is restarted at night.")
            elif act == "unmerge":
                apart = True
                unmerge(chance, seen, unseen, gone)
            elif act == "erase" and name in gone and name in logs and name not in done:
                reworded[seed] = reworded.get(seed, 0) + erase(seen, name)
                done.add(name)
        for name in sorted(gone & logs.keys() - done):
            reworded[seed] = reworded.get(seed, 0) + erase(seen, name)
        for name in sorted(gone & logs.keys()):  # it lies there again, and has grown
            seen.write(name, [*logs[name], solved("more", "agate")])
        assert seen.digest() == unseen.digest(), json.dumps(difference(seen, unseen), indent=1, default=str)


def erase(world, name):
    files = rows(
        world.ultron,
        "SELECT partition_key AS key FROM sessions WHERE account_id = %(account)s AND agent_id = %(agent)s"
        " AND session_file = %(file)s",
        account=world.account,
        agent=name[0],
        file=f"{name[2:]}.jsonl",
    )
    return world.ultron.erase(session=files[0]["key"]).reworded if files else 0


def test_histories_had_memories_that_lost_a_part():
    assert sum(count > 0 for count in reworded.values()) >= len(reworded) // 4


def unmerge(chance, seen, unseen, gone):
    """One merge is undone: of what is erased later in the one store alone, else in both where both have it."""
    files = {f"{name[2:]}.jsonl" for name in gone}
    merges = seen.merges()
    if not merges:
        return
    merge = chance.choice(merges)
    if merge["file"] in files:
        seen.ultron.unmerge(merge["id"])
    elif not files & set(merge["files"]):
        (same,) = [
            m for m in unseen.merges() if (m["content"], m["file"]) == (merge["content"], merge["file"])
        ]
        seen.ultron.unmerge(merge["id"])
        unseen.ultron.unmerge(same["id"])


def difference(seen, unseen):
    """What the digest would not say."""
    query = (
        "SELECT m.status, m.content, m.context, m.resolution, m.trust, m.proof, (SELECT jsonb_agg(jsonb_build_array("
        "c.content, c.merged, o.session_file) ORDER BY c.content, c.merged) FROM memory_contributions c"
        " LEFT JOIN sessions o ON o.id = c.session_id WHERE c.memory_id = m.id) AS parts FROM memories m"
        " WHERE account_id = %(account)s ORDER BY m.content, m.status"
    )
    return {
        name: rows(world.ultron, query, account=world.account)
        for name, world in (("seen", seen), ("unseen", unseen))
    }
