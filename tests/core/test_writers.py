"""Every place that writes, renames or deletes files, and why outside words cannot lead it elsewhere.

A new writer is found here and has to be reviewed: it says where its path comes from. What is made of outside words goes
through `ultron_core.paths.below`.
"""

import ast
import re
from pathlib import Path

import pytest

import ultron_core
import ultron_pipelines

PACKAGES = [Path(package.__file__).parent for package in (ultron_core, ultron_pipelines)]
#: calls that change files under whatever object or module they are called
METHODS = re.compile(
    r"write_(text|bytes|table|parquet)|mkdir|makedirs|touch|unlink|rmdir|removedirs|symlink_to|hardlink_to|renames|rmtree|"
    r"copytree|copyfile|copy2|move|chmod|chown|truncate|mkfifo|extractall|make_archive|unpack_archive|mkstemp|mkdtemp|"
    r"NamedTemporaryFile|TemporaryDirectory|FileHandler|ParquetWriter|(pipe|put|get)_file|save_pretrained|server_bind"
)
#: words of many meanings: these change files with a module before them, or with one argument that has no name
ALONE = {"rename", "replace"}
OF_OS = {"link", "symlink", "rename", "replace", "remove"}
#: our own, which take the path
OURS = {"make_folders", "make_home", "only_one", "put_object", "write_beside", "write_dataset"}
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT"}

#: made of words from outside: requests, bucket listings, manifests, the command line's names
OUTSIDE = "below"
#: fixed names, or hashes and random ones, below the home or a folder that the settings name
FIXED = "fixed names in a folder of the settings"
#: the owner named this very path on the command line or in a setting
OWNER = "the owner's own path"
#: a path of the table of rows, checked to lie below a folder of the settings
CHECKED = "is_below"
#: takes the path from the functions of this list that call it
HANDED = "handed on"
DEVICE = "the system's null device"
TEMPORARY = "a new folder of the system's temporary one"

REVIEWED = {
    "ultron_core.bridge.hook:_spool": FIXED,
    "ultron_core.bridge.server:note": FIXED,
    "ultron_core.bridge.server:start": FIXED,
    "ultron_core.cli.asking:ask": DEVICE,
    "ultron_core.cli.commands.connect:connect": OWNER,
    "ultron_core.cli.commands.dev:_remove": FIXED,
    "ultron_core.cli.commands.handbook:handbook": OWNER,
    "ultron_core.cli.main:_close_output": DEVICE,
    "ultron_core.cli.main:_log_file": OWNER,
    "ultron_core.cli.model.configuration:write_choice": FIXED,
    "ultron_core.cli.model.offer:offer_model": FIXED,
    "ultron_core.cli.resident:_Sockets.__init__": FIXED,
    "ultron_core.cli.resident:answering": FIXED,
    "ultron_core.cli.writing:_put": HANDED,
    "ultron_core.cli.writing:write_beside": HANDED,
    "ultron_core.folders:_make": HANDED,
    "ultron_core.folders:narrow": HANDED,
    "ultron_core.folders:only_one": HANDED,
    "ultron_core.llm.tokens:_cache_folder": TEMPORARY,
    "ultron_core.serve.pages.addresses:new_address": FIXED,
    "ultron_core.serve.pages.addresses:redeem": FIXED,
    "ultron_core.serve.run:_address_file": FIXED,
    "ultron_core.serve.run:serve": FIXED,
    "ultron_core.serve.worker:deliver_spool": FIXED,
    "ultron_core.sft.files.write:_write_rejects": HANDED,
    "ultron_core.sft.files.write:_write_split": HANDED,
    "ultron_core.sft.files.write:_write_text": HANDED,
    "ultron_core.sft.files.write:write_dataset": HANDED,
    "ultron_core.sft.publish.copy:_copied": OUTSIDE,
    "ultron_core.sft.publish.copy:_fetched": OUTSIDE,
    "ultron_core.sft.publish.review:confirm": OUTSIDE,
    "ultron_core.steps.files.bucket:put_object": HANDED,
    "ultron_core.steps.files.receive:_put": HANDED,
    "ultron_core.steps.files.receive:receive_log": OUTSIDE,
    "ultron_core.steps.keys:ensure_key_file": FIXED,
    "ultron_core.steps.sft.export:_published": OUTSIDE,
    "ultron_core.steps.training.run:_recorded": FIXED,
    "ultron_core.steps.training.run:train": FIXED,
    "ultron_core.steps.transfer.backup:back_up": OWNER,
    "ultron_core.steps.transfer.export:_Parts.write_part": OWNER,
    "ultron_core.steps.transfer.export:_clear": OWNER,
    "ultron_core.steps.transfer.export:_folder": OWNER,
    "ultron_core.steps.transfer.manifest:write_manifest": HANDED,
    "ultron_core.steps.transfer.restore:_Restoring._put_log": OUTSIDE,
    "ultron_core.steps.transfer.restore:_Restoring.run": FIXED,
    "ultron_core.steps.transfer.restore:_write_whole": HANDED,
    "ultron_core.steps.upkeep.erase_message:_blank": HANDED,
    "ultron_core.steps.upkeep.outside:remove_lines": FIXED,
    "ultron_core.steps.upkeep.outside:_remove_notes": FIXED,
    "ultron_core.steps.upkeep.outside:remove": CHECKED,
    "ultron_core.steps.upkeep.outside:remove_made": CHECKED,
    "ultron_core.steps.upkeep.scrub:scrub": FIXED,
    "ultron_core.store.server.access:_write": FIXED,
    "ultron_core.store.server.embedded:_open_lock": FIXED,
    "ultron_core.store.server.embedded:_start_once": FIXED,
    "ultron_core.store.server.embedded:_stop": FIXED,
    "ultron_core.store.server.place:_copy_binaries": FIXED,
    "ultron_core.store.server.place:_own": FIXED,
    "ultron_core.store.server.place:choose_place": FIXED,
    "ultron_core.store.server.prepare:_forget_dead_server": FIXED,
    "ultron_core.store.server.prepare:_init": FIXED,
    "ultron_core.store.server.prepare:_prepare_log": FIXED,
    "ultron_core.store.server.prepare:_write_conf": FIXED,
    "ultron_core.training.folder:publish": HANDED,
    "ultron_core.training.folder:start_work": HANDED,
    "ultron_core.training.folder:take_up": HANDED,
    "ultron_core.training.progress:Progress.__init__": HANDED,
    "ultron_core.training.torch_learner:TorchLearner.save": HANDED,
    "ultron_core.training.torch_learner:TorchLearner.train": TEMPORARY,
    "ultron_pipelines.demo.__main__:_copy_examples": FIXED,
    "ultron_pipelines.demo.__main__:_write_config": FIXED,
    "ultron_pipelines.host.launch:_dagster_home": FIXED,
    "ultron_pipelines.host.launch:_serve": FIXED,
    "ultron_pipelines.host.storage:UltronStorage.from_config_value": TEMPORARY,
    "ultron_pipelines.host.supervise:dagster_parts": TEMPORARY,
    "ultron_pipelines.host.supervise:only_one": FIXED,
}


