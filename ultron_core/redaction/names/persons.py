"""Where a text speaks of a person, for words that no list of names holds: sentences, lists, addresses.

Only words that programs are not spoken of with count: what is said of both (`thanks to x`, `x broke the build`,
`player x`, `powered by x`, `the parent of x`) tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["addressees", "listed", "spoken_of"]

_CAP = r"[A-ZÀ-ÖØ-Þ\u0100-\u017F][a-zA-ZÀ-ÖØ-öø-ÿ\u0100-\u024F'’-]{1,30}"
#: people by what they are to someone, e.g. `sister`, `best friend`
_KIN = (
    r"(?:great-?)?(?:grand)?(?:father|mother|son|daughter)|dad|mum|mom|grandpa|grandma|brother|sister|siblings?|uncle"
    r"|aunt|cousin|nephew|niece|wife|husband|spouse|boyfriend|girlfriend|fianc[eé]e?|widow"
    r"|(?:best |old |close )?friends?|boss|colleague|co-?worker|classmate|roommate|flatmate|neighbou?r|mentor|twins?"
    r"|stepson|stepdaughter|godson|goddaughter"
)
#: and by their work or office, e.g. `nurse`, `tennis player`; not by what programs are called too, e.g. `editor`,
#: `manager`, `driver`, `client`
_ROLE = (
    r"actor|actress|analyst|architect|artist|athlete|attorney|author|banker|barber|baron|baroness|biologist|bishop|boxer"
    r"|captain|cardinal|carpenter|chairman|chairwoman|chancellor|chemist|coach|colonel|columnist|comedian|commentator"
    r"|commenter|congressman|congresswoman|correspondent|countess|cyclist|dancer|dentist|detective|dictator|diplomat"
    r"|director|doctor|drummer|duchess|duke|economist|electrician|emperor|empress|engineer|entrepreneur|farmer|filmmaker"
    r"|footballer|goalkeeper|golfer|governor|guitarist|historian|inventor|janitor|journalist|keyboardist|lawyer|lecturer"
    r"|lieutenant|librarian|magistrate|mathematician|mayor|mechanic|midwife|millionaire|billionaire|minister|monk"
    r"|musician|novelist|nun|nurse|officer|painter|paramedic|patient|pharmacist|philosopher|photographer|physician"
    r"|physicist|pianist|playwright|plumber|poet|politician|pope|priest|prince|princess|producer|professor|prosecutor"
    r"|psychiatrist|psychologist|rabbi|rapper|receptionist|referee|reporter|salesman|saleswoman|scholar|scientist"
    r"|sculptor|secretary|senator|sergeant|sheriff|singer|skier|soldier|soloist|songwriter|soprano|striker|student"
    r"|sultan|superintendent|surgeon|swimmer|teacher|technician|technologist|tenor|therapist|treasurer|trumpeter|tutor"
    r"|veterinarian|violinist|waiter|waitress|wrestler|CEO|CFO|CTO|COO|(?:co-)?founder|chairperson|president"
    r"|(?:tennis|football|soccer|baseball|basketball|hockey|rugby|cricket|chess|golf|guitar|piano|bass) player"
    r"|(?:project|product|account|office|general|branch|store|sales|team|line|stage) manager"
)
#: what people are addressed with, besides the rules of english.py, e.g. `Frau`, `Señor`, `Capt.`
_TITLE = (
    r"Madam|Sir|Lady|Lord|Dame|Rev\.|Reverend|Fr\.|Capt\.|Col\.|Gen\.|General|Lt\.|Sgt\.|Sen\.|Gov\.|Hon\.|Judge"
    r"|King|Queen|Count|Herr|Frau|Fräulein|Monsieur|Madame|Mme\.?|Mlle\.?|Señora?|Señorita|Sra?\.|Don|Doña|Senhora?"
    r"|Signora?|Sig\.(?:ra)?|Mevrouw|Meneer|Dhr\.|Mevr\.|Fru|Hr\.|Prof|Sheikh|Imam"
)
#: what is done to people alone, e.g. `shouted at`, `married`, `follow up with`, `directed by`
_DONE = (
    r"(?:shout|yell|smil|laugh|nod|wav|star|swear|scream|grin|wink)(?:ed|s|es|ing|e)? at|glanc(?:ed|es|ing) at"
    r"|(?:said|says|say|replied|whispered|spoke|speak|speaking|apologi[sz]ed?|waved|proposed|introduced|married|engaged"
    r"|(?:said|says|replied|shouted|whispered) [\w'’-]+) to|had given"
    r"|(?:spoke|speak|speaking|met|flirted|argued|chatted|dined|dancing|danced|follow(?:ed|ing)? up|lunch|dinner|coffee"
    r"|in love|appointment|interview|conversation) with"
    r"|met|phoned|kissed|hugged|thanked|congratulated?|interview(?:ed)?|invited?|remind(?:ed)?|marr(?:y|ied)|buried"
    r"|arrested|detained|accused|murdered|divorced|befriended|elected|(?:assistants?|secretary|wife|advisor|heir) to"
    r"|(?:directed|painted|composed|sung|narrated|choreographed|photographed|co-written|authored|portrayed) by"
    r"|(?:letter|postcard|regards|greetings|gift|birthday card|kiss|condolences|wishes) (?:from|to)"
)
#: what people alone have, e.g. `birthday`, `hair`
_OWNED = (
    rf"{_KIN}|birthday|funeral|wedding|marriage|death|eyes|hair|hands|shoulders?|lips|knees?|childhood|diary|surgery"
    r"|pregnancy|obituary|salary|bedroom|kitchen|handwriting|smile|biography|phone number"
)
#: what people alone do, e.g. `laughed`, `had given`
_DOES = (
    r"said|says|asked|replied|shouted|whispered|laughed|laughs|smiled|smiles|shrugged|sighed|nodded|grinned|cried|wept"
    r"|explained|explains|exclaimed|insisted|admitted|lamented|laments|joked|points? out|pointed out|lives|lived"
    r"|married|was born|were born|died (?:in|on|of|at)|grew up|studied|retired|resigned|graduated|flew|drove|walked"
    r"|spent|slept|woke|had (?:not |never )?(?:given|told|said|asked|met|married)|told|texted|phoned|and I|turned \d\d"
)
#: words between an article and what it belongs to, e.g. `very sympathetic `, not `tool for `
_ADJECTIVES = r"(?:(?!(?:and|as|at|by|for|from|in|of|on|or|that|to|with)\b)[\w-]+ ){0,3}"
#: what stands before a person, e.g. `my sister `, `ex-singer `, `Frau `, `shouted at `, `the funeral of `, or the
#: account changed to their name: `account is wrong, please change it to `
_BEFORE = re.compile(
    rf"(?:\b(?i:my|his|her|our|their|your|whose) {_ADJECTIVES}(?:{_KIN}|child|kid|baby)(?:'s name(?: is| was)?|,)? "
    rf"|(?:^\W{{0,4}}(?i:{_ROLE})|\b(?:[Ee]x-)?(?:{_ROLE})) |(?<!\w)(?:{_TITLE}) "
    rf"|\b(?i:{_DONE}) |\b(?i:{_OWNED}|gender) of "
    r"|\b(?i:account|card|passport|ticket|reservation|booking|policy|certificate|invoice|statement)\b[^.?!\n]{0,50}"
    r"\b(?:correct|change|update|set) (?:it|that|this|the name) to )$"
)
#: what stands behind one, e.g. `'s birthday`, ` laughed`, ` is a very sympathetic person`, `, the plumber, said`,
#: `, 34,`, ` of Acme Ltd. is the CEO`
_BEHIND = re.compile(
    rf"(?:['’]s (?:\w+ )?(?:{_OWNED})\b|,? (?:{_DOES})\b"
    rf"|(?: is| was|,) (?:an?|the|our|my|his|her) {_ADJECTIVES}"
    rf"(?:person|man|woman|boy|girl|guy|lady|{_KIN}|{_ROLE})\b"
    rf"|, (?:an?|the|our|my|his|her) {_ADJECTIVES}[\w-]+, (?:said|says|asked|told|explained|wrote)\b"
    r"|, \d\d,|, (?:his|her|aged) |"
    r" of [A-Z][^!?\n]{0,60}(?:is|was) the (?:CEO|president|director|chairman|winner|head)\b)"
)
#: of the person spoken of, behind the name (`Cc Mary, she knows why`), e.g. `, she knows`
_PRONOUN = re.compile(r"[a-z ,]{1,50}\b(?:he|she)\b")
#: before a word that is no person by itself: a Federalist, the Summer Olympics, Mary of Acme, e.g. `a `, ` Summer `,
#: `of `
_PART = re.compile(
    r"(?:\b(?i:an?|the|this|that|these|those|its|every|each|no|of|at|in|near)|(?<=\s)[A-Z][\w'’-]*) $"
)
#: and behind one, e.g. ` Opposites` of `Solar Opposites`
_MORE = re.compile(r" [A-ZÀ-Þ]")
#: characters looked at before a word
_REACH = 80
#: e.g. `Anna, Peter, Zolvane and Maria`
_LIST = re.compile(rf"(?<![\w./@\\-]){_CAP}(?:, {_CAP}){{1,20}},? (?:and|or|&) {_CAP}(?![\w@/(])")
#: one of its members, e.g. `Zolvane`
_ONE = re.compile(_CAP)
#: the first line of an address, e.g. `Zolvane⏎Acme Ltd.⏎12 Harbour Road⏎Suite 4`
_HEAD = re.compile(
    rf"(?:\A|\n[>? \t]{{0,6}}\n)[>? \t]{{0,6}}({_CAP})[ \t]{{0,3}}\n(?:[^\n]{{0,80}}\n){{0,4}}?[^\n]{{0,80}}"
    r"\b(?:Suite|Apt\.?|Apartment|Flat|P\.?O\.? Box|PSC|Postfach) \d"
)
#: one of these is in every address, and found faster, e.g. `Suite`
_HEAD_SIGN = re.compile(r"\b(?:Suite|Apt|Apartment|Flat|Box|PSC|Postfach)\b")


def spoken_of(text: str, start: int, end: int) -> bool:
    """Do the words of the sentence around it say that this is a person?"""
    if _MORE.match(text, end):
        return False
    low = max(0, start - _REACH)
    if _BEFORE.search(text, low, start):
        return True
    behind = _BEHIND.match(text, end) or _PRONOUN.match(text, end)
    return bool(behind) and not _PART.search(text, low, start)


def listed(text: str) -> Iterator[list[tuple[int, int]]]:
    """(start, end) of the members of each list of capitalised words."""
    for match in _LIST.finditer(text):
        yield [one.span() for one in _ONE.finditer(text, *match.span())]


def addressees(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of a word that is the whole first line of an address."""
    if _HEAD_SIGN.search(text):
        for match in _HEAD.finditer(text):
            yield match.span(1)
