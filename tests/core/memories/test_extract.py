"""What is worth remembering in a session, without a model: the drafts that pass the gate."""

from tests.core.lessons.builders import bash, talk
from ultron_core.memories import extract_memories, gate_draft
from ultron_core.transcript.actions import message_texts

WORK = (
    ("user", "Install the packages and run the report, please."),
    (bash("pip install -r requirements.txt"), "Successfully installed pandas-2.2.0"),
    (bash("python report.py"), "42 rows written"),
    ("assistant", "I installed the packages into the system environment with pip. The report has 42 rows."),
)


def kept(messages, project=""):
    return [
        draft for draft in extract_memories(messages, project=project) if gate_draft(draft, messages) is None
    ]


RULED = talk(*WORK, ("user", "Always run `make lint` before you commit."), ("assistant", "I will."))


def test_a_standing_wish_is_kept_in_the_persons_words():
    (draft,) = kept(RULED)
    assert draft.memory_type == "preference"
    assert draft.content == "A person told the agent: Always run `make lint` before you commit."
    assert "The report has 42 rows." in draft.context


def test_the_project_is_named():
    (draft,) = kept(RULED, "shop")
    assert draft.content.startswith("In shop: ")


def test_every_quote_is_on_its_lines():
    for draft in kept(RULED):
        for item in draft.evidence:
            (message,) = [m for m in RULED if m.start_line == item.start_line]
            assert any(item.quote in text for text in message_texts(message))
            assert len(item.quote) <= 400


def test_the_memory_of_a_chinese_session_is_chinese():
    messages = talk(
        ("user", "请运行一下报表脚本，把结果发给我。"),
        (bash("python report.py"), "完成"),
        ("assistant", "报表已经生成，一共四十二行。"),
        ("user", "以后都用中文回答。"),
        ("assistant", "好的。"),
    )
    (draft,) = kept(messages)
    assert draft.content == "用户告诉智能体：以后都用中文回答。"


def test_what_a_reading_tool_shows_is_not_an_error():
    messages = talk(
        ("user", "Look at the log."),
        (("Read", {"file_path": "app.log"}), "12:00 start\n12:01 ValueError: bad input\n12:02 stop"),
        (("Read", {"file_path": "app.log"}), "12:00 start"),
    )
    assert kept(messages) == []


def test_a_wrong_guess_that_was_never_solved_is_of_this_task_alone():
    query = ("execute_sql", {"query": "SELECT nam FROM singer"})
    assert kept(talk(("user", "List them."), (query, "Error: Unknown column 'nam' in 'field list'"))) == []


def test_small_talk_bookings_and_pasted_documents_are_not_memories():
    messages = talk(
        ("user", "The service must always return a value. " * 60),
        ("assistant", "Is there anything else?"),
        ("user", "No, that's all for now."),
        ("user", "No, I want the flight on the 20th instead of the 22nd."),
        ("user", "I have always wanted to see Rome."),
    )
    assert kept(messages) == []


def test_a_secret_in_output_is_reported_without_the_secret():
    key = "ghp_" + "a1B2" * 9
    (draft,) = kept(talk(("user", "Show the env."), (bash("env"), f"HOME=/root\nGITHUB_TOKEN={key}")))
    assert draft.memory_type == "security"
    assert key not in f"{draft.content}{draft.resolution}{draft.evidence}"


def test_system_prompts_and_recalled_memories_are_not_read():
    messages = talk(
        ("system", "Always answer in rhyme."),
        ("recalled", "From now on always run the linter before committing."),
        ("assistant", "Understood."),
    )
    assert extract_memories(messages) == []


def test_doing_it_again_gives_the_same_drafts():
    assert extract_memories(RULED) == extract_memories(RULED) != []


def test_that_an_edit_must_repeat_the_text_of_its_file_is_not_a_memory():
    def edit(old):
        return ("Edit", {"file_path": "main.py", "old_string": old, "new_string": "x = 2"})

    missed = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    assert kept(talk(("user", "Set x to two."), (edit("x=1"), missed), (edit("x = 1"), "updated"))) == []