def writers():
    """`module:function` of every function that writes, with the calls it does that by."""
    found = {}
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            for name, function in functions(ast.parse(path.read_text("utf-8"))):
                if calls := {call for node in own_nodes(function) if (call := written_by(node))}:
                    found[f"{module}:{name}"] = calls
    return found


def functions(tree, before=""):
    """Each function with its name, methods as `Class.method`; what stands outside of any is `<module>`."""
    if not before:
        yield "<module>", tree
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield before + node.name, node
            yield from functions(node, f"{before}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{before}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from ((n, f) for n, f in functions(node, before or ".") if n != "<module>")


def own_nodes(function):
    """Nodes of a function without those of functions and classes within."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
            waiting += ast.iter_child_nodes(node)


def written_by(node):
    """The name of the call when it changes files."""
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in OURS or METHODS.fullmatch(name):
        return name
    if isinstance(node.func, ast.Attribute):
        if getattr(node.func.value, "id", "") == "os" and name in OF_OS:
            return name
        if name in ALONE and len(node.args) == 1 and not node.keywords:
            return name  # a text's takes two arguments, a record's and a time's named ones
    if name == "open" and (
        FLAGS & {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)} or _mode(node)
    ):
        return name
    return None


def _mode(node):
    """Whether `open` is given a mode that writes; one that is no constant may."""
    modes = [word.value for word in node.keywords if word.arg == "mode"]
    modes += node.args[: 2 if isinstance(node.func, ast.Name) else 1][-1:]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
    return any(set(text) & set("wax+") and set(text) <= set("rwaxbt+") for text in texts)


def test_every_writer_is_reviewed():
    found = writers()
    assert {name: calls for name, calls in found.items() if name not in REVIEWED} == {}
    assert sorted(set(REVIEWED) - set(found)) == []


@pytest.mark.parametrize("name", sorted(name for name, why in REVIEWED.items() if why in (OUTSIDE, CHECKED)))
def test_what_outside_words_lead_to_is_checked_where_it_is_made(name):
    module = name.partition(":")[0]
    path = PACKAGES[0].parent / f"{module.replace('.', '/')}.py"
    called = {
        getattr(node.func, "id", "")
        for _, one in functions(ast.parse(path.read_text("utf-8")))
        for node in own_nodes(one)
        if isinstance(node, ast.Call)
    }
    assert called & ({"below", "check_folder_name"} if REVIEWED[name] == OUTSIDE else {"is_below"}), name


@pytest.mark.parametrize(
    "code",
    [
        "def f(path): path.write_text('x')",
        "class A:\n    def f(self, path): open(path, 'w')",
        "async def f(path):\n    with path.open('ab') as file: pass",
        "def f(path): os.open(path, os.O_RDWR)",
        "def f(path, new): new.replace(path)",
        "def f(path):\n    if path:\n        def g(): shutil.rmtree(path)",
        "open('x', mode='x')",
        "def f(a, b): os.rename(a, b)",
    ],
)
def test_a_writer_is_found(code):
    assert [n for _, one in functions(ast.parse(code)) for n in map(written_by, own_nodes(one)) if n]


def test_what_reads_is_no_writer():
    reads = ("open(p)", "p.open('rb')", "t.replace('a', 'b')", "replace(t, a=1)", "os.open(p, os.O_RDONLY)")
    code = "def f(p, t):\n    " + "\n    ".join(reads)
    assert not [n for _, one in functions(ast.parse(code)) for n in map(written_by, own_nodes(one)) if n]
