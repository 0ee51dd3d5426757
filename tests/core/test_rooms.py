"""The rooms of `steps` stand in one order: a room knows only the rooms before it, so there is no circle."""

import ast
from pathlib import Path

import ultron_core.steps

ROOT = Path(ultron_core.steps.__file__).parent
#: each room may import from those before it
ORDER = (
    *(
        "runtime",
        "ids",
        "erased",
        "projects",
        "long_logs",
        "clusters",
        "rows",
        "search",
        "upload",
        "transfer",
        "given",
        "names",
        "edit",
        "verdicts",
        "taste",
        "upkeep",
    ),
    *(
        "stages",
        "files",
        "sft",
        "training",
        "audit",
        "overview",
        "costs",
        "keys",
        "browse",
        "handing",
        "recall",
        "handbook",
    ),
)


def rooms():
    """Folders and modules directly in `steps`."""
    return {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}


def imported(source):
    """Rooms that a module's text imports from, be it at its top or inside a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.split(".")[2] for name in names if name.startswith("ultron_core.steps."))


def backward(order, root):
    """(module, room) of each import from a room that comes later."""
    place = {room: number for number, room in enumerate(order)}
    for path in sorted(root.rglob("*.py")):
        own = path.relative_to(root).with_suffix("").parts[0]
        for room in imported(path.read_text("utf-8")):
            if own != "__init__" and place[room] > place[own]:
                yield str(path.relative_to(root)), room


def test_every_room_has_its_place():
    assert rooms() - {"__init__"} == set(ORDER)


def test_no_room_imports_from_a_later_one():
    assert list(backward(ORDER, ROOT)) == []


def test_an_import_backward_is_found(tmp_path):
    for room, text in {
        "rows": "from ultron_core.steps.upload import plan",
        "upload": "from ultron_core.steps import rows\n",
        "upkeep": "def late():\n    import ultron_core.steps.stages.process\n",
    }.items():
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.py").write_text(text)
    assert list(backward(ORDER, tmp_path)) == [("rows/a.py", "upload"), ("upkeep/a.py", "stages")]
