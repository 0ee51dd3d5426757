"""Classes of words that tell plain statements from the moment's talk, English and Chinese alike.

Each is one input of the fitted model; a few also bound what it is asked about (shape.py).
"""

from __future__ import annotations

import re
from typing import Final

from ultron_core.transcript.speech import any_of

__all__ = ["CLASSES"]

#: classes that the acts do not need, each with its name
CLASSES: Final[dict[str, re.Pattern[str]]] = {
    # what must not be done, at the start of the sentence, e.g. `don't add tests`, `no more docs`, `不要动后端`
    "forbids": any_of(
        r"^(?:\W|please |and |but |also |so |just )*(?:don['’]?t|do not|never|no|stop|avoid|without|nothing)\b",
        r"^(?:请|但|也|你)?(?:不要|别|不许|不准|不能|禁止|不用|不需要|没有.{0,6}(?:允许|同意))",
    ),
    # the same in the middle, e.g. `fix it but don't touch the tests`
    "forbids_within": any_of(
        r"(?:(?<=\w\W)|(?<=\w\W\W))(?:don['’]?t|do not|never|without|not to)\b",
        r".(?:不要|别|不许|不准|不得|禁止)",
    ),
    # lets the agent do something, e.g. `you may run the tests`, `不用问我`
    "permits": any_of(
        r"\byou (?:can|may|don['’]?t (?:need|have) to)\b|\bfeel free\b|\bwithout asking\b|\bno need to\b",
        r"不用问|不必|直接.{1,8}(?:就行|即可|就可以)|可以(?:随意|自由|直接)",
    ),
    # takes a step back, e.g. `I undid that`, `revert it`, `改回去`
    "takes_back": any_of(
        r"\b(?:undid|undo|revert(?:ed)?|roll(?:ed)? ?back|restored?|put (?:it|that) back|discard(?:ed)?)\b",
        r"撤销|回退|还原|恢复|改回|回滚|加回来",
    ),
    # stays or goes, e.g. `leave it`, `drop redis`, `保留`
    "chooses": any_of(
        r"\b(?:leave|keep|drop|skip|forget|ditch|go with|stick (?:with|to)|switch to|decided|rather|instead|stays?|"
        r"use)\b",
        r"保留|保持|去掉|删掉|不做|不要了|换成|改成|改用|就用|采用|决定|先不|还是用",
    ),
    # a need denied, e.g. `we don't need it`, `不需要`
    "needless": any_of(
        r"\b(?:don['’]?t|do not|doesn['’]?t|no longer|not) (?:need|want|worth|care|matter)\b|\bno need\b|"
        r"\b(?:overkill|unnecessary|pointless|not worth)\b",
        r"不需要|用不着|没必要|不用|没用|多余|不重要",
    ),
    # what is so and what is not, e.g. `it's vue 3, not 2`, `不是 A，是 B`
    "contrasts": any_of(
        r",? (?:and )?not \S+", r"\binstead of\b|\brather than\b", r"不是.{1,30}[，,]?\s?(?:而)?是|而不是"
    ),
    # where and how things run, e.g. `runs on 8081`, `部署在`
    "runs": any_of(
        r"\b(?:runs?|lives?|listens?|deploy(?:s|ed)?|hosted|located|stored|served|built|generated|comes?|shares?|"
        r"handles?|handled|uses?|supports?|belongs?|called|named|depends?) (?:in|on|at|by|from|with|to|the|a|via|"
        r"under|inside)\b",
        r"跑在|部署|运行在|位于|放在|存在|来自|生成的|负责|处理的?|依赖|用的是|对应|属于",
    ),
    # what there is, e.g. `there is no staging`, `we have two apps`
    "exists": any_of(
        r"\bthere(?:['’]s| is| are| was)\b|\b(?:we|i|it|they) (?:have|has|are|am|is)\b|"
        r"\b(?:i|we|it|they)['’](?:m|re|s)\b",
        r"没有|只有|有两|我们有|是一个|目前是",
    ),
    # e.g. `node 18`, `v2.3`, `版本`
    "version": any_of(r"\bv?\d+\.\d+|\b[a-z]+ ?\d{1,2}\b|\bversions?\b|\bports?\b", r"版本|端口"),
    # the agent's own words and files, e.g. `commit message`, `README`, `测试脚本`, `注释`
    "habits": any_of(
        r"\b(?:commit\w*|push\w*|co-?author\w*|comments?|docs?|documentation|readme|markdown|summar(?:y|ies)|emojis?|"
        r"tests?|scripts?|mock\w*|fallbacks?|placeholders?|language|english|install\w*|packages?|dependenc(?:y|ies)|"
        r"logs?|types?|lint\w*|format\w*|style)\b",
        r"提交|推送|注释|文档|总结|表情|测试|脚本|假数据|模拟数据|依赖|中文|英文|日志|类型|规范|风格|格式",
    ),
    # for this task alone, e.g. `just this time`, `for now`, `这次`
    "for_now": any_of(
        r"\b(?:this time|for now|right now|yet|today|at the moment|first|now|currently)\b",
        r"这次|暂时|先|现在|目前|当前",
    ),
    # stands for something said before, e.g. `it`, `这个`
    "points": any_of(
        r"\b(?:it|this|that|these|those|them|one|ones|there|here|same)\b", r"这|那|它|此|该|上面|下面"
    ),
    # under which condition, e.g. `only if the flag is set`, `只有管理员才能`
    "condition": any_of(
        r"\b(?:only (?:if|when|for|the)|unless|except|if|when(?:ever)?|until|as long as)\b",
        r"只有|除非|时才|的话|如果|当.{1,20}时|情况下|才(?:能|会|可)",
    ),
    # how it has to be, e.g. `ids must be unique`, `应该放在服务端`
    "obliges": any_of(
        r"\b(?:should(?:n['’]?t)?|must(?:n['’]?t)?|ha(?:s|ve) to|needs? to|supposed to|only|required)\b",
        r"应该|必须|得是|一定要|只能|需要是|要(?:能|在|有|和|跟|以|用|按)|不(?:能|得|应)|不要",
    ),
    # for everything, e.g. `all routes under /api`, `所有接口`
    "all": any_of(
        r"\b(?:all|every\w*|each|any|both|whole|entire(?:ly)?)\b", r"所有|全部|任何|统一|一律|都|每"
    ),
    # takes one of the things offered, e.g. `option 2`, `方案B`
    "picks": any_of(
        r"\b(?:option|strategy|approach|plan|version|solution|choice)\s+[\dA-D]\b|\b[1-9A-D]\)?$",
        r"(?:方案|策略|选项|方法|第)\s?[一二三四\dA-D]|[A-D\d]\s?(?:方案|策略)|^选",
    ),
    # asks inside a sentence or without a mark, e.g. `how can we verify it`, `怎么改配置`
    "asks_within": any_of(
        r"\b(?:how (?:can|do|does|would|to|come)|why (?:do|did|does|is|are|not|would)|what (?:is|are|does|do)|which|"
        r"whether|wondering)\b|\?",
        r"怎么|如何|为什么|为何|是否|是不是|有没有|哪(?:个|些|里)|[吗呢么]\W*$|[?？]",
    ),
    # no longer wanted, or done by the person, e.g. `never mind, I'll run it`, `不用了，我自己来`
    "lets_go": any_of(
        r"\bnever ?mind\b|\bdon['’]?t worry\b|\bforget (?:it|that|about)\b|\bI(?:['’]ll| will| did| already| just)\b",
        r"不用了|算了|没关系|没事|我自己|我来|我已经|我在",
    ),
    # holds the agent back for now, e.g. `don't write code yet`, `先不改代码`
    "holds": any_of(
        r"\b(?:don['’]?t|do not|without|before) (?:\w+ ){0,2}(?:writ|chang|modify|implement|touch|alter|cod|edit|"
        r"mak)\w* (?:any|the|a|code|anything)\b|\b(?:yet|for now)\b",
        r"(?:先|暂时)(?:不|别)|(?:不要?|别|不用|无需)(?:直接|着急|急着)?(?:改|写|修改|动|实现)(?:任何)?(?:代码|东西)",
    ),
    # a step of the work, e.g. `proceed`, `check all files`, `先分析`
    "steps": any_of(
        r"\b(?:proceed|go (?:ahead|back|on)|continue|check|verify|review|analy[sz]e|look (?:at|into|for)|read|see|"
        r"find|run|try|test|plan|explain|tell me)\b",
        r"继续|开始|检查|审查|分析|看看|看一下|查一?下|试试|再试|输出|告诉我|解释|规划|梳理",
    ),
    # the person's opinion of a result, e.g. `great job`, `很好`
    "praises": any_of(
        r"\b(?:great|perfect|nice|awesome|thanks?|good job|well done|sounds good|looks good)\b",
        r"很好|不错|太好了|太棒|谢谢|完美|非常好|做得",
    ),
    # a reason, e.g. `because`, `不然`
    "reason": any_of(
        r"\b(?:because|since|cause|cuz|so that|otherwise|that['’]?s why|as (?:it|we|the|i))\b",
        r"因为|由于|否则|不然|以便|所以|免得",
    ),
    # asks for something visible to be made, e.g. `add a button`, `加一个按钮`
    "makes": any_of(
        r"^(?:\W|please |now |then |also |and |can you |could you |i want (?:you )?(?:to )?|let['’]?s |we need to |"
        r"help me )*(?:add|make|create|build|implement|write|generate|fix|show|change|move|update|refactor|"
        r"convert|translate|explain|improve|continue)\b",
        r"^(?:请|帮|给|现在|然后|再|把|在|我想|我要|我希望|你)*(?:帮我|给我|加|做|写|实现|生成|修复|优化|解释|创建|新增|开发|设计)",
    ),
    # the look of a page, e.g. `the button is too small`, `颜色`
    "looks": any_of(
        r"\b(?:buttons?|colou?rs?|width|height|padding|margin|centered|align\w*|mobile|screen|icons?|fonts?|borders?|"
        r"header|footer|sidebar|layout|pages?|modal|dialog|tabs?|hover|animation|dark|images?)\b",
        r"按钮|颜色|宽度|高度|边距|居中|对齐|图标|字体|边框|布局|页面|弹窗|样式|动画|背景|图片",
    ),
    # tells of an error, e.g. `I get a 500`, `报错`
    "symptom": any_of(
        r"\b(?:i(?:['’]m)? (?:get|got|see|getting|seeing)|shows?|errors?|exception|fails?|failed|undefined|blank|"
        r"broken|works?|working|happens?)\b",
        r"报错|出现|没有效果|不行|没反应|显示|失败|空白|还是",
    ),
}
