"""Which project a session belongs to, by what its log says of its folder and its remote."""

import pytest

from ultron_core.sessions import parse_session
from ultron_core.sessions.project import Project, choose_name, project_of


@pytest.mark.parametrize(
    ("cwd", "name", "root"),
    [
        ("/home/ana/src/shop", "shop", "/home/ana/src/shop"),
        ("/home/ana/src/shop/", "shop", "/home/ana/src/shop"),
        ("/home/ana/src/shop/assets", "shop", "/home/ana/src/shop"),
        ("/home/ana/src/shop-worktrees/fix-cart/assets", "shop", "/home/ana/src/shop"),
        ("/home/ana/src/shop/.claude/worktrees/fix-cart", "shop", "/home/ana/src/shop"),
        ("/home/ana/.codex/worktrees/3f2a/shop/lib", "shop", "/home/ana/shop"),
        ("C:\\Users\\ana\\code\\shop", "shop", "C:/Users/ana/code/shop"),
        ("/srv/acme/api", "acme/api", "/srv/acme/api"),
    ],
)
def test_the_root_of_the_repository_names_the_project(cwd, name, root):
    assert project_of(cwd) == Project(name, root)


@pytest.mark.parametrize(
    "cwd",
    ["", None, "/", "/tmp", "/home/ana", "/home/ana/projects", "/workspace", "[trimmed for fixture]", "shop"],
)
def test_a_folder_of_many_projects_is_none(cwd):
    assert project_of(cwd) is None


@pytest.mark.parametrize(
    ("remote", "known"),
    [
        ("git@github.com:acme/shop.git", "github.com/acme/shop"),
        ("https://ana:secret@github.com/acme/shop.git", "github.com/acme/shop"),
        ("ssh://git@git.acme.example:2222/acme/shop", "git.acme.example/acme/shop"),
        ("acme/shop", "acme/shop"),
    ],
)
def test_a_remote_names_it_whatever_the_folder_is_called(remote, known):
    found = project_of("/home/ana/jobs/s", None, remote)
    assert (found.name, found.remote) == ("shop", known)


def test_two_repositories_of_one_name_are_told_apart_and_one_in_two_homes_is_one():
    first, second = project_of("/home/ana/jobs/shop"), project_of("/home/ana/hobby/shop")
    assert choose_name(second, [first]) == "hobby/shop"
    assert choose_name(project_of("/Users/ana.b/jobs/shop"), [first]) == "shop"
    remote = project_of("/x/shop", None, "github.com/acme/shop")
    assert choose_name(project_of("/y/shop", None, "acme/shop"), [remote]) == "shop"
    assert choose_name(project_of("/x/shop", None, "github.com/other/shop"), [remote]) == "other/shop"


def test_codex_and_copilot_tell_the_remote():
    git = b'{"repository_url": "git@h.org:a/b.git"}'
    codex = b'{"type": "session_meta", "payload": {"id": "1", "cwd": "/w", "git": ' + git + b"}}\n"
    assert parse_session(codex).info.remote == "git@h.org:a/b.git"
    context = b'{"cwd": "/r/b/lib", "gitRoot": "/r/b", "repository": "a/b"}'
    copilot = b'{"type": "session.start", "data": {"sessionId": "1", "context": ' + context + b"}}\n"
    info = parse_session(copilot).info
    assert (info.root, info.remote) == ("/r/b", "a/b")
