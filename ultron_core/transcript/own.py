"""Which part of a turn a person wrote as their own: no fence, no quotation, no attachment, no pasted mail, issue, log
or diff, nothing that they report, suppose or want translated.

Decided by how the text is put together. Where a paste has no end that can be seen, the rest of the turn belongs to it:
a wish that is lost can be said again, and one that nobody had is hard to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ultron_core.transcript.lasting import is_lasting
from ultron_core.transcript.speech import any_of
from ultron_core.transcript.voices import another_voice, is_mocked, mocked_items, opens_anothers

__all__ = ["own_words"]

#: e.g. ```` ``` ````
_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
#: e.g. `> quoted`
_QUOTED_LINE = re.compile(r"^\s{0,3}(?:>|\|\s)")
#: an attachment, e.g. `<file path="a.md">`, `<document>`
_ELEMENT = re.compile(r"^\s*<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>")
#: e.g. `@@ -1,2 +1,3 @@`
_DIFF = re.compile(r"^(?:@@ -\d|diff --git |--- [ab]/|\+\+\+ [ab]/)")
#: the head of a mail, an issue, a commit or a post, e.g. `From: ops@x`, `Issue #412 opened by ann`, `发件人: 李`
_HEAD = any_of(
    r"^\s*(?:from|to|cc|sent|subject|date|author|reply-to|von|an|betreff|de|para|asunto|objet|à|发件人|收件人|抄送|"
    r"主题|发送时间|差出人|"
    r"宛先|件名)\s{0,3}[:：]\s*\S",
    r"^\s*(?:issue|pr|pull request|merge request|ticket|bug|discussion|comment)\s{0,2}#?\d+\b",
    r"^\s*\S.{0,60}\b(?:opened|commented|wrote|replied|reviewed|posted|requested changes)\b.{0,40}\b(?:ago|on \w+ \d)",
    r"^\s*(?:contents? of|file|datei|archivo|文件)\s{0,2}[:：]?\s*[`\"']?[\w./~-]*[./][\w./-]+[`\"']?\s*[:：]?\s*$",
    r"^\s*[\w./~-]+\.(?:md|txt|rst|adoc|mdc)\s*[:：]?\s*$",
    r"^\s*(?:signed-off-by|co-authored-by)\s*:",
)
_OPENS = "“„«「『‘\"'"
#: something quoted, on one line or over some; an apostrophe opens nothing
_QUOTATION = re.compile(
    r"“[^“”]{1,2000}”|„[^„“”]{1,2000}[“”]|«[^«»]{1,2000}»|「[^「」]{1,2000}」|『[^『』]{1,2000}』|"
    r"(?<!\w)\"[^\"]{1,2000}\"(?!\w)|(?<![\w’])[‘'][^'‘’\n]{2,600}(?:(?<=\w)'(?=\w)[^'‘’\n]{1,600}){0,8}['’](?!\w)|"
    # data, e.g. `{"speaker": "user", "text": "x"}`
    r"\{\s*\"[\w -]+\"\s*:[^{}]{0,2000}\}"
)
#: who said or wrote what follows a colon, or stands in a quotation, e.g. `Tom wrote`, `文档里写着`
_SAYS = any_of(
    r"\b(?:wrote|writes|says?|said|posted|commented|repl(?:ied|ies)|answered|ask(?:ed|s)|t(?:old|"
    r"ells)|claim(?:ed|s)|"
    r"suggest(?:ed|s)|recommend(?:ed|s)|stat(?:ed|es)|reads|tweet(?:ed|s)|mailed|emailed|sent|forward(?:ed|s)|"
    r"reported|quot(?:ed|es)|"
    r"schrieb|schreibt|sagte?|meinte?|escribió|escribe|dice|dijo|écrit|dit)\b",
    r"写道|写着|里写|说道|说的?|表示|留言|评论|回复|发了|发来|转发|转载|引用|摘录|と(?:書|言|述)|によると",
)
#: the speaker themselves, e.g. `as I said`, `我说过`
_I_SAY = any_of(
    r"\b(?:i|we)(?:['’]ve| have| had)?(?: \w+)? (?:wrote|say|said|told|asked|posted|suggested|recommended|mean|"
    r"meant)\b",
    r"我们?(?:自己)?(?:刚才?|之前|已经|再)?(?:说|写|要求|想说)",
)
#: sets aside what others say, e.g. `I don't care what the wiki says`, `egal was`, `不管文档`
_DISMISSED = any_of(
    r"\b(?:(?:don['’]t|do not) (?:care|mind)|no matter|never mind|forget|ignore|regardless of|whatever)\b[^.:]{0,20}"
    r"\b(?:what|the|that|his|her|their|\w+) ",
    r"\b(?:egal,? was|peu importe|olvida|da igual|no importa|não importa|неважно|что бы)\b|不管|别管|无论|不用管|"
    r"にかかわらず|상관없이",
)
#: what is to be done with the words that follow, not what they say, e.g. `Translate to English`, `帮我总结一下这封邮件`
_TASK_ON_TEXT = any_of(
    r"\b(?:translate|summari[sz]e|proofread|rephrase|rewrite|paraphrase|review|look (?:at|over|into)|read|"
    r"explain|classify|"
    r"what does|this (?:sentence|text|string|comment|line|paragraph|phrase)|check|rate|grade|convert|label|"
    r"analy[sz]e|critique|evaluate|pretend|imagine|suppose|(?<!no )(?<!not )(?<!kein )role-?play|rant about|"
    r"roast|übersetze?|traduce|traduis)\b",
    r"翻译|总结|概括|审一?下|审阅|看一?下|看看|改写|润色|解释|假装|扮演|吐槽|骂|評価|翻訳|要約",
)
#: what is pasted, and who others are, e.g. `the readme`, `日志`
_OTHERS = any_of(
    r"\b(?:readme|docs?|documentation|guide|wiki|manual|issue|ticket|e-?mails?|mails?|letter|messages?|posts?|"
    r"blog|article|thread|"
    r"comments?|tweet|gist|forum|page|website|paste[ds]?|snippet|logs?|output|trace(?:back)?|errors?|files?|"
    r"contents?|attach\w*|"
    r"transcript|chat|slack|quote|excerpt|texts?|string|fixture|json|yaml|diff|hunk|patch|commit message|"
    r"somebody|someone|stranger|"
    r"colleague|correo|nachricht)\b",
    r"文档|说明|帖|邮件|日志|评论|消息|文章|公告|通知|原文|内容|输出|报错|文件|截图|群里|有人|别人|人家|同事|隔壁|"
    r"网上|客户|对方|如下|"
    r"ドキュメント|ログ|メール",
)
#: the speaker's own, e.g. `my rule for the docs`, `我自己的要求是`
_MINE = any_of(
    r"\b(?:there(?:['’]s| is| are)|my|mine|our|ours|rules?|requirements?|must|should|wish(?:es)?|preferences?|"
    r"conventions?|"
    r"remember|from now on|always|never|"
    r"i want|we want|"
    r"(?:for|in) (?:the|all|every|each|this|our|my)|ab jetzt|a partir de ahora)\b",
    r"我(?:们)?(?:自己)?的|我们?要|要求是|规则|格式|必须|应该|约定|记住|以后|今后|往后|从现在|今後|これから",
)
#: a text that the next paragraph is, where no colon says so, e.g. `can you look at this issue?`
_SHOWS = any_of(
    r"\b(?:translate|summari[sz]e|proofread|review|look (?:at|over)|read|explain|check|found|got|received|fix|"
    r"turn|format|saw|"
    r"what do you think (?:of|about)|here(?:['’]s| is| are))\b[^.\n]{0,30}\b(?:this|these|the|an?|following|"
    r"below)\b[^.\n]{0,30}"
    r"\b(?:issue|mail|e-?mail|message|post|comments?|thread|article|text|paragraph|snippet|logs?|output|notes?|"
    r"readme|ticket|"
    r"tweet|gist|hunk|diff|commit message|letter|one|description|draft|proposal|transcript|minutes|essay|report|"
    r"spec|page|"
    r"reply|answer|transcription)\b[^.\n]{0,80}[.?!,]?\s*$",
    r"(?:这|下面|以下|如下)[^。\n]{0,12}(?:帖子?|邮件|日志|评论|消息|文章|公告|通知|原文|内容|输出|说明|描述|草稿|"
    r"记录)[^。\n]{0,20}"
    r"[。？！]?\s*$",
)
#: a turn of a talk that is shown, e.g. `System: from now on`
_ROLE = re.compile(
    r"^\s*(?:\[?(?:system|user|assistant|human|ai|bot|用户|系统|助手)\]?\s*[:：]|@\w[\w.-]*\s*[>:：])\s*\S",
    re.IGNORECASE,
)
#: the same by a name, where others stand beside it, e.g. `Anna: ok`
_SPEAKER = re.compile(
    r"^\s*(?!(?:Note|Rules?|Also|Please|Important|Remember|Todo|Task|Goal|Context|Edit|Update|Question|Bug|"
    r"Feature|Reminder|First|Second|Then|Finally|Wish|Preference)s?:)[A-Z][a-z]{1,20}:\s+\S"
)
#: says of what stands before that it is from elsewhere, e.g. `these are from the style guide`, `以上来自群里`
_WAS_FROM = any_of(
    r"^\s*(?:these|those|this|that|(?:all )?(?:of )?(?:the )?above)(?: all)? (?:is|are|was|were|comes?|"
    r"came) (?:from|copied|taken|pasted|"
    r"quoted|out of)\b",
    r"^\s*(?:以上|上面|这些?)(?:都|就|只)?(?:是别人|是网上|是群里|是他们|来自|摘自|出自|转自)",
)
#: a person goes on below what they pasted, e.g. `Anyway, back to the parser`, `上面是别人的帖子`
_RESUMES = any_of(
    r"^\s*(?:anyways?\b|so,? back to|(?:now )?back to|ok(?:ay)?,? (?:so|now|back)\b|apart from (?:that|this)|"
    r"as for (?:me|us)\b|"
    r"end of (?:quote|mail|paste|text)|(?:that|the above|all of that) (?:was|is|were)\b.{0,40}\b(?:not mine|"
    r"opinion|quote|mail|issue|post|text|"
    r"somebody|someone))",
    r"^\s*(?:(?:上面|以上|前面)(?:都|就|只|这?些?)*是|好了[，,]?说正事|说回|回到正题)",
)
#: what somebody else says, in words of the speaker's own, e.g. `It says always run x`, `它说每次都要先`
_REPORTED = any_of(
    r"(?:^|[\s,;(])(?:it|he|she|they|someone|somebody|everyone|people|"
    r"th(?:e|is|at|ese) (?:(?!(?:i|we|you)\b)[\w'’./#-]+ ){1,4}|"
    r"(?-i:[A-Z][a-z]+ )|my (?!rule|wish|preference)\w+ )\s*(?:also |just |clearly |always |still |now )?"
    r"(?:says?|said|claims?|claimed|tells?|told|demands?|insists?|suggests?|recommends?|thinks?|believes?|"
    # a program writes files and asks for input, too
    r"(?:wants?|wanted|asks?|asked|writes?|wrote|states?)(?= (?:that|us|you|me|everyone|people|to)\b))\b",
    r"(?:它|他|她|有人|别人|人家|文档|readme|说明|手册|网上|同事|老板|群里|帖子|邮件|作者|客户|对方)们?[^，。,]{0,8}"
    r"(?:说|写|讲|要求|建议|让[我你]|认为|觉得|喊)(?![错得])|有[个位些][^，。,]{1,6}(?:说|讲|写|提|认为|"
    r"建议)(?![错得])",
    r"\b(?:sagt|sagte|meint|schreibt|schrieb|dice|dijo|escribió)\b",
    r"\b(?:someone|somebody|people|an? \w+) (?:on|in|at|from) [\w ]{1,30}?(?:says?|said|wrote|writes|claims?|told)\b",
)
#: an order with its speaker behind it, e.g. `always squash, says the wiki`
_ATTRIBUTED = any_of(
    r"[,;–-]\s*(?:they|he|she|it|people|some|the \w+) (?:says?|said|claims?|writes?|wrote)\W*$|"
    r"[,;–-]\s*(?:says|said|writes|wrote|according to)\s+(?!(?:me|us|i|we)\b)\w|\baccording to (?!(?:me|us|our|my)\b)\w"
)
#: the speaker sets their own against it, e.g. `Tom says tabs, but we always use spaces`
_CONTRAST = any_of(
    r"[,;–-]\s*(?:but|yet)\s+(?:we|i|here|in (?:this|our)|for us)\b",
    r"[,，;；]\s*(?:但是?|不过|可是?|而)(?:我|这里|本|咱)",
)
#: what somebody else wants done, e.g. `always`, `必须`: a reported fact is known by who reports it, a reported order
#: is not their own
_ORDERS = any_of(
    r"\b(?:always|never|must|should|shall|have to|needs? to|do not|don['’]t|from now on|every time|make sure|run|use|"
    r"to [a-z]+)\b",
    r"每次|都|必须|不要|以后|一律|请|应该|永远|别|才|要|先|siempre|immer|nie",
)
#: what is only thought of, e.g. `if someone told you to`, `假装我说过`
_SUPPOSED = any_of(
    r"\b(?:pretend|(?<!no )(?<!not )(?<!kein )role-?play|imagine|suppose|as if|let['’]s say|hypothetical\w*)\b",
    r"\b(?:if|when|what if)\b[^,.\n]{0,20}\b(?:i|you|he|she|they|someone|somebody|anyone|(?:a|the) user)\b"
    r"[^,.\n]{0,20}\b(?:say|says|said|ask|asks|asked|tell|tells|told|write|writes|wrote|type[sd]?)\b",
    r"假装|假设|假如|扮演|演一下|如果[^，。]{0,8}(?:说|问|要求)|もし.{0,20}言",
)
#: a quotation that is material, e.g. `the fixture text 'x'`, `the string "x"`
_MATERIAL = any_of(
    r"\b(?:grep|search(?:es|ing)? for|fixtures?|test data|strings?|sentences?|phrases?|literal|placeholder|"
    r"prompts?|json|examples?|texts?|"
    r"lines?|words?|translat\w+|called|"
    r"titled|named)\b",
    r"句子?|字符串|文案|文本|例子|测试数据|翻译",
)
#: where a sentence ends, e.g. `好。`, `Done. `; a full stop within a name or a number is none
_ENDS = re.compile(r"(?<=[.!?])[\s]+|(?<=[。！？])|\n")
#: e.g. `don't`, `写`
_WORD = re.compile(r"[A-Za-z][\w'./-]*|[\u3040-\u30ff\u3400-\u9fff]")
#: characters of an introduction that are looked at
_HEADLINE = 240


@lru_cache(maxsize=512)
def own_words(text: str) -> str:
    """The text with everything else blanked out; its sentences stand in the text as they stand here."""
    kept = [*_blocks(text)]
    return "\n".join(
        _own_sentences(paragraph) for paragraph in re.split(r"(?<=\n)(?=\s*\n)", "\n".join(kept))
    )


def outside_quotes(sentence: str) -> str:
    """A sentence with what it quotes blanked out: its own order stands outside."""
    return _QUOTATION.sub(lambda found: " " * len(found[0]), sentence)


def _blocks(text: str) -> Iterator[str]:
    """The lines, empty where another text stands."""
    lines = text.splitlines()
    talk = sum(_SPEAKER.match(line) is not None for line in lines) > 1
    from_elsewhere = max((place for place, line in enumerate(lines) if _WAS_FROM.search(line)), default=-1)
    skipped = another_voice(lines) | mocked_items(lines)
    fence, element, pasted = "", "", ""
    for place, line in enumerate(lines):
        if place < from_elsewhere or place in skipped:
            yield ""
            continue
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
            yield ""
            continue
        if element:
            element = "" if f"</{element}>" in line else element
            yield ""
            continue
        if pasted and (_RESUMES.match(line) or (pasted == "paragraph" and not line.strip())):
            pasted = ""
        if opened:
            fence = opened[1]
        elif (tag := _ELEMENT.match(line)) and f"</{tag[1]}>" in text:
            element = "" if f"</{tag[1]}>" in line else tag[1]
        elif pasted or _QUOTED_LINE.match(line):
            pass
        elif _DIFF.match(line) or _HEAD.search(line) or (_opens(lines, place) and opens_anothers(line)):
            pasted = "rest"
        elif _ROLE.match(line) or (talk and _SPEAKER.match(line)):
            pasted = "paragraph"
        else:
            own, pasted = _introduced(line, next(filter(str.strip, lines[place + 1 :]), None))
            yield own
            continue
        yield ""


def _opens(lines: list[str], place: int) -> bool:
    """Whether a line opens a paragraph behind another: there nobody greets an agent."""
    return place > 0 and not lines[place - 1].strip() and any(map(str.strip, lines[:place]))


def _introduced(line: str, following: str | None) -> tuple[str, str]:
    """What of a line is its writer's own, and how far goes what it introduces: to the end of the paragraph, of the turn
    ("rest"), or not beyond the line ("")."""
    masked = outside_quotes(line)
    for colon in re.finditer("[:：](?!//)", masked):
        begin = max((end for end in _ends(line) if end <= colon.start()), default=0)
        head, behind = masked[begin : colon.start()][-_HEADLINE:], line[colon.end() :].strip()
        if not _introduces(head):
            continue
        if not behind:
            return line[:begin], "" if _QUOTATION.fullmatch((following or "").strip()) else "rest"
        if behind[0] in _OPENS and _QUOTATION.match(behind):
            continue  # what is quoted has an end
        return line[:begin], "paragraph"
    if following is not None and _SHOWS.search(masked):
        return line, "rest"
    return line, ""


def _introduces(head: str) -> bool:
    """Whether a colon behind these words introduces what somebody else said, or a text to work on."""
    if _I_SAY.search(head):
        return False
    if _DISMISSED.search(head) and is_lasting(head):
        return False
    if _SAYS.search(head) or _TASK_ON_TEXT.search(head):
        return True
    return _OTHERS.search(head) is not None and not (_MINE.search(head) or is_lasting(head))


def _own_sentences(paragraph: str) -> str:
    """The paragraph without the sentences that report, suppose or only quote."""
    kept: list[str] = []
    at = 0
    for end in [*_ends(paragraph), len(paragraph)]:
        sentence = paragraph[at:end]
        mocked = is_mocked(sentence.strip())
        if mocked and kept and not _ORDERS.search(sentence):
            kept[-1] = "\n"  # mocks what stands before
        kept.append("\n" if mocked or _is_others(sentence) else sentence)
        at = end
    return "".join(kept)


def _ends(text: str) -> list[int]:
    """Where its sentences end: a quotation is part of one, and ends it where it ends as one itself."""
    masked = _QUOTATION.sub(lambda found: re.sub(r"[\s.!?。！？]", "_", found[0]), text)
    quoted = (found.end() for found in _QUOTATION.finditer(text) if found[0][-2] in ".!?。！？")
    return sorted({*(found.end() for found in _ENDS.finditer(masked)), *quoted})


def _is_others(sentence: str) -> bool:
    bare = outside_quotes(sentence)
    quoted = len(_WORD.findall(sentence)) - len(_WORD.findall(bare))
    if quoted and quoted >= len(_WORD.findall(bare)):
        return True
    if quoted > 2 and (_SAYS.search(bare) or _MATERIAL.search(bare)):
        return True
    if _I_SAY.search(bare) and not _SUPPOSED.search(bare):
        return False
    if _SUPPOSED.search(bare) or _ATTRIBUTED.search(bare):
        return True
    if _CONTRAST.search(bare):
        return False
    return any(_ORDERS.search(bare, said.end()) for said in _REPORTED.finditer(bare))
