"""One sentence for two that differ in a list alone."""

import pytest

from ultron_core.memories.merging.lists import joined


@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        ("Checked with `mix test`, `mix credo`.", "Checked with `mix test`, `make lint`.",
         "Checked with `mix test`, `mix credo`, `make lint`."),
        ("检查方式：`mix test`。", "检查方式：`mix credo`。", "检查方式：`mix test`, `mix credo`。"),
        ("Checked with `a`.", "Checked by hand with `b`.", None),
        ("`a` needs `b`.", "`a` needs `c`.", None),
        ("No code here.", "No code here.", None),
    ],
)  # fmt: skip
def test_lists_are_joined_where_all_else_is_equal(old, new, both):
    assert joined(old, new) == both
