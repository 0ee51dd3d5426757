"""The type of a memory: by rules in English and Chinese, or by a model. Callers never set it."""

from __future__ import annotations

import re

from pydantic import BaseModel

from ultron_core.llm.clip import fit_tokens
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories.prompting import ask
from ultron_core.models import MemoryType
from ultron_core.records.asking import ask_shortened

__all__ = ["TypeAnswer", "classify_memory"]

#: a note is cut there before it is sent
_NOTE_TOKENS = 3072

#: "The commit exposed the API key." / "日志里泄露了令牌"
_SECURITY = re.compile(
    r"\b(?:leak(?:ed|s|ing)?|expos(?:ed|es|ure)|hard-?coded|plain ?text|commit\w+) (?:\w+ ){0,4}"
    r"(?:secrets?|tokens?|passwords?|credentials?|(?:api |access |private |secret )?keys?)\b|"
    r"\b(?:secrets?|tokens?|passwords?|credentials?|(?:api|access|private|secret|signing) keys?) (?:\w+ ){0,4}"
    r"(?:leak\w*|exposed|visible|compromised|printed|committed|in (?:plain ?text|(?:the )?(?:\w+ )?(?:log|output|"
    r"repo)\w*)|appear(?:s|ed)|rotated|hard-?coded)\b|"
    r"\bvulnerab\w+|\bCVE-\d{4}-\d+|\b(?:sql|command|prompt|code|shell|template) injection\b|\bXSS\b|"
    r"\bCSRF\b|\bSSRF\b|"
    r"\bpath traversal\b|\bprivilege escalation\b|\bphishing\b|\bmalware\b|\bransomware\b|\bbackdoor\b|"
    r"\bunauthori[sz]ed access\b|\bsecurity (?:hole|issue|risk|flaw|incident|breach|event|fix)\b|"
    r"\bworld-(?:readable|writable)\b|\bdata breach\b|\barbitrary code\b|\bremote code execution\b|\bRCE\b|"
    r"(?<!内存)泄[露漏](?!.{0,4}内存)|漏洞|注入|越权|提权|攻击|木马|后门|钓鱼|恶意|明文(?:存储|"
    r"密码|保存)|未授权访问|安全(?:风险|隐患|事件|问题)",
    re.IGNORECASE,
)
#: leaks and injections that have nothing to do with security, e.g. `memory leak`, `依赖注入`
_MEMORY_LEAK = re.compile(
    r"内存泄[漏露]|memory leaks?|依赖注入|dependency injection|resource leaks?", re.IGNORECASE
)
#: "Not X: use Y instead of X." / "不对，应该用 Y"
_CORRECTION = re.compile(
    r"\b(?:the )?(?:user|customer|reviewer|they|he|she)(?: has)? (?:corrected|said (?:it|this|"
    r"that) (?:is|was) wrong|pointed out)|"
    r"\bcorrect(?:ed|ion)\b[: ]|^(?:no|nope|wrong|not quite|actually)[,.: ]|\bthat(?:'s|"
    r" is) (?:not right|wrong|incorrect)\b|"
    r"\b(?:use|should (?:be|use)|meant) [^.]{1,60}(?:, not\b| instead of\b| rather than\b)|"
    r"\binstead of [^.]{1,60}, use\b|"
    r"不对|不是.{1,30}(?:而是|应该?是)|应该?(?:用|是|改[用为成]).{0,40}(?:而不是|不是|不要)|纠正|更正|"
    r"搞错|弄错|说错|用错",
    re.IGNORECASE,
)
#: "The user prefers short answers." / "Human: always run the tests" / "以后都用中文回答"
_PREFERENCE = re.compile(
    r"\b(?:user|customer|team|client|boss|i|we|they)(?: \w+)? (?:prefers?|wants?|likes?|would like|"
    r"insists?|asks? (?:for|that|to)|asked (?:to|that|for))\b|"
    r"\bprefer(?:s|red|ence)?\b|(?:^|[.!?:;>\])] ?)(?:please )?(?:always|never|from now on|don't ever)\b|"
    r"\bfrom now on\b|"
    r"喜欢|偏好|希望(?:你|以后|回答|回复)?|习惯(?:用|于)|以后(?:都|请|一律)|从现在(?:起|开始)|"
    r"请(?:始终|一直|总是|务必)|^(?:始终|总是|永远不要|一律)|要求(?:回答|回复|提交|使用)",
    re.IGNORECASE,
)
#: "ImportError when ..." / "启动时报错"
_ERROR = re.compile(
    r"\b\w*(?:Error|Exception|Warning)\b|\berrors?\b|\bfail(?:s|ed|ure|ing)?\b|\bcrash\w*|"
    r"\btraceback\b|\bbroken?\b|\bbugs?\b|"
    r"\btime(?:s|d)?[ -]?out\b|\bexit (?:code|status) [1-9]|\bcould not\b|\bcannot\b|\bcan't\b|"
    r"\bunable to\b|\bnot found\b|"
    r"\bdenied\b|\brefused\b|\brejected\b|\bsegfault\b|\bpanic\b|\bdeadlock\b|\bout of memory\b|"
    r"\bOOM\b|\bHTTP [45]\d\d\b|"
    r"\bdoes(?:n't| not) work\b|\bconflict(?:s|ed)?\b|\bflaky\b|\bregression\b|\bstuck\b|\bhangs?\b|"
    r"报错|错误|失败|异常|崩溃|超时|无法|找不到|不存在|冲突|卡死|死锁|溢出|拒绝|缺少|故障|不生效|出错|不稳定",
    re.IGNORECASE,
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
_TECHNICAL = re.compile(
    r"`|\b(?:API|SQL|HTTP|JSON|CSV|Docker|git|pip|npm|Python|Java\w*|Node|Linux|server|database|"
    r"deploy\w*|commit|branch|"
    r"function|class|module|package|tests?|code|script|config\w*|container|endpoint|repository|build|"
    r"compile\w*|agent|tool|"
    r"log|cache|query|schema|thread|token|pod|cluster)s?\b|\w_\w|\w\.(?:py|js|ts|json|ya?ml|toml|sql|sh)\b|"
    r"接口|代码|函数|数据库|服务器|部署|脚本|容器|测试|编译|构建|日志|缓存|查询|线程|配置",
    re.IGNORECASE,
)


class TypeAnswer(BaseModel):
    memory_type: MemoryType


def classify_memory(
    content: str, context: str = "", resolution: str = "", llm: LLM | None = None
) -> MemoryType:
    """One of the six types. Offline the content decides; context and resolution only break a tie.

    With a model (stage `classify`) ModelError passes through.
    """
    if llm is not None:
        note = "\n".join(part for part in (content, context, resolution) if part)
        short = fit_tokens(note, _NOTE_TOKENS, count_tokens)
        answer = ask_shortened(
            llm, lambda text: ask("classify", {"note": text}), short, TypeAnswer, stage="classify"
        )
        return answer.memory_type
    return _by_rules(content, context, resolution)


def _by_rules(content: str, context: str, resolution: str) -> MemoryType:
    if _SECURITY.search(_MEMORY_LEAK.sub(" ", content)):
        return "security"
    if _CORRECTION.search(content):
        return "correction"
    if _PREFERENCE.search(content) and not re.search(r"\b\w*(?:Error|Exception)\b", content):
        return "preference"
    if _LIFE.search(content) and not _TECHNICAL.search(f"{content} {context} {resolution}"):
        return "life"
    if _ERROR.search(content):
        return "error"
    if _SECURITY.search(_MEMORY_LEAK.sub(" ", f"{context} {resolution}")):
        return "security"
    return "pattern"
