"""What people and tools say when something went well or badly, in English and Chinese.

Each pattern is written to be right when it fires; words that only often mean something ("error" anywhere,
"fine") are left out. Patterns read one message, never a whole session.
"""

from __future__ import annotations

import re

__all__ = [
    "ACCEPTANCE",
    "ASKS",
    "CALL_REFUSED",
    "CHATTER",
    "CORRECTION",
    "DANGER",
    "EMPTY_RESULT",
    "ERROR_RESULT",
    "FAILED_TESTS",
    "GAVE_UP",
    "HEDGE",
    "OK_RESULT",
    "PASSED_TESTS",
    "PREFERENCE",
    "REFUSAL",
    "REJECTION",
    "SECRET",
    "STOPPED",
    "THANKS",
]


def _any(*patterns: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), flags)


#: a person says that the result works or is right: a verdict, unlike mere thanks
ACCEPTANCE = _any(
    r"\b(?:it|this|that|everything|all) (?:now )?(?:works|worked|is working|is fixed|passes|compiles)\b(?! but)",
    r"\bworks (?:now|great|well|perfectly|fine|for me|like a charm)\b|\blgtm\b|\bship it\b|\bthat fixed it\b",
    r"\bthat(?:'s| is| was) (?:exactly (?:what|it|right)|correct|all right)",
    r"\b(?:looks|is) (?:good|perfect|correct) (?:to me|now)\b",
    r"\b(?:problem|issue|bug|error) (?:is |was |has been )?(?:now )?(?:solved|resolved|fixed|gone)\b",
    r"可以了|搞定了?|解决了|正是我(?:想|需)要的|没问题了|好用了|能用了|跑通了|成功了",
)
#: a person is polite or pleased; people thank for trying too
THANKS = _any(
    r"\bthanks?\b(?! but|, but)|\bthank you\b(?! but|, but)",
    r"\b(?:perfect|awesome|excellent|brilliant|fantastic|well done|nice work|great job|good job|wonderful)\b",
    r"\bthat(?:'s| is| was)? (?:all i needed|great|helpful|very helpful|interesting|good to know)\b",
    r"\bi appreciate\b|\bvery helpful\b|\bgreat[,!.]",
    r"谢谢|多谢|感谢|太好了|太棒了|完美|非常好|很好用|辛苦了|很有帮助",
)
#: a person says that the result is wrong
REJECTION = _any(
    r"^\s*(?:no|nope|nah)[,.! ]+(?!thank|that'?s (?:all|it|everything|fine|ok)|problem|worries|need|i'?m good|nothing|"
    r"it'?s (?:fine|ok)|i don'?t (?:have|think|need)|i (?:do not|just)|other|more|not (?:at|right))(?=\w)",
    r"^\s*wrong\b",
    r"\bthat(?:'s| is|'s still| is still) (?:wrong|not (?:right|correct|what|it|true)|incorrect)\b",
    r"\bnot what i (?:asked|wanted|meant|said|need)",
    r"\b(?:still|it|that|this) (?:doesn'?t|does not|didn'?t|did not|isn'?t|won'?t) (?:work|run|help|compile|fix)",
    r"\bstill (?:failing|fails|broken|wrong|the same|getting|seeing|not working|an error)\b",
    r"\byou (?:forgot|missed|broke|ignored|didn'?t (?:listen|read|do)|made a mistake|are wrong)\b",
    r"\b(?:revert|undo) (?:that|this|it|the|your|all)\b",
    r"\bi (?:already|just) (?:told|said|asked)\b",
    r"\[request interrupted by user",
    r"不对|错了|不是这(?:个|样)|不是我(?:想|要)|还是不行|还是报错|仍然(?:不|报|失败)|没有用|不行啊|你忘了|你漏了|撤销|改回去|我说(?:过|了)",
)
#: a tool result that says that the person refused the call
CALL_REFUSED = _any(
    r"^\s*the user (?:doesn'?t|does not) want to (?:proceed|take this action)",
    r"^\s*(?:tool use|request|operation|command) (?:was )?(?:rejected|denied|refused) by (?:the )?user",
    r"^\s*用户(?:拒绝|取消)了",
)
#: a person puts a wrong assumption right
CORRECTION = _any(
    r"^\s*(?:no|nope|wrong)[,.! ]+(?:it|use|the|you|this|that should|don'?t|not|do)\b",
    r"\b(?:instead of|rather than|not) [\w./-]+,? (?:use|it should|it'?s|do)\b",
    r"\b(?:should (?:be|have been|use)|use|meant) [\w./-]+,? (?:instead|not)\b",
    r"\bdon'?t (?:use|do|touch|add|write|create|change)\b",
    r"不对|不是.{1,30}而是|应该(?:用|改成)|别用|不要用|(?:请|要)(?:改|换)成",
)
#: a standing wish, true beyond this task
PREFERENCE = _any(
    r"\b(?:from now on|going forward)\b|\bin (?:the )?future,? (?:please|always|never|don'?t|use|do)\b",
    r"\b(?:always|never) (?:use|run|write|add|do|commit|push|ask|include|put|make|check|call|create|answer|reply)\b",
    r"\bi (?:always |usually |strongly |generally )?prefer\b|\bmy preference is\b",
    r"\b(?:please|always) remember (?:to|that)\b",
    r"以后(?:都|请|不要|别)|今后|每次都(?:要|用|请)|永远不要|总是(?:用|要|请)|一律(?:用|使用|采用)",
    r"我(?:更|比较|一般)?(?:喜欢|习惯|偏好)(?:用|使用)|(?:请|要)记住|请记得|默认(?:用|使用)",
)
#: a tool result that says it failed; anchored so that text shown by a tool does not count
ERROR_RESULT = _any(
    r"^\s*traceback \(most recent call last\)",
    r"^\s*(?:[\w.]*(?:error|exception)|fatal|panic|failed|failure)\b ?(?:\[\w+\])?[:!]",
    r"^\s*error\b",
    r"^.{0,200}: (?:command not found|no such file or directory|permission denied|cannot access)",
    r"\bexit(?:ed with)?[ _]?(?:code|status)[:= ]+[1-9]\d*\b|\bexitcode: [1-9]\d*",
    r"\breturn code: [1-9]\d*\b|\bexecution failed\b|\breturned non-zero exit status\b",
    r"^\s*npm err!|^\s*make: \*\*\*|^\S+:\d+:\d+: (?:fatal )?error:",
    r"^\s*\{\s*\"?(?:error|err|errors|exception)\"?\s*:",
    r"\"(?:success|ok)\"\s*:\s*false|\"(?:status|result)\"\s*:\s*\"(?:error|failed|failure)\"",
    r"\b(?:did not conform|failed to (?:match|apply|execute|run|parse|load|connect))\b",
    r"<tool_use_error>|\binvalid (?:action|argument|input|syntax)\b",
    r"\btimed out\b|\btimeout(?:error| expired| exceeded|:)",
    r"\b(?:syntax|name|type|value|import|key|attribute|index|runtime|assertion)error\b: ",
    r"^\s*(?:错误|失败|异常|出错)|(?:执行|操作|请求|连接|调用)(?:失败|出错|错误)|权限不足|超时",
    flags=re.IGNORECASE | re.MULTILINE,
)
#: it ran and found nothing
EMPTY_RESULT = _any(
    r"^\s*(?:\[\]|\{\}|null|none|nil)\s*$",
    r"^\s*no (?:results?|matches?|match|files?|data|records?|entries) ?(?:found|were found)?\b",
    r"^\s*(?:could not|cannot|can't|couldn't|unable to) find\b",
    r"^\s*\S{0,40} ?not found\b|\bdoes not exist\b|^\s*0 (?:results|matches|rows)\b",
    r"^\s*(?:没有找到|未找到|找不到|无结果|没有结果|不存在)",
)
#: it says that it worked
OK_RESULT = _any(
    r"\bexit(?:ed with)?[ _]?(?:code|status)[:= ]+0\b|\bexitcode: 0\b|\bexecution succeeded\b",
    r"\b(?:build|tests?|check|compilation) (?:succeeded|passed|successful)\b|\ball checks passed\b",
    r"\bapplied edit\b|\bsuccessful(?:ly)?\b|\bhas been (?:updated|created|saved)\b",
    r"\"(?:success|ok)\"\s*:\s*true|\"status\"\s*:\s*\"(?:ok|success)\"|成功|已完成|已创建|已更新",
)
PASSED_TESTS = _any(
    r"\b[1-9]\d* tests?, 0 failures\b",
    r"\b([1-9]\d*) (?:tests? )?pass(?:ed|ing)\b",
    r"\bran \d+ tests?[\s\S]{0,80}^OK\b",
    r"测试通过",
)
FAILED_TESTS = _any(
    r"\b[1-9]\d* (?:tests? )?fail(?:ed|ing|ures?)\b",
    r"^FAILED\b|\b(?:some )?tests? failed\b",
    r"\b[1-9]\d* errors?\b in",
    r"测试(?:失败|未通过)",
    flags=re.IGNORECASE | re.MULTILINE,
)
#: the harness or the model stopped before the end
STOPPED = _any(
    r"\bonly \d+ \w+ allowed, stopping\b",
    r"\b(?:max(?:imum)?|too many) (?:\w+ )?(?:iterations|steps|turns|attempts|retries|rounds|reflections)\b",
    r"\b(?:step|turn|token|context|cost) limit (?:was )?(?:reached|exceeded)\b|\bstopping\b.{0,20}$",
    r"\bexit_(?:cost|context|format|error)\b|达到(?:最大|上限)|次数上限",
)
#: the assistant says it cannot, or will not
REFUSAL = _any(
    r"\bi(?:'m| am) (?:sorry|afraid|unable)\b",
    r"\bi (?:can(?:'t|not)|could(?:n't| not)|am not able|do(?:n't| not) have (?:the )?(?:access|ability|capability))",
    r"\bas an ai\b|\bunfortunately\b",
    r"很抱歉|对不起|抱歉|我无法|我不能|作为(?:一个|一名)?(?:ai|人工智能)|遗憾",
)
GAVE_UP = _any(
    r"\b(?:unable to|could(?:n't| not)|cannot|can't|was not able to|failed to) (?:find|complete|resolve|determine|"
    r"locate|fix|verify|confirm|access|retrieve|proceed|process|fulfil+|provide)\b",
    r"\bno (?:further|more) (?:steps|attempts|information)\b|\bgiv(?:e|ing) up\b",
    r"无法(?:完成|找到|解决|确定|访问|提供|处理|继续)|未能(?:完成|找到|解决)|放弃",
)
ASKS = _any(
    r"[?？]\s*$",
    r"\bplease (?:provide|confirm|tell me|let me know which|specify|add|share)\b",
    r"\bcould you (?:please )?(?:provide|confirm|clarify|tell|share)\b",
    r"请(?:提供|告诉我|确认|问|说明)",
)
HEDGE = _any(
    r"\b(?:maybe|perhaps|possibly|might be|not (?:entirely )?sure|i (?:think|guess|believe|assume)|probably|it seems|"
    r"does not (?:mention|specify|say)|doesn't (?:mention|specify|say))\b",
    r"可能|也许|大概|不确定|我猜|似乎|好像",
)
#: greeting and small talk, whole message
CHATTER = _any(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks?|thank you|ok(?:ay)?|bye|goodbye|yes|no|sure|lol|"
    r"cool|great|how are you|what'?s up|test)(?:[ ,]*(?:there|you|so much|very much|again|all|a lot|today|doing|"
    r"how are you))*\W*$",
    r"^\W*(?:你好|您好|早上好|晚上好|谢谢你?|好的?|再见|嗯|在吗|哈哈|是的|你好吗)+(?:啊|呀|吗|了|！)*\W*$",
)
#: what can destroy data or leak it
DANGER = _any(
    r"\brm\s+-(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r)[a-z]*\s+(?:--no-preserve-root\s+)?(?:/|~/?|\$home/?|\*)(?=[\s'\"*;&|)]|$)",
    r"\bgit\s+push\s+(?:\S+\s+)*(?:--force\b(?!-with)|-f\b)|\bgit\s+reset\s+--hard\b",
    r"\bcurl\s[^|\n]{1,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|\bchmod\s+(?:-r\s+)?777\b",
    r"\bdrop\s+(?:table|database|schema)\s+\w|\btruncate\s+table\b|\bmkfs\.|\bdd\s+if=\S+\s+of=/dev/",
    r"\bdelete\s+from\s+\w+\s*;|--no-verify\b|\bverify\s*=\s*false\b|\bstricthostkeychecking[= ]no\b",
)
#: key shapes that are sure; the redaction stage knows far more and removes them
SECRET = _any(
    r"\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}\b|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bAKIA[0-9A-Z]{16}\b",
    r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\bxox[abprs]-[A-Za-z0-9-]{10,}\b",
    r"\b[a-z][a-z0-9+]*://[^\s:/@]{1,60}:[^\s:/@<>]{3,80}@[\w.-]+",
    flags=0,
)
