"""The kind of task of a segment, by rules on words and tools: an open but small set."""

from __future__ import annotations

import re

from ultron_core.labels.signals import Signals

__all__ = ["TASK_TYPES", "find_task_type"]

TASK_TYPES = ("code", "debug", "qa", "search", "data", "support", "writing", "ops", "other")


def _rule(words: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b|{chinese}", re.IGNORECASE)


#: what the request says, e.g. `fix the crash`, `重构这个函数`, `plot the dataset`, `look up`, `refund`,
#: `translate`, `deploy`
_WORDS = {
    "debug": _rule(
        r"bugs?|debug(?:ging)?|traceback|stack ?trace|exception|crash(?:es|ed)?|regression|broken|"
        r"(?:not|doesn't|isn't) work(?:ing)?|fails?|failing|fix(?:es|ed|ing)?|\w*error",
        "报错|调试|修复|崩溃|异常|不起作用|出错",
    ),
    "code": _rule(
        r"code|function|class|method|python|java(?:script)?|typescript|rust|golang|c\+\+|sql|html|css|regex|"
        r"implement|refactor|unit tests?|api|script|compile|library|repository|commit|program|algorithm",
        "代码|函数|编程|程序|脚本|算法|实现一个|重构|单元测试|接口",
    ),
    "data": _rule(
        r"csv|excel|spreadsheet|dataset|dataframe|pandas|plot|chart|statistics?|average|median|calculate|"
        r"convert|percentage|xlsx",
        "数据|表格|统计|计算|图表|平均|换算|转换",
    ),
    "search": _rule(
        r"search(?: for)?|look ?up|find (?:me|out|the|a)|latest news|browse", "搜索|查找|查一下|检索|最新新闻"
    ),
    "support": _rule(
        r"reservation|booking|refund|cancel(?:lation)?|my (?:order|account|subscription)|customer service|"
        r"delivery|return (?:policy|an item)|book (?:a|me)|appointment|order number",
        "订单|退款|退货|预订|预约|取消订单|客服|投诉",
    ),
    "writing": _rule(
        r"write (?:a|an|me|the) (?:\w+ ){0,2}(?:essay|email|e-mail|letter|story|poem|article|blog|post|report|speech|"
        r"summary|review|paragraph)|summari[sz]e|translate|rewrite|rephrase|proofread|paraphrase|revise|essay|poem|story",
        "写一(?:篇|封|首|个故事)|翻译|总结|改写|润色|摘要|作文|文章|诗",
    ),
    "ops": _rule(
        r"deploy(?:ment)?|docker|kubernetes|k8s|nginx|ci/cd|server|systemd|install|ssh|terraform|aws|cluster|"
        r"pipeline|upgrade|backup|cron",
        "部署|服务器|安装|运维|集群|容器|升级|备份",
    ),
}
#: what the called tools are named, e.g. `str_replace_editor`, `kubectl_deploy`, `web_search`, `query_db`,
#: `cancel_order`
_TOOLS = {
    "code": re.compile(r"edit|write|patch|apply|str_replace|notebook|aider|create_file|code", re.I),
    "ops": re.compile(r"docker|kube|deploy|terraform|ssh|systemctl", re.I),
    "search": re.compile(r"search|lookup|browse|web|fetch_url|wikipedia|^find_|news", re.I),
    "data": re.compile(r"calculat|convert|sql|query_db|dataframe|plot|statistic", re.I),
    "support": re.compile(
        r"reservation|order|booking|refund|cancel|ticket|customer|appointment",
        re.I,
    ),
}
#: e.g. `How does this work`, `为什么失败`
_QUESTION = re.compile(
    r"[?？]|^\s*(?:what|who|when|where|why|how|which|is|are|can|does|explain)\b|什么|为什么|怎么|如何|哪|谁|吗|解释",
    re.IGNORECASE,
)


def find_task_type(signals: Signals, topic: str = "") -> str:
    """One of TASK_TYPES. The request counts most, then the tools; code with an error in it is debug."""
    d = signals.dialogue
    asked = "\n".join([topic, *(d.messages[i].content[:1_500] for i in d.requests[:3])])
    scores = {kind: min(3.0, float(len(rule.findall(asked)))) for kind, rule in _WORDS.items()}
    for kind, rule in _TOOLS.items():
        if hits := sum(bool(rule.search(call.name)) for _, call in d.calls):
            scores[kind] += 3.0 * hits / len(d.calls) + 1.0
    if any("```" in d.messages[i].content for i in (*d.human, *d.replies)):
        scores["code"] += 1.5
    if any(_TOOLS["code"].search(name) for name in {s.name for s in d.steps}):
        scores["code"] += 1.5
    if scores["code"] >= 1.5 and (signals.reported_errors or scores["debug"] >= 2):
        scores["debug"] += scores["code"]
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] >= 1.5:
        return best
    if d.steps and scores[best] >= 1:
        return best
    return "qa" if _QUESTION.search(asked) else best if scores[best] else "other"
