"""What a person told the agent for later: standing wishes, and tips on everyday life."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ultron_core.lessons.people.statements import names_a_thing, word_count
from ultron_core.lessons.people.turns import Turn, asked, own_remarks, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.language import language, one_line
from ultron_core.transcript.lasting import lasting
from ultron_core.transcript.own import outside_quotes
from ultron_core.transcript.people import is_human
from ultron_core.transcript.speech import ONE_OFF, PREFERENCE, QUESTION, any_of, is_question

__all__ = ["TECHNICAL", "find_preferences", "find_tips", "is_everyday"]

#: characters; a longer turn is an order or a pasted text
_LONG = 1500

#: a long order is searched for rules by their words alone; a longer text is a document
_MAX_ORDER = 6000
#: with more rules than this a long text is a document for other readers
_MOST_IN_ORDER = 6
#: how a program instructs a model, e.g. `You should always wait for feedback`
_TO_AGENT = re.compile(r"you(?:r|'re)?\b", re.IGNORECASE)
#: from the classifier alone, which sees turns and not sentences
_CONFIDENCE_CUE, _CONFIDENCE_READ = 0.75, 0.65
#: how a rule is put: without one of these a sentence of a turn read as a rule is its occasion
_RULE_FORM = any_of(
    # "we focus our unit tests on complicated logic", "we don't test libraries"
    r"^(?:also,? |and )?we (?:also )?(?:only|focus|prefer|aim|avoid|try|follow|require|(?:don't|do not) (?:test|"
    r"use|want|add|write|"
    r"commit|mock|need))\b",
    # "better to not have a unit test than a tautological one"
    r"^(?:it(?:'s| is) )?better (?:to )?not\b.+\bthan\b|^prefer\b|^(?:never|always|avoid)\b",
    # "do not commit without asking", "wait for my ok before you push"
    r"\b(?:before|after|when(?:ever)?|unless|until|without) (?:you|i|we|each|every|any|asking|doing|starting|"
    r"commit\w*|push\w*)\b",
    r"\b(?:every time|whenever|each (?:commit|change|phase|step|pr)|from now on|must (?:never|not|always))\b",
    r"每次|每个|始终|总是|一律|必须|不得|禁止|以后|之前先|都要|统一|规范|约定",
)
#: says that what follows is a rule of the speaker's, or that it holds on, e.g. `My rule, for good: x`, `Please
#: remember: we deploy from release`, `我自己的要求是：注释写中文`, `ab jetzt`
_DECLARED = any_of(
    r"\b(?:please remember|remember (?:this|that|for (?:next time|later|good)))\s*[:,]\s*\S|\bremember:\s*\S|"
    r"\b(?:my|our)(?: \w+)? (?:rule|wish|preference|convention|requirement)s?\b[^:.]{0,60}(?::| is\b)|"
    r"\bwish of my own\b[^:.]{0,60}:",
    r"\brules? (?:for|in|of) (?:this|the|our) \w+\s*:|^\W*(?:please )?(?:from now on|going forward)\b|以后都|"
    r"\b(?:in|for) (?:every|all|each)(?: \w+)? sessions?\b|\b(?:for good|from today(?: on)?|as of (?:now|today)|"
    r"henceforth)\b",
    r"我们?(?:自己)?的?(?:要求|规则|习惯|约定|偏好)(?:是|[:：])|"
    r"往后(?:都|所有|请|一律|不要|每)|从今(?:天|往后|以后)|[，,]记住[。！!]?\s*$|记住[:：]",
    r"(?:今後|これから)(?:は|、).{2,}|\b(?:ab (?:jetzt|sofort|heute)|künftig|von nun an|a partir de ahora|"
    r"de ahora en adelante|"
    r"désormais|à partir de maintenant)\b",
)
#: an order for this task, whatever else it says, e.g. `just this time`, `这次先`
_FOR_NOW = any_of(
    r"\b(?:this (?:time|pr|branch|bug|issue|file|one)|for now|right now|yet|today|the (?:review|feedback|comment))\b",
    r"这次|暂时|先不|现在",
)
#: a shorter imperative is a step of the work: "use tabs here"
_MIN_WORDS_RULE = 5
#: a rule of so few words that points at something holds nothing of its own: "DO NOT TOUCH IT AGAIN.", "别再动它"
_LEANS, _FEW = any_of(r"\b(?:it|them|(?:this|that|these|those)(?= again|\W*$))\b", r"它|这个|那个"), 7
#: what is wished stands in what was said before, e.g. `Yes, please do that from now on`, `always work this way`,
#: `以后都按这个格式`
_POINTS = any_of(
    r"\b(?:(?:do|keep|follow|use|like) (?:it|this|that|these|those|the same)|(?:this|that|the same) (?:way|approach))"
    r"(?=\W*$|[,;]| (?:from now on|every time|always|each time|in future)\b)",
    r"[按照像][这那](?:样|个(?:格式|方式|方法|流程|规则|标准|模板|步骤))|[这那](?:样|么)(?:做|来|写|弄)",
)
#: points out a means, e.g. `you can use the staging API for that`, `你可以通过 ssh 连接`
_MEANS = any_of(
    r"^(?:ok(?:ay)?,? |btw,? |fyi,? )?you (?:can|could|may) (?:also |just |always |directly )?(?:use|call|go through|"
    r"(?:connect|access|get|run|do|reach|deploy|test|read|fetch)\b.{0,30}\b(?:with|via|through|by|using))\s",
    r"^你?(?:也|其实)?可以(?:直接)?(?:通过|使?用)",
)
#: what the means is called: a name, a file, a word in capitals, and not "this", e.g. `API`, `make dev`, `docker`
_NAME_OF_MEANS = re.compile(
    r"^\s*(?!(?:this|that|it|these|those|any|either|both|whatever|my|me)\b)[^，。]{0,20}?[A-Za-z`]{3,}"
)
#: a longer turn is an order of its own
_FEW_SENTENCES = 2
#: below the bound at which a turn is called a rule by itself (.9): here a sentence must be put like one, too
_LIKELY = 0.5


def find_preferences(turns: Sequence[Turn], project: str) -> list[MemoryDraft]:
    """Standing wishes, sentence by sentence: "always ...", "from now on ...", "以后都...", also inside long orders."""
    drafts = []
    for number, turn in enumerate(turns):
        long = len(turn.message.content) > _LONG
        for_good = _for_good(turn.message)
        found = [
            (sentence, cue)
            for sentence in own_sentences(turn.message, _MAX_ORDER if long else _LONG)
            if not _is_other(sentence, declared=sentence in for_good)
            and not (long and _TO_AGENT.match(sentence))
            and (
                (cue := sentence in for_good or _is_put_as_wish(outside_quotes(sentence)))
                or (turn.acts.probabilities["rule"] >= _LIKELY and _is_rule(sentence))
            )
        ]
        if long and len(found) > _MOST_IN_ORDER:
            continue
        own = own_sentences(turn.message, _MAX_ORDER)
        drafts += [
            replace(
                _preference(
                    sentence,
                    before,
                    turn.message,
                    project,
                    _CONFIDENCE_CUE if cue else _CONFIDENCE_READ,
                    declared=sentence in for_good,
                ),
                context=asked(turns[number - 1]) if number and _POINTS.search(sentence) else "",
            )
            for sentence, cue in found
            if (before := _before(own, sentence)) is not None
        ]
        drafts += _means(turn, turns[0], project)
    return drafts


def _for_good(message: Message) -> frozenset[str]:
    """The sentences of a message that its writer means for good, in any language."""
    found: set[str] = set()
    for remark in own_remarks(message, _LONG):
        bare = {outside_quotes(sentence): sentence for sentence in remark}
        found.update(bare[one] for one in lasting(list(bare)))
    return frozenset(found)


def _is_put_as_wish(sentence: str) -> bool:
    return PREFERENCE.search(sentence) is not None or _DECLARED.search(sentence) is not None


def _means(turn: Turn, opening: Turn, project: str) -> list[MemoryDraft]:
    """The means that a person points out in a short turn after the agent proposed or tried others."""
    own = own_sentences(turn.message)
    if turn.before < 0 or not 0 < len(own) <= _FEW_SENTENCES:
        return []
    hint = _MEANS.match(own[0])
    if hint is None or _is_other(own[0]) or not _NAME_OF_MEANS.search(own[0][hint.end() :]):
        return []
    draft = _preference(own[0], "", turn.message, project, _CONFIDENCE_READ)
    return [replace(draft, context=asked(opening))]


def _is_rule(sentence: str) -> bool:
    words = len(re.findall(r"[A-Za-z][\w'/-]*|[\u3400-\u9fff]", sentence))
    return (
        words >= _MIN_WORDS_RULE and _RULE_FORM.search(sentence) is not None and not _FOR_NOW.search(sentence)
    )


def _before(own: Sequence[str], rule: str) -> str | None:
    """The sentence before a rule that names nothing ("Do not touch it again."); empty where it needs none, None where
    there is none."""
    shouted = rule.lower() if rule.isupper() else rule  # capitals are no names there
    if not _LEANS.search(rule) or word_count(rule) > _FEW or names_a_thing(shouted):
        return ""
    at = own.index(rule) if rule in own else 0
    return own[at - 1] if at and word_count(own[at - 1]) >= _MIN_WORDS_RULE else None


def _is_other(sentence: str, *, declared: bool = False) -> bool:
    # "What I do want, in every session: ..." asks nothing
    asks = is_question(sentence) if declared or _DECLARED.search(sentence) else QUESTION.search(sentence)
    return bool(asks or (ONE_OFF.search(sentence) and not declared))


def _preference(
    sentence: str,
    before: str,
    message: Message,
    project: str,
    confidence: float,
    *,
    declared: bool = False,
) -> MemoryDraft:
    words = PHRASES[language(sentence)]
    statement = one_line(f"{sentence} ({before})" if before else sentence)
    return MemoryDraft(
        content=words["preference_in" if project else "preference"].format(
            project=project, statement=statement
        ),
        tags=("preference", "declared") if declared or _DECLARED.search(sentence) else ("preference",),
        confidence=confidence,
        memory_type="preference",
        evidence=(Evidence(message.start_line, message.end_line, sentence[:400].strip()),),
    )


#: words of daily life, a general list: no data set was searched for them, e.g. `window seats`, `靠窗座位`
_LIFE = re.compile(
    r"\b(?:flights?|seats?|airports?|airlines?|hotels?|trains?|restaurants?|recipes?|cook\w*|bak(?:e|"
    r"ing)|coffee|tea|sleep|exercise|"
    r"weather|luggage|baggage|visa|passport|museum|beach|supermarket|grocer\w*|parking|taxi|subway|"
    r"metro|pets?|dogs?|cats?|garden\w*|"
    r"vitamins?|headaches?|doctor|dentist|kids?|school|rent|apartment|mattress|shoes|laundry|birthday|"
    r"holiday|vacation|travel\w*|trip)\b|"
    r"航班|座位|机场|酒店|餐厅|餐馆|菜谱|做饭|煮|咖啡|睡眠|锻炼|天气|行李|签证|护照|博物馆|海滩|超市|"
    r"停车|出租车|地铁|宠物|"
    r"维生素|头痛|医生|牙医|孩子|租房|公寓|洗衣|生日|假期|旅[行游]|高铁|火车|景点|门票|外卖|快递",
    re.IGNORECASE,
)
#: words of technology, a general list, e.g. `the API server`, `user_id`, `部署脚本`
TECHNICAL = re.compile(
    r"`|\b(?:API|SQL|HTTP|JSON|CSV|Docker|git|pip|npm|Python|Java\w*|Node|Linux|server|database|"
    r"deploy\w*|commit|branch|"
    r"function|class|module|package|tests?|code|script|config\w*|container|endpoint|repository|build|"
    r"compile\w*|agent|tool|"
    r"log|cache|query|schema|thread|token|pod|cluster)s?\b|\w_\w|\w\.(?:py|js|ts|json|ya?ml|toml|sql|sh)\b|"
    r"接口|代码|函数|数据库|服务器|部署|脚本|容器|测试|编译|构建|日志|缓存|查询|线程|配置",
    re.IGNORECASE,
)
#: how a tip opens, e.g. `Pro tip: book early`, `If you ever fly there`, `我发现`
_TIP = any_of(
    r"^(?:(?:pro |travel |quick )?tip\b|fyi\b|good to know|for the record|in my experience|(?:it )?turns out)",
    r"^(?:i(?:'ve| have)? )?(?:learned|found out|discovered|noticed)(?: the hard way)? that",
    r"^(?:it(?:'s| is) (?:better|best|cheaper|faster|easier|safer|worth)|(?:don't|do not) bother|avoid)\b",
    r"^(?:if|when) you(?:'re| are)? (?:ever )?(?:fly|flying|travel|travell?ing|go|going|visit|visiting|stay|"
    r"staying|cook|cooking|drive|driving|take|taking)\b",
    r"^(?:小贴士|小提示|顺便(?:说|提)|经验(?:是|之谈)|我发现|最好(?!是|有)|千万(?:别|不要))",
    r"^如果你?(?:想|要)?(?:去|坐|买|做|吃|住).+[，,].*(?:最好|可以|记得|别|不要|建议)",
)
#: somebody's own plans, bookings, prices and dates, e.g. `I need to be there on the 3rd`, `$120`, `我的订单`
_OWN = any_of(
    r"\b(?:my|mine|our|me|i'd|i would|i want|i need|i am|i'm|please|could you|can you|book(?:ing|ed)?)\b",
    r"\b(?:reservation|confirmation|refund|ticket|user id|order)\b|[$€£¥]\s?\d|\b\d{1,2}(?:st|nd|rd|th)\b",
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|<[A-Z_]+>",
    r"我(?:的|们|想|要|需要|订)|帮我|请(?:帮|给|问)|订单|预订|退款|\d\s{0,20}元|\d月\d{1,2}日",
)
#: words, in Chinese characters; a shorter sentence tells nobody else enough
_MIN_WORDS = {"en": 6, "zh": 10}


def is_everyday(text: str) -> bool:
    """True for words about daily life that are not about technology."""
    return _LIFE.search(text) is not None and TECHNICAL.search(text) is None


def find_tips(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Tips in a person's own words about everyday life, without anything about that person."""
    drafts = []
    for message in messages:
        if not is_human(message):
            continue
        for sentence in own_sentences(message):
            if (
                word_count(sentence) < _MIN_WORDS[language(sentence)]
                or not _TIP.search(sentence)
                or QUESTION.search(sentence)
            ):
                continue
            if _OWN.search(sentence) or not is_everyday(sentence):
                continue
            tags = ("tip",) if language(sentence) == "en" else ("tip", "生活")
            evidence = (Evidence(message.start_line, message.end_line, sentence[:400].strip()),)
            drafts.append(MemoryDraft(one_line(sentence), "", "", tags, 0.65, "life", evidence))
    return drafts
