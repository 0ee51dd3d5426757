"""Stored text is never markup: whatever stands in any column, the pages have the elements they always have."""

from html.parser import HTMLParser

import pytest

from tests.support.pages.payloads import ALL, PAYLOADS, SHOWN, plant

#: what our templates use; a script, a picture or a frame is not among it
ELEMENTS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "link",
        "body",
        "header",
        "nav",
        "main",
        "footer",
        "section",
        "article",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "a",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "div",
        "span",
        "strong",
        "code",
        "pre",
    ),
    *(
        "form",
        "input",
        "button",
        "label",
        "select",
        "option",
        "textarea",
        "details",
        "summary",
        "time",
        "mark",
    ),
    *(
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "svg",
        "g",
        "circle",
        "text",
    ),
    "blockquote",
}


class Reader(HTMLParser):
    """The elements of a page, where its links lead, and its texts."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.attributes, self.targets, self.text = set(), set(), set(), ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.targets |= {
            value for name, value in attributes if name in ("href", "action", "src", "formaction")
        }
        self.text += " ".join(value or "" for name, value in attributes if name in ("value", "aria-label"))

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def planted(world, owner, database):
    found = plant(database)
    assert SHOWN - found == set()
    return world


def test_planted_scripts_are_text_on_every_page(planted, owner):
    seen = set()
    for path in planted.paths:
        answer = owner.get(path)
        assert answer.status_code == 200, (path, answer.text[:2000])
        page = Reader(answer.text)
        assert page.elements <= ELEMENTS, (path, page.elements - ELEMENTS)
        assert not {name for name in page.attributes if name.startswith("on") or name == "style"}, path
        assert all(target.startswith(("/ui", "#")) for target in page.targets), path
        assert "http-equiv" not in page.attributes and "srcdoc" not in page.attributes
        seen |= {payload for payload in PAYLOADS if payload in page.text}
    assert seen == set(PAYLOADS)


def test_a_planted_question_is_text_too(owner, world):
    for path in ("/ui", "/ui/log"):
        page = Reader(owner.get(path, params={"q": ALL}).text)
        assert page.elements <= ELEMENTS and PAYLOADS[0] in page.text


def test_what_an_error_repeats_is_text(owner, world):
    for payload in PAYLOADS:
        for path in ("/ui", "/ui/sessions"):
            page = Reader(owner.get(path, params={"project": payload}).text)
            assert page.elements <= ELEMENTS
        refused = owner.submit("/ui/keys", name=payload, preset="agent", days=payload)
        assert refused.status_code == 422 and Reader(refused.text).elements <= ELEMENTS
        edited = owner.submit(f"/ui/memories/{world.changed}/edit", content="", context=payload, tags=payload)
        assert edited.status_code == 422 and Reader(edited.text).elements <= ELEMENTS
        assert payload in Reader(edited.text).text


def test_the_reader_would_see_a_script():
    page = Reader("<p onclick=x><script>1</script><a href='javascript:1'>x</a>")
    assert not page.elements <= ELEMENTS and "onclick" in page.attributes and "javascript:1" in page.targets
