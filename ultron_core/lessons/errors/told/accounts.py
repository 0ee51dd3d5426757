"""What the agent says of a reported fault when it answers: its cause and what was done about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ultron_core.lessons.errors.told.announced import found_it
from ultron_core.lessons.errors.told.asserted import is_told, told_lines
from ultron_core.lessons.errors.told.specific import is_specific, says_mechanism, whole
from ultron_core.lessons.explanations import LIST_MARK, ended, shared_terms
from ultron_core.lessons.people.statements import clean_statement, has_detail, names_a_thing
from ultron_core.models import Message
from ultron_core.transcript.language import CJK, language, sentences
from ultron_core.transcript.speech import any_of

__all__ = ["CAUSE", "DONE", "Account", "find_account", "label_kind"]

#: ties a change to what it is for: "Added a helper so the machine now receives `x`"
_SO = any_of(
    r"\bso (?:that |the |it |each |every )|\binstead of\b|\bonly (?:when|if)\b", r"以便|从而|避免|确保|不再"
)
#: names a cause: "The root cause was a stale cache", "it fails because the port is taken", "因为缓存没有刷新"
CAUSE = any_of(
    r"\b(?:root cause|culprit|caused by|due to|because|turn(?:s|ed) out|that(?:'s| is) why|which (?:made|meant))\b",
    r"\b(?:the|this|that) (?:\w+ ){0,3}(?:issue|problem|bug|cause|reason|error|failure|mismatch)\b[^.]{0,40}"
    r"\b(?:is|was|were|comes?|came|lies|stems?)\b",
    r"\bwas the wrong \w+|\b(?:so|as a result),? (?:the|each|every|it)\b.{0,80}\b(?:never|not|dropped|lost|replaced)\b",
    r"\b(?:this|that|it)(?: is|['’]s) an? (?:[\w-]+ ){1,5}(?:issue|problem|conflict|mismatch|incompatibility|bug)\b|"
    r"\b(?:incompatible|not compatible|too old)\b",
    r"这(?:是|个)[^。，]{2,60}(?:问题|冲突)|不兼容|版本(?:过|太)(?:旧|低|新|高)|原因(?:是|在于)|因为|由于|问题(?:是|在于|出在)|根因|导致|才会|表示当前|没有(?:指定|等待|传|处理)",
)
#: says what was done: "Added `stop` to the loop", "`sync` now skips empty files", "已将 glob 改为递归"
DONE = any_of(
    r"^\W*(?:i(?:'ve| have)? (?:\w+ )?)?(?:added|changed|fixed|replaced|removed|moved|rewrote|updated|wrapped|renamed|"
    r"switched|introduced|adjusted|restored|reverted|excluded|reordered|made|tracked down|resolved|solved)\b",
    # an item of a list of changes: "`connect.ts`: only emit `readOnly` when the machine is read-only"
    # (but not of what a file is for: This file contains the base classes)
    r"^`[^`]+\.\w{1,5}`(?: \([^)]{1,60}\))?\s*[:：—–]\s*"
    r"(?!(?:this|the|it|contains?|is|has|holds?|defines?|handles?)\b)\S",
    r"\bthis change (?:adds|makes|replaces|moves|updates|removes)\b",
    r"\bi(?:'ve| have)? (?:now )?(?:fixed|added|changed|removed|replaced|moved|updated|switched)\b",
    r"`[^`]+`[^.]{0,60}\b(?:now|no longer) \w+|\bnow (?:\w+ly )?(?:use|pass|keep|call|return|wait|check|run|mirror|"
    r"emit|skip|print|read|write|handle|receive|include)s?\b",
    r"已(?:经)?(?:按|将|把|改|移除|删除|修复|调整|替换|添加|新增|更新|导出)|(?:改为|改成|替换为|新增|添加了?|移除了?)|"
    r"现在(?:会|只|同时|兼容|可以|能)|在每次|修复了",
)
#: a heading or label over a cause: "**Root cause**", "## Why it fails", "**原因**：..."
_CAUSE_LABEL = any_of(
    r"^\W*(?:root cause|cause|the (?:problem|cause|bug|issue)|why(?: (?:it|this) \w+)?|diagnosis|"
    r"what(?:'s| was| is| went) (?:happening|wrong))\W*$",
    r"^\W*(?:\d[.、)]\s*)?(?:根本?)?(?:原因(?:分析)?|问题(?:原因|根源|来源(?:分析)?|所在)|为什么.{0,16})\W*$",
)
#: the same over what was done: "### The fix", "**解决方案**：", "处理措施：", "变更要点："
_FIX_LABEL = any_of(
    r"^\W*(?:the )?(?:fix(?:es)?|solution|changes?|what (?:i )?(?:changed|did)|resolution)\W*$",
    r"^\W*(?:\d[.、)]\s*)?(?:解决(?:方案|方法|办法)|处理措施|变更要点|修复(?:方案|内容|总结)?|修改(?:内容|说明)?|主要改动|"
    r"更新内容(?:概述)?)\W*$",
)
#: the same over what is only proposed or still to be done: "### Suggested paths", "方案 A（推荐）", "后续可选改进"
_OTHER_LABEL = any_of(
    r"^\W*(?:\d[.、)]\s*)?(?:suggest\w*|recommend\w*|options?|next\b|verif\w*|tests?|alternativ\w*|follow-?ups?)\b",
    r"^\W*(?:\d[.、)]\s*)?(?:建议|可选|后续|方案\s?[A-Z一二三\d]|(?:快速)?验证|下一步|补充|注意)",
)
#: a label in front of a sentence, e.g. `**原因**：按键之间没有等待`, `**Fix:** wait for it`
_LABELLED = re.compile(
    r"^\W{0,20}(?:\*\*)?([^*:：\n]{2,24}?)(?:\*\*)?\s{0,4}[:：]\s{0,20}(?:\*\*)?\s{0,20}(?=\S)"
)
#: a shorter sentence says nothing (in bytes), a longer one is a paragraph
_SHORTEST, _LONGEST = 30, 420
#: of a longer answer the end is read: before it a narrating agent tells what it looks at
_MAX_ANSWER = 8_000
#: a label counts as much as two shared words; at most three shared words count; the second half is more settled
_LABEL, _SHARED, _LATER = 1.6, 0.8, 0.4
#: the part of an answer that speaks of the fault outweighs a shared word
_SECTION = 1.2
#: code and quotations in a sentence, e.g. ``` `pressKey` ```, `src/app.py`
_CODE = re.compile(r"`[^`]*`|['\"][^'\"]*['\"]|[^\s/\\(){}\[\]]{0,200}+[/\\(){}\[\]]\S*")
#: a word, or two Chinese characters, e.g. `retry`, `等待`
_PROSE = re.compile(r"[A-Za-z]{2,}|[\u3400-\u9fff]{2}")
#: words that a sentence must have besides its code
_WORDS = 3
#: a longer line is no heading
_MAX_HEADING = 60


#: tells what to do or what is done now, in front of the code that does it: "Update the loop to pass `done`:",
#: "我需要修改`pom.xml`，移除插件：", "Add a null check before `remove()`"
_ORDER = any_of(
    r"^(?:\d+[.)]\s*)?(?:now,? |next,? |first,? )?"
    r"(?:(?:let me|let['’]s|i['’]ll|i will|(?:i|we) need to|(?:i|we) should) (?:now |also )?)?"
    r"(?:update|change|add|remove|replace|move|set|pass|rename|install|wrap|modify|import|delete|create|switch|"
    r"convert|include|exclude|disable|enable|upgrade|downgrade|pin|use)\b"
    # what only watches it run is no cure, as a breakpoint that is set and a line that is logged
    r"(?!.{0,40}\b(?:tests?|docs?|comments?|script|breakpoints?|logging|console\.log|"
    r"(?:log|debug) (?:lines?|logs?|outputs?|prints?|statements?))\b)",
    r"^(?:现在|接下来|因此)?[，,]?(?:让我|我来|我)?(?:需要|要|来|将|会|先|应该|可以)?(?:明确地)?(?:在.{1,60}(?:中|里|上))?"
    r"(?:修改|移除|删除|添加|增加|替换|更改|设置|禁用|启用|改用|改成|改为|安装|升级|降级|导入|引入|跳过)"
    r"(?!.{0,20}(?:断点|日志输出|打印日志|(?:一些|更多|详细)日志|调试(?:输出|信息|日志|代码|语句)))",
)
#: gives its reason, so that it says something although code follows, e.g. `it adds the prefix itself, so pass 0:`
_REASONED = any_of(r"\b(?:because|since|so)\b", r"因为|由于|所以|因此")
#: a heading that names the file below it, e.g. `### [loop.js](file:///repo/src/loop.js)`, `#### src/app.py`
_FILE_HEADING = re.compile(
    r"^\W{0,12}(?:\d{1,3}[.)]\s{0,4})?[\[`*]{0,6}(?P<file>[\w@./\\-]{1,120}\.\w{1,5})\b"
)
#: where a link leads: "[loop.js](file:///repo/src/loop.js)"
_ADDRESS = re.compile(r"(?<=\])\([^)\s]{1,400}\)")
#: opens a block of code that writes a file, or any block, e.g. ```` ```xml:web/pom.xml ````
_WRITES = re.compile(r"^[^\S\n]*`{3,}[\w+-]*", re.MULTILINE)
#: sentences at the beginning of the answer to a pasted error that say what it comes from, whatever their words
_OPENING = 3
#: what is announced as found counts more than what is said in passing
_ANNOUNCED = 1.0


@dataclass(frozen=True, slots=True)
class Account:
    """`cause` and `fix` are from the messages at `position`, the cause from the one at `caused_at`; either may be
    empty, not both."""

    cause: str
    fix: str
    position: int
    caused_at: int = -1

    @property
    def text(self) -> str:
        cause, fix = clean_statement(self.cause), clean_statement(self.fix)
        return f"{ended(cause, language(cause))} {fix}" if cause and fix else cause or fix

    @property
    def cause_position(self) -> int:
        return self.caused_at if self.caused_at >= 0 else self.position


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence of an answer; `kind` is `cause`, `fix` or `other` below or behind such a label, else empty; `file` is
    what a heading above it names."""

    kind: str
    text: str
    section: int
    heading: str
    file: str = ""
    #: right before a block of code
    orders: bool = False


