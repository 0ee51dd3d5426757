"""Titles: the first request of a person, short, in its own language."""

from dataclasses import replace

import pytest

from ultron_core.models import Message
from ultron_core.segments.topic import MAX_TOPIC, clean_topic, one_line, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Hi there! Could you please write a Docker compose file? I need two services.",
            "Write a Docker compose file",
        ),
        ("你好，请帮我写一份成都三日游计划。预算两千。", "写一份成都三日游计划"),
        ("## Fix the **login** page\n\n```js\nfoo()\n```", "Fix the login page"),
        ("<div>\nWhy does `tests/test_io.py` fail?", "Why does `tests/test_io.py` fail?"),
        ("Hello!\nI want to change my flight.", "Change my flight"),
        ("Ok, can you add a dark mode?", "Add a dark mode"),
        ("What does a mutex do?", "What does a mutex do?"),
        ("Look into @packages/web/src/nav.ts and tidy it", "Look into nav.ts and tidy it"),
        ("Do this in the terminal.\n\nTask: Count the .php files", "Count the .php files"),
        (
            "Interact with a house.\nYou see a bed 1.\nYour task is to: put a mug on the desk.",
            "Put a mug on the desk",
        ),
        (
            "We solve the following issue in our repo.\nISSUE:\nCrash on empty input\nDetails",
            "Crash on empty input",
        ),
        (
            "You are given: (1) a plan.\n## Task description\nFind the year of the fire.",
            "Find the year of the fire",
        ),
        ("I was born on 1990-05-15. Can you tell me how old I am today?", "How old I am today"),
        (
            "[01/25/26 9:57 ~/src] ./run watch\n\nIn the output of `watch` the plural is wrong.",
            "In the output of `watch` the plural is wrong",
        ),
        (
            "现在会出现这个问题\n\n```\nError: expect(element).toHaveTextContent()\n```",
            "Error: expect(element).toHaveTextContent()",
        ),
        (
            'Complete the following code:\n\ndef square(x):\n    """Return the square of x."""',
            "Complete square",
        ),
        ('Finish this.\n"""It is the last week of term', "Finish this"),
        (
            "Remove `the import @docs/styles/*.css` and `<b>` from @docs/src/a/nav.ts",
            "Remove `the import @docs/styles/*.css` and `<b>` from nav.ts",
        ),
        (
            "alright, read @a/src/main.ts @a/src/tui.ts in full. It is a mess. I want you to do a deep analysis.",
            "Do a deep analysis",
        ),
        (
            "Read docs/plan.md and build the parser. Can you test it?",
            "Read docs/plan.md and build the parser",
        ),
        (
            "This is the output from my run of the `watch` command. The agents should be one agent.",
            "The agents should be one agent",
        ),
        (
            "Hello! I'm Ann Lee, and I'm a Gold member. I want to cancel my flight.",
            "Cancel my flight",
        ),
        (
            "Question: Beer Wars covers the differences between large corporate breweries, and small breweries,"
            " such as what brewery that is headquartered in Escondido, california?",
            "What brewery that is headquartered in Escondido, california?",
        ),
        (
            "am running the demo here\n\nwhen I press verify I get this error:\n```\na.c:1:9: fatal error: pins.h: no"
            " file\n```",
            "Fatal error: pins.h: no file",
        ),
        (
            "\\\\Desktop\\shop>mvn install\n[INFO] Scanning\n[ERROR] Child module cart does not exist",
            "Child module cart does not exist",
        ),
        ("@src/app.py @src/db.py the port of the config is ignored", "The port of the config is ignored"),
        ("It's working now, thanks! There's another issue in the menu.", "There's another issue in the menu"),
        (
            "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nsort the tabs by name",
            "Sort the tabs by name",
        ),
        ("#target: line breaks in descriptions\n\n- keep the lists", "Line breaks in descriptions"),
        ("#file:notes.md fix the links of the menu", "Notes.md fix the links of the menu"),
        ("Hi Claude, in #file:nav.ts the links are dead", "In nav.ts the links are dead"),
        (
            "use gh to look at issue 12\n\nwhy is the flag ignored by `run`?",
            "Why is the flag ignored by `run`?",
        ),
        ("你可以帮我增加 bump 的配置吗我想支持 next", "增加 bump 的配置，我想支持 next"),
    ],
)
def test_clean_topic(text, title):
    assert clean_topic(text) == title


