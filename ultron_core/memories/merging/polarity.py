"""Negation and opposite words, English and Chinese."""

from __future__ import annotations

import re

__all__ = ["has_negation", "has_soft_negation", "opposite_words"]

#: e.g. `does not support`, `never retries`, `can't connect`
_EN_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|don't|won't|isn't|aren't|wasn't|weren't|"
    r"doesn't|didn't|can't|couldn't|shouldn't|wouldn't|mustn't|hasn't|haven't|hadn't)\b",
    re.IGNORECASE,
)
#: denies without a word of negation, e.g. `the build fails`, `unable to connect`, `until it was removed`
_EN_SOFT = re.compile(
    r"\b(?:fail(?:s|ed|ure|ing)?|unable|lack(?:s|ed|ing)?|missing|refus\w+|reject\w*|den(?:y|ies|ied)|prevent\w*|"
    r"avoid\w*|stop(?:s|ped)?|remov\w+|disab\w+|forbid\w*|forbidden|out of|until|only|instead of|rather than|"
    r"went away|gone|broke|under|below|less|otherwise|unless|empty|skip\w*)\b",
    re.IGNORECASE,
)
#: says the same as "X instead of Y", or sets a bound; neither negates the statement, e.g. `use X, not Y`, `no
#: more than`
_EN_CONTRAST = re.compile(
    r"(?:,\s*|\band |\bbut )(?:and )?not\b|\bnot only\b|\bno (?:more|less|fewer|later|longer) than\b|"
    r"\bno longer than\b|"
    r"\bnot (?:more|less|fewer) than\b|\bno matter\b|\bwhether or not\b|\bno\.\s?\d",
    re.IGNORECASE,
)
#: e.g. `不支持`, `没有`, `禁止`
_ZH_NEGATION = re.compile(r"不|没|无|未|勿|别|禁止|并非|而非|绝非|非法")
#: denies without a word of negation, e.g. `连接失败`, `只有重启才能恢复`
_ZH_SOFT = re.compile(
    r"失败|缺少|缺失|拒绝|避免|不足|溢出|消失|防止|超出|用尽|停止|只有|才能|才|否则|代替|尚|少于|低于|"
    r"以内|以下|崩溃|跳过"
)
#: holds a character of negation and denies nothing, e.g. `不同`, `无论`, `不超过`, `非常`
_ZH_NO_NEGATION = re.compile(
    r"不(?:同|过(?!期|滤)|仅|但|断|久|少|论|管|如|妨|得不|错|一样)|差不多|无(?:论|线|人机|限|痛|"
    r"服务器)|非常|未来|别(?:人|名|的)|"
    r"(?:特|分|区|级|类|识|性|告|鉴|个)别|除非|不(?:能|得|要|应|可)?(?:少于|低于|超过|多于|早于|晚于|"
    r"高于|大于|小于|超出)|没(?:关系|问题)"
)
#: "X, not Y" says the same as "X instead of Y", e.g. `而不是端口`, `，不是 5433`
_ZH_CONTRAST = re.compile(
    r"[，,、；]?\s{0,20}(?:而|并)?(?:不是|不用|不从|不在|非)(?=[^，。；]{1,20}(?:[，。；]|$))|而(?:不是|非)|"
    r"(?<=[，,；])\s*(?:而)?不要用|不(?:是|在|从|用)(?=[^。；]{1,30}而(?:是|在|从|用))"
)