def find_account(
    messages: Sequence[Message], begin: int, end: int, about: str, *, answers: bool = False
) -> Account | None:
    """What the model says of `about` in messages[begin:end]; the last words are the settled ones, and the cause may
    stand before the words on the cure. With `answers` the first words are the answer to a pasted error, and say what
    it comes from."""
    best: Account | None = None
    first = next((p for p in range(begin, min(end, len(messages))) if _is_models(messages[p])), -1)
    for position in range(min(end, len(messages)) - 1, begin - 1, -1):
        if not _is_models(messages[position]):
            continue
        found = _of(messages[position], about, position, opening=answers and position == first)
        if found is None:
            continue
        if best is None:
            best = found
        elif not best.cause and found.cause:
            best = replace(best, cause=found.cause, caused_at=position)
        elif not best.fix and found.fix:
            best = Account(best.cause, found.fix, position, best.cause_position)
        if best.cause and best.fix:
            break
    return best


def _is_models(message: Message) -> bool:
    return message.role == "assistant" and message.origin == "model" and bool(message.content.strip())


def _of(message: Message, about: str, position: int, *, opening: bool = False) -> Account | None:
    text = message.content[-_MAX_ANSWER:]
    told = list(_told(text, calls=bool(message.tool_calls)))
    section = _section(told, about)
    at = _best(told, "cause", about, section, CAUSE)
    if at < 0 and opening:
        fits = (
            i
            for i, one in enumerate(told[:_OPENING])
            if one.kind == "" and not one.orders and (i == 0 or shared_terms(one.text, about))
        )
        at = next((i for i in fits if says_mechanism(told[i].text) and is_specific(told[i].text, about)), -1)
    fix = _best(told, "fix", about, section if at < 0 else told[at].section, DONE)
    if fix < 0:
        fix = next((i for i, one in enumerate(told) if one.orders and i != at), -1)
    if at == fix:
        at = -1
    cause = whole([one.text for one in told], at, text) if at >= 0 else ""
    if cause and not is_specific(cause, about):
        cause = ""
    done = told[fix].text if fix >= 0 else ""
    if not done or not (says_mechanism(done) or names_a_thing(done) or told[fix].file):
        done = ""
    elif told[fix].file and told[fix].file not in done:
        done = f"`{told[fix].file}`: {done}"
    if done and done in cause:
        done = ""
    return Account(cause, done, position) if cause or done else None


