"""Does a sentence about a fault say something: a mechanism or a thing that its report does not hold already?"""

from __future__ import annotations

from ultron_core.lessons.explanations import adds_to
from ultron_core.lessons.people.statements import names_a_thing, word_count
from ultron_core.transcript.language import CJK
from ultron_core.transcript.speech import any_of

__all__ = ["is_specific", "says_mechanism", "verbatim", "whole"]

#: says that there is a fault or that it is gone, not which or why: "The same issue is occurring with other macros",
#: "The error has been fixed", "这个错误已经修复了", "问题已解决"
_HOLLOW = any_of(
    r"\b(?:same|similar) (?:issue|error|problem|thing)\b[^.]{0,20}\b(?:is |also |now )?"
    r"(?:occur\w*|happen\w*|appl\w+|exist\w*)",
    r"\b(?:issue|error|problem|bug|warning)s? (?:has|have|is|are|was|were) (?:been |now |all )*(?:fixed|resolved|gone|"
    r"addressed|solved|corrected)\b",
    r"\bi(?:['’]ve| have)? (?:now )?(?:fixed|resolved|addressed|solved|corrected) (?:the|this|that|all|both|your) "
    r"(?:\w+ ){0,2}(?:issues?|errors?|problems?|bugs?)\W*$",
    r"\bthe (?:error|issue|problem|failure) (?:is|was) "
    r"(?:happening|occurring|coming from|in|due to an? (?:error|issue))\b[^,;`]{0,30}$",
    r"^\W*(?:这个?|该|上述|所有)?(?:问题|错误|报错|bug)(?:都)?(?:已经?|现在)?(?:被)?(?:完全)?"
    r"(?:修复|解决|消除|修正)(?:了|好了)?\W*$|"
    r"(?:问题|错误)(?:很)?(?:明确|清楚|明显)了?\W*$",
)
#: tells what led to what, or what is not as it should be: "because the port is taken", "is never reset", "而不是"
_MECHANISM = any_of(
    r"\b(?:because|since|so that|due to|which (?:means?|made|meant|caused|makes|causes)|causes?d?|leads? to|led to|"
    r"instead of|rather than|without|before|after|until|only|already|still|never|missing|lacks?|expects?|requires?|"
    r"conflict\w*|mismatch\w*|overrid\w+|shadow\w*|inherit\w*|duplicat\w+|undefined|null|wrong|stale|outdated|"
    r"deprecated|incompatib\w+|case-sensitive|not|no longer|doesn't|isn't|aren't|wasn't|can't|cannot|don't|didn't)\b",
    r"因为|由于|导致|所以|因此|而不是|没有|缺少|未|不(?:是|支持|存在|会|能|兼容|一致|匹配)|只|仍|继承|冲突|覆盖|必须|需要先|"
    r"错误地|重复|为空",
)
#: goes on from the sentence before it: "As a result, the line never appears.", "This means ...", "因此 ..."
_GOES_ON = any_of(
    r"^(?:as a result|so\b|therefore|hence|thus|consequently|which\b|because\b|since\b|meaning\b|"
    r"(?:that|this)(?:['’]s| is) why\b|"
    r"(?:this|that|it) (?:made|makes|meant|means|caused|causes|leads?|led|happens?|happened|results?|breaks?|broke|"
    r"overwr\w+|is (?:because|why)|was (?:because|why)|prevents?|prevented|fails?|failed)\b)",
    r"^(?:因此|所以|结果|于是|因为|由于|也就是说|这(?:会|就|样|是因为|导致|使得|意味着)|从而|但(?:是)?)",
)
#: a whole account is no longer than this
_MAX_WHOLE = 420
#: words that a sentence must have, Chinese characters counted one by one
_MIN_WORDS = 6
#: a shorter quote would be found anywhere
_MIN_SHOWN = 20


def is_specific(sentence: str, about: str) -> bool:
    """True for a sentence that names a thing or a mechanism and does not only say the report again."""
    if _HOLLOW.search(sentence) or word_count(sentence) < _MIN_WORDS:
        return False
    return adds_to(sentence, about) and (says_mechanism(sentence) or names_a_thing(sentence))


def says_mechanism(sentence: str) -> bool:
    """True for what led to what, and what is missing, wrong or not so."""
    return _MECHANISM.search(sentence) is not None


def whole(told: list[str], place: int, text: str) -> str:
    """The sentence at `place` with the one before it that it leans on and those after it that go on telling."""
    found = told[place]
    if place > 0 and _GOES_ON.search(found) and (longer := _joined(told[place - 1], found, text)):
        found = longer
    for following in told[place + 1 :]:
        if not _GOES_ON.search(following) or not (longer := _joined(found, following, text)):
            break
        found = longer
    return found


def _joined(one: str, other: str, text: str) -> str:
    """Two sentences that follow each other in the text, as one; empty when they do not, or grow too long."""
    gap = "" if CJK.search(one[-2:]) or one[-1:] in "。！？" else " "
    longer = f"{one}{gap}{other}"
    return longer if len(longer) <= _MAX_WHOLE and (longer in text or f"{one} {other}" in text) else ""


def verbatim(said: str, content: str) -> str:
    """The words of `said` that stand in the content as they are: all of them, what follows the name of a file that was
    put before them, or as many as come before a broken line."""
    for words in (said, said.partition("`: ")[2]):
        if words and words in content:
            return words
    end = len(said)
    while end > _MIN_SHOWN:
        end = said.rfind(" ", 0, end)
        if end > _MIN_SHOWN and said[:end] in content:
            return said[:end]
    return ""
