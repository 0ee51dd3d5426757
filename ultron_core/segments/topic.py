"""A short human title for a segment: what a person asks first in it, cleaned. Secrets go before it is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ultron_core.models import Message
from ultron_core.redaction.patterns import hide_secrets
from ultron_core.segments.offline.cues import DETAIL
from ultron_core.transcript.acceptance import says_right
from ultron_core.transcript.asked import asked
from ultron_core.transcript.harness import (
    COMPACTION_PROMPTS,
    HARNESS_COMMAND_ARGUMENTS,
    HARNESS_COMMAND_NAMES,
    HARNESS_GUIDES,
    joined,
)
from ultron_core.transcript.language import OTHER_SCRIPT
from ultron_core.transcript.pairs import is_tool_result
from ultron_core.transcript.pasted import failure_told, typed_lines
from ultron_core.transcript.people import is_request
from ultron_core.transcript.protocol import program_rows
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import GREETING, is_only_courtesy, is_question

__all__ = ["MAX_TOPIC", "clean_topic", "one_line", "title_of"]

#: characters of a topic
MAX_TOPIC = 80
#: characters of a text in which its title is looked for
_SEEN = 3000
#: sentences of a text that are looked at, and the length of a message that comes to its point in its second one
_SENTENCES, _SHORT_MESSAGE = 12, 400
#: a code block, closed or cut off, e.g. ```` ```python⏎x = 1⏎``` ````
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: text in backticks, which stays as it is, e.g. `` `@docs/components/*.css` ``, and what stands for it meanwhile
_SPAN, _HIDDEN = re.compile(r"`[^`\n]+`"), re.compile(r"\x00(\d+)\x00")
#: e.g. `<system-reminder>`, `</p>`, `[INST]`
_TAG = re.compile(r"<(?!REDACTED_|LLM_API_|GITHUB_|AWS_|ULTRON_)[a-zA-Z/!][^<>]{0,200}>|\[/?(?:INST|SYS)\]")
#: of which the words stay, e.g. `[the docs](https://example.org)`
_LINK = re.compile(r"!?\[([^\]]{0,400})\]\([^)]{0,2000}\)")
#: what a line begins with before its words, and emphasis, e.g. `## Goal`, `- first`, `a **bold**`
_MARKUP = re.compile(r"^[\s#>*\-=_|•·~\d.)]*(?=\S)|[*_#]{2,}|(?<!\w)\*|\*(?!\w)")
#: e.g. `a⏎⏎b`
_SPACE = re.compile(r"\s+")
# an initial or "i.e." ends no sentence, e.g. `First. Second`, `第一。第二`
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+|(?<=[。！？；])")
#: what a request opens with before it says anything, e.g. `ok, so now`, `Great! `
_INTERJECTION = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|so|hmm+|well|now|also|and|great|thanks|thank you)\b(?:\.{2,}|[,.!]) *)+",
    re.IGNORECASE,
)
#: e.g. `Could you please help me fix`, `I want to book`, `请帮我`
_POLITE = re.compile(
    r"^(?:(?:can|could|would|will) you (?:please |kindly )?(?:help me (?:to )?|tell me )?|please (?:help me )?"
    r"|i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to |i was wondering if you could |help me (?:to )?"
    r"|(?:请问|请帮我|请你|请|麻烦你?|现在|你?能不能|你?可以|你能|我想(?:你|让你|要)?|帮我(?:看看|看一下)?)+)",
    re.IGNORECASE,
)
#: a prompt names its task on a line of its own: "Question: who ...", "Your task is to: look at bowl", "ISSUE:\n..."
_LABEL = re.compile(
    r"^[\s#*]*(?:your |my )?(?:task(?: description| is to)?|question|issue|problem|goal|target|plan|任务|问题|目标"
    r"|request(?: for \w+)?)"
    r"[*\s]*[:：]\s*",
    re.IGNORECASE,
)
#: a heading that says the same without a colon: "## Task description"
_HEADING = re.compile(r"^#+\s*(?:task description|task|issue|problem|goal|question)\s*$", re.IGNORECASE)
#: points at what comes next and says nothing itself: "Implement the following plan:", "You are given: (1) a task"
_POINTER = re.compile(
    r"^you (?:are|will be) (?:given|provided|an? )\b"
    r"|\bthe following (?:\w+ )?(?:plan|issue|task|problem|challenge|code|question|instructions?)\b"
    # "This is the output from my run of the `watch` command with a provider specified."
    r"|^here(?:'s| is| are) "
    r"|^(?:this|below|above) is (?:the|an?|my) (?:\w+ )?(?:output|log|result|response|error)s? (?:from|of|i)\b"
    # "I'm Sophia Silva, and I'm a Gold member"
    r"|^(?:i'm|i am|my name is)(?-i:(?: [A-Z]\w+){1,3})(?:,? and i(?:'m| am) an? [\w ]+)?[.!]?$"
    r"|^(?:i need to understand|understand|context|description|instructions?|background|very thorough \w+)\b[.:]?$",
    re.IGNORECASE,
)
#: an order to read first, when nothing is to be done with it: "Read main.ts tui-renderer.ts in full"
_READ_FIRST = re.compile(
    r"^(?:first,? )?(?:please )?(?:use \w+ to )?(?:re-?read|read|(?:take|have) a look at|look at|check out"
    r"|先?(?:阅读|读一下|看看|看一下))"
    r"(?!.*(?:\band\b|\bto\b|\bthen\b|，|然后))",
    re.IGNORECASE,
)
#: a command that a person pasted above their request, e.g. `curl -v localhost:8080`
_COMMAND_LINE = re.compile(
    r"(?!(?:add|use|remove|pass|set|drop|make|try|run|fix|support|allow|what|why|the|is|does)\b)"
    r"[a-z][\w.+-]{1,20} --?[A-Za-z][\w-]*(?: [\w./:@=*-]+){0,8}$"
)
#: code that is to be completed, and the name of the function: "Complete the following code:⏎⏎def f(x):"
_TO_COMPLETE = re.compile(
    r"\A\W*(complete|implement|finish) the (?:following |given )?(?:python )?(?:code|function)\b", re.I
)
#: the head of a function to complete, e.g. `def circular_shift(x, shift):`
_FUNCTION = re.compile(r"^[^\S\n]*(?:async )?(?:def|function|func|fn) (\w+)\s*\(", re.MULTILINE)
#: what a long question asks, after what it begins with, e.g. `Beer Wars covers, such as what brewery is in it?`
_QUESTION_CLAUSE = re.compile(
    r"[,;:] (?:\w+ ){0,2}?((?:what|which|who|whose|where|when|how|why)\b.*\?)", re.IGNORECASE
)
#: circumstances before a request: "I was born on 1990-05-15. Can you tell me how old I am?"
_CIRCUMSTANCE = re.compile(
    r"^(?:(?:i|am|my|we|our|there|this)\b(?!.*\b(?:want|need|like|hop(?:e|ing)|change|cancel)\b)|我(?!需要|想|要))",
    re.I,
)
#: says that something is wrong, and shows it instead of telling: "现在会出现这个问题", "I get this error:"
_SHOWN = re.compile(
    r"(?:问题|错误|报错|出错|异常|怎么回事|什么原因)[了吗呢啊吧]?\W*$"
    r"|\b(?:an?|this|the(?: following)?|some|that) (?:error|issue|problem|exception|bug)s?\W*$",
    re.I,
)
#: characters of such words that are still worth their place before what is shown
_SHORT_LEAD = 40
#: files handed in before the request, each by its name: "@src/app.py @src/db.py the port is ignored"
_HANDED_IN = re.compile(r"^(?:[@#](?:file:)?[\w./~-]+[,，]?\s+){2,}(?=\S+\s?\S)")
#: what an editor put in, e.g. `attachment:Pasted text #1`, `Context from my IDE setup:`
_PUT_IN = re.compile(r"^#?attachment:|^context from my ide\b", re.IGNORECASE)
#: a name in a short sentence without a file or code: "我安装 redis 遇到了以下问题"
_NAME_IN_CJK = re.compile(r"[\u3400-\u9fff].{0,40}?[A-Za-z]{3}|[A-Za-z]{3}.{0,40}?[\u3400-\u9fff]")
#: how some clients mark a file that was handed in: "in #file:nav.ts the links are dead"
_MARK = re.compile(r"(?<![\w#])#?file:(?=[\w/-]{0,80}\.\w)", re.IGNORECASE)
#: who is greeted, behind the greeting: "Claude, look at the build", "team! the links are dead"
_NAMED_AFTER_GREETING = re.compile(r"^(?:[A-Z]\w+|\w+)[,，!！.]\s*(?=\w+\s?\w)")
#: code without a fence: "def check_if_last_char_is_a_letter(txt):"
_CODE_LINE = re.compile(r"^\s*(?:def \w+\(|class \w+[:(]|import \w+$|from \S+ import |[\"']{3}\s*$)")
#: the subject of a pull request as the command-line client prints it: "title:\tSupport Factory Droid as provider"
_SUBJECT = re.compile(r"^.{0,40}\btitle:\t(\S.*)$", re.MULTILINE)
#: the heading of a guide below which the task is, e.g. `## Your task`
_GUIDE_TASK = re.compile(r"^#+ Your task$", re.MULTILINE)
#: of a path the last part stays; addresses and quoted text stay whole, e.g. `@packages/components/combobox`,
#: `@README.md`
_FOLDERS = re.compile(
    r"(`[^`]+`)|(?<![\w/:.`'\"*])[#@]?(?:\.{0,2}/)?(?:[\w.@~-]{1,100}/){2,}([\w.-]+)(?![\w/*])|(?<!\w)[#@](?:\.{1,2}/@?)?(\w[\w-]*\.\w+)"
)
#: words, or Chinese or Japanese characters, from which on a title says enough
_WORDS, _CJK_CHARACTERS = 2, 4
#: letters or digits of the shortest title: "fix", not "2."
_FEWEST = 3
#: e.g. `don't`, `реши`, `고쳐줘`
_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff][\w'’-]*")
#: nothing but a file, which says what with and not what for, e.g. `d:\\shop\\list.cpp`, `**AI_Guide.md**`
_ONLY_A_FILE = re.compile(r"^[*`\"']*(?:[A-Za-z]:)?[\w./\\~@-]*\.\w{1,5}[*`\"']*$")
#: what a program sends to see whether the agent is there, e.g. `Warmup`, `init`
_ASKS_NOTHING = re.compile(r"^(?:warm-?up|init)\W*$", re.IGNORECASE)
#: e.g. `端`, `は`
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")

_NAME, _ARGUMENTS = joined(HARNESS_COMMAND_NAMES), joined(HARNESS_COMMAND_ARGUMENTS)
#: the layout in which a harness hands in a guide, in transcript/harness.py, e.g. `## Context⏎⏎- Branch:
#: main⏎⏎## Your task⏎`
_GUIDE = joined(HARNESS_GUIDES)
#: the same cut off before the task: tool output alone, e.g. `## Context⏎⏎- Current git status: On branch main`
_GATHERED = re.compile(r"\A#{1,3} Context$\s+- [\w ]+: ", re.MULTILINE)
#: a harness asks for a summary of the log, e.g. `Your task is to create a detailed summary of the conversation so far`
_COMPACTION = joined(COMPACTION_PROMPTS)
#: the title of a thread that only sums up another one
_SUMMARY = "Summary of the conversation"


def title_of(messages: Sequence[Message]) -> str:
    """At most 80 characters in the language of the segment; never tool output or what a harness printed.

    What a person asks comes first; then what one agent asks another, what the model says, and what it calls.
    """
    weak = ""
    for text in _asked(messages):
        if _COMPACTION.search(text):
            return weak or _SUMMARY
        gathered = _GUIDE.search(text) or _GATHERED.search(text)
        title = _command(messages) if gathered else clean_topic(text)
        if title and not _asks_nothing(title):
            if _says_enough(title):
                return title
            weak = weak or title
    own = (m for m in messages if m.role == "assistant" and not is_tool_result(m))
    said = weak or next((t for m in own if (t := clean_topic(m.content))), "")
    return said or _first_call(messages)


def _asks_nothing(title: str) -> bool:
    """Courtesy, which is known in two languages, or a program's word."""
    courtesy = is_only_courtesy(title) and not OTHER_SCRIPT.search(title)
    return courtesy or _ASKS_NOTHING.match(title) is not None


