"""A summary in place of an earlier part of the session: its items are lessons with their own line."""

from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.people.recaps import find_recapped
from ultron_core.models import Message, as_messages

RECAP = """This session is being continued from a previous conversation.

Summary:
1. Primary Request and Intent:
   The user asked for a review page with all open annotations of the project.

2. Key Technical Concepts:
   - Phoenix LiveView
   - The sandbox mode `{:shared, self()}` is required for LiveView tests
   - `window.getSelection()` and ranges

4. Errors and fixes:
   - **LiveView test: missing secret_key_base**: Added endpoint config to `config/test.exs`.
   - **Compile errors for the missing module**: Expected during incremental editing. Fixed by creating `ref.ex`.
   - **Migration uses ALTER TABLE MODIFY, which SQLite lacks**: Rewrote it by renaming and copying `annotations`.

## Key Decisions Made
1. **Keep the old code for reference** - new files `main-new.ts` stand beside it, not in place of it

## Testing
User prefers **E2E tests only** - no unit tests in `test/`.

8. Current Work:
   - **review page** - only `live.ex` is not done yet
"""


def recapped(text=RECAP, origin="harness"):
    messages = as_messages(
        [Message("user", text, origin=origin), Message("assistant", "Going on.", origin="model")]
    )
    return messages, find_recapped(messages, "spotter")


def test_items_below_telling_headings_become_lessons():
    messages, drafts = recapped()
    assert [(draft.memory_type, draft.tags[1]) for draft in drafts] == [
        ("pattern", "concept"),
        ("error", "error"),
        ("error", "error"),
        ("pattern", "decision"),
        ("preference", "fact"),
    ]
    assert all("spotter" in draft.content for draft in drafts)
    assert all(draft.evidence[0].quote in RECAP for draft in drafts)
    assert [gate_draft(draft, messages) for draft in drafts] == [None] * 5


def test_an_error_keeps_what_solved_it_apart():
    _, drafts = recapped()
    assert drafts[1].content.endswith("LiveView test: missing secret_key_base")
    assert drafts[1].resolution == "Added endpoint config to `config/test.exs`."


def test_a_prompt_of_the_harness_and_a_persons_list_are_no_recap():
    assert recapped("Be brief.\n\n## Testing\n- run `pytest` always before you commit\n" * 20)[1] == []
    assert recapped(origin="human")[1] == []


def test_a_wish_among_the_messages_that_a_recap_repeats():
    said = """6. All user messages:
   - "Implement the review page"
   - "from now on never push to main without asking me"
   - "no, we should put the helper in core/ instead of a new file"
"""
    _, drafts = recapped(RECAP + said)
    assert [draft.memory_type for draft in drafts[-2:]] == ["preference", "correction"]
    assert (
        drafts[-2].content
        == "Standing preference in spotter: from now on never push to main without asking me"
    )


CHINESE = """本次会话是从之前的对话继续的。对话总结如下：

总结：
1. 主要请求和意图：
   用户要求把 `order-service` 拆成独立的模块，并保持 `/api/v1/orders` 接口兼容。

2. 关键技术概念：
   - `@Transactional` 只能加在 public 方法上，否则不会生效

4. 错误和修复：
   - **启动时报 `BeanCreationException`**：
     - 原因是 `OrderMapper` 没有被扫描到，在 `Application.java` 中添加 `@MapperScan` 后解决
     - 用户反馈：“不要用全局扫描，改用 order 包的扫描路径”

6. 所有用户消息：
   - “把订单服务拆出来”
   - “以后提交前都要先跑 `mvn verify`”

### 用户偏好
- 用户要求所有注释用英文，提交信息用中文

### 后续步骤
- 补充 `OrderController` 的测试
"""


def test_a_chinese_summary_with_the_feedback_that_a_person_gave_to_an_error():
    messages, drafts = recapped(CHINESE)
    assert [(draft.memory_type, draft.content.partition("：")[2]) for draft in drafts] == [
        ("pattern", "`@Transactional` 只能加在 public 方法上，否则不会生效"),
        ("error", "启动时报 `BeanCreationException`"),
        ("correction", "不要用全局扫描，改用 order 包的扫描路径"),
        ("preference", "以后提交前都要先跑 `mvn verify`"),
        ("preference", "用户要求所有注释用英文，提交信息用中文"),
    ]
    assert "`@MapperScan` 后解决" in drafts[1].resolution and "反馈" not in drafts[1].resolution
    assert [gate_draft(draft, messages) for draft in drafts] == [None] * 5


TAGGED = """<state_snapshot>
    <overall_goal>
        Refactor the authentication service to use a new JWT library, with the old endpoints kept for a release or two.
    </overall_goal>
    <key_knowledge>
        - Testing: Tests are run with `npm test`. Test files must end in `.test.ts`.
    </key_knowledge>
    <file_system_state>
        - MODIFIED: `services/auth.ts` must be read again - it replaced 'jsonwebtoken' with 'jose'.
    </file_system_state>
    <recent_actions>
        - Ran `npm run test`, which must be run again after the snapshot of `UserProfile.test.ts` is updated.
    </recent_actions>
    <current_plan>
        1. [DONE] Identify all files that must not use the deprecated `UserAPI`.
    </current_plan>
</state_snapshot>"""


def test_headings_may_be_tags():
    (draft,) = recapped(TAGGED)[1]
    assert (
        draft.content
        == "In spotter: Testing: Tests are run with `npm test`. Test files must end in `.test.ts`."
    )


def test_what_follows_the_end_of_a_tag_is_not_below_it():
    _, drafts = recapped(
        TAGGED.replace("</key_knowledge>", "</key_knowledge>\n- `auth.ts` must not be kept at all")
    )
    assert len(drafts) == 1
