"""What an error means for the row that was worked on."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import psycopg

from ultron_core.errors import BudgetExceededError, ModelError, ModelUnavailableError
from ultron_core.steps.runtime import Runtime

__all__ = ["ROW_FAULTS", "Failure", "describe_failure"]

#: What the work on one row can raise through what is in its log or in an answer: it counts against that row alone.
#: Anything else (the database is gone, the disk is full, a test's assertion) is not about a row and goes up.
ROW_FAULTS = (
    ModelError,
    psycopg.DataError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
#: characters of an error that nobody foresaw: so many are stored, of so many that are redacted
_STORED, _READ = 500, 20_000
logger = logging.getLogger("ultron.process")


@dataclass(frozen=True, slots=True)
class Failure:
    """`transient`: the endpoint or the budget is at fault, not the row, which keeps all its attempts."""

    reason: str
    transient: bool

    @property
    def status(self) -> str:
        return "pending" if self.transient else "failed"


def describe_failure(runtime: Runtime, error: Exception) -> Failure:
    """The failure, with its text redacted as it is stored on the row; what was not foreseen is logged, too."""
    if not isinstance(error, ModelError):
        # cut to what is stored after it is redacted: half a key is no longer known as one
        told = runtime.redactor.redact_text(f"{type(error).__name__}: {str(error)[:_READ]}").text
        reason = told[:_STORED]
        logger.error("one row could not be processed: %s (%s)", reason, _place(error))
        return Failure(reason, transient=False)
    transient = isinstance(error, ModelUnavailableError | BudgetExceededError)
    return Failure(runtime.redactor.redact_text(str(error)).text, transient)


def _place(error: Exception) -> str:
    """Module and line that raised it; a whole traceback could quote the log."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return f"{last.tb_frame.f_globals.get('__name__')}:{last.tb_lineno}" if last else "unknown place"
