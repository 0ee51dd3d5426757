"""Reported errors with cause, cure and state: passed, failing, accepted, claimed or open."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.told.find import find_told
from ultron_core.lessons.people.turns import read_turns
from ultron_core.transcript.actions import read_actions

REPORT = ("user", "The `watch` command silently fails when the history folder goes away.")
EDIT = (
    ("Edit", {"file_path": "/repo/shop/store/paths.go", "old_string": "a", "new_string": "b"}),
    "The file has been updated.",
)
CAUSE = ("assistant", "The problem is that `ensureFolder` of `watch` runs at the start only.")
CURE = ("assistant", "`ensureFolder` of the `watch` command now runs before each write.")
PASSED = (bash("go test ./..."), "ok  example/shop/store  0.2s")
ASKED = ("user", "I get this error:\n\n```\nModuleNotFoundError: No module named 'yaml'\n```")
ANSWER = (
    "assistant",
    "`yaml` comes with the package PyYAML. I fixed it: `PyYAML` is now in `requirements.txt`.",
)


def told(*turns):
    messages = talk(*turns)
    return find_told(messages, read_actions(messages), read_turns(messages), "shop")


def test_files_that_are_handed_in_report_nothing():
    (draft,) = told(("user", f"{REPORT[1]} @src/store/paths.go (51-58)"), CAUSE, EDIT, PASSED)
    assert "silently fails" in draft.content
    bare = ("user", "@src/pool/ErrorView.tsx failed.tsx (51-58)")
    assert told(bare, CAUSE, EDIT, PASSED) == []


def test_report_cause_change_and_proof():
    (draft,) = told(REPORT, CAUSE, EDIT, PASSED)
    assert draft.content == (
        "A bug in shop: The `watch` command silently fails when the history folder goes away."
    )
    assert draft.resolution == (
        "The problem is that `ensureFolder` of `watch` runs at the start only. "
        "Changed `store/paths.go`; afterwards `go test ./...` passed."
    )
    assert draft.tags == ("bug", "passed")
    assert [item.start_line for item in draft.evidence] == [1, 2, 3, 6]


def test_a_check_that_fails_last_is_told_as_unsolved():
    (draft,) = told(
        REPORT, CAUSE, EDIT, (bash("go test ./..."), "--- FAIL: TestWatch (0.00s)\nFAIL\texample/shop\t0.2s")
    )
    assert draft.tags == ("bug", "failing")
    assert "Not solved in this session: the last run of `go test ./...` failed" in draft.resolution
    assert draft.resolution.startswith("The agent's account: The problem is")


def test_the_agents_word_alone_is_marked_as_such():
    (draft,) = told(REPORT, CURE)
    assert draft.tags == ("bug", "claimed")
    assert draft.resolution == (
        "The agent's account: `ensureFolder` of the `watch` command now runs before each write. "
        "Not confirmed by a check or a person in this session."
    )
    assert told(REPORT, ("assistant", "I'll look at `ensureFolder` of the `watch` command.")) == []


def test_a_person_who_accepts():
    (draft,) = told(ASKED, ANSWER, ("user", "thanks, it works now"))
    assert draft.content == "In shop, the user reported an error: ModuleNotFoundError: No module named 'yaml'"
    assert draft.tags == ("bug", "accepted")
    assert draft.resolution.endswith('The person then said: "thanks, it works now"')


def test_a_person_who_denies_makes_the_cure_a_vain_one():
    again = ("user", "still the same error")
    second = ("assistant", "I replaced the `yaml` import by `ruamel.yaml`, which is installed.")
    (draft,) = told(ASKED, ANSWER, again, second)
    assert draft.resolution.startswith("Did not help: ")
    assert "The agent's account: I replaced the `yaml` import" in draft.resolution
    (draft,) = told(ASKED, ANSWER, again)
    assert draft.tags == ("bug", "open")
    assert draft.resolution.endswith("No cure was confirmed in this session.")


def test_an_order_to_do_what_was_proposed_belongs_to_the_report():
    options = ("assistant", "A. Move `tree.mdx`. B. Add the alias. Which one do you want?")
    done = ("assistant", "I added an alias for `yaml` in `conf.py`; the module is now found.")
    (draft,) = told(ASKED, options, ("user", "use B"), done)
    assert "I added an alias for `yaml`" in draft.resolution


def test_an_error_nobody_explains_is_kept_as_open_when_it_was_pasted():
    (draft,) = told(ASKED, ("assistant", "Let me look."))
    assert draft.resolution == "No cure was confirmed in this session."
    assert told(REPORT, ("assistant", "Let me look.")) == []


def test_a_request_is_not_a_report():
    request = ("user", "Add a test that fails when the history folder of `watch` is missing.")
    assert told(request, CAUSE, EDIT, PASSED) == []


def test_an_order_that_names_failures_reports_none():
    order = "实现前端功能：\n管理会话（session）、取消（abort）、超时、重试"
    answer = "修复了超时：`popup.ts` 的会话（session）和取消（abort）现在通过 Port 通信。"
    assert told(("user", order), ("assistant", answer)) == []


def test_an_issue_is_told_only_with_the_check_that_ended_it():
    issue = ("user", "ISSUE:\nThe `watch` command fails without its folder\nIt crashes with an error.\n")
    assert told(issue, CAUSE, EDIT) == []
    (draft,) = told(issue, CAUSE, EDIT, PASSED)
    assert draft.content == "A bug in shop: The `watch` command fails without its folder"


def test_in_chinese():
    asked = ("user", "运行时报错：\n\n```\nModuleNotFoundError: No module named 'yaml'\n```")
    answer = ("assistant", "原因是没有安装 PyYAML。已经在 `requirements.txt` 中添加了 `PyYAML`。")
    (draft,) = told(asked, answer)
    assert draft.content == "在 shop 中，用户报告了一个错误：ModuleNotFoundError: No module named 'yaml'"
    assert draft.resolution.startswith("智能体的说法：原因是没有安装 PyYAML。")


def test_the_next_remark_of_a_review_is_no_denial():
    """The files that were changed for the next remark are not the cure of the one before."""
    other = ("Edit", {"file_path": "/repo/shop/web/page.go", "old_string": "a", "new_string": "b"})
    following = (
        "user",
        "And this one? The page `list` can still show a negative price when the stock is empty.",
    )
    turns = (REPORT, CAUSE, EDIT, PASSED, following, (other, "The file has been updated."), PASSED)
    first = told(*turns)[0]
    assert "store/paths.go" in first.resolution and "web/page.go" not in first.resolution


def test_a_pasted_error_that_nobody_speaks_of():
    """What others meet too is kept as open; any other symptom alone, or half a line, says nothing."""
    error = "I get this now:\n\n```\nTypeError: 'get' on proxy: property 'tag' is read-only\n```"
    looks = ("assistant", "I'll look at it.")
    assert told(("user", "Write the toast example."), looks, ("user", error), looks) == []
    error = error.replace("'get' on proxy: property 'tag' is read-only", "module 'toast' is not installed")
    (draft,) = told(("user", "Write the toast example."), looks, ("user", error), looks)
    assert draft.tags == ("bug", "open")
    cut = error.replace("installed", 'installed in "toast')
    assert told(("user", "Write the toast example."), looks, ("user", cut), looks) == []


def test_what_a_file_is_for_is_no_account_of_a_cure():
    purpose = ("assistant", "`store/paths.go`: This file holds the `watch` command and its folders.")
    assert all("This file holds" not in draft.resolution for draft in told(REPORT, purpose))


def test_a_person_who_accepts_and_reports_the_next_error():
    cause = ("assistant", "The problem is that the `yaml` package is missing in `requirements.txt`.")
    following = "It's working now, thanks!\n\nThere's another issue:\n\nTypeError: load() missing 1 argument: 'Loader'"
    first, *_ = told(ASKED, cause, ("user", following), ("assistant", "Let me look."))
    assert first.tags == ("bug", "accepted")
    assert first.resolution.endswith('The person then said: "It\'s working now, thanks!"')


ERROR = ("user", "I get this:\n\n```\nRuntimeError: Invalid device string: 'gpu:gpu'\n```")
PREFIX = (
    "assistant",
    "The `render` tool expects a number, not a name. I changed `device` in `conf.py` to `gpu:0`.",
)
NUMBER = (
    "assistant",
    "`render` adds the prefix itself because it takes the number alone. I changed `device` in `conf.py` to `0`.",
)


def test_the_same_error_with_another_value_came_back():
    again = ("user", "Now:\n\n```\nRuntimeError: Invalid device string: 'gpu:gpu:0'\n```")
    (draft,) = told(ERROR, PREFIX, again, NUMBER, ("user", "thanks, please write a commit message"))
    assert draft.tags == ("bug", "accepted")
    assert draft.resolution == (
        "The same was reported again after this: I changed `device` in `conf.py` to `gpu:0`. "
        "`render` adds the prefix itself because it takes the number alone. I changed `device` in `conf.py` to `0`. "
        'The person then said: "thanks, please write a commit message"'
    )


def test_another_error_next_is_told_as_such():
    other = ("user", "Next:\n\n```\nModuleNotFoundError: No module named 'yaml'\n```")
    first = told(ERROR, NUMBER, other, ANSWER)[0]
    assert first.tags == ("bug", "moved")
    assert first.resolution.endswith("What the person reported next was another error.")


def test_what_was_installed_is_told():
    cause = ("assistant", "This is a version conflict: `render` 3 is not compatible with `canvas` 2.")
    installed = (bash("pip install --upgrade canvas"), "Successfully installed canvas-3.0")
    (draft,) = told(ERROR, cause, installed, ("assistant", "Done."))
    assert "Ran `pip install --upgrade canvas`." in draft.resolution
    assert draft.tags == ("bug", "claimed")


def test_the_answer_to_an_error_says_what_it_comes_from():
    answer = ("assistant", "`render` 3 没有 `gpu` 设备，旧版本才支持。让我修改 `conf.py`：")
    (draft,) = told(ERROR, answer)
    assert "`render` 3 没有 `gpu` 设备，旧版本才支持。" in draft.resolution


def test_a_change_in_front_of_its_code_is_told_with_its_file():
    answer = (
        "assistant",
        "The problem is that `drawGrid` never gets `device`.\n\n### [grid.js](file:///repo/src/grid.js)\n\n"
        "Pass `device` to `drawGrid` in each macro.\n\n```javascript\ndrawGrid({ device })\n```",
    )
    (draft,) = told(ERROR, answer, ("user", "It works now, thanks!"))
    assert "`grid.js`: Pass `device` to `drawGrid` in each macro." in draft.resolution
    assert draft.tags == ("bug", "accepted")


def test_what_is_still_to_be_seen_is_no_acceptance():
    (draft,) = told(ERROR, NUMBER, ("user", "Let's run it and see if everything is working"))
    assert draft.tags == ("bug", "claimed")