def _section(told: Sequence[_Told], about: str) -> int:
    """The part of an answer to several faults that speaks most of this one; -1 when none does."""
    shared: dict[int, int] = {}
    for item in told:
        shared[item.section] = max(
            shared.get(item.section, 0), shared_terms(f"{item.heading} {item.text}", about)
        )
    best = max(shared, key=lambda section: shared[section], default=-1)
    return best if shared.get(best) else -1


def _best(told: Sequence[_Told], label: str, about: str, section: int, cue: re.Pattern[str]) -> int:
    """Where the sentence with the cue, or below such a label, says most about what was reported; -1 for nowhere."""
    best, chosen = 0.0, -1
    for place, item in enumerate(told):
        if item.kind not in ("", label) or not (item.kind == label or cue.search(item.text)):
            continue
        rank = _SHARED * min(shared_terms(item.text, about), 3) + bool(cue.search(item.text))
        rank += _LABEL * (item.kind == label) + _SECTION * (item.section == section)
        rank += _ANNOUNCED * (label == "cause" and place > 0 and found_it(told[place - 1].text))
        rank += (
            _LATER * (2 * place >= len(told))
            + _LATER * has_detail(item.text)
            + _LATER * bool(_SO.search(item.text))
        )
        if rank > best:
            best, chosen = rank, place
    return chosen


