"""Classes of words that the classifier of turns sees as features, the same for English and Chinese.

None of them decides anything: each is one input, whose weight is fitted. They carry what one language teaches over
to the other, which word n-grams cannot.
"""

from __future__ import annotations

import re

__all__ = ["ADVICE", "ASKS", "CLAIMS_DONE", "EDITS", "PROPOSES", "REFUSES", "TELLS", "WORDS"]

_Pattern = re.Pattern[str]


def _either(english: str, chinese: str) -> _Pattern:
    """Whole English words or Chinese words, anywhere."""
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


def _first(english: str, chinese: str) -> _Pattern:
    """At the start of the turn, at most a filler before it."""
    filler = r"(?:ok|okay|so|well|and|but|hmm+|oh|ah|嗯|那|哦|好的)[\s,.，。!！…]+"
    return re.compile(rf"^[\W_]*(?:{filler})?(?:(?:{english})\b|(?:{chinese}))", re.IGNORECASE)


#: classes of words that the fitted model of acts weighs, each with its name, e.g. `sounds good`, `that's
#: wrong`, `以后都用`
WORDS: dict[str, _Pattern] = {
    # how the turn opens
    "yes": _first(
        r"y|yes|yep|yup|yeah|ok|okay|k|sure|right|correct|exactly|agreed|confirm(?:ed)?|fine|alright|approved|sounds"
        r"|go|do it|please do|you(?:'re| are) right",
        r"是的|对|好|行|可以|嗯|没错|同意|确认|要|没问题|就|你说得对|有道理",
    ),
    "no": _first(
        r"no|nope|nah|not|don't|wait|stop|hold on|actually|dude|man|wtf|uhh*|whoa|i don't|that's not|that can't"
        r"|we don't|this is",
        r"不|没|别|停|等|错|怎么|但|可是|可我|谁|明明|还",
    ),
    "order": _first(
        r"(?:(?:now|then|also|next|first|please)[, ]*)?(?:add|fix|make|do|run|use|change|move|remove|delete|create"
        r"|write|read|show|find|open|update|continue|implement|check|look|give|tell|explain|put|set|keep|drop|rename"
        r"|commit|push|hide|let|take|try|address|work on|get|build|start|stop|analy[sz]e|compare|translate|describe"
        r"|generate|provide|calculate|book|cancel|summari[sz]e)",
        r"(?:现在|然后|再|先|请|也|把|给)?(?:把|给|帮|改|加|删|写|看|查|找|继续|做|用|参考|修|换|推荐|告诉|解释|翻译|生成|计算)",
    ),
    "greeting": _first(
        r"hi|hello|hey|lol|haha\w*|yo|good (?:morning|evening)|hmm+|wow|really|nice|that(?:'s| is| sounds| must)"
        r"|what about you|me too|same|cool",
        r"你好|您好|哈|嗨|在吗|嗯嗯|真的|哇",
    ),
    # against what the agent did
    "negation": _either(r"no|not|never|without|none|nothing|cannot|\w+n['’]t", r"不|没|别|无"),
    "fault": _either(
        r"wrong|incorrect|broken?|bad|worse|missing|miss(?:es|ed)|fails?|failed|error|crash\w*|ugly|horrible|weird"
        r"|supposed|revert|undo|dumb|stupid|hallucinat\w+|overkill|too \w+|makes no sense|doesn't (?:work|look|help)"
        r"|unacceptable|unfair|disappoint\w+|frustrat\w+",
        r"错|没有变化|没反应|没效果|报错|失败|太(?!好|棒|感谢|谢|开心)|不行|不对|改回|漏|少了|不是|不合理|不能|崩|不到位|蠢",
    ),
    "still": _either(r"still|again|same|yet|already", r"还是|依然|依旧|仍|又"),
    "reproach": _either(
        r"why (?:would|do|did|are|is|does|not)|isn't|aren't|doesn't|don't (?:we|you)|shouldn't|wasn't|didn't"
        r"|are you sure|what are you|who (?:said|told)",
        r"为什么|怎么(?:又|还|能|会|连)|难道|不是[^，。]{1,12}吗|谁让",
    ),
    "unwanted": _either(
        r"(?:don't|do not|didn't|wouldn't|not) (?:really |actually )?(?:want|need|like|care)|i(?:'d| would) rather"
        r"|rather not|instead|should(?:n't)? (?:be|have|not)|i (?:said|asked|meant)|not what|is not|isn't",
        r"不(?:想|要|需要|用)|我(?:说|要|指)的是|应该|换|不是",
    ),
    "contrast": _either(r"but|though|however|although|except", r"但|可是|不过|只是|然而"),
    "insists": _either(
        r"really|surely|certain(?:ly)?|must be|any way|anything (?:else )?(?:you|that) can|supervisor|manager"
        r"|someone else|exceptions?|(?:check|look|try|read|think) (?:\w+ )?again|double-check|one (?:last|more) time"
        r"|regardless|i understand|unhappy|not happy|upset|expected",
        r"再(?:查|看|检查|想|试|找)|一定|明明|经理|投诉|例外|好好|仔细|认真(?!考虑)|不满",
    ),
    "ought": _either(
        r"(?:should|ought to|supposed to|must|need(?:s|ed)? to) (?:be|have|not|return|say|use|show|go)"
        r"|belongs? (?:in|to)|goes? (?:in|to)",
        r"应该|应当|放到|放在|属于",
    ),
    "problem": _either(
        r"issue|bug|error|exception|traceback|fail\w*|crash\w*|warning|leak\w*|undefined|not found|missing|shows?"
        r"|happens?",
        r"问题|报错|错误|出错|异常|失败|警告|漏|不显示|无法",
    ),
    # with it
    "works": _either(
        r"works?|worked|good|perfect(?:ly)?|nice|fixed|looks? (?:good|great|right|fine)|lovely|better|matches|passes"
        r"|correct|approved|acceptable|fine",
        r"可以了|没问题|不错|好了|正常|成功|满意|合适|通过|好多了|对上",
    ),
    "thanks": _either(
        r"thanks?|thank you|thx|cheers|appreciate\w*|grateful|kind of you", r"谢|感谢|辛苦|麻烦你了"
    ),
    "pleasure": _either(
        r"great|wow|awesome|amazing|wonderful|glad|cool|excellent|fantastic|brilliant|love(?:ly)?|helpful|interesting",
        r"太好|太棒|真棒|厉害|哇|真好|开心|听起来",
    ),
    "takes": _either(
        r"i(?:'ll| will) (?:\w+ )?(?:take|try|go with|do|start|talk|follow|keep|give|use)|let['’]?s (?:go|do)"
        r"|go (?:ahead|with|for)|proceed|please do|do it|sold|works for me|by me|makes sense|good (?:idea|point|call)"
        r"|that one|your (?:advice|suggestion)\w*",
        r"就(?:这|它|去|住|按|用|选|定|订|是)|试试|试着|听你|照|我会|会的|按.{0,6}(?:来|做|走)|建议|尝试|去尝|记下",
    ),
    "follows": _either(
        r"i(?:'ll| will| am going to| can)|i'm going to|you(?:'re| are) right|that's (?:right|true)|makes sense"
        r"|good (?:idea|advice|suggestion|point)",
        r"我(?:会|要|去|试|就)|你说得?对|有道理|是的|好(?:建议|主意|办法)",
    ),
    "considers": _either(
        r"consider|think about it|keep (?:that|it) in mind|noted?", r"考虑|想想|记住了|了解了|知道了|明白了"
    ),
    "bye": _either(
        r"bye|goodbye|that's all|that is all|all i need(?:ed)?|nothing else|have a (?:great|good|nice)|everything",
        r"再见|拜拜|没有了|没别的|没有问题|没问题了|没有其他",
    ),
    # asks for something
    "request": _either(
        r"please|can (?:you|we)|could (?:you|we)|would you|i(?:'d| would) like|i (?:want|need)|help|tell me|let['’]?s"
        r"|show|give me|find|explain|how about|what about|i'm looking for|provide|describe",
        r"帮|请|麻烦|我想(?!起|念)|我要|告诉|给我|推荐|能不能|可不可以|能否|想(?:找|要|去|知道|问)|解释|介绍|查",
    ),
    "asks": _either(
        r"what(?:'s)?|how|why|which|where|who|when|is there|are there|can i|should (?:i|we)",
        r"什么|怎么|怎样|如何|为什么|哪|多少|几|是否|有没有",
    ),
    "small_talk": _either(
        r"do you (?!want|know|think you|have (?:any|the|a)|need)|are you|have you|how are|what do you (?:do|like)"
        r"|you like|and you|about you|your (?:favou?rite|name|hobb\w+)",
        r"你(?:呢|喜欢|有没有|是不是|最近|觉得|自己)|您呢",
    ),
    # who and when
    "i": _either(r"i|i'm|i've|i'd|i'll|my|me|mine", r"我(?!们)"),
    "we": _either(
        r"we|our|us|we're|everyone|nobody|team|company|project|repo|codebase",
        r"我们|咱|团队|公司|项目|仓库|大家|组里",
    ),
    "you": _either(r"you|your|you're|u", r"你|您"),
    "tells": _either(
        r"(?:i|we|my \w+|he|she|they) (?:am|was|were|is|are|have|had|has|like|love|live|work|went|got|did|just|think"
        r"|feel|hate|enjoy|used|do not|don't|also|recently|can|play|teach|grew|ran|set)|i'm|i've"
        r"|my (?:name|favou?rite|\w+ id)|recently",
        r"我(?:是|在|有|喜欢|觉得|最近|今天|昨天|刚|家|去|从|也|叫|还|和|跟|已经|一直|平时|很|打算|计划|发现|不太)"
        r"|最近|因为|其实",
    ),
    "once": _either(
        r"now|this time|today|tomorrow|tonight|just|then|next|the (?:second|first|third|last)",
        r"这次|这回|现在|今天|明天|先|一下|再|接下来",
    ),
    # for later too; `lasting` says so itself, `standing` holds words that only often go with it
    "lasting": _either(
        r"always|never(?! mind)|from now on|going forward|in (?:the )?future|whenever|every (?:single )?time"
        r"|each time|no exceptions?|by default|policy|convention|house (?:style|rules?)|banned|as a rule|around here"
        r"|next time|we (?:use|don't|never|always|only|prefer|keep)|in (?:this|our) (?:repo|project|codebase)",
        r"以后(?!再)|一律|凡|永远|始终|今后|往后|从现在|规矩|约定|统一|禁止|不许|不准|不得|每次|默认|记住"
        r"|都(?:是这样|这样|要|按|用|得|走|不)",
    ),
    "standing": _either(
        r"always|never|ever|every(?:thing|where)?|each|any|all|whenever|from now on|in future|going forward|generally"
        r"|no exceptions?|without asking|only|policy|rules?|convention|by default|prefer|must(?: not)?|may not|banned"
        r"|house style|all (?:the|our|of)|across|around here|stick to|keep (?:that|to|our|your|it)|unless|throughout"
        r"|remember",
        r"以后|一律|都|每次|每|凡|统一|必须|永远|始终|从来|习惯|默认|任何|不许|不准|不得|禁止|规矩|标准|约定|往后|所有"
        r"|记住|记一下|这样|不要|不(?:写|用|能|收|补)|只",
    ),
    "ours": _either(
        r"we (?:use|don't|never|always|only|prefer|keep|do)|in (?:this|our) (?:repo|project|codebase|company|team)"
        r"|here",
        r"我们(?:都|不|的|全|公司|组|团队|项目|仓库|这)|在这个项目|给我|跟我",
    ),
    "attention": _either(
        r"make sure|careful|note that|btw|by the way|fyi|important", r"注意|记得|另外|顺便|对了|小心"
    ),
    # what it carries
    "data": re.compile(r"[\w.]@[\w.]|\b[A-Za-z]*\d[\w-]{3,}\b|[$¥€]\s?\d"),
    "shell": re.compile(
        r"^[^\S\n]*[!$➜>]\s|^[^\S\n]*(?:ls|pwd|cd|git|docker|npm|cat)\b[^.?!]{0,30}$",
        re.IGNORECASE | re.MULTILINE,
    ),
    "pasted": re.compile(
        r"^[^\S\n]*(?:>|\+|-\s\s|at \w|File \"|\d+[:|]|\$ )|Error:|^\s{4,200}\S", re.MULTILINE
    ),
}

