"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["all_projects_option", "project_option", "shown_project"]

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
