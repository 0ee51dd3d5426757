"""A folder whose files nobody may touch: listed before and after, with what they hold and when they changed."""

import hashlib
import os
from pathlib import Path

__all__ = ["Watched"]


class Watched:
    """Everything below `folder`, but for what lies below `but`."""

    def __init__(self, folder, but=()):
        self._folder, self._but = folder, {str(one) for one in but}
        self._before = self._listing()

    def changes(self):
        """Paths that are new, gone or other than before."""
        now = self._listing()
        return sorted(path for path in now.keys() | self._before if now.get(path) != self._before.get(path))

    def _listing(self):
        found = {}
        for top, folders, names in os.walk(self._folder):
            folders[:] = [name for name in folders if str(Path(top, name)) not in self._but]
            for path in (Path(top, name) for name in [*folders, *names]):
                about, held = path.lstat(), ""
                if path.is_symlink():
                    held = str(path.readlink())
                elif path.is_file():
                    held = hashlib.sha256(path.read_bytes()).hexdigest()
                found[str(path)] = (about.st_mode, about.st_mtime_ns, about.st_ino, held)
        return found
