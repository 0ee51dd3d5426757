"""`ultron handbook --write FILE`, again, and `--check`."""

from tests.support.worlds import solved, write_log


def test_a_file_gets_its_section_once_and_a_check_tells_when_it_is_old(run, tmp_path):
    page = tmp_path / "AGENTS.md"
    page.write_text("# Shop\n\nWritten by hand.\n", "utf-8")
    logs = tmp_path / "logs"
    write_log(logs / "a.jsonl", solved("cart", "pandas"), cwd="/home/ana/src/shop")
    assert run("ingest", logs, "--agent", "me")[0] == 0
    write = ("handbook", "--project", "shop", "--write", page)
    code, _, errors = run(*write, "--check")
    assert code == 1 and "out of date" in errors and page.read_text("utf-8").endswith("by hand.\n")
    assert run(*write)[:2] == (0, f"{page}: written, 1 lines.\n")
    assert run(*write)[:2] == (0, f"{page}: up to date, 1 lines.\n")
    assert page.read_text("utf-8").startswith("# Shop\n\nWritten by hand.\n\n<!-- ultron:handbook -->")
    assert run(*write, "--check")[0] == 0
    write_log(logs / "b.jsonl", solved("post", "jinja2"), cwd="/home/ana/src/shop")
    assert run("ingest", logs, "--agent", "me")[0] == 0
    assert run(*write, "--check")[0] == 1
    assert run("handbook", "--check")[0] == 2
