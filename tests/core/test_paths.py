"""Paths of outside words: what stays below its folder, and what an agent may be called."""

import pytest

from ultron_core.errors import InputError
from ultron_core.paths import MOST_NAME_BYTES, below, check_folder_name, is_below, real_path
from ultron_core.steps.given import check_agent

OUT = ["..", "../b", "a/../../b", "/etc/passwd", "", ".", "a/..", "link/x", "link", "loop", "a\0b"]
#: what people call their agents
NAMES = [
    "claude-code",
    "ana@laptop",
    "v1.2_beta",
    "构建 代理",
    "Ünïcode",
    "a b",
    "team:ana",
    "team::ana",
    "a\\b",
    "~ana",
]
NO_NAMES = [
    "/tmp/out",
    "a/b",
    "../a",
    "..",
    ".",
    ".claude",
    "",
    " ",
    "a\nb",
    "a\u202eb",
    "a\0b",
    "名" * 81,
    3,
    None,
]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "outside").mkdir()
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root / "loop")
    (root / "own").symlink_to(root / "in")
    return root


@pytest.mark.parametrize("words", OUT)
def test_what_leads_out_is_refused(root, words):
    with pytest.raises(InputError):
        below(root, words)


def test_what_stays_below_is_given_with_its_links_followed(root):
    assert below(root, "a", "b/c.jsonl") == root / "a" / "b" / "c.jsonl"
    assert below(root, str(root / "x")) == root / "x"
    assert below(root, "own", "x") == root / "in" / "x"
    assert not (root / "a").exists()


def test_a_root_may_be_a_link_itself(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    assert below(tmp_path / "alias", "x") == root / "x"
    assert is_below(root / "x", [tmp_path / "alias"]) and not is_below(root, [tmp_path / "alias"])


def test_only_in_a_text_is_a_tilde_the_users_home(root, monkeypatch):
    monkeypatch.setenv("HOME", str(root))
    monkeypatch.chdir(root)
    assert real_path("~/x") == root / "x" and real_path(root / "~") == root / "~"
    with pytest.raises(InputError, match="not a path"):
        real_path("~nobody-of-this-name/x")


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_may_be_called(name):
    check_agent("agent_id", name)


@pytest.mark.parametrize("name", NO_NAMES)
def test_no_agent_is_called(name):
    with pytest.raises(InputError, match="agent_id"):
        check_agent("agent_id", name)


def test_a_folder_name_leaves_room_for_the_file_that_is_being_written():
    check_folder_name("name", "x" * MOST_NAME_BYTES)
    with pytest.raises(InputError, match="240 bytes"):
        check_folder_name("name", "x" * (MOST_NAME_BYTES + 1))
