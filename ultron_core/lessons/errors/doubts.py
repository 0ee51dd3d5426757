"""What speaks against a cure although the check passed: the failure was wanted, it came back, it was only hidden."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import OLD_KEYS, edited_path, general_line
from ultron_core.lessons.errors.episodes import Episode
from ultron_core.lessons.errors.same_check import same_check
from ultron_core.models import Message
from ultron_core.transcript.actions import Action, argument_strings
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["is_doubtful", "last_failure"]

#: the check was to fail: "The test fails as expected", "expected to fail before the fix", "I deliberately broke it"
_WANTED = any_of(
    r"\bfail(?:s|ed|ing|ure)?\b[^.]{0,40}\b(?:as (?:expected|intended|it should)|is (?:expected|intended))\b",
    r"\b(?:expected|supposed|meant|should) (?:to )?fail\b|\bexpected failures?\b",
    r"\b(?:on purpose|deliberately|intentionally)\b[^.]{0,40}\b(?:br[eo]ak|broke|fail)",
    r"(?:如|符合)预期(?:地)?失败|故意(?:改错|写错|破坏)|预期(?:会|内的?)失败",
)
#: messages of the model after a failure in which it says so
_REMARKS = 2
#: hides a complaint instead of ending it: "@ts-ignore", "//nolint", "@pytest.mark.skip", "it.skip("
_HIDES = re.compile(
    r"#\s?(?:noqa|type:\s?ignore|pylint:\s?disable)|eslint-disable|@ts-(?:ignore|nocheck|expect-error)|//\s?nolint|"
    r"mark\.(?:skip|xfail)|\b(?:it|test|describe)\.skip\(|\bt\.Skip(?:f|Now)?\(|\bxit\(|@(?:Ignore|Disabled|unittest\.skip)\b|"
    r"rubocop:disable|credo:disable|nowarn_function|@SuppressWarnings\b|@tag :skip|#\[(?:ignore|allow\()"
)
#: goes round the check: `git commit --no-verify`, `SKIP=lint git commit`, `jest --passWithNoTests`, `mvn -DskipTests`
_GOES_ROUND = re.compile(r"--no-verify\b|\bSKIP=\S|--passWithNoTests\b|-DskipTests\b|--no-lint\b")


def last_failure(episode: Episode) -> Action:
    """The try that the change followed: the first failure while its line is still there, else the last one."""
    failed = episode.failed
    assert failed.failure is not None
    last = episode.again[-1] if episode.again else failed
    return failed if failed.failure.line.strip() in last.output else last


def is_doubtful(messages: Sequence[Message], episode: Episode, worked: Action) -> bool:
    """True when the passing check proves no cure of the episode's failure."""
    return (
        _was_wanted(messages, episode.failed)
        or _goes_round(episode.failed, worked)
        or any(_hides(action) for action in episode.between if action.call > episode.failed.result)
        or any(_relapse(episode.failed, later) for later in episode.after if later.call > worked.result)
    )


def _was_wanted(messages: Sequence[Message], failed: Action) -> bool:
    said = [m.content for m in messages[failed.result + 1 : failed.result + 4] if m.role == "assistant"]
    return any(_WANTED.search(text) for text in said[:_REMARKS])


def _goes_round(failed: Action, worked: Action) -> bool:
    before, after = command_of(failed) or "", command_of(worked) or ""
    return any(found.group() not in before for found in _GOES_ROUND.finditer(after))


def _hides(action: Action) -> bool:
    """True for an edit that puts in more such marks than the text that it replaced had."""
    if not edited_path(action) or not isinstance(action.arguments, dict):
        return False
    old = [str(value) for key, value in action.arguments.items() if key.lower() in OLD_KEYS]
    new = [text for text in argument_strings(action.arguments) if text not in old]
    before, after = (sum(len(_HIDES.findall(text)) for text in texts) for texts in (old, new))
    return after > before


def _relapse(failed: Action, later: Action) -> bool:
    """True when the same check later prints the same line again."""
    if failed.failure is None or later.failure is None or not same_check(failed, later):
        return False
    return _gist(failed) == _gist(later)


def _gist(action: Action) -> str:
    return general_line(clean_line(action.failure.line)) if action.failure else ""
