"""Bugs that a person reports: the cause or cure in the agent's words, the files it changed, the check that passed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import EDIT, core_command, edited_path, path_of, short_path
from ultron_core.lessons.errors.diagnoses import Diagnosis, find_cause
from ultron_core.lessons.errors.same_check import is_proof
from ultron_core.lessons.explanations import LIST_MARK, clip, ended, talk_language
from ultron_core.lessons.habits import is_check
from ultron_core.lessons.people.statements import clean_statement, has_detail, without_opening
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import CJK, sentences
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["find_repairs"]

#: says that something is wrong: "there's an issue in that the folder goes away", "works for `poem` but not for ..."
_TROUBLE = any_of(
    r"\b(?:bug|issue|problem|error|broken|wrong|incorrect(?:ly)?|fails?|failed|failing|crash\w*|hangs?|silently|"
    r"missing|stale|garbled|garbage)\b",
    r"\b(?:doesn't|does not|don't|isn't|is not|aren't|won't|didn't|can't|cannot|no longer|never) \w+",
    r"报错|错误|不对|失效|没有(?:生效|反应|变化)|无法|不能|不起作用|丢失|问题|bug",
)
#: asks or plans rather than reports: "what happens if it fails?", "make sure the tests don't fail"
_ASKS = any_of(
    r"[?？]\s*$|^(?:it\b|this\b|that\b|they\b|the comment|we (?:don't |do not )?(?:want|need)|we are missing|you|"
    r"let|run|in the|ignore|if\b|see|read|"
    r"can|could|would|should|what|why|how|is|are|do|does|did|make sure|please (?:add|write)|let's|add|"
    r"write|create|implement|update|review|don't|do not|never|no\b)\b",
    r"^(?:请|帮|不要|别)",
)
#: headings and places of one version of a file, e.g. `line 12`, `# Fixes`
_PLACED = re.compile(r"\blines? \d|^\s*#", re.IGNORECASE)
#: says what the code does now, or what was done to it, e.g. `The client now retries`, `Added a timeout`,
#: `改为重试`
_DONE = any_of(
    r"\bnow (?:\w+ly )?\w+s\b|^(?:added|changed|replaced|moved|removed|fixed|wrapped|renamed|switched)\b|"
    r"\bis now\b|\bare now\b|\bno longer\b|\binstead of\b",
    r"现在|改为|已(?:修复|改|添加|移除)",
)
#: a shorter sentence names no change, a longer one is a paragraph
_LENGTH = (30, 320)
#: an edit of more files is a rewrite
_MOST_FILES = 4


def find_repairs(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn], project: str
) -> list[MemoryDraft]:
    """One draft for each report of a bug that led to a change after which a check passed; none that met objection."""
    drafts = []
    for number, turn in enumerate(turns):
        end = turns[number + 1].position if number + 1 < len(turns) else len(messages)
        report = "" if turn.objected else _report(turn.message)
        draft = _draft(messages, actions, turn, end, report, project) if report else None
        if draft is not None:
            drafts.append(draft)
    return drafts


def _report(message: Message) -> str:
    """The sentence in which a person says what is wrong."""
    for sentence in own_sentences(message):
        size = len(sentence) + 2 * len(CJK.findall(sentence))
        fits = _LENGTH[0] <= size <= _LENGTH[1] and has_detail(sentence)
        if fits and _TROUBLE.search(sentence) and not _ASKS.search(without_opening(sentence)):
            return sentence
    return ""


def _draft(
    messages: Sequence[Message], actions: Sequence[Action], turn: Turn, end: int, report: str, project: str
) -> MemoryDraft | None:
    begin = turn.position
    edits = _edits(messages, actions, begin, end)
    files = dict.fromkeys(f"`{short_path(path)}`" for _, path in edits)
    if not edits or len(files) > _MOST_FILES:
        return None
    proof = _proof(actions, edits[-1][0], end)
    if proof is None:
        return None
    told = find_cause(messages, begin + 1, end, report) or _cure(messages, proof.result, end)
    lang = talk_language(messages, begin)
    words = PHRASES[lang]
    check = clean_line(core_command((command_of(proof) or "").strip()), 100)
    changed = words["repaired"].format(files=", ".join(files), check=f"`{check}`")
    place, path = edits[-1]
    return MemoryDraft(
        content=words["bug_in" if project else "bug"].format(
            project=project, statement=clean_statement(without_opening(report))
        ),
        resolution=clip(
            f"{ended(clean_statement(told.text), lang) if told else ''} {changed}".strip(),
            700,
        ),
        tags=("bug",),
        confidence=0.7,
        memory_type="error",
        evidence=_evidence(messages, turn, report, told, (place, path), proof),
    )


def _edits(
    messages: Sequence[Message], actions: Sequence[Action], begin: int, end: int
) -> list[tuple[int, str]]:
    """Where which files were changed, by calls with and without a result, in order."""
    done = [(a.call, edited_path(a)) for a in actions if begin < a.call < end and edited_path(a)]
    answered = {(a.call, a.tool) for a in actions}
    silent = [
        (place, path_of(call.arguments))
        for place in range(begin, end)
        for call in messages[place].tool_calls
        if (place, call.name) not in answered and EDIT.search(call.name) and path_of(call.arguments)
    ]
    return sorted([*done, *silent])


def _evidence(
    messages: Sequence[Message],
    turn: Turn,
    report: str,
    told: Diagnosis | None,
    edit: tuple[int, str],
    proof: Action,
) -> tuple[Evidence, ...]:
    said = next((line.strip() for line in reversed(proof.output.splitlines()) if line.strip()), "")
    places = (
        (turn.position, report),
        (told.position if told else 0, told.text if told else ""),
        edit,
        (proof.result, said[:300].strip()),
    )
    return tuple(
        Evidence(messages[place].start_line, messages[place].end_line, quote[:400].strip())
        for place, quote in places
        if quote
    )


def _cure(messages: Sequence[Message], begin: int, end: int) -> Diagnosis | None:
    """What the closing answer says was done: "The message now uses the singular when one provider is given"."""
    for position in range(begin + 1, end):
        message = messages[position]
        if message.role != "assistant" or message.origin != "model":
            continue
        for sentence in sentences(without_code(message.content)):
            bare = clean_statement(LIST_MARK.sub("", sentence))
            fits = _LENGTH[0] <= len(bare) <= _LENGTH[1] and bare[-1] not in ":：?？"
            if fits and _DONE.search(bare) and has_detail(bare) and not _PLACED.search(sentence):
                return Diagnosis(sentence, position)
    return None


def _proof(actions: Sequence[Action], last_edit: int, end: int) -> Action | None:
    """The last check after the last edit, when it passed."""
    checks = [
        action for action in actions if last_edit <= action.call < end and is_check(command_of(action) or "")
    ]
    return checks[-1] if checks and is_proof(checks[-1]) and checks[-1].output.strip() else None
