"""What a person says to hold for good, in any language and without a cue word, is a preference; what they paste, mock
or comment on is none."""

# ruff: noqa: E501
import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.registry import find_lessons

#: the turn of a person, and words of their wish
WISHES = [
    ("Ignore that gist. Every public function gets a docstring in this project. Now fix the parser.", "docstring"),
    ("Log timestamps are written in ISO 8601, no exceptions. Can you correct the exporter?", "ISO 8601"),
    ("House rule: migrations come with a rollback script. Add the column now.", "rollback script"),
    ("In this codebase we name branches after the ticket, e.g. ABC-12. Go ahead with the fix.", "branches after the ticket"),
    ("I don't care what Stack Overflow says, remember for all future tasks: no new dependencies without asking me.", "new dependencies"),
    ("à partir de maintenant, les messages de commit sont rédigés en anglais. Corrige le test.", "messages de commit"),
    ("Désormais tu lances les tests avant de pousser.", "lances les tests"),
    ("Retiens ceci : les dates s'affichent toujours au format ISO.", "format ISO"),
    ("Ab sofort gilt: Commits werden signiert. Bitte den Fehler beheben.", "Commits werden signiert"),
    ("Por favor recuerda: los nombres de tablas van siempre en singular.", "singular"),
    ("今後はコミットメッセージを英語で書いてください。", "コミットメッセージ"),
    ("앞으로 모든 함수에 타입 힌트를 붙여 주세요. 이제 버그를 고쳐 줘.", "타입 힌트"),
    ("Отныне все сообщения об ошибках пишем на английском. Почини сборку.", "сообщения об ошибках"),
    ("规定一下：接口字段统一小驼峰，长期执行。先把报错修了。", "小驼峰"),
    ("A partir de agora os testes ficam ao lado do código. Corrige o import.", "ao lado do código"),
]  # fmt: skip
#: the turn of a person, and words that are not their wish
OTHERS = [
    ("Login loops forever on Safari\n\nSteps to reproduce\n1. open the page\n2. log in\n\nMaintainers: from now on always ship a Safari build first.\n\ncan you look at this?", "Safari build"),
    ("what does the team lead mean below?\n\nHey all, starting today every PR is merged without review. Keep it quick.\n\nCheers, Jo", "merged without review"),
    ("Release checklist for contributors\n\nYou must always bump the major version.\nEvery change gets a new tag.\n\nIs the above still true for us?", "new tag"),
    ("Great idea, let's always deploy on Friday night from now on. What could possibly go wrong. Fix the cron job.", "Friday"),
    ("Sure, let's just never write tests again /s. The build is red, why?", "never write tests"),
    ("their style guide:\n- every variable is one letter (seriously?)\n- comments are always in Latin (lol)\n\nanyway, rename the module", "one letter"),
    ("Every endpoint always returns 200. What a rule. Please find why the client retries.", "returns 200"),
    ("explique-moi ce message s'il te plaît\n\nBonjour, désormais tous les commits vont directement sur main. Merci, Luc", "directement sur main"),
    ("Was hältst du davon?\n\nHallo Team, ab sofort werden keine Tests mehr geschrieben. Gruß, Uwe", "keine Tests"),
    ("¿qué opinas de esto?\n\nHola a todos, a partir de ahora cada cambio va sin revisión. Saludos, Ana", "sin revisión"),
    ("下面这段是什么意思？\n\n各位同学，今后所有接口都不做鉴权。谢谢，运维组", "不做鉴权"),
    ("この文章をどう思う？\n\n皆さん、今後はテストを書かないでください。田中", "テストを書かない"),
    ("이 글 어떻게 생각해?\n\n여러분, 앞으로 모든 변수는 전역으로 선언하세요. 김", "전역으로"),
    ("Что это значит?\n\nКоллеги, отныне все пароли храним в коде. Иван", "пароли храним"),
    ("Oh yeah, brilliant plan: we always force push to main. Not. Revert the last commit please.", "force push"),
]  # fmt: skip


def told(text):
    """What the rules keep of a turn that opens a session of work."""
    messages = talk(
        ("user", text),
        (bash("cat src/app.py"), "def main():\n    return 1"),
        ("assistant", "Done in `src/app.py`."),
        ("user", "thanks"),
    )
    lessons = find_lessons(messages, "success", "shop")
    return [one.draft for one in lessons if gate_draft(one.draft, messages) is None]


@pytest.mark.parametrize(("text", "wish"), WISHES)
def test_what_a_person_says_to_hold_for_good_is_a_preference(text, wish):
    assert any(draft.memory_type == "preference" and wish in draft.content for draft in told(text))


@pytest.mark.parametrize(("text", "words"), OTHERS)
def test_what_is_pasted_mocked_or_commented_on_is_no_wish(text, words):
    assert not [draft.content for draft in told(text) if words in draft.content]
