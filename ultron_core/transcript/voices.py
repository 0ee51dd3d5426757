"""Where another voice speaks in a turn though nothing marks it: a text that a request points at ("what do you make of
this?"), a mail or an issue by its form, and what the writer mocks.

Words that point, and words of politeness, are tabled by language; what decides is where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.transcript.lasting import is_lasting
from ultron_core.transcript.speech import any_of

__all__ = ["another_voice", "is_mocked", "mocked_items", "opens_anothers"]

#: points at a text that stands before or behind, e.g. `this`, `the above`, `davon`, `esto`, `下面`, `この`, `아래`,
#: `это`
_POINTS = any_of(
    r"\b(?:this|these)\b(?! (?:repo|project|code|function|file|module|class|test|branch|bug|error|crash|build|endpoint|"
    r"component|session|package|service|script|directory|folder|app|machine)\w*)|\b(?:below|above|the following)\b|"
    r"\bthe (?:(?:linked|attached|original|whole|full|pasted) )?(?:issue|e-?mail|message|post|comment|thread|ticket|"
    r"notice|"
    r"announcement)\b(?! ?#?\d)",
    r"\b(?:davon|dazu|hierzu|das|dies\w{0,2}|unten|oben|folgende\w?|untenstehend\w{0,2})\b",
    r"\b(?:est[eoa]s?|es[eo]s?|siguientes?|abajo|arriba|ist?so|est[ae]|abaixo|acima|seguinte)\b",
    r"\b(?:ceci|cela|ça|ce|cette?|ces|ci-dess(?:ou)?us|suivant\w?|questo|questa|qui sotto|sopra)\b",
    r"这|[下上]面|以[下上]|如下|この|これ|[下上]記|次の|以下の|이 ?(?:글|거|것|메일|메시지|이슈|문서)|아래|다음|위의?",
    r"\b(?:это|эт[аоу]т?\w?|ниже|выше|следующ\w{2,3})\b",
)
#: asks about a text, not about a program, e.g. `what do you think`, `look at`, `значит`
_ABOUT_TEXT = any_of(
    r"\b(?:(?:look|glance) (?:at|over|into)|take a look|thoughts|think|make of|mean|says?|said|true|right|legit|"
    r"reply|respond|answer|agree|make sense|valid|dup(?:licate)?|triage|follow|typos?|worth|seen|opinion|believe|"
    r"summari[sz]e|summary|translate|explain|review|proofread|read|check|classify|tl;?dr|sound|"
    r"for (?:context|reference)|fyi|pasted|forwarded|copied)\b",
    r"\b(?:hältst|meinst|denkst|bedeutet|heißt|erklär\w*|übersetz\w*|zusammen(?:fassen)?|stimmt|antworten?|lies|"
    r"prüf\w*|schau\w*)\b",
    r"\b(?:opinas?|piensas?|significa|quiere decir|explica\w*|traduce\w*|resume\w*|revisa\w*|responde\w*|"
    r"mira|lee|acha|pensa|quer dizer|traduz\w*|verdad|vero|pensi)\b",
    r"\b(?:penses?|pensez|signifie|veut dire|expli\w+|tradui\w+|résum\w+|relis\w*|réponds?|lis|vrai|regarde\w*)\b",
    r"意思|怎么看|看法|觉得|看看|看一?下|翻译|总结|概括|解释|分析|回复|对吗|是真的|靠谱|思う|思います|意味|翻訳|"
    r"要約|説明|返信|読んで|確認",
    r"생각|의미|뜻|번역|요약|설명|답장|읽어|확인|봐|맞(?:아|나)",
    r"\b(?:значит|думаешь|скажешь|переведи|объясни|посмотри|ответ\w*|прочти|проверь|правда|перескажи)\b",
)
#: works on a text that needs no pointing at, e.g. `translate to German`, `请翻译成英文`
_WORKS_ON = any_of(
    r"^\W*(?:please |can you |could you )?(?:translate|summari[sz]e|proofread|rephrase|paraphrase|tl;?dr|übersetz\w*|"
    r"traduce|traduis|traduza|resume|résume|переведи)\b|^\W*(?:请|帮我|麻烦)?(?:翻译|总结|概括|润色)|(?:翻訳|"
    r"要約)して|번역|요약",
)
#: the mark of a question at the end of a paragraph, e.g. `right?`
_ASKS = re.compile(r"[?？]\s*$")
#: how others open and close what they write, e.g. `Hi all, `, `Hallo Team`, `各位`, `Steps to reproduce`, `Cheers, Jo`,
#: `rootworm42 commented yesterday`
_VOICE = any_of(
    r"^\W{0,3}(?:hi|hey|hello|dear|good morning|morning)(?: (?:all|team|everyone|everybody|folks|guys|both|"
    r"maintainers|colleagues)\b| (?!claude|codex|assistant|agent|there)(?-i:[A-Z])[a-z]+\s*[,!])",
    r"^\W{0,3}(?:dear|maintainers|contributors|all|team|folks|everyone)\s*[:,]|^to all (?:\w+ )?(?:contributors|"
    r"devs)\b",
    r"^\W{0,3}(?:hallo|hi|liebe|moin|guten (?:tag|morgen))(?: (?:team|zusammen|alle|kolleg\w+|leute|(?-i:[A-Z])\w+))\b",
    r"^\W{0,3}(?:hola|buenas|estimad[oa]s?|queridos?|olá|oi|caros|prezad[oa]s|pessoal)\b(?: (?:a todos|equipo|"
    r"compañeros|pessoal|time|todos|(?-i:[A-Z])\w+))?\s*[,:!]",
    r"^\W{0,3}(?:bonjour|salut|chers?|chères?)(?: (?:à tous|tout le monde|l['’]équipe|collègues|"
    r"(?-i:[A-Z])\w+))?\s*[,:!]",
    r"^\W{0,3}(?:各位|大家好|亲爱的|尊敬的|@所有人|皆さん|皆様|みなさん|お疲れ様|여러분|안녕하세요|коллеги|"
    r"всем привет|уважаем\w+)",
    r"^\W{0,3}(?:steps to reproduce|(?:expected|actual|current) (?:behaviou?r|results?)|to reproduce|"
    r"describe the bug|environment|additional context|checklist|acceptance criteria|what happened|how to reproduce|"
    r"feature request|motivation|proposed solution)\W*$",
    r"^\W{0,3}(?:cheers|best|(?:kind |best )?regards|sincerely|yours|gr[uü](?:ß|ss)e?|viele grüße|lg|vg|mfg|saludos|"
    r"abraços?|atte|cordialement|с уважением)\s*,?\s*(?:(?-i:[A-Z])[\w.]*)?\W*$",
    r"^\W{0,3}(?:many )?(?:thanks|thx|merci|danke|gracias|obrigad[oa])\s*,\s*(?-i:[A-Z])\w*\W*$",
    r"[.!?]\s(?:cheers|regards|best|gruß|grüße|lg|saludos|merci|cordialement|abraços?)\s*,\s*\w+\W*$",
    r"^\s*\S+ (?:opened|commented|wrote|replied|posted|left a comment)\b.{0,30}\b(?:yesterday|today|ago|last|on|"
    r"just)\b",
    r"^\s*(?:opened|posted|reported|submitted|filed) (?:by|on) \S",
    r"^\s*(?:feat|fix|ci|docs?|chore|refactor|tests?|build|perf|style|revert)(?:\([\w/., -]{1,40}\))?!?: \S",
)
#: the writer goes against a text or leaves it, in the paragraph that follows it, e.g. `I disagree`, `我不同意`
_OWN_AGAIN = any_of(
    r"^\W*(?:anyways?\b|i (?:don['’]t|do not|won['’]t) (?:agree|want|care|buy)|i disagree|back to\b|my own (?:rule|"
    r"wish)|"
    r"that['’]s (?:not|their|his|her)\b)|^\W*(?:我不同意|我不认同|别管|不用管|说正事|我自己的|我的(?:规矩|规则|要求))|"
    r"^\W*(?:ich sehe das anders|no estoy de acuerdo|je ne suis pas d['’]accord)"
)
#: says the opposite of what it says, e.g. `great idea, let's`, `/s`, `what a rule`, `呵呵`
_MOCKS = any_of(
    r"\bthat(?:['’]ll| will) (?:show|teach) (?:them|us|him|her)\b|\bsure,? [^.?!]{0,40}\bjust\b|"
    r"\b(?:great|brilliant|genius|fantastic|wonderful|lovely|excellent|amazing|what a) (?:idea|plan|rule|advice|"
    r"policy|principle|guideline|strategy|thinking|suggestion)\b(?:[,:;]|\.{3}|\s*(?:we|let['’]s|always|never)\b)",
    r"^\W*what an? (?:\w+ )?(?:idea|plan|rule|advice|policy|principle|guideline|gem|joke|clown\w*|disaster)\b",
    r"\bsure,? (?:let['’]s|why not|because|just|we)\b|\boh,? (?:sure|yeah|yes|great|right|absolutely)\b|"
    r"\byeah,? right\b",
    r"(?:^|\s)/s(?:\W|$)|\bwhat could (?:possibly |ever )?go wrong\b|\bwho (?:even )?needs (?:to|those|that|tests?|"
    r"\w+,)\b|"
    r"^\W*(?:not|lol|lmao|rofl|haha\w*|as if|seriously|really|no no(?: no)?|wtf|ugh|yikes|facepalm|sigh|nope|sic|"
    r"i can['’]t(?: even)?|said no one ever)\W*$|\bsaid no one(?: ever)?\b|🙄|🤡|🤦",
    r"呵呵|笑死|离谱|太搞笑|真是(?:个)?(?:好主意|天才|高明|绝了)|好主意[啊呀呢]|才怪|(?:多么|真)英明|草台班子|谁信",
    r"\b(?:tolle|super|geniale|großartige) idee\b|\bna klar,|\bja klar,|\bschon klar\b|\bwer braucht schon\b",
    r"\b(?:gran|brillante|excelente|ótima|bela) ide[ia]a?\b|\bclaro que sí,|\bsí,? claro\b|\bquién necesita\b",
    r"\b(?:quelle|bonne|excellente|brillante) (?:bonne |belle )?idée\b|\bbien sûr,|\bmais oui,|さすが|"
    r"すばらしい(?:考え|案)|笑$",
    r"\b(?:отличная|гениальная|прекрасная) (?:идея|мысль)\b|\bну да,|\bага,|참 ?좋은 생각|어이없|ㅋㅋ",
)
#: an item of a list, e.g. `- one`, `2. two`
_ITEM = re.compile(r"^\s{0,6}(?:[-*•+]|\d{1,2}[.)、])\s*\S")
#: what is said of an item behind it, e.g. `(no no no)`, ` — lol`, `(seriously?)`
_REMARK = re.compile(
    r"[(（]([^()（）\n]{1,160})[)）]\s*[.。]?\s*$|\s[—–-]{1,2}\s([^—–\n]{1,80})$|←\s*(\S[^\n]{0,80})$"
)
#: a remark that doubts, whatever its words, e.g. `seriously?`, `!?`
_DOUBTS = re.compile(r"[?？]\s*$|[!?]{2,}")
#: characters of a request that points at a text
_REQUEST = 260
#: paragraphs before a request that points back at them, without which they are told by their form alone
_SOME = 2


def another_voice(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that belong to a text which a request before or behind them points at."""
    paragraphs = _paragraphs(lines)
    if len(paragraphs) < 2:
        return frozenset()
    first, last = (" ".join(lines[at] for at in paragraphs[place]) for place in (0, -1))
    spoken = [any(opens_anothers(lines[at]) for at in one) for one in paragraphs]
    if _requests(first) and (_about_text(first) or any(spoken[1:])):
        end = next(
            (n for n, one in enumerate(paragraphs) if n > 1 and _OWN_AGAIN.match(lines[one[0]])),
            len(paragraphs),
        )
        return frozenset(at for one in paragraphs[1:end] for at in one)
    if _requests(last) and (any(spoken[:-1]) or (_about_text(last) and len(paragraphs) > _SOME)):
        return frozenset(at for one in paragraphs[:-1] for at in one)
    return frozenset()


