"""What is worth remembering in a session, found by patterns."""

from tests.core.lessons.builders import FAILED, bash, talk
from ultron_core.memories import extract_memories, gate_draft
from ultron_core.transcript.actions import message_texts


def kept(messages, label=None):
    return [d for d in extract_memories(messages, label=label) if gate_draft(d, messages) is None]


SOLVED = talk(
    ("user", "Run the report, please."),
    (bash("python report.py"), "Traceback (most recent call last):\nModuleNotFoundError: No module named 'pandas'"),
    ("assistant", "The script fails because pandas is not installed in this environment."),
    (bash("pip install pandas"), "Successfully installed pandas-2.2.0"),
    (bash("python report.py"), "42 rows written"),
)  # fmt: skip


def test_an_error_and_the_change_after_which_it_worked_is_one_memory():
    (draft,) = kept(SOLVED)
    assert draft.memory_type == "error"
    assert draft.content == "`python report.py` failed: ModuleNotFoundError: No module named 'pandas'"
    assert "pandas is not installed" in draft.resolution
    assert "pip install pandas" in draft.resolution
    assert draft.context == "Running `python report.py`."
    failure, reason, change, proof = draft.evidence
    assert "No module named" in failure.quote and "not installed" in reason.quote
    assert change.quote == "pip install pandas" and proof.quote == "42 rows written"


def shell(script):
    return ("shell", {"command": ["bash", "-lc", script]})


def test_what_a_shell_is_given_to_run_is_the_command():
    """Codex wraps every command in `bash -lc`: two of them are not the same thing tried again."""
    missing = "error[E0432]: unresolved import `serde_json`"
    fixed = talk(
        ("user", "The build fails."),
        (shell("cargo build"), missing),
        (shell("cargo add serde_json"), "Adding serde_json v1.0 to dependencies"),
        (shell("cargo build"), "Finished dev profile"),
    )
    (draft,) = kept(fixed)
    assert draft.content == f"`cargo build` failed: {missing}"
    assert draft.resolution == "It worked after running `cargo add serde_json`."
    assert kept(fixed[:-2]) == []


def test_every_quote_is_on_its_lines():
    for draft in kept(SOLVED):
        for item in draft.evidence:
            (message,) = [m for m in SOLVED if m.start_line == item.start_line]
            assert any(item.quote in text for text in message_texts(message))
            assert len(item.quote) <= 400


def test_the_memory_of_a_chinese_session_is_chinese():
    messages = talk(
        ("user", "请运行一下报表脚本，把结果发给我。"),
        (
            bash("python report.py"),
            "Traceback (most recent call last):\nModuleNotFoundError: No module named 'pandas'",
        ),
        ("assistant", "报错是因为当前环境没有安装 pandas，需要先安装。"),
        (bash("pip install pandas"), "Successfully installed"),
        (bash("python report.py"), "完成"),
    )
    (draft,) = kept(messages)
    assert "失败" in draft.content
    assert "pip install pandas" in draft.resolution


def test_an_edit_between_the_tries_is_named():
    messages = talk(
        ("user", "Make the tests pass."),
        (bash("pytest tests/test_app.py"), "E   NameError: name 'json' is not defined\nexit code 1"),
        (
            (
                "Edit",
                {"file_path": "/srv/app/main.py", "old_string": "import os", "new_string": "import json"},
            ),
            "ok",
        ),
        (bash("pytest tests/test_app.py"), "1 passed"),
    )
    (draft,) = kept(messages)
    assert "NameError: name 'json' is not defined" in draft.content
    assert "`app/main.py`" in draft.resolution
    assert "`import os` became `import json`" in draft.resolution


def test_a_changed_command_is_the_resolution():
    messages = talk(
        ("user", "Push it."),
        (bash("git push 2>&1"), "fatal: The current branch topic has no upstream branch."),
        (bash("git push --set-upstream origin topic"), "branch 'topic' set up to track 'origin/topic'."),
    )
    (draft,) = kept(messages)
    assert draft.resolution == "It worked with `git push --set-upstream origin topic` instead."


def test_what_a_reading_tool_shows_is_not_an_error():
    messages = talk(
        ("user", "Look at the log."),
        (("Read", {"file_path": "app.log"}), "12:00 start\n12:01 ValueError: bad input\n12:02 stop"),
        (("Read", {"file_path": "app.log"}), "12:00 start"),
    )
    assert kept(messages) == []


def test_a_failure_of_the_surroundings_that_was_never_solved():
    messages = talk(
        ("user", "Deploy."),
        (bash("make deploy"), "error: quota exceeded for project web\nexit code 2"),
        ("assistant", "The deploy failed because the quota of the project is used up."),
    )
    (draft,) = kept(messages)
    assert "quota exceeded" in draft.content
    assert "Not resolved" in draft.context
    assert draft.resolution == ""


def test_a_wrong_guess_that_was_never_solved_is_of_this_task_alone():
    query = ("execute_sql", {"query": "SELECT nam FROM singer"})
    assert (
        kept(talk(("user", "List them."), (query, "Error: Unknown column 'nam' in 'field list'")), FAILED)
        == []
    )


def test_the_same_call_three_times_in_vain_is_said():
    once = (
        bash("curl -f http://api/v1/items"),
        "curl: (22) The requested URL returned error: 401\nexit code 22",
    )
    (draft,) = extract_memories(talk(("user", "Fetch."), once, once, once))
    assert "3 times" in draft.content
    assert "unchanged did not help" in draft.resolution


def test_corrections_and_standing_wishes_of_the_user():
    messages = talk(
        ("user", "Install the packages."),
        ("assistant", "I installed the packages into the system environment with pip."),
        ("user", "No, use uv instead of pip. From now on always run the tests before you commit."),
    )
    by_type = {draft.memory_type: draft for draft in kept(messages)}
    assert by_type["correction"].content.endswith("No, use uv instead of pip.")
    assert "with pip" in by_type["correction"].context
    assert "always run the tests" in by_type["preference"].content


def test_the_same_in_chinese():
    messages = talk(
        ("user", "安装依赖"),
        ("assistant", "我已经用 pip 把依赖装到了系统环境里。"),
        ("user", "不对，应该用 uv 而不是 pip。以后都先跑测试再提交。"),
    )
    assert {draft.memory_type for draft in kept(messages)} == {"correction", "preference"}


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
    assert extract_memories(SOLVED) == extract_memories(SOLVED)


def test_that_an_edit_must_repeat_the_text_of_its_file_is_not_a_memory():
    def edit(old):
        return ("Edit", {"file_path": "main.py", "old_string": old, "new_string": "x = 2"})

    missed = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    assert kept(talk(("user", "Set x to two."), (edit("x=1"), missed), (edit("x = 1"), "updated"))) == []


def test_paths_of_a_machine_are_cut_to_their_last_parts():
    messages = talk(
        ("user", "Check it."),
        (
            bash("cd /home/me/deep/project && ruff check /home/me/deep/project/src/app.py"),
            "error: unknown rule X999\nexit code 2",
        ),
        (
            bash("cd /home/me/deep/project && ruff check --select E /home/me/deep/project/src/app.py"),
            "All checks passed",
        ),
    )
    (draft,) = kept(messages)
    assert "/home/me" not in f"{draft.content} {draft.context} {draft.resolution}"
    assert "--select E" in draft.resolution
