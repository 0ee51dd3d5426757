"""How people say that something holds for good, by language; and rules put in the generic present.

A marker makes the sentence that it stands in a standing wish, whatever its words; one without anything else of its own
("please remember this.", "that goes for the future, too") makes that of its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.transcript.speech import any_of

__all__ = ["is_lasting", "lasting"]

#: markers by language, e.g. `from here on`, `merk dir`, `a partir de ahora`, `désormais`, `记一下：`, `今後は`,
#: `앞으로`, `отныне`, `d'ora in poi`, `vanaf nu`, `od teraz`, `bundan sonra`, `từ nay`, `अब से`, `من الآن فصاعدا`
_MARKS = any_of(
    # English
    r"\bfrom (?:now|here|today|this point|this day)(?: on(?:wards?)?| forward)\b|\b(?:going|moving) forward\b|"
    r"\bhenceforth\b|\bfor good\b(?! reason| measure)|\bonce and for all\b|\bfor (?:all )?(?:the )?future\b|"
    r"\bfor all (?:future|coming|later) \w+|"
    r"\bfor (?:later|all|any other) (?:sessions?|tasks?)\b|\bfor the (?:long (?:run|term)|(?:whole|entire) (?:repo\w*|"
    r"project|codebase))\b|\bpermanently\b|\b(?:please|you (?:must|should)) (?:always|never)\b|"
    r"\b(?:that['’]s|this is|that is|is) (?:our|my) (?:\w+ )?(?:convention|rule|policy|standard|way)\b",
    r"\b(?:standing|permanent|house|ground|general|lasting|project|team|repo|fixed|hard|firm) (?:rule|order|wish|"
    r"preference|instruction|request|convention|requirement|policy)\b|\bas a (?:general )?rule\b(?! of thumb)",
    r"\b(?:my|our)(?: own)?(?: \w+)? (?:rule|wish|preference|convention|requirement|policy)s?\b[^:.?]{0,60}(?::|"
    r" is\b| —)",
    r"\brules? (?:for|in|of) (?:this|the|our|every|all) \w+\b[^:.?]{0,30}[:—]|\bnew rule\b[^:.?]{0,20}[:—,]|\brule:",
    r"(?<!i )(?<!you )\b(?:remember|memori[sz]e|keep in mind|make a (?:mental )?note|take note|note down|write down)\b"
    r"(?: (?:this|that|it|please|also))*(?: (?:for|in) [\w ]{3,30})?\s*[:—]|"
    r"^\W*(?:and )?(?:please )?remember,? (?:that |to )",
    r"\bi (?:want|expect|wish|like|need|ask|decide)\b[^:.?]{0,20}\b(?:always|in every|permanently|every time)\b|"
    r"\bin (?:every|all|each)(?: \w+)? (?:sessions?|tasks?|conversations?|chats?)\b|\bevery (?:single )?time\b",
    r"\b(?:holds?|goes|applies|counts|valid)\b.{0,20}\b(?:from now|always|permanently|in future|for the future|future "
    r"\w+)\b",
    # German, Dutch, Scandinavian
    r"\b(?:ab (?:jetzt|sofort|heute|nun)|von (?:nun|jetzt|heute) an|künftig|zukünftig|in zukunft|ein für alle mal|"
    r"fortan|dauerhaft|grundsätzlich)\b|\bmerk(?:e|t)? (?:dir|euch)\b|\bbitte merken\b|\b(?:bei uns|in diesem "
    r"projekt|hier) gilt\b|\bmeine (?:eigene )?regel\b|\b(?:feste|neue) regel\b",
    r"\b(?:vanaf (?:nu|vandaag)|voortaan|onthoud)\b|\b(?:från och med nu|hädanefter|kom ihåg)\b|"
    r"\b(?:fra nå av|fra nu af|heretter|fremover|husk)\b|\b(?:tästä lähtien|vastedes|muista)\b",
    # Spanish, Portuguese, Catalan
    r"\b(?:a partir de (?:ahora|hoy|este momento|agora|hoje)|de (?:ahora|hoy|agora|hoje) en? (?:adelante|diante)|"
    r"desde (?:ahora|hoy|já)|en adelante|en lo sucesivo|de aquí en (?:más|adelante)|daqui (?:para|pra|em) (?:a )?"
    r"(?:frente|diante)|doravante|d['’]ara endavant)\b|\b(?:para|en|no|em) (?:el |o )?futuro\b",
    r"\b(?:recuerda|recuérdalo|acuérdate|ten en cuenta|apunta|anota|lembra|lembre(?:-se)?|anote|"
    r"guarda)\b[^.:?]{0,40}[:,]|"
    r"\b(?:mi|nuestra|minha|nossa)(?: propia| própria)? (?:regla|norma|preferencia|regra|preferência)\b|"
    r"\b(?:regla|norma|regra) (?:de|para|del|do|fija|fixa|permanente)\b[^:.]{0,40}:",
    # French, Italian, Romanian
    r"\b(?:désormais|dorénavant|à l['’]avenir|à partir (?:de maintenant|d['’]aujourd['’]hui|de ce jour)|dès "
    r"(?:maintenant|aujourd['’]hui))\b|\b(?:retiens|retenez|souviens-toi|souvenez-vous|note|notez)\b[^.:?]{0,30}:|"
    r"\b(?:ma|notre|nos|mes)(?: propre)? (?:règles?|consignes?|préférences?|conventions?)\b|\brègle (?:du|de|pour)\b",
    r"\b(?:d['’]ora in (?:poi|avanti)|da (?:ora|oggi|adesso) in (?:poi|avanti)|in futuro|ricorda(?:ti)?\b[^.:?]{0,30}:|"
    r"(?:la )?(?:mia|nostra) regola)\b|\b(?:de acum (?:înainte|încolo)|pe viitor|ține minte)\b",
    r"\b(?:para siempre|y siempre|pour toujours|für immer|per sempre|para sempre)\b|навсегда|ずっと|영원히",
    # Chinese
    r"以后(?!再|[会是可]|的)|今后|往后|日后|从(?:现在|今天?|此)(?:开始|起|往后|以后)?[，,都所请一每不]|长期(?:有效|"
    r"执行|遵守|生效|如此)|"
    r"一直(?:有效|如此|这样)|永久(?:有效|生效)|始终|固定的?(?:做法|规矩|规则|要求)",
    r"(?<!我)(?<!不)(?:记住|记一下|记好|记下来?|请记得|牢记|规定(?:一下)?|约定(?:一下)?|定个规矩|"
    r"立个规矩)[^。：:？]{0,8}[：:，,。]|"
    r"(?:我|咱|我们|咱们|本项目|项目|团队|这个仓库)的?(?:\w{0,2})?(?:规矩|规则|要求|习惯|约定|惯例|偏好|"
    r"规范)[^。？]{0,10}[：:是，,]|"
    r"(?:以後|今後|往後|從現在|從今)(?!再)|(?:記住|記一下|規定)[^。：:？]{0,8}[：:，,。]",
    # Japanese, Korean
    r"今後|これから(?:は|、|も|ずっと)|以後[、はも]|以降は|覚えて(?:おいて|ください)|(?:私|うち|我々|チーム|"
    r"この(?:リポジトリ|プロジェクト))の(?:ルール|規則|決まり|方針)|"
    r"ルール[:：]|毎回必ず|いつも必ず",
    r"앞으로(?! ?(?:가기|이동|넘))|이제부터|지금부터|오늘부터|향후|기억해|(?:내|우리|저희|제)(?: \w+)? (?:규칙|원칙|"
    r"방침)|규칙\s*[:：]|"
    r"언제나|항상",
    # Russian, Ukrainian, Polish, Czech
    r"\b(?:отныне|впредь|с этого момента|с (?:сегодняшнего дня|сегодня)|на будущее|в дальнейшем|раз и навсегда|"
    r"запомни(?:те)?|(?:моё|мое|наше) правило|правило (?:проекта|для)|відтепер|надалі|запам['’]ятай)\b",
    r"\b(?:od (?:teraz|dziś|dzisiaj|tej pory)|na przyszłość|w przyszłości|zapamiętaj|moja zasada|nasza zasada|"
    r"od (?:teď|nynějška)|napříště|zapamatuj)\b",
    # Turkish, Vietnamese, Indonesian, Hindi, Arabic, Hebrew, Persian, Thai, Greek
    r"\b(?:bundan (?:sonra|böyle)|şu andan itibaren|unutma|hatırla|từ (?:nay|bây giờ|giờ)(?: (?:trở đi|về sau))?|"
    r"hãy (?:nhớ|ghi nhớ)|mulai sekarang|ke depannya|ingat)\b|अब से|आगे से|याद रख|من الآن|مستقبلا|تذكر|"
    r"מעכשיו|מהיום|זכור|از این (?:پس|به بعد)|ต่อไปนี้|από (?:τώρα|δω) και",
)
#: a rule in the generic present, with what makes it one, e.g. `every change gets a changelog entry`, `we never mock`,
#: `Times are always given in UTC`, `names are written in full, no exceptions`, `in this repo we squash`,
#: `cada cambio va`
_GENERIC = any_of(
    r"^(?:and |also,? )?(?:in (?:this|our|my|all|every) [\w ]{2,24},? )?(?:every|each) [\w' -]{2,40} "
    r"(?:gets?|needs?|comes with|goes (?:in|into|to|through)|carries|ends with|starts with|must|has to|"
    r"is (?:\w+ly )?(?:written|named|kept|put|tested|documented|reviewed|signed|prefixed|indented|formatted|typed|"
    r"followed|accompanied))\b",
    r"^[\w' ,-]{2,60} (?:is|are|go|goes|get|gets|must be|stays?|lives?) (?:always|never)\b(?! (?:been|fail|broken|"
    r"empty|null|"
    r"wrong|called|true|false|slow|late|red|returned))",
    r"^[\w' -]{2,40} (?:is|are) (?:\w+ly )?(?:written|named|kept|put|tested|indented|formatted|prefixed|typed|given|"
    r"sorted|spelled|spelt|signed|squashed|opened)\b[^?]{2,80}\b(?:no exceptions?|without exceptions?|period|"
    r"in (?:this|our|my) "
    r"(?:repo\w*|project|codebase|team|company)|here|around here)\b",
    r"^(?:and |also,? |but )?(?:in (?:this|our|my) (?:repo\w*|project|codebase|team|company|shop|house)|around here|"
    r"here|"
    r"for us),? (?:we|i|you) (?!(?:are|were|had|have|got|saw|see|need|can|could|found|did|also|just|know)\b)\w+",
    r"\bwe (?:always|never|only ever) (?!(?:had|got|saw|did|knew|were|was|been|heard|seen|said|thought|\w+ed)\b)\w+|"
    r"\bi (?:always|never) (?:want|use|write|prefer|need|like|expect|wish|put|name)\b",
    r"^[^.?!]{4,80}\balways (?:in|with|as|on|at|by|before|after|without|into|to) \w",
    r"^we (?:indent|name|write|format|prefix|tag|squash|sign|spell|document|store|keep|put|sort|wrap) (?!\w+ing\b)\w+",
    r"\b(?:siempre|nunca|sempre|toujours|jamais|niemals|stets|всегда|никогда)\b|常に|항상|절대",
    r"\bno exceptions?\b|\bohne ausnahme\b|\bsin excepci[oó]n(?:es)?\b|\bsans exception\b|без исключений|没有例外|"
    r"无一例外|例外なく|예외 ?없이",
    r"^(?:jede[rs]?|alle) [\w-]{3,30} (?:bekommt|bekommen|braucht|brauchen|wird|werden|kommt|kommen|gehört|muss|"
    r"müssen)\b|"
    r"\b(?:wir|werden|wird|kommen|kommt|schreiben|gehören)\b.{0,60}\b(?:immer|nie|niemals|stets)\b|\bimmer (?:auf|"
    r"in|mit)\b",
    r"\b(?:cada|todo|toda|todos (?:los|os)|todas (?:las|as)) [\w-]{3,30}(?: \w+){0,3} (?:se|va|vai|lleva|leva|"
    r"necesita|precisa|"
    r"deben?|devem?|van|tienen? que|tem que|fica)\b|\b(?:va|van|vai|vão|se|debe|deben)\b.{0,30}\b(?:siempre|sempre|"
    r"nunca)\b",
    r"\b(?:chaque|tout|toute|tous les|toutes les) [\w-]{3,30}(?: \w+){0,3} (?:doit|doivent|est|sont|va|vont|reçoit|"
    r"porte|"
    r"commence)\b.{0,60}\b(?:toujours|par|avec|en|un|une)\b|\b(?:on|nous) [\w ]{2,30} (?:toujours|jamais)\b|"
    r"\b(?:ogni|tutti i|tutte le) \w{3,30} (?:deve|devono|va|vanno)\b",
    r"^(?:所有|每个|每次|每条|任何|全部)[^，。？]{1,24}(?:都要?|必须|一律|统一|不许|不得|禁止)|(?:一律|统一|都要|"
    r"必须|务必)(?:用|使用|写|放|加|带|走|以|按|采用|先)",
    r"(?:すべて|全て|全部)の[^。？]{1,24}(?:は|に)[^。？]{2,40}(?:する|こと|ください)|必ず[^。？]{2,30}(?:こと|"
    r"ください|する)|"
    r"모든 [^.?]{1,24}(?:해야|하세요|합니다|한다|해 ?주세요|해 ?줘)|반드시|всегда|никогда не|"
    r"каждый [\w ]{3,30}(?:должен|получает)|"
    r"все [\w ]{3,30}(?:должны|пишем|пишутся)|\b(?:każdy|każda|zawsze|nigdy nie|her zaman|asla|luôn luôn|selalu)\b",
)
#: reports what is or was, not what shall be, e.g. `it always fails`, `never worked`, `每次都报错`
_REPORTS = any_of(
    r"\b(?:fails?|failed|failing|crash\w*|broken?|(?<!de )errors?(?! (?:messages?|texts?|codes?|types?))|"
    r"exceptions? (?:is|are|was)|bug|hangs?|times? out|returned|"
    r"worked|"
    r"happen(?:s|ed)|wrong|null|undefined|stuck|seems?|apparently|noticed|empty)\b|(?<!no )(?<!without )\bexception\b",
    r"报错|失败|崩溃|出错|卡住|超时|有问题|不对|错了|为什么|怎么|falla|échoue|schlägt|kaputt|падает|"
    r"ошибк[аи] (?:при|в)|失敗|실패|エラー|오류|에러|"
    r"\b(?:erreur|plante|marche|fehler|hängt|funciona|cuelga|quebra|работает|pourquoi|warum|je n[e’']|je trouve|"
    r"since|[45]\d\d|por qué)\b",
)
#: names this task, e.g. `this time`, `for now`, `这次`
_FOR_NOW = any_of(
    r"\b(?:this (?:time|pr|branch|bug|issue|one)|for now|right now|yet|today only|just once|for the moment)\b",
    r"这次|暂时|先不|目前|今回(?:だけ|は)|diesmal|esta vez|cette fois|desta vez|이번(?:만|에만)|на этот раз|в этот раз",
)
#: points back at what was said, e.g. `That goes for the future, too`, `这条长期有效`, `please stick to that`
_BACK = any_of(
    r"\b(?:that|this|the same)\b(?:['’]s| is)? (?:goes|holds|applies|counts|is (?:a|my|our|the)|a|my|our|stays)\b|"
    r"\b(?:stick|keep|hold|adhere) to (?:that|this|it)\b|\b(?:keep|do|make) (?:it|this|that) (?:that way|so|"
    r"like that)\b",
    r"\b(?:remember|note|memori[sz]e) (?:that|this|it)\W*$|\b(?:das|dies) gilt\b|\bmerk(?:e|t)? (?:dir|euch) das\b|"
    r"\b(?:eso|esto|isso|isto) (?:vale|aplica|es|é)\b|\b(?:ça|cela) (?:vaut|s['’]applique)\b|"
    r"[这此该](?:条|个|一?点|规矩|规则|要求)|都这样|照此|就这么办|これは|이건|이것은|это (?:касается|правило)",
)
#: a word of any script; a character of those without spaces, e.g. `слово`, `字`
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff][^\W_\u3040-\u30ff\u3400-\u9fff]*"
)
#: words, besides its marker, of a sentence that says something itself; of Chinese and Japanese so many characters
_FEWEST, _FEWEST_CJK = 3, 5
#: e.g. `字`
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
#: points of a list that a marker introduces
_MOST_POINTS = 8


def is_lasting(sentence: str) -> bool:
    """Whether a sentence holds a marker that something is meant for good."""
    return _MARKS.search(sentence) is not None


def lasting(remark: Sequence[str]) -> list[str]:
    """The sentences of one remark of a person that are wishes for good: those with a marker, what a marker without
    words of its own introduces or points back at, and rules in the generic present."""
    found: list[str] = []
    listed = False
    for place, sentence in enumerate(remark):
        marked = is_lasting(sentence)
        if listed and not marked:
            found.append(sentence)
        elif marked and _says_little(sentence):
            found += _neighbours(remark, place)
            listed = sentence.rstrip().endswith((":", "："))
            continue
        elif marked or _is_generic(sentence):
            found.append(sentence)
        listed = sentence.rstrip().endswith((":", "：")) and (marked or listed)
    return list(dict.fromkeys(found))[:_MOST_POINTS]


def _is_generic(sentence: str) -> bool:
    return (
        _GENERIC.search(sentence) is not None
        and not _REPORTS.search(sentence)
        and not _FOR_NOW.search(sentence)
    )


def _says_little(sentence: str) -> bool:
    """Whether nothing is left beside markers and what points back."""
    rest = _BACK.sub(" ", _MARKS.sub(" ", sentence))
    return len(_WORD.findall(rest)) < (_FEWEST_CJK if _CJK.search(sentence) else _FEWEST)


def _neighbours(remark: Sequence[str], place: int) -> list[str]:
    """What a marker by itself speaks of: the sentence before where it points back, else the one behind it."""
    if place and _BACK.search(remark[place]):
        return [remark[place - 1]]
    return list(remark[place + 1 : place + 2]) or list(remark[place - 1 : place] if place else ())
