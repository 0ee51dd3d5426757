"""`ultron`: sessions in, memories and datasets out. Exit codes: 0 done, 1 needs attention, 2 wrong usage,
3 partly done (some files failed, or work waits for a model)."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from ultron_core.cli.asking import ASKED, command_of, is_answering
from ultron_core.cli.opening import lent
from ultron_core.cli.output import DONE, FAILED, USAGE, ReaderLeft, console
from ultron_core.display import one_line, plain
from ultron_core.errors import (
    AmbiguousNameError,
    NotFoundError,
    NothingToExportError,
    SettingsError,
    UltronError,
    UnknownNameError,
)
from ultron_core.folders import make_folders, make_home
from ultron_core.settings import Settings
from ultron_core.version import __version__

__all__ = ["cli", "main", "run_command"]

#: not a clone's own environment: nobody works on the code that a server would hold
IS_INSTALLED = not (Path(__file__).resolve().parents[2] / "pyproject.toml").exists()


#: the module of each command, imported when it is asked for
_MODULES = {
    "archive": "memories",
    "backup": "own",
    "clusters": "embeddings",
    "confirm": "maintain",
    "connect": "connect",
    "cost": "cost",
    "delete": "memories",
    "demo": "dev",
    "dev": "dev",
    "doctor": "doctor",
    "drops": "memory",
    "edit": "edit",
    "erase": "erase",
    "export": "own",
    "export-sft": "sft",
    "handbook": "handbook",
    "history": "memories",
    "import": "own",
    "ingest": "ingest",
    "ingest-text": "ingest",
    "init": "init",
    "judge": "judge",
    "keys": "keys",
    "memories": "memories",
    "model": "model",
    "outcomes": "sft",
    "process": "ingest",
    "rebalance": "maintain",
    "redact": "maintain",
    "reembed": "embeddings",
    "reprocess": "maintain",
    "restore": "own",
    "retry": "maintain",
    "search": "memory",
    "serve": "serve",
    "sessions": "memory",
    "sft": "sft",
    "show": "memory",
    "stats": "memory",
    "train": "datasets.train",
    "unarchive": "memories",
    "unmerge": "maintain",
}


class _Commands(click.Group):
    """Imports one module for one command: all of them take a fifth of a search's CPU."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = import_module(f"ultron_core.cli.commands.{_MODULES[cmd_name]}")
        commands: Sequence[click.Command] = module.COMMANDS
        return next(command for command in commands if command.name == cmd_name)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="ultron")
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="Folder of the store (ULTRON_HOME; default: `ultron` in your data folder).",
)
@click.pass_context
def cli(context: click.Context, home: Path | None) -> None:
    """Logs of coding agents in; shared memory and datasets for training out.

    Begin with `ultron init`, which finds the logs of your agents (or `ultron ingest PATH`), then `ultron search "..."`.
    `ultron doctor` says where everything is. Exit codes: 0 done, 1 you must act, 2 wrong usage, 3 partly done.
    """
    if (server := lent()) is not None:
        # settings, with the folder of whoever asks, and logging are the server's
        context.obj = server.settings
        return
    settings = Settings.load(home=home)
    set_up_logging(settings)
    context.obj = settings


def set_up_logging(settings: Settings) -> None:
    """Ultron's loggers at the configured level, to standard error and the log file; message text only at debug."""
    logger = logging.getLogger("ultron")
    logger.setLevel(settings.store.log_level.upper())
    logger.handlers.clear()
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if settings.store.log_file is not None:
        handlers.append(_log_file(settings.store.log_file, settings.store.home))
    handlers[0].setLevel(max(logging.WARNING, logger.level))
    for handler in handlers:
        handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)


class _OneLine(logging.Formatter):
    """One line a record: a file name or an answer that is quoted in it writes no line of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return one_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        return plain(super().format(record))


def _log_file(path: Path, home: Path) -> logging.Handler:
    try:
        if home in path.absolute().parents:
            make_home(home)
        make_folders(path.parent)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        return logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"ULTRON_LOG_FILE: {path} cannot be written ({error.strerror}). Use a folder that you may write to."
        ) from error


def _close_output() -> None:
    """Avoid a second error when Python closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _without_keys(message: str) -> str:
    """What was typed is quoted, and terminals are logged."""
    from ultron_core.redaction.patterns import hide_secrets  # loaded with the first error

    return hide_secrets(message)


def run_command(arguments: Sequence[str]) -> int:
    """The exit code; an expected error becomes one message."""
    try:
        # without standalone mode click returns the code of an Exit instead of raising it
        code = cli.main(list(arguments), prog_name="ultron", standalone_mode=False)
    except click.ClickException as error:
        error.message = _without_keys(error.message)  # type: ignore[misc]  # what its show() prints
        error.show()
        return error.exit_code
    except click.exceptions.Abort:
        console(stderr=True).print("Stopped; the next run resumes here.")
        return 130
    except (UnknownNameError, AmbiguousNameError, NotFoundError, NothingToExportError) as error:
        console(stderr=True).print(f"ultron: {_without_keys(str(error))}", style="bold red")
        return USAGE
    except UltronError as error:
        console(stderr=True).print(f"ultron: {_without_keys(str(error))}", style="bold red")
        return FAILED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else FAILED
    return code if isinstance(code, int) else DONE


def main() -> None:
    """The process edge."""
    try:
        code = run_command(sys.argv[1:])
    except (ReaderLeft, BrokenPipeError):
        _close_output()
        code = DONE
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            raise
        _close_output()
        console(stderr=True).print(f"ultron: the output cannot be written: {error.strerror}.")
        code = FAILED
    if code == DONE:
        _start_server(sys.argv[1:])
    sys.exit(code)


def _start_server(arguments: Sequence[str]) -> None:
    """After a command that a server would have answered: the next one finds it. One that has other settings stays."""
    command, home = command_of(arguments)
    if not command or command[0] not in ASKED or is_answering(home):
        return
    from ultron_core.bridge.server import start
    from ultron_core.store.server.place import has_data

    store = Settings.load(home=home).store
    wanted = IS_INSTALLED if store.autoserve is None else store.autoserve
    if wanted and (store.database_url is not None or has_data(home)):
        start(home)


if __name__ == "__main__":
    main()
