"""A question about "this project", put in words that memories use: they name their project."""

from __future__ import annotations

import re

__all__ = ["named"]

#: a question points at the project, e.g. `how are changes in this project checked`, `which tests does our repo have`
_THIS = re.compile(
    r"\b(?:this|our|my|the (?:current|present)) (?:project|repo(?:sitory)?|code ?base|code)\b", re.IGNORECASE
)
#: the same in one word, and not "here's the log", e.g. `which command runs the linter here`
_HERE = re.compile(r"\bhere\b(?!['’])", re.IGNORECASE)
#: the same in Chinese, e.g. `这个项目怎么测试`, `本仓库`, `我们的代码库`
_THIS_ZH = re.compile(r"(?:这个|本|该|当前|我们的?)(?:项目|仓库|代码库)")


def named(query: str, project: str) -> str:
    """The query with the project's name where it points at the project.

    >>> named("how are changes in this project checked", "shop")
    'how are changes in shop checked'
    """
    found = _THIS.sub(lambda _: project, query)
    if found == query:
        found = _HERE.sub(lambda _: f"in {project}", query)
    return _THIS_ZH.sub(lambda _: f" {project} ", found).strip()
