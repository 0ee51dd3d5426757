import pytest

from ultron_core.errors import SessionFileError
from ultron_core.sessions import discover_sessions


def test_folders_are_searched_and_files_taken_as_they_are(tmp_path):
    for name in ("b.jsonl", "deep/a.jsonl", ".hidden/x.jsonl", ".y.jsonl", "notes.txt", "run.traj"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "b.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = discover_sessions([tmp_path, tmp_path / "run.traj", tmp_path / "b.jsonl"])
    assert [p.relative_to(tmp_path).as_posix() for p in found] == ["b.jsonl", "deep/a.jsonl", "run.traj"]


def test_a_hidden_folder_that_is_given_is_searched(tmp_path):
    folder = tmp_path / ".agent"
    folder.mkdir()
    (folder / "a.jsonl").touch()
    assert discover_sessions(folder) == [folder / "a.jsonl"]


def test_a_missing_path_says_so(tmp_path):
    with pytest.raises(SessionFileError, match=r"gone\.jsonl does not exist"):
        discover_sessions([tmp_path / "gone.jsonl"])