# what the agent did before, e.g. `Shall I go on?`, `请提供订单号`
ASKS = re.compile(
    r"[?？]\s*$|[吗呢]\s*$|\b(?:shall|should|want me to|would you like|do you want|may i|can i|could you|let me know"
    r"|please (?:confirm|provide|tell))\b|请(?:提供|告诉|确认|问)|需要我|要不要|是否",
    re.IGNORECASE | re.MULTILINE,
)
#: the agent offers the next step, e.g. `Shall I run the tests?`, `要不要我来修改`
PROPOSES = _either(
    r"shall i|should i|want me to|would you like|do you want me|ready to|proceed|confirm|i'd suggest|i'd recommend"
    r"|i can",
    r"需要我|要不要|是否|可以吗|我(?:可以|建议|打算|准备)|建议|推荐",
)
#: e.g. `All tests pass`, `已经修好`
CLAIMS_DONE = _either(
    r"done|fixed|finished|completed?|updated|added|created|renamed|moved|passes|pass|ready|now|committed|pushed"
    r"|resolved",
    r"完成|已经?|修好|好了|通过",
)
#: e.g. `I'm sorry, I can't do that`, `抱歉，无法取消`
REFUSES = _either(
    r"sorry|apolog\w+|unfortunately|unable|can(?:no|')t|not (?:able|possible|allowed|eligible)",
    r"抱歉|对不起|无法|不能",
)
#: somebody tells of themselves, e.g. `I work at a bank`, `my dog`, `我喜欢`
TELLS = _either(
    r"i (?:am|was|have|had|like|love|live|work|hate|enjoy|think|also|just|do|play|did|can|would)|i'm|my \w+|me too"
    r"|we have",
    r"我(?!们|可以|无法|不能|来|会帮|已|将|先|准备)",
)
#: e.g. `You should try another port`, `您可以尝试`
ADVICE = _either(
    r"you (?:can|could|should|might|may|need|have to)|try(?:ing)? to|it(?:'s| is) (?:important|good|helpful|best)"
    r"|i suggest|i recommend|recommend",
    r"你可以|您可以|可以(?:尝试|考虑|先|去|和)|建议|应该|尝试|推荐|需要",
)
#: tools that change files, e.g. `str_replace_editor`, `NotebookEdit`
EDITS = re.compile(r"edit|write|patch|replace|create|apply|notebook", re.IGNORECASE)