def _asked(messages: Sequence[Message]) -> Iterator[str]:
    printed = program_rows(messages)
    rows = [m for i, m in enumerate(messages) if m.role == "user" and i not in printed]
    # what a reader of the log split off such a row (a diff of a log in it) is output as well
    gathered = {m.start_line: m for m in reversed(rows) if m.start_line and _GATHERED.search(m.content)}
    yield from (asked(m.content) for m in rows if is_request(m) and gathered.get(m.start_line, m) is m)
    yield from (m.content for m in rows if m.origin == "model" and not is_tool_result(m))


def _command(messages: Sequence[Message]) -> str:
    """A slash command by its name, its arguments and its subject: "/pr-review 150: Support Factory Droid"."""
    name = arguments = subject = ""
    for message in messages:
        if found := _NAME.search(message.content):
            name = f"/{_only(found)}"
            given = _ARGUMENTS.search(message.content)
            arguments = f" {_only(given)}" if given else ""
        elif message.role == "user" and (_GUIDE.search(message.content) or _GATHERED.search(message.content)):
            named = _SUBJECT.search(message.content)
            task = _GUIDE_TASK.search(message.content)
            subject = named[1] if named else clean_topic(message.content[task.end() :]) if task else ""
            break
    return _fit(": ".join(part for part in (name + arguments, subject) if part))


