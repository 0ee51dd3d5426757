"""Where a benchmark finds its data: `--data DIR`, else ULTRON_BENCH_DATA, else the examples of this repository."""

from __future__ import annotations

import argparse
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def data_folder() -> Path:
    """The default of `--data`. An empty variable counts as unset."""
    return Path(os.environ.get("ULTRON_BENCH_DATA") or EXAMPLES)


def arguments(about: str) -> argparse.ArgumentParser:
    """A parser with `--data`; `about` is the module's docstring, printed as written."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data",
        type=Path,
        default=data_folder(),
        metavar="DIR",
        help="folder with sessions/, pairs/, ...; sets it does not have are skipped"
        " (default: $ULTRON_BENCH_DATA, else examples/)",
    )
    return parser


@contextmanager
def kept_or_temporary(kept: Path | None, prefix: str) -> Iterator[Path]:
    """The folder to keep, made where it is missing, or a new one that goes when the block ends."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        yield Path(folder)


@dataclass(frozen=True)
class SessionSet:
    """The session logs of one source: an archive `<name>.tar.gz`, or a folder `<name>` of .jsonl files."""

    name: str
    path: Path

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Name and bytes of each file, by name; hidden files and folders are left out."""
        if self.path.is_dir():
            for path in sorted(self.path.rglob("*")):
                inside = path.relative_to(self.path)
                if path.is_file() and not any(part.startswith(".") for part in inside.parts):
                    yield inside.as_posix(), path.read_bytes()
            return
        with tarfile.open(self.path) as archive:
            for member in sorted(archive.getmembers(), key=lambda member: Path(member.name)):
                opened = archive.extractfile(member) if member.isfile() else None
                if opened and not Path(member.name).name.startswith("."):
                    yield member.name, opened.read()


def session_sets(data: Path) -> list[SessionSet]:
    """The sets in `data`/sessions, by name: archives, and folders as examples/ has them."""
    folder = data / "sessions"
    archives = [SessionSet(path.name.removesuffix(".tar.gz"), path) for path in folder.glob("*.tar.gz")]
    folders = [SessionSet(path.name, path) for path in folder.glob("[!.]*") if path.is_dir()]
    return sorted([*archives, *folders], key=lambda found: found.name)
