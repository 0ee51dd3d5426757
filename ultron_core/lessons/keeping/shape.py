"""A draft as numbers: who said it, what it names, and what it leans on.

Inputs of the fitted judgement (keep.json); the coefficients decide, no word does. They are few on purpose: with the
seventy features of form at hand the judgement ranked no better than chance on a source that the fit had not seen.
"""

from __future__ import annotations

import re
from typing import Final

from ultron_core.lessons.findings.shape import is_of_class
from ultron_core.lessons.people.statements import word_count
from ultron_core.models import Origin
from ultron_core.transcript.speech import any_of

__all__ = ["feature_names", "features", "is_nameless", "paths_in"]

#: what the rules put before a statement, e.g. `In ultron, a person corrected the agent: `, `在 destyler 中：`
_FRAME = re.compile(
    r"^(?:In|Decided|Written|Standing|A|The user) [^:`]{0,80}: |^(?:在|用户|决定|缺陷|书面|给)[^：`]{0,30}："
)
#: words of the templates that would count as a pointer, e.g. `It worked after`, `in this session`
_TEMPLATE = re.compile(
    r"\bin the same way\b|\bIt (?:worked|passed|went on)\b|\bthis (?:session|environment|form|task)\b|\bthat file\b",
    re.IGNORECASE,
)
#: something that can be looked up, e.g. `` `port` ``, `src/app.py`, `getUser`, `--force`
_NAME = re.compile(
    r"`[^`]+`|[\w.-]{1,100}/[\w./-]+|\b(?:[a-z]+[A-Z]\w+|\w+_\w+|[A-Z][a-z]+[A-Z]\w*)\b|--[\w-]+"
)
#: e.g. `src/app.py`
_PATH = re.compile(r"[\w.-]{1,100}/[\w./-]+")
#: stands for what another sentence names, e.g. `these`, `上述`
_POINTER = any_of(
    r"\b(?:this|that|these|those|it|they|them|here|there|above|below|same|such)\b", r"这|那|它|此|该|上述"
)
#: begins in the middle, e.g. `Then it resets`, `The last two cases`
_LEANING = any_of(
    r"^(?:this|that|these|those|it|they|here|there|then|however|still|also|so|but|same|and|not|the (?:last|following|"
    r"above))\b",
    r"^(?:这|那|它)",
)
#: two people speak to each other, e.g. `do we load them once`, `请你修改`
_SPEAKERS = any_of(r"\b(?:i|i['’](?:m|ve|ll)|me|my|let me|let['’]s|we|you)\b", r"我|你")
#: holds beyond the day, e.g. `never`, `每次`
_LASTING = any_of(
    r"\b(?:always|never|must|should|do not|don['’]t|only|every|each|prefer|use|avoid|required?|before|when|whenever)\b",
    r"必须|不要|总是|每次|应该|避免",
)
#: of a number, not of a name such as E0432 or utf8, e.g. `line 547`
_DIGIT = re.compile(r"(?<![A-Za-z\d_])\d+(?![A-Za-z])")
#: digits in there are part of a name, e.g. `` `v2` ``, "http://10.0.0.4:4000/guests"
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|https?://\S+")

_NAMES: Final = (
    "by_agent", "by_person", "nameless", "path", "leaning", "pointers", "speakers", "hedge", "lasting", "digits",
    "broken",
)  # fmt: skip


def feature_names() -> tuple[str, ...]:
    return _NAMES


def is_nameless(content: str, resolution: str) -> bool:
    """Whether it names nothing that can be looked up."""
    return _NAME.search(_body(content, resolution)) is None


def paths_in(content: str, resolution: str) -> int:
    """How many paths it names."""
    return len(_PATH.findall(f"{content} {resolution}"))


def _body(content: str, resolution: str) -> str:
    """What is told, without the words of the templates around it."""
    return _TEMPLATE.sub("", _FRAME.sub("", " ".join(f"{content} {resolution}".split())))


def features(content: str, resolution: str, origin: Origin) -> list[float]:
    """In the order of `feature_names`; `origin` is that of the message quoted first."""
    body = _body(content, resolution)
    return [
        float(origin == "model"),
        float(origin == "human"),
        float(is_nameless(content, resolution)),
        min(paths_in(content, resolution), 4) / 4,
        float(_LEANING.search(body) is not None),
        min(len(_POINTER.findall(body)), 5) / max(word_count(body), 8) * 10,
        min(len(_SPEAKERS.findall(body)), 4) / 4,
        float(is_of_class("hedge", body)),
        float(_LASTING.search(body) is not None),
        min(sum(map(len, _DIGIT.findall(_QUOTED.sub("", body)))) / max(len(body), 1) * 20, 1),
        float(is_of_class("broken", body)),
    ]
