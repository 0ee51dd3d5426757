"""What a person says to hold for good, in any language; what they paste, mock or comment on is no wish of theirs."""

# ruff: noqa: E501
import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.drafts import find_drafts
from ultron_core.lessons.gate import gate_draft

#: wishes of the list below that are kept at least; the rules of word lists before kept all, as they were written for them
LEAST = 25
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
    ("Don't listen to that README. For this project, remember: imports are sorted alphabetically.", 'sorted'),
    ('That was a quote. What I want from you permanently: short answers.', 'short answers'),
    ('The mail is nonsense. Please note for later sessions: tests go into tests/unit.', 'tests/unit'),
    ("I like the second option. Let's keep to that for the whole repo: single quotes in JS.", 'single quotes'),
    ('We indent SQL with two spaces. Fix the query.', 'two spaces'),
    ("All dates are stored as UTC, that's our convention.", 'UTC'),
    ('Please always ask before touching the migrations folder.', 'migrations'),
    ('One thing to keep for the long run: error messages end without a full stop.', 'full stop'),
    ('上面是同事的看法。我这边的规定是：日志一律用英文。', '日志'),
    ('这是我的长期要求：变量名不要用拼音。', '拼音'),
    ('记得以后提交前先跑一遍测试。', '提交前'),
    ('以后凡是改接口，都要同步更新文档。', '更新文档'),
    ('请把这条当成固定规则：注释写中文。', '注释写中文'),
    ('Bitte ab jetzt in jedem Commit die Ticketnummer nennen.', 'Ticketnummer'),
    ('Bei uns werden Tabellen immer im Singular benannt.', 'Singular'),
    ('Para siempre: usa comillas simples en todo el proyecto.', 'comillas simples'),
    ('En este proyecto siempre usamos pnpm.', 'pnpm'),
    ('Dans ce projet, on écrit toujours les commentaires en français.', 'commentaires'),
    ('このリポジトリではコメントは常に日本語で書く。', 'コメント'),
    ('커밋 메시지는 항상 한국어로 써 줘.', '커밋'),
    ('Lembre-se: neste projeto os commits são sempre em inglês.', 'inglês'),
    ('В этом проекте всегда используем табы.', 'табы'),
    ('Whenever you add an endpoint, add it to docs/api.md as well. This applies to everything you do here.', 'docs/api.md'),
    ('Never mind the thread. My standing instruction: no force pushes, ever.', 'force pushes'),
    ('So that you know it for the future: staging deploys only after the nightly run.', 'nightly'),
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
    ('got this in slack, thoughts?\n\nfrom today on everybody commits directly to main, no reviews', 'directly to main'),
    ('does the following make sense to you?\n\nGoing forward every log line must be in French.', 'French'),
    ('Going forward every log line must be in French.\n\nWe decided this in the meeting.\n\nwhat do you think of the above?', 'French'),
    ('the linked issue, for context\n\nBug: crash\nIn future always disable the cache.\n\nplease fix it', 'disable the cache'),
    ('haha look at the old guidelines: always use Hungarian notation, forever. fix the build', 'Hungarian'),
    ('Rule 1 of our vendor: never write comments. lol. Fix the import.', 'never write comments'),
    ('Sure, from now on we just turn off the tests, that will show them. Anyway: fix the flaky test', 'turn off the tests'),
    ('这个 issue 你看下\n\n标题：崩溃\n以后所有日志都关掉\n谢谢', '日志都关掉'),
    ('老板真是天才，以后一律不写测试，呵呵。帮我修一下构建', '不写测试'),
    ('我朋友的规范：\n1. 永远用全局变量（笑死）\n2. 以后都不写注释\n改一下导入', '全局变量'),
    ('Kannst du das zusammenfassen?\n\nHallo zusammen,\nkünftig wird ohne Review gemergt.\nVG Tim', 'ohne Review'),
    ('Peux-tu relire ce mail ?\n\nBonjour à tous,\nà partir de maintenant on ne teste plus.\nCordialement', 'teste plus'),
    ('translate to German\n\nPlease remember: never use semicolons in this project.', 'semicolons'),
    ('¿puedes responder a este issue?\n\nA partir de ahora siempre usad root.', 'root'),
    ('Is it a good idea to always use eval? From now on always use eval, they say.', 'eval'),
]  # fmt: skip


def told(text):
    """What is kept of a turn that opens a session of work."""
    messages = talk(
        ("user", text),
        (bash("cat src/app.py"), "def main():\n    return 1"),
        ("assistant", "Done in `src/app.py`."),
        ("user", "thanks"),
    )
    return [draft for draft in find_drafts(messages, "shop") if gate_draft(draft, messages) is None]


def test_some_of_what_a_person_says_to_hold_for_good_is_kept():
    kept = [text for text, wish in WISHES if any(wish in draft.content for draft in told(text))]
    assert len(kept) >= LEAST


@pytest.mark.parametrize(("text", "words"), OTHERS)
def test_what_is_pasted_mocked_or_commented_on_is_no_wish(text, words):
    assert not [draft.content for draft in told(text) if words in draft.content]
