"""Tells beside the progress of work how fast the model answers, and for a server on this machine the time left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ultron_core.cli.progress import Advance
from ultron_core.errors import ModelUnavailableError
from ultron_core.llm.pace import Pace
from ultron_core.steps.runtime import Runtime

if TYPE_CHECKING:
    from ultron_core.steps.stages.process import ProcessReport

__all__ = ["process_told", "with_pace"]


@dataclass(slots=True)
class _Paced:
    """Tells what is worked on with the model's pace, also between two rows, as it answers."""

    advance: Advance
    pace: Pace
    calls: int
    last: tuple[str, int, int | None] = ("", 0, None)

    def __call__(self, text: str, done: int, total: int | None = None) -> None:
        self.last = (text, done, total)
        self.answered()

    def answered(self) -> None:
        text, done, total = self.last
        self.advance(_told(text, self.pace, self.calls), done, total)


def with_pace(runtime: Runtime, advance: Advance) -> Advance:
    """The same progress; where a model is asked, its tokens a second stand beside what is worked on."""
    pace = getattr(runtime.llm, "pace", None)
    if not isinstance(pace, Pace):
        return advance
    paced = _Paced(advance, pace, _calls(runtime))
    pace.told = paced.answered
    return paced


def process_told(runtime: Runtime, advance: Advance, *, project: str | None = None) -> ProcessReport:
    """All stages on all that waits, of one project's sessions alone if one is named, telling how far it is and how fast
    the model answers."""
    from ultron_core.steps.stages.process import process_pending

    paced = with_pace(runtime, advance)
    return process_pending(
        replace(runtime, tell=paced), lambda stage, done: paced(stage, done), project=project
    )


def _calls(runtime: Runtime) -> int:
    """How many calls the waiting work takes; not counted for a server elsewhere, where it takes no hours."""
    if not runtime.settings.llm.is_local:
        return 0
    from ultron_core.steps.stages.estimate import estimate_pending

    try:
        return int(estimate_pending(runtime)["calls"])
    except ModelUnavailableError:  # the work itself says why
        return 0


def _told(text: str, pace: Pace, calls: int) -> str:
    if not pace.calls:
        return text
    left = f", {_time(pace.left(calls))} left" if calls > pace.calls else ""
    return f"{text}, {pace.tokens_per_second:.3g} tokens/s{left}"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
