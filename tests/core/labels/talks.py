"""Small talks that the label tests share."""

from __future__ import annotations

import json


def user(text):
    return {"role": "user", "content": text}


def says(text):
    return {"role": "assistant", "content": text}


def calls(name, call_id, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": call_id, "function": function}]}


def result(call_id, text, **more):
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


SOLVED = [
    user("The tests of the parser fail, please fix them."),
    calls("bash", "c1", command="pytest tests/test_parser.py"),
    result("c1", "Traceback (most recent call last):\nValueError: bad token\n1 failed, 4 passed in 0.2s"),
    calls("edit", "c2", path="parser.py", new="return token.strip()"),
    result("c2", "The file parser.py has been updated."),
    calls("bash", "c3", command="pytest tests/test_parser.py"),
    result("c3", "5 passed in 0.2s"),
    says("Fixed: the parser now strips each token, and all 5 tests pass."),
]
FAILED = [
    *SOLVED[:5],
    calls("bash", "c3", command="pytest tests/test_parser.py"),
    result("c3", "ValueError: bad token\n2 failed, 3 passed in 0.2s", is_error=True),
]
HELPFUL = [
    user("What is the capital of Australia, and why is it not Sydney?"),
    says(
        "Canberra. Sydney and Melbourne both wanted the title, so a new city was founded between them in 1913."
    ),
]
CHINESE_SOLVED = [
    user("解析器的测试失败了，请修复。"),
    calls("bash", "c1", command="pytest"),
    result("c1", "错误：标记无效\n测试失败"),
    calls("edit", "c2", path="parser.py", new="token.strip()"),
    result("c2", "文件已更新"),
    calls("bash", "c3", command="pytest"),
    result("c3", "测试通过"),
    says("已修复：解析器现在会去掉空格，所有测试都通过了。"),
]
#: what a person wishes for good, behind work that succeeded
RULE = "Always run `make lint` before you commit."
RULED = [*SOLVED, user(RULE), says("I will.")]
