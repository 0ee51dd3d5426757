"""What people and models say, by the words they use: objection, correction, standing wish, acceptance, thanks,
question, refusal, giving up, doubt, greeting, farewell; English and Chinese, one set for all stages.

Each pattern is written to be right when it fires; words that only often mean something ("fine") are left out.
"""

from __future__ import annotations

import re

from ultron_core.transcript.language import CJK_CLASS, sentences

__all__ = [
    "ACCEPTANCE",
    "ASKS",
    "CONSENT",
    "FAREWELL",
    "GAVE_UP",
    "GREETING",
    "HEDGE",
    "PROMPT",
    "QUESTION",
    "REFUSAL",
    "STOPPED",
    "THANKS",
    "any_of",
    "is_correction",
    "is_objection",
    "is_only_courtesy",
    "is_question",
    "is_wish",
]


def any_of(*patterns: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """One pattern that matches where any of the given ones does."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


#: a person says what is right instead
CORRECTION = any_of(
    # "no, we want to put it in the container", "actually, it should return a list"
    r"^(?:(?:oh )?no|nope|nah|wrong|not quite|actually|wait|stop)\s*[,.!:;-]\s*.*\b(?:use|should|"
    r"we (?:want|need)|put|instead|rather than|call it|keep|leave|i (?:meant|said|want(?:ed)?))\b",
    # "don't mock the database, use the real one"
    r"\b(?:don't|do not|stop) (?:us(?:e|ing)|writ(?:e|ing)|add(?:ing)?|creat(?:e|ing)|chang(?:e|ing)|mock(?:ing)?|"
    r"commit(?:ting)?|touch(?:ing)?|edit(?:ing)?)\b.{3,80}\b(?:use|instead|rather)\b",
    # "use uv instead of pip", "instead, call the API"
    r"\buse\b[^.?!]{1,60}(?:\binstead of\b|\brather than\b|, not\b)|\binstead,? (?:use|call|write|put)\b",
    # "I told you to use tabs"
    r"\bi (?:said|told you to|meant(?: to)?|asked (?:for|you to))\b.{0,60}\b(?:use|not|instead|only)\b",
    # "you forgot to export it"
    r"\byou (?:shouldn't have|should not have|forgot to|were supposed to|should have)\b",
    # "you edited the wrong file, it should be src/a.py"
    r"\byou (?:\w+ )?the wrong \w+[^.?!]{0,60}\b(?:it(?:'s| is)|should|use|is)\b",
    # "the default should be 30, not 60"
    r"\b(?:it|that|this|the \w+) should (?:be|have been|say|return|use)\b[^.?!]{1,80}(?:, not\b|\binstead\b|"
    r"\brather than\b)",
    # "that's not a bug, it's the cache"
    r"\b(?:it|that)(?:'s| is) (?:not|n't) [^.?!,]{1,60}, (?:it(?:'s| is)|but) ",
    # "不对，应该按日期排序"
    r"^(?:不对|不是这样|错了|弄错了|不[,，]).{0,30}(?:应该?|要用|改[用成为]|请用|是)",
    # "应该用配置文件而不是环境变量"
    r"应该(?:用|使用|改用|改成|是用|是)\S{1,40}(?:而不是|不是|不要)|而不是.{1,40}(?:请用|改用|应该)",
    # "不要用全局变量，改用参数"
    r"(?:别|不要)(?:再)?(?:用|改|写|加).{1,30}[,，]\s*(?:请?用|改用|改成|要用|而是|应该)",
    # "你理解错了，我要的是按名字排序"
    r"你(?:搞|弄|理解|写|改|看)错了[,，].{4,}|我(?:说|要|指)的是.{2,40}[,，]?\s*(?:而?不是)",
    # "这里不是缓存的问题，是路由的问题"
    r"^(?:这个|这里|那个)?不是.{1,30}[,，]\s*(?:而)?是.{2,}",
)
#: a person says that the result is wrong; what is right may come in the next sentence
OBJECTION = any_of(
    # "No, it wasn't", but not "No, thank you", "No problem", "No, that's all"
    r"^\s*(?:no|nope|nah)[,.! ]+(?!thank|that'?s (?:all|it|everything|fine|ok)|problem|worries|need|i'?m good|nothing|"
    r"it'?s (?:fine|ok)|i don'?t (?:have|think|need)|i (?:do not|just)|other|more|not (?:at|right))(?=\w)",
    # "wrong!", "nope."
    r"^\s*(?:no|nope|wrong|incorrect)\s*[.!,:]*\s*$|^\s*wrong\s*[.!,:]",
    # "that's still wrong"
    r"\bthat(?:'s| is|'s still| is still| was) (?:wrong|not (?:right|correct|what|it|true)|incorrect)\b",
    r"\bnot what i (?:asked|wanted|meant|said|need)",
    # "it still doesn't work", "still failing"
    r"\b(?:still|it|that|this) (?:doesn'?t|does not|didn'?t|did not|isn'?t|won'?t) (?:work|run|help|compile|fix)",
    r"\bstill (?:failing|fails|broken|wrong|the same|getting|seeing|not working|an error)\b",
    # "you broke the build", "you forgot the test"
    r"\byou (?:forgot|missed|broke|ignored|didn'?t (?:listen|read|do)|made a mistake|are wrong)\b",
    # "revert that", "can you undo it?"; not "how do I undo that?"
    r"(?<!how do i )\b(?:revert|undo) (?:that|this|it|the|your|all)\b",
    r"\bi (?:already|just) (?:told|said|asked)\b",
    # "[Request interrupted by user]": typed by the harness when the person stops the agent
    r"\[request interrupted by user",
    # "还是不行", "你漏了一个参数"; not "不是这个的问题"
    r"不对|错了|不是这(?:个(?!的)|样)|不是我(?:想|要)|还是不行|还是报错|仍然(?:不|报|失败)|没有用|不行啊|你忘了|你漏了|"
    r"撤销|改回去|我说(?:过|了)",
)
#: a wish that holds beyond this task
PREFERENCE = any_of(
    # "Always use uv here.", "and never push to main"; not "never mind", "always works"
    r"^(?:(?:and|but|also|ok|okay|so|please|note|btw|hey|remember:?),? (?:please )?)?(?:always|never(?: ever)?|"
    r"from now on|going forward|in (?:the )?future|next time|as a rule)\b,?"
    r"(?! (?:mind|been|seen|had|knew|heard|again|works?|fails?))",
    r"\bfrom now on\b|\b(?:please|you (?:should|must)) (?:always|never)\b|\b(?:don't|do not) ever\b",
    # "I strongly prefer small commits", "I prefer short answers"
    r"\bi(?:'d| would)? (?:always|generally|usually|strongly|much) (?:prefer|like|want)",
    r"\bi prefer (?:you|that you|it when|short|concise|brief|simple|code|using|to use|to have|answers|responses|"
    r"small|plain|tabs|spaces)",
    # "i would only want e2e tests"
    r"\bi(?: would|'d)? only (?:ever )?want\b|\bi (?:don't|do not|never) ever want\b|\bi hate (?:it )?when you\b",
    r"\bi (?:want|like|need) you to (?:always|never)\b|\bmake sure (?:you|to) always\b",
    # "DO NOT TOUCH IT AGAIN", "never change that file again"; not "don't worry again"
    r"^(?:please |and |so )?(?:do not|don['’]?t|never) (?:ever )?(?:touch|change|modify|edit|delete|remove|overwrite|"
    r"rename|move|commit|push|run|use|add|create|break)\b.{0,60}\b(?:again|ever|anymore|any more)\b",
    r"(?:不要|别)再(?:动|碰|改动?|修改|删除?|覆盖|推送)|(?:永远|绝对|千万)(?:不要|别)",
    # "stop adding comments"
    r"^(?:please )?(?:stop|no more|quit) (?:adding|using|writing|asking|apologi[sz]ing|creating|committing|putting)\b"
    r"(?! (?:it|that|this)\b)",
    r"\bwe (?:always|never) (?:use|do|commit|write|put|run|push|merge)\b",
    # "every time you change a file, run the linter"
    r"\b(?:every time|whenever|each time) (?:you|i ask)\b.{0,60}\b(?:make sure|please|should|must|run|add|use|write)\b",
    # "keep commit messages short", "no emojis"
    r"^(?:please )?keep (?:your |the |all )?(?:answers|replies|responses|commits|commit messages|explanations|"
    r"comments)\b.{0,40}\b(?:short|brief|concise|simple|small|in \w+)\b|^no (?:emojis?|small talk)\b",
    # "以后都用中文回答"
    r"以后(?:都|请|一律|不要|每次|别|务必|回答|写|用|提交|改|统一)|从现在(?:起|开始)|今后(?:都|请|一律|不要|统一)",
    r"请(?:始终|一直|总是|每次都)|^(?:始终|永远不要|永远用|一律|每次都(?:要|用|请|先))|(?:请|要)记住|请记得",
    # "每次提交前都要跑测试"
    r"^每次.{1,12}(?:都要|都请|都先|前都|后都|之前都|之后都)|(?:别再|不要再)(?:用|写|加|问|改|使用|提交|添加)",
    # "我习惯用四个空格缩进"
    r"我(?:更)?(?:喜欢|偏好|习惯)(?:你|用|使用|简|回答|代码)|默认(?:都|一律|请)?(?:用|使用)",
    r"凡是.{1,20}(?:都要|一律|必须)",
)
#: statements about the world or a single order, in which these words carry no wish for later
ONE_OFF = any_of(
    # "I prefer to have the meeting at 3 pm", "on the 4th"
    r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bappointment\b",
    # "it never worked", "I have always lived here"
    r"\b(?:i|i've|i have|it|he|she|they|there) (?:have |has |had )?(?:always|never)\b",
    # "next time I fly", "my account"
    r"\b(?:my|the) (?:order|ticket|seat|trip|account|card|payment)\b",
    r"\bnext time i\b|\bin (?:the )?future,? (?:i|we|it|they) (?:will|might|may|would)\b",
    # "以后再说"
    r"以后再(?:说|看|聊|谈|讨论|处理|做)",
)
#: a sentence that asks, with or without a mark, e.g. `which one?`, `could you explain it`
QUESTION = any_of(
    r"[?？]\s*$",
    # "could you explain it", without a mark
    r"^(?:why|how|what|can|could|do|does|did|is|are|will|would|should) (?:i|we|you|it|the|this|that)\b",
)
#: a task handed in by a program: rules of the task, not a person's wish
PROMPT = any_of(
    # "You are an expert in ...", "## Task", "<task>"
    r"^[^\S\n]*(?:<|You (?:are|will be) |Your task\b|Here is a\b|你是一[个名位]|你的任务)|^#{1,3} ",
    flags=re.MULTILINE,
)
#: a person says that the result works or is right: a verdict, unlike mere thanks
ACCEPTANCE = any_of(
    # not "how it works", "a grey that works on dark", e.g. `wow, it works`
    r"(?<!how )(?<!where )\b(?:it|this|that|everything|all)(?:['’]s| is)? (?:all )?(?:now )?"
    r"(?:works|worked|working|fixed|passes|compiles)\b(?! (?:but|on|with|in|by|like (?!a charm))\b)",
    # "This setup now works.", "the login works again"; not "explain how the cache now works"
    r"^(?!.*\b(?:how|where|when|if)\b)(?:ok(?:ay)?,? )?(?:the|this|that|my) (?:[\w-]+ ){1,4}"
    r"(?:now works|works (?:now|again))\b(?! (?:but|only|on|with|in|by)\b)",
    r"\bworks (?:now|great|well|perfectly|fine|for me|like a charm)\b|\blgtm\b|\bship it\b|\bthat fixed it\b",
    r"\bthat(?:'s| is| was) (?:exactly (?:what|it|right)|correct|all right)",
    r"\b(?:looks|is) (?:good|perfect|correct) (?:to me|now)\b",
    r"\b(?:problem|issue|bug|error) (?:is |was |has been )?(?:now )?(?:solved|resolved|fixed|gone)\b",
    r"可以了|搞定了?|(?<!没)(?<!没有)(?<!未)解决了|正是我(?:想|需)要的|没问题了|好用了|能用了|跑通了|成功了(?!吗)",
    # "好了，能登录了", "现在正常了"; not "好了吗", "改好了，但是"
    r"^(?:现在|终于)?(?:好了|行了|正常了|生效了)(?:[，,。.!！~]|$)|"
    r"(?<!不)(?<!才)能(?:登录?上?|访问|启动|运行|打开|连上?|显示|编译|用上?)了(?!吗|么|？|\?)",
)
#: a person is polite or pleased; people thank for trying too
THANKS = any_of(
    r"\bthanks?\b(?! but|, but)|\bthx\b|\bthank you\b(?! but|, but)",
    # "Perfect!", "great job"
    r"\b(?:perfect|awesome|excellent|brilliant|fantastic|well done|nice work|great job|good job|wonderful)\b",
    r"\bthat(?:'s| is| was)? (?:all i needed|great|helpful|very helpful|interesting|good to know)\b",
    r"\bi appreciate\b|\bvery helpful\b|\bgreat[,!.]",
    r"谢谢|多谢|感谢|太好了|太棒了|完美|非常好|很好用|辛苦了|很有帮助",
)
#: the talk ends here: "That's all, have a great day", "就这样，再见"
FAREWELL = any_of(
    r"\b(?:thanks|thank you|thx|bye|goodbye|have a (?:great|good|nice|pleasant|wonderful)|that'?s all|that is all"
    r"|all set|nothing else|no more questions|you'?re welcome|enjoy|take care|see you|all i need)\b",
    r"谢谢|感谢|多谢|再见|拜拜|不客气|不用谢|没有其他|没有问题了|没别的|祝你|祝您|没有了|就这样|就这些|辛苦",
)
#: opens a message and says nothing: "Hi there,", "你好！"
GREETING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)(?: there| again| all)?\b"
    r"|(?:你好|您好|早上好|下午好|晚上好|嗨|哈喽|喂)(?:啊|呀)?)[\s,，.。!！~～:：]*",
    re.IGNORECASE,
)
#: says yes or no, English alone: Chinese turns go on from "好的，" to another request far more often, e.g. `OK,
#: go on`
CONSENT = re.compile(r"^\W*(?:yes|yeah|yep|no|nope|sure|ok|okay|correct|right|exactly)\b", re.IGNORECASE)
#: opens a turn that only reacts, with or without more words: "lol", "是的", "go on", "how are you"
_REACTION = any_of(
    r"^\W*(?:yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|correct|exactly|agreed|fine|great|perfect|awesome|nice|cool|"
    r"good|sorry|oh|ah|hmm|wow|lol|interesting|sounds good|got it|i see|alright|continue|go on|go ahead|proceed|"
    r"please do|looks good|lgtm|test|how are you(?: doing)?(?: today)?|what'?s up)\b",
    r"^\W*(?:是的|是啊|对|不用|好的|好啊|好吧|好|行|可以|嗯|哦|噢|喔|啊|没错|没问题|明白|知道了|了解|太好了|太棒|不错|继续|确实|"
    r"哇|在吗|哈哈|你好吗)+",
)
#: what goes with thanks: "thanks a lot"
_POLITE = any_of(r"\b(?:a lot|so much|very much|you too)\b")
#: a program's stop mark in place of words: "###STOP###", "<|end|>"
CONTROL_MARK = re.compile(r"(?<![#<\[|])[#<\[|]{2,}\s*[A-Za-z_]{3,}\s*[#>\]|]+")
#: the work was stopped before its end, by a limit
STOPPED = any_of(
    # "Maximum number of iterations reached", "too many retries"
    r"\b(?:max(?:imum)?|too many) (?:number of )?(?:\w+ )?"
    r"(?:iterations|steps|turns|attempts|retries|rounds|reflections)\b",
    # "context limit exceeded"
    r"\b(?:step|turn|token|context|cost) limit (?:was )?(?:reached|exceeded)\b|\bstopping\b.{0,20}$",
    r"达到(?:最大|上限)|次数上限",
)
#: the assistant says it cannot, or will not
REFUSAL = any_of(
    r"\bi(?:'m| am) (?:sorry|afraid|unable)\b",
    # "I don't have access to the internet"
    r"\bi (?:can(?:'t|not)|could(?:n't| not)|am not able|do(?:n't| not) have (?:the )?(?:access|ability|capability))",
    r"\bas an ai\b|\bunfortunately\b",
    r"很抱歉|对不起|抱歉|我无法|我不能|作为(?:一个|一名)?(?:ai|人工智能)|遗憾",
)
#: the assistant ends without a result: "I was not able to find the page"
GAVE_UP = any_of(
    r"\b(?:unable to|could(?:n't| not)|cannot|can't|was not able to|failed to) (?:find|complete|resolve|determine|"
    r"locate|fix|verify|confirm|access|retrieve|proceed|process|fulfil+|provide)\b",
    r"\bno (?:further|more) (?:steps|attempts|information)\b|\bgiv(?:e|ing) up\b",
    r"无法(?:完成|找到|解决|确定|访问|提供|处理|继续)|未能(?:完成|找到|解决)|放弃",
)
#: the assistant asks for something before it continues: "Please provide the date."
ASKS = any_of(
    r"[?？]\s*$",
    r"\bplease (?:provide|confirm|tell me|let me know which|specify|add|share)\b",
    r"\bcould you (?:please )?(?:provide|confirm|clarify|tell|share)\b",
    r"请(?:提供|告诉我|确认|问|说明)",
)
#: the speaker is not sure: "It seems that ...", "可能是"
HEDGE = any_of(
    r"\b(?:maybe|perhaps|possibly|might be|not (?:entirely )?sure|i (?:think|guess|believe|assume)|probably|it seems|"
    r"does not (?:mention|specify|say)|doesn't (?:mention|specify|say))\b",
    r"可能|也许|大概|不确定|我猜|似乎|好像",
)
#: e.g. `which one?`, `这样可以吗`
_ASKING_LINE = re.compile(r"[?？]|[吗呢么][。!！,，\s]*$", re.MULTILINE)
#: e.g. `don't`, `谢谢`
_WORD = re.compile(rf"[a-z0-9']+|[{CJK_CLASS}]+", re.IGNORECASE)
#: what is left of a courtesy once its words are taken out: less than a word
_LEFT_OVER = 3


def is_question(text: str) -> bool:
    """A question mark or a Chinese question particle at the end of a line."""
    return bool(_ASKING_LINE.search(text))


def is_objection(text: str) -> bool:
    """A short message of a person says that the result is wrong."""
    return bool(OBJECTION.search(text))


def is_correction(text: str) -> bool:
    """A sentence of the message says what is right instead; no question, no fact about this one order."""
    return any(CORRECTION.search(s) and not _is_other(s) for s in sentences(text))


def is_wish(text: str) -> bool:
    """A sentence of the message states a wish beyond this task."""
    return any(PREFERENCE.search(s) and not _is_other(s) for s in sentences(text))


def _is_other(sentence: str) -> bool:
    return bool(QUESTION.search(sentence) or ONE_OFF.search(sentence))


def is_only_courtesy(text: str) -> bool:
    """Nothing but a greeting, thanks or a short yes: no title and no task of its own."""
    rest = GREETING.sub("", CONTROL_MARK.sub(" ", text))
    rest = _REACTION.sub(" ", _POLITE.sub(" ", FAREWELL.sub(" ", rest)))
    return sum(len(word) for word in _WORD.findall(rest)) < _LEFT_OVER