def _only(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group).strip()


def _first_call(messages: Sequence[Message]) -> str:
    name = next((c.name for m in messages for c in m.tool_calls if c.name), "")
    return clean_topic(name) or name or "untitled"


def clean_topic(text: str) -> str:
    """The first sentence that says what is wanted, without markup, greeting, polite opening and folders.

    A line that names the task goes first; of a short message the request, not the circumstances before it.
    """
    if function := _to_complete(text):
        return _fit(function)
    hidden: list[str] = []
    # a title takes the name from a secret, or its end, and capitalises `mysql -p`
    seen = hide_secrets(text[: 2 * _SEEN])[:_SEEN]
    typed = _SPAN.sub(lambda m: _hide(m[0], hidden), _CODE.sub(" ", seen.replace("\0", " ")))
    plain = _LINK.sub(r"\1", _TAG.sub(" ", typed))
    named = _named_task(plain.splitlines())
    found = [
        _HIDDEN.sub(lambda m: hidden[int(m[1])], s) for s in islice(_sentences(named or plain), _SENTENCES)
    ]
    found = [s for s in found if not _PUT_IN.search(s)]
    telling = [s for s in found if _says_enough(s) and not _POINTER.search(s)]
    telling = [s for s in telling[:1] if not says_right(s)] + telling[1:] or telling
    if telling and _COMMAND_LINE.match(telling[0]):
        telling = [*(s for s in telling[1:3] if _asks(s) or _CJK.search(s)), *telling]
    if telling and _READ_FIRST.match(_bare(telling[0])):
        telling = [*(s for s in telling[1:4] if _asks(s)), *telling]
    short = sum(map(len, found)) <= _SHORT_MESSAGE
    if short and telling and _CIRCUMSTANCE.match(GREETING.sub("", telling[0]).strip()):
        telling = [*(s for s in telling[1:3] if _comes_to_the_point(s)), *telling]
    for sentence in (*telling, *sorted(found, key=lambda s: _ONLY_A_FILE.match(s.strip()) is not None)):
        if title := _bare(sentence):
            return _fit(_with_failure(title, text) if _SHOWN.search(title) else _question(title))
    return _fit(_failure(text))


