"""How likely a statement of an agent is worth keeping, by the fitted model."""

import json
from importlib.resources import files

import pytest

from ultron_core.lessons.findings.shape import Setting, feature_names, features, stands_alone
from ultron_core.lessons.findings.worth import worth

CLOSING = Setting(closing=True, point=False, headed=False, place=2, chars=900, calls=False)
KEPT = [
    "`normalizePath` returns the path unchanged when the prefix differs, because the comparison is case-sensitive.",
    "`flush()` is never called in `ProcessSession`, so the statistics are lost without a warning.",
    "`parseConfig` 不会读取 `~/.app/config.toml`，因为 `HOME` 为空时路径是空字符串。",
]
PASSING = [
    "I will now look for the place where we could add the new flag, if it exists.",
    "We should probably run the tests again to see whether this would fix `main.go`.",
    "我来看看现在的代码，可能需要先修改 `main.go` 里的配置。",
]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("passing", PASSING)
def test_what_holds_ranks_above_what_passes(kept, passing):
    assert worth(kept, CLOSING) > 0.5 > worth(passing, CLOSING)


@pytest.mark.parametrize(
    "text", ["This returns the list.", "它会忽略该文件", "Let me read it", "see `src/a"[:9] + "…"]
)
def test_a_statement_that_leans_on_its_neighbours_does_not_stand_alone(text):
    assert not stands_alone(text)


def test_the_coefficients_are_those_of_the_features():
    raw = json.loads(files("ultron_core.lessons.findings").joinpath("worth.json").read_text("utf-8"))
    assert list(raw["weights"]) == feature_names()
    assert len(features(KEPT[0], CLOSING)) == len(feature_names())
