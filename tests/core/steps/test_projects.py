"""Logs of two projects in one store: whose memories answer, in which order, under which name."""

import subprocess

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import UnknownNameError
from ultron_core.steps import overview
from ultron_core.steps.projects import Scope, folder_project


@pytest.fixture
def logs(tmp_path):
    write_log(tmp_path / "logs" / "a.jsonl", solved("cart", "pandas"), cwd="/home/ana/src/shop-worktrees/fix")
    write_log(tmp_path / "logs" / "b.jsonl", solved("post", "jinja2"), cwd="/home/ana/src/blog")
    return tmp_path / "logs"


def inside(settings, folder):
    return settings.model_copy(update={"store": settings.store.model_copy(update={"working_folder": folder})})


def contents(ultron, hits):
    return [memory.content for memory in ultron.get_memory_details([hit.record.id for hit in hits])]


QUESTION = "ModuleNotFoundError in this project"


def test_a_project_answers_alone_or_first(settings, logs, tmp_path):
    with Ultron(inside(settings, tmp_path / "blog")) as ultron:
        ultron.ingest([logs], "me", process=True)
        (only,) = ultron.search_memories(QUESTION, project="Shop")
        assert (only.record.project, only.record.projects) == ("shop", ["shop"])
        assert "In shop" in contents(ultron, [only])[0]
        assert [hit.record.project for hit in ultron.search_memories(QUESTION)] == ["blog", "shop"]
        assert [
            row["project"] for row in overview.sessions(ultron.runtime, None, 9, Scope(first="blog"))
        ] == [
            "blog",
            "shop",
        ]
        (said,) = ultron.search_sessions("No module named pandas", agent_id="me", project="shop")
        assert said.project == "shop"
        assert ultron.get_memory_stats(project="blog")["total"] == 1
        assert overview.stats(ultron.runtime)["projects"] == [
            {"project": "blog", "sessions": 1, "messages": 12, "memories": 1},
            {"project": "shop", "sessions": 1, "messages": 12, "memories": 1},
        ]
    with Ultron(inside(settings, tmp_path / "shop")) as ultron:
        assert ultron.search_memories(QUESTION)[0].record.project == "shop"
        mixed = ultron.search_memories("ModuleNotFoundError", all_projects=True)
        assert {hit.record.project for hit in mixed} == {"shop", "blog"}


def test_what_two_projects_taught_belongs_to_none_alone(settings, tmp_path):
    fact = "The staging proxy drops uploads above 20 MB."
    with Ultron(settings) as ultron:
        ultron.upload_memory(fact, project="shop")
        both = ultron.upload_memory(fact, project="blog")
        assert (both.projects, both.project) == (["blog", "shop"], None)


def test_an_unknown_project_names_the_near_ones(settings, logs):
    with Ultron(settings) as ultron:
        ultron.ingest([logs], "me")
        with pytest.raises(UnknownNameError, match=r"No project 'shopp'\. Did you mean shop"):
            ultron.search_memories("x", project="shopp")


def test_work_that_waits_is_done_for_one_project(settings, logs):
    with Ultron(settings) as ultron:
        ultron.ingest([logs], "me")
        assert ultron.process_pending(project="shop")["partition_keys"] != ()
        waiting = overview.stats(ultron.runtime)["waiting"]
        assert waiting["segments"] == 1
        assert [row["messages"] for row in ultron.trajectory_service.export_sft(project="blog")] == []


def test_the_private_path_stays_with_its_owner(settings, logs):
    with Ultron(settings) as ultron:
        ultron.ingest([logs], "me", process=True)
        with ultron.runtime.database.transaction() as conn:
            rows = conn.execute("SELECT project, private_root FROM sessions ORDER BY project").fetchall()
        assert [bytes(row["private_root"]) for row in rows] == [b"/home/ana/src/blog", b"/home/ana/src/shop"]


def test_a_folder_belongs_to_the_repository_around_it(tmp_path):
    repo = tmp_path / "shop"
    (repo / "lib").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", repo], check=True)
    subprocess.run(
        ["git", "-C", repo, "remote", "add", "origin", "git@github.com:acme/store.git"], check=True
    )
    found = folder_project(repo / "lib")
    assert (found.name, found.root, found.remote) == ("store", str(repo), "github.com/acme/store")
    tree = tmp_path / "elsewhere"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {repo}/.git/worktrees/elsewhere\n")
    assert folder_project(tree) == found