def opens_anothers(line: str) -> bool:
    """Whether a line greets, signs or heads what somebody writes to others."""
    return _VOICE.search(line) is not None


def mocked_items(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines of lists of which an item is mocked in a remark behind it."""
    found: set[int] = set()
    block: list[int] = []
    for place, line in enumerate([*lines, ""]):
        if _ITEM.match(line):
            block.append(place)
            continue
        if any(_is_mocked_item(lines[at]) for at in block):
            found.update(block)
        block = []
    return frozenset(found)


def is_mocked(sentence: str) -> bool:
    """Whether a sentence is not meant as it says."""
    return _MOCKS.search(sentence) is not None


def _is_mocked_item(line: str) -> bool:
    remark = _REMARK.search(line)
    said = next(filter(None, remark.groups()), "") if remark else ""
    return bool(said and (_MOCKS.search(said) or _DOUBTS.search(said)))


def _requests(paragraph: str) -> bool:
    if len(paragraph) <= _REQUEST and _WORKS_ON.search(paragraph):
        return True
    if len(paragraph) > _REQUEST or not _POINTS.search(paragraph) or is_lasting(paragraph):
        return False
    return _ASKS.search(paragraph) is not None or _ABOUT_TEXT.search(paragraph) is not None


def _about_text(paragraph: str) -> bool:
    return _ABOUT_TEXT.search(paragraph) is not None or _WORKS_ON.search(paragraph) is not None


def _paragraphs(lines: Sequence[str]) -> list[list[int]]:
    found: list[list[int]] = [[]]
    for place, line in enumerate(lines):
        if line.strip():
            found[-1].append(place)
        elif found[-1]:
            found.append([])
    return [one for one in found if one]