_OPPOSITES = [
    tuple(pair.split("/"))
    for pair in [
        "enable/disable",
        "enabled/disabled",
        "enables/disables",
        "on/off",
        "increase/decrease",
        "increased/decreased",
        "increases/decreases",
        "ascending/descending",
        "allow/forbid",
        "allowed/forbidden",
        "allows/forbids",
        "allow/deny",
        "allowed/denied",
        "accept/reject",
        "accepts/rejects",
        "accepted/rejected",
        "succeed/fail",
        "succeeded/failed",
        "succeeds/fails",
        "success/failure",
        "pass/fail",
        "passes/fails",
        "passed/failed",
        "true/false",
        "yes/no",
        "open/closed",
        "opened/closed",
        "opens/closes",
        "add/remove",
        "added/removed",
        "adds/removes",
        "more/less",
        "more/fewer",
        "most/least",
        "minimum/maximum",
        "min/max",
        "first/last",
        "used/ignored",
        "use/avoid",
        "uses/ignores",
        "include/exclude",
        "includes/excludes",
        "included/excluded",
        "public/private",
        "up/down",
        "left/right",
        "top/bottom",
        "upgrade/downgrade",
        "upgraded/downgraded",
        "install/uninstall",
        "lock/unlock",
        "start/stop",
        "starts/stops",
        "started/stopped",
        "always/never",
        "high/low",
        "higher/lower",
        "highest/lowest",
        "fast/slow",
        "faster/slower",
        "larger/smaller",
        "big/small",
        "large/small",
        "inside/outside",
        "indoor/outdoor",
        "internal/external",
        "local/remote",
        "synchronous/asynchronous",
        "sync/async",
        "read/write",
        "reads/writes",
        "readable/writable",
        "input/output",
        "online/offline",
        "required/optional",
        "mandatory/optional",
        "cheap/expensive",
        "early/late",
        "earlier/later",
        "old/new",
        "man/woman",
        "boy/girl",
        "men/women",
        "boys/girls",
        "male/female",
        "black/white",
        "push/pull",
        "upload/download",
        "encrypt/decrypt",
        "import/export",
        "connected/disconnected",
        "created/deleted",
        "create/delete",
        "hot/cold",
        "full/empty",
        "production/staging",
        "development/production",
        "backend/frontend",
        "client/server",
    ]
]
_ZH_OPPOSITES = [
    tuple(pair.split("/"))
    for pair in [
        "启用/禁用",
        "启用/停用",
        "开启/关闭",
        "打开/关闭",
        "增加/减少",
        "升序/降序",
        "允许/禁止",
        "接受/拒绝",
        "成功/失败",
        "通过/失败",
        "添加/删除",
        "升级/降级",
        "安装/卸载",
        "上传/下载",
        "加密/解密",
        "导入/导出",
        "同步/异步",
        "公开/私有",
        "最大/最小",
        "最高/最低",
        "最多/最少",
        "上限/下限",
        "必填/可选",
        "必须/可选",
        "在线/离线",
        "开始/停止",
        "开始/结束",
        "内部/外部",
        "本地/远程",
        "读取/写入",
        "前端/后端",
        "客户端/服务端",
        "提前/推迟",
        "便宜/昂贵",
        "男/女",
        "男人/女人",
        "男孩/女孩",
        "黑/白",
        "上升/下降",
        "左/右",
        "新/旧",
        "使用/忽略",
        "使用/避免",
        "真/假",
        "包含/排除",
        "白名单/黑名单",
        "生产/测试",
        "读/写",
    ]
]
_PREFIXES = ("un", "in", "im", "dis", "non", "non-", "de")
#: a word to look up among the opposites, e.g. `read`, `non-blocking`
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")


def has_negation(text: str) -> bool:
    """True when a statement of `text` is denied; contrasts ("X, not Y") and bounds ("no more than") are not."""
    english = _EN_CONTRAST.sub(" ", text.replace("’", "'"))
    if _EN_NEGATION.search(english):
        return True
    return _ZH_NEGATION.search(_ZH_NO_NEGATION.sub("", _ZH_CONTRAST.sub("", text))) is not None


def has_soft_negation(text: str) -> bool:
    """True when words such as "fails", "lacks", "until" or a contrast may say the same as a negation."""
    return any(
        pattern.search(text) is not None
        for pattern in (_EN_SOFT, _EN_CONTRAST, _ZH_SOFT, _ZH_CONTRAST, _ZH_NO_NEGATION)
    )


def opposite_words(a: str, b: str) -> tuple[str, str] | None:
    """A pair of opposite words of which each text has one and lacks the other, else None."""
    left, right = set(_WORD.findall(a.lower())), set(_WORD.findall(b.lower()))
    for one, other in _OPPOSITES:
        if _split(one, other, left, right):
            return one, other
    for word in sorted(left ^ right):
        for prefix in _PREFIXES:
            if len(word) > 3 and _split(word, prefix + word, left, right):
                return word, prefix + word
    for one, other in _ZH_OPPOSITES:
        if _split_text(one, other, a, b):
            return one, other
    return None


def _split(one: str, other: str, left: set[str], right: set[str]) -> bool:
    return (one in left and other in right and other not in left and one not in right) or (
        other in left and one in right and one not in left and other not in right
    )


def _split_text(one: str, other: str, a: str, b: str) -> bool:
    return (one in a and other in b and other not in a and one not in b) or (
        other in a and one in b and one not in a and other not in b
    )