def _told(text: str, *, calls: bool = False) -> Iterator[_Told]:
    """Sentences that say something, as they stand in the text; a heading without a label begins a section."""
    headed, heading, section, file = "", "", 0, ""
    coded = {line.strip() for line in _before_code(text)}
    if calls:  # what is announced last is what the call does
        coded.add(text.rstrip().rpartition("\n")[2].strip())
    for bare in told_lines(text):
        if _is_heading(bare):
            headed = label_kind(bare.strip("#*_:： "))
            named = _FILE_HEADING.match(bare.lstrip("#* "))
            file = named["file"] if named else ""
            if not headed:
                section, heading = section + 1, bare
            continue
        kind = headed
        labelled = _LABELLED.match(LIST_MARK.sub("", bare))
        if labelled and (named_kind := label_kind(labelled[1])):
            kind = named_kind
        for sentence in sentences(bare):
            clean = _bare(sentence)
            orders = bare in coded and _ORDER.search(clean) is not None and kind in ("", "fix")
            if _says(clean, kind, orders=orders):
                yield _Told(kind, clean, section, heading, file, orders)


def _before_code(text: str) -> Iterator[str]:
    """The last line of prose before each block of code."""
    for block in _WRITES.finditer(text):
        yield text[: block.start()].rstrip().rpartition("\n")[2]


def _is_heading(line: str) -> bool:
    line = _ADDRESS.sub("", line)
    if len(line) > _MAX_HEADING:
        return False
    marked = line.startswith("#") or re.fullmatch(r"\*\*[^*]+\*\*[:：]?", line) is not None
    return marked or (line[-1] in ":：" and label_kind(line.strip(":： ")) != "")


def label_kind(text: str) -> str:
    """What a heading or label says of the words below or behind it: `cause`, `fix`, `other`, else empty."""
    for kind, shape in (("cause", _CAUSE_LABEL), ("fix", _FIX_LABEL), ("other", _OTHER_LABEL)):
        if shape.search(text):
            return kind
    return ""


def _bare(sentence: str) -> str:
    bare = LIST_MARK.sub("", sentence.strip()).strip()
    labelled = _LABELLED.match(bare)
    return bare[labelled.end() :] if labelled and label_kind(labelled[1]) else bare


def _says(sentence: str, kind: str, *, orders: bool = False) -> bool:
    if (
        len(sentence.encode()) < _SHORTEST
        or len(sentence) > _LONGEST
        or len(_PROSE.findall(_CODE.sub("", sentence))) < _WORDS
    ):
        return False
    if orders:
        return names_a_thing(sentence) or CJK.search(sentence) is None
    if sentence[-1] in ":：" and kind != "fix" and not _REASONED.search(sentence):
        return False
    if not is_told(sentence.rstrip(":：")) or sentence[-1] in "的，,、":
        return False
    return names_a_thing(sentence) or CJK.search(sentence) is None
