"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any, TypeVar

import click

__all__ = ["Moment", "all_projects_option", "project_option", "shown_project"]

Command = TypeVar("Command", bound=Callable[..., Any])


def project_option(about: str) -> Callable[[Command], Command]:
    """`--project NAME`."""
    return click.option("--project", metavar="NAME", help=about)


all_projects_option = click.option(
    "--all-projects",
    is_flag=True,
    help="Mix all projects; by default that of the working folder comes first.",
)


def shown_project(projects: list[str]) -> str:
    """The project of a memory, as a label."""
    return projects[0] if len(projects) == 1 else f"{len(projects)} projects" if projects else "-"


class Moment(click.ParamType[datetime]):
    """A day, or a time, as ISO 8601 writes it; without a zone that of this machine."""

    name = "date"

    def __init__(self, *, end_of_day: bool = False) -> None:
        """A day alone is its first moment, or its last."""
        self._time = time.max if end_of_day else time.min

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The time with its zone. A usage error names what may be given."""
        if isinstance(value, datetime):
            return value
        try:
            if len(value) == len("2026-11-28"):
                return datetime.combine(date.fromisoformat(value), self._time).astimezone()
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo else moment.astimezone()
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is no day and no time: give it like 2026-11-28 or 2026-11-28T14:30.", param, ctx
            )