def _comes_to_the_point(sentence: str) -> bool:
    asks = is_question(sentence) and len(_bare(sentence).split()) > _WORDS
    return asks or _SHOWN.search(_bare(sentence)) is not None


def _with_failure(title: str, text: str) -> str:
    """What is wrong instead of "I get this error:"; below these words when they are few and name something."""
    failure = _failure(text)
    if not failure:
        return title
    names = DETAIL.search(title) or _NAME_IN_CJK.search(title)
    return f"{title}: {failure}" if names and len(title) <= _SHORT_LEAD else failure


def _failure(text: str) -> str:
    """What pasted output says of the failure, as a title."""
    told = clean_line(hide_secrets(failure_told(text)))
    return told[:1].upper() + told[1:] if _says_enough(told) else ""


def _hide(span: str, hidden: list[str]) -> str:
    hidden.append(span)
    return f"\0{len(hidden) - 1}\0"


def _to_complete(text: str) -> str:
    """The order with the last function of the code that a prompt gives to be completed: "Complete f"; else ""."""
    order = _TO_COMPLETE.match(text)
    names = _FUNCTION.findall(text[:_SEEN]) if order else []
    return f"{order[1].capitalize()} {names[-1]}" if order and names else ""


def _asks(sentence: str) -> bool:
    """Whether a sentence asks or orders: "I want you to do an analysis", "Can this be simpler?"."""
    return is_question(sentence) or _POLITE.match(_opened(sentence)) is not None


