"""What a failed model call means for the row it was made for."""

from __future__ import annotations

from dataclasses import dataclass

from ultron_core.errors import BudgetExceededError, ModelError, ModelUnavailableError
from ultron_core.steps.runtime import Runtime

__all__ = ["Failure", "describe_failure"]


@dataclass(frozen=True, slots=True)
class Failure:
    """`transient`: the endpoint or the budget is at fault, not the row, which keeps all its attempts."""

    reason: str
    transient: bool

    @property
    def status(self) -> str:
        return "pending" if self.transient else "failed"


def describe_failure(runtime: Runtime, error: ModelError) -> Failure:
    """The failure, with its text redacted as it is stored on the row."""
    transient = isinstance(error, ModelUnavailableError | BudgetExceededError)
    return Failure(runtime.redactor.redact_text(str(error)).text, transient)