def test_a_pasted_command_above_the_request_is_no_title():
    assert (
        clean_topic("curl -v localhost:8080\nCan you tell me why it answers with 502?")
        == "Why it answers with 502"
    )
    assert clean_topic("ssh -vvv build-7\n帮我看一下为什么连接不上服务器") == "为什么连接不上服务器"
    assert (
        clean_topic("add --verbose to the command. Can you also test it?") == "Add --verbose to the command"
    )


def test_it_is_at_most_80_characters_and_ends_at_a_word():
    title = clean_topic("Explain how " + "photosynthesis and respiration work together " * 5)
    assert len(title) <= MAX_TOPIC and title.endswith("…") and " photosynth…" not in title
    assert len(clean_topic("解释光合作用" * 40)) <= MAX_TOPIC
    assert len(one_line("a  b\n" * 100)) <= MAX_TOPIC


def test_the_first_real_request_of_a_person_counts():
    messages = [
        Message("system", "You are a helpful assistant", origin="harness"),
        Message("user", "<system-reminder>todo list is empty</system-reminder>", origin="harness"),
        Message("user", "Hello!"),
        Message("assistant", "Hello, what can I do?", origin="model"),
        Message("user", "Rename the config module"),
    ]
    assert title_of(messages) == "Rename the config module"


def test_without_a_person_the_next_best_text_is_taken():
    assert (
        title_of([Message("assistant", "Indexing the repository", origin="model")])
        == "Indexing the repository"
    )
    assert title_of([Message("assistant", "", origin="model")]) == "untitled"


def test_a_slash_command_is_named_with_its_arguments_and_its_subject():
    messages = [
        Message(
            "user",
            "<command-name>/pr-review</command-name>\n<command-args>150</command-args>",
            origin="harness",
        ),
        Message("user", "150"),
        Message(
            "user",
            "## Context\n\n- Pull request: title:\tSupport Droid\nstate:\tOPEN\n\n## Your task\n\nReview it.",
        ),
    ]
    assert title_of(messages) == "/pr-review 150: Support Droid"


def test_what_a_program_printed_is_no_title():
    printed = [
        Message("assistant", "THOUGHT: look\n```bash\nls\n```", origin="model"),
        Message("user", "<returncode>0</returncode>\n<output>\nsetup.py README.md\n</output>"),
    ]
    asked = Message("user", "Make the build pass again")
    assert title_of([*printed * 3, asked]) == "Make the build pass again"
    assert (
        title_of(
            [
                Message(
                    "user", "PostToolUse:Edit hook additional context: [COMPILE ERROR]", origin="harness"
                ),
                Message("tool", "warning: unused variable", origin="tool"),
                Message("assistant", "I remove the unused variable.", origin="model"),
            ]
        )
        == "I remove the unused variable"
    )


def test_what_a_slash_command_gathered_is_no_title_even_when_it_is_cut_off():
    messages = [
        Message("user", "<command-name>/code-review</command-name>", origin="harness"),
        Message(
            "user",
            "## Context\n\n- Current git status: On branch ai\n\nChanges not staged for commit:\n  a.py",
        ),
        Message("user", "provenanceLogger() takes an error, why?"),
    ]
    assert title_of(messages) == "ProvenanceLogger() takes an error, why?"
    assert title_of(messages[:2]) == "/code-review"
    split = [
        replace(messages[1], start_line=2),
        Message("user", "It provides an engine for words", start_line=2),
    ]
    assert title_of([messages[0], *split, replace(messages[2], start_line=40)]) == title_of(messages)


def test_the_prompt_of_a_harness_to_sum_up_is_no_title():
    prompt = (
        "Your task is to create a detailed summary of the conversation so far, paying close attention to it."
    )
    asked = Message("user", "Rename the config module")
    assert title_of([Message("user", prompt, origin="model")]) == "Summary of the conversation"
    assert title_of([asked, Message("user", prompt, origin="model")]) == "Rename the config module"
