"""The name of the project."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.project import project_name


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["/home/ana/src/shop/lib/a.ex", "/home/ana/src/shop/test/a.exs"], "shop"),
        (["/Users/ana/code/mono/packages/web/src/a.ts"] * 2, "mono"),
        (["/usr/lib/python3/dist-packages/x.py"] * 3, ""),
        (["/home/ana/src/shop/lib/a.ex"], ""),
        (["/home/ana/x/shop/lib/a.ex", "/home/ana/x/bank/lib/b.ex", "/home/ana/x/mill/lib/b.ex"], ""),
    ],
)
def test_the_folder_that_most_paths_agree_on(paths, name):
    reads = [(("Read", {"file_path": path}), "text") for path in paths]
    assert project_name(talk(("user", "Go."), *reads)) == name


def test_paths_that_the_log_only_shows_count_when_no_call_names_one():
    shown = "at /home/ana/src/shop/lib/a.ts:1\nat /home/ana/src/shop/lib/b.ts:2"
    assert project_name(talk(("user", shown))) == "shop"
    assert project_name(talk(("user", "see https://example.org/shop/blob/main/src/a and /main/src/b"))) == ""
    assert project_name(talk(("user", "diff --git a/cli/pkg/x.go b/cli/pkg/x.go"))) == "cli"
