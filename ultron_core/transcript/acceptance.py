"""Whether a person takes the result: says that it works and asks for nothing more, or orders it to be committed.

    accepts("好了。")                                    # True
    accepts("it works, but the ball is too fast")        # False: something is left
    takes("Thanks! Please write a commit message")       # True

Thanks and consent ("yes, do it") are no verdict; they close a talk and leave standing what was said before.
"""

from __future__ import annotations

import re

from ultron_core.transcript.language import sentences
from ultron_core.transcript.speech import ACCEPTANCE, CONSENT, QUESTION, any_of, is_only_courtesy

__all__ = ["accepts", "closes", "says_right", "takes"]

#: words for it that only a verdict on the own work has, with nothing behind them
_SAYS_IT_WORKS = any_of(
    # "it works fantastic!", "this works as expected."
    r"\b(?:it|this|that|everything) works? (?:\w+ )?(?:fantastic(?:ally)?|beautifully|nicely|as expected)\b",
    # "This fixes the problem.", "The migration is now complete."
    r"^(?:ok(?:ay)?,? |great,? )?(?:this|that|it) (?:fixes|fixed|solves|solved) (?:it|the \w+|my \w+|that)\b",
    r"^(?:ok(?:ay)?,? |great,? )?(?:the|this|that) (?:[\w-]+ ){1,6}is now (?:complete|done|finished|working|fixed)\b",
    # "登录部分已完成，"; not "还没完成"
    r"^[^，。,.不没未吗？?\n]{2,30}(?:已经?|都)完成了?(?=[，。,])",
    # "目前正常工作了", "现在可以编辑了"; not "现在可以编辑了吗"
    r"(?:现在|目前|终于)(?:都|已经|可以|能够?|又)*(?:正常)?[^，。,不没吗？?]{0,8}(?<!什么)了(?=[，,。！!~～\s]|$)",
)
#: the sentence sets a condition, orders a check or repeats what was promised: "verify if everything works",
#: "我选一个就可以了", "改完就好了"
_NOT_SAID = re.compile(
    r"\b(?:if|whether|verify|check|make sure|ensure|until|when|once|how|so that|should)\b"
    r"|[就才便][^，。]{0,6}(?:可以|好|行)了|是否|如果|确保|直到|的话",
    re.IGNORECASE,
)
#: something is left: "perfect, just one thing", "可以了，但是导出还不行"
_REST = re.compile(
    r"\b(?:but|however|except|although|though|unless|only|just one|one (?:more )?(?:thing|issue|problem)|still"
    r"|another|also)\b"
    r"|但|不过|可是|只是|然而|除了|还[有要没需]|还是[不没]|仍",
    re.IGNORECASE,
)
#: what a turn opens with before its order
_LEAD = (
    r"^\W*(?:(?:ok(?:ay)?|great|good|nice|cool|perfect|awesome|excellent|thanks?(?: you)?|yes|now|so|and|then|alright"
    r"|please|let'?s|let us|can you|could you|go ahead and|i think we (?:can|should)|we(?:'re| are) ready to)[,.! ]+)*"
)
#: asks for what one does with finished work: "commit this", "Create a commit message", "push it and open a PR"
_TAKES = any_of(
    _LEAD
    + r"(?:git )?(?:commit|push|merge|publish|deploy)\b(?! (?:message|hash|history|fail|error))(?![^.\n]*\?)",
    _LEAD
    + r"(?:create|write|make|draft|open|give me|suggest|prepare)(?: me| us)? (?:an?|the) (?:\w+,? ){0,4}"
    r"(?:commit(?: message)?|pull request|pr)\b",
    # "提交一下", "帮我写一个提交信息", "合并到主分支"
    r"^\W*(?:(?:好的?|可以|行|那|现在|然后|请|帮我|你|先)[了，,。!！ ]*)*(?:把.{0,12})?"
    r"(?:提交(?!的|按钮|表单|失败|时|后|接口)|推送(?!的|失败|消息)|合并到|git (?:commit|push)"
    r"|(?:写|生成|给).{0,6}(?:提交(?:信息|说明)|commit))",
)
#: a commit that comes before more, or against what was done: "commit it, then start on the parser"
_ON_THE_WAY = re.compile(
    r"\b(?:before|then|after (?:that|which)|next|don'?t|do not|revert|first|once|when)\b|然后|之后|再|先|不要|别|撤销",
    re.IGNORECASE,
)
#: asks whether the work was put away: "did you push?", "are we all committed?"
_PUT_AWAY = re.compile(
    r"^\W*(?:did you|have you|are we|is (?:it|everything)|all) (?:\w+ ){0,2}(?:commit|push|merge)\w*\W*$"
    r"|^(?:都|已经)?(?:提交|推送|合并)了(?:吗|没)\W*$",
    re.IGNORECASE,
)
#: words of consent without an order of its own: "yes, do it", "好，继续"
_LONGEST_CONSENT = 30


def accepts(text: str) -> bool:
    """Whether the turn says that the work is right, leaves nothing open and asks for no more."""
    if _REST.search(text) or not says_right(text):
        return False
    return all(_says(s) or takes(s) or closes(s) for s in sentences(text))


def says_right(text: str) -> bool:
    """Whether a sentence of the turn says that the work is right, whatever the others ask for."""
    return any(_says(s) and not _REST.search(s) for s in sentences(text))


def _says(sentence: str) -> bool:
    if QUESTION.search(sentence) or _NOT_SAID.search(sentence):
        return False
    return bool(ACCEPTANCE.search(sentence) or _SAYS_IT_WORKS.search(sentence))


def takes(text: str) -> bool:
    """Whether the turn orders what one does with work that is done: commit, push, merge, deploy."""
    return bool(_TAKES.search(text)) and not _ON_THE_WAY.search(text) and not _REST.search(text)


def closes(text: str) -> bool:
    """Whether the turn only closes: courtesy, a short consent, or the question whether the work was put away."""
    if is_only_courtesy(text) or _PUT_AWAY.search(text):
        return True
    return len(text) <= _LONGEST_CONSENT and CONSENT.search(text) is not None and not _REST.search(text)
