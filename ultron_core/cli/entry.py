"""`ultron`: the server of the home answers where one runs, else this process does the work."""

from __future__ import annotations

import sys

from ultron_core.cli.asking import ask

__all__ = ["main"]


def main() -> None:
    code = ask(sys.argv[1:])
    if code is not None:
        sys.exit(code)
    # click, settings and the commands take half a second of CPU
    from ultron_core.cli.main import main as run_here

    run_here()


if __name__ == "__main__":
    main()