def _question(title: str) -> str:
    """The clause that asks, when a title would be cut off before it."""
    clause = _QUESTION_CLAUSE.search(title, MAX_TOPIC // 2) if len(title) > MAX_TOPIC else None
    return clause[1][:1].upper() + clause[1][1:] if clause else title


def _named_task(lines: Sequence[str]) -> str:
    """What follows the first label or heading of a task, "" when there is none."""
    for number, line in enumerate(lines):
        label = _LABEL.match(line)
        if label or _HEADING.match(line.strip()):
            rest = [line[label.end() :] if label else "", *lines[number + 1 :]]
            return "\n".join(rest) if any(r.strip() for r in rest) else ""
    return ""


def _sentences(text: str) -> Iterator[str]:
    """Of what was typed."""
    for raw in typed_lines(text):
        if _CODE_LINE.match(raw):
            continue
        line = _SPACE.sub(" ", _MARKUP.sub("", raw)).strip()
        yield from (s for s in _SENTENCE_END.split(line) if s.strip())


def _opened(sentence: str) -> str:
    """Without greeting, interjections and the files that were handed in."""
    rest = GREETING.sub("", sentence).strip()
    if rest != sentence.strip():
        rest = _NAMED_AFTER_GREETING.sub("", rest)
    return _HANDED_IN.sub("", _MARK.sub("", _INTERJECTION.sub("", rest)))


def _bare(sentence: str) -> str:
    bare = _opened(sentence)
    polite = _POLITE.sub("", bare).strip()
    # "Can you write a test?" is an order; "What is a test?" stays a question
    if polite != bare:
        polite = polite.rstrip("?？ ")
        # "你可以帮我增加配置吗我想支持 next"
        polite = re.sub(r"[吗吧](?=我)", "，", re.sub(r"[吗吧]$", "", polite))
    polite = _FOLDERS.sub(lambda m: m[1] or m[2] or m[3], polite).strip(" ,，.。!！:：;；-—")
    polite = re.sub(r"^[\"']{3}\s*", "", polite)  # the first line of a docstring
    if polite[:1] in "\"'“" and polite[-1:] in "\"'”":
        polite = polite.strip("\"'“”")
    return polite[:1].upper() + polite[1:] if len(re.findall(r"\w", polite)) >= _FEWEST else ""


def _says_enough(text: str) -> bool:
    if _ONLY_A_FILE.match(text.strip()):
        return False
    return len(_WORD.findall(text)) >= _WORDS or len(_CJK.findall(text)) >= _CJK_CHARACTERS


def one_line(title: str) -> str:
    """A model's title as it came, on one line and at most 80 characters."""
    return _fit(_SPACE.sub(" ", title).strip())


def _fit(title: str) -> str:
    if len(title) <= MAX_TOPIC:
        return title
    cut = title[: MAX_TOPIC - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > MAX_TOPIC // 2 else cut).rstrip(" ,，;；:：") + "…"
