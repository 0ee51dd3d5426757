"""How people say that something holds for good, by language; and rules put in the generic present.

A marker makes the sentence that it stands in a standing wish, whatever its words; one without anything else of its own
("please remember this.", "that goes for the future, too") makes that of its neighbour.
"""

from __future__ import annotations

from ultron_core.transcript.speech import any_of

__all__ = ["is_lasting"]

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
#: words, besides its marker, of a sentence that says something itself; of Chinese and Japanese so many characters
_FEWEST, _FEWEST_CJK = 3, 5


def is_lasting(sentence: str) -> bool:
    """Whether a sentence holds a marker that something is meant for good."""
    return _MARKS.search(sentence) is not None
