"""Which lines of a message are shown as those that a memory rests on."""

from ultron_core.serve.pages.quoting import cut, excerpt

LOG = "\n".join([*(f"step {n} went well" for n in range(30)), "Error: port 8080 is in use", "retrying"])


def marked(content, quote, **more):
    return [line.text for line in excerpt(content, quote, **more) if line.is_marked]


def test_the_quoted_line_is_marked_and_what_is_far_from_it_is_left_out():
    shown = excerpt(LOG, "Error: port 8080 is in use")
    assert [line.text for line in shown if line.is_marked] == ["Error: port 8080 is in use"]
    assert shown[0].left_out == 27 and shown[0].text == "step 27 went well" and shown[-1].text == "retrying"


def test_a_placeholder_stands_for_any_words():
    content = "hello\nmail anna@example.com about the port\nbye"
    assert marked(content, "mail <EMAIL> about the port") == ["mail anna@example.com about the port"]
    assert marked(content, "about <EMAIL> mail the port") == content.splitlines()  # not in that order


def test_a_quote_of_several_lines_and_one_that_is_part_of_a_line():
    assert marked("a line\nanother line\nthird", "a line\n  another   line") == ["a line", "another line"]
    assert marked("we now use port 81 for it\nno", "use port 81") == ["we now use port 81 for it"]


def test_short_lines_are_in_every_quote_and_mark_nothing():
    assert marked("}\nreturn the value\n}", "{ return the value }") == ["return the value"]


def test_a_source_of_which_no_line_can_be_told_is_marked_from_its_beginning():
    assert marked("one line\ntwo line", "quite other words") == ["one line", "two line"]
    assert marked(LOG, "quite other words") == LOG.splitlines()[:12]


def test_the_message_beside_a_source_is_only_begun():
    shown = excerpt(LOG, "Error: port 8080 is in use", is_source=False)
    assert not any(line.is_marked for line in shown)
    assert len(shown) == 13 and shown[-1].left_out == 20


def test_cut():
    assert cut("abc") == ("abc", 0)
    assert cut("x" * 3_100)[1] == 100
