"""Where a Chromium is: what the system has, or the driver downloaded; and how one is got, where none is.

python -m tests.browser.chromium       # `make browser` runs this first
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Debian's package of a Chromium without windows, and a font that has Chinese
PACKAGES = ("chromium-headless-shell", "fonts-wqy-microhei")


def find():
    """The program, or None. ULTRON_CHROMIUM names one."""
    given = os.environ.get("ULTRON_CHROMIUM")
    if given:
        return given if shutil.which(given) else None
    return next((path for name in NAMES if (path := shutil.which(name))), None) or _downloaded()


def _downloaded():
    """What the driver keeps for itself."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as driver:
        path = driver.chromium.executable_path
    return path if path and Path(path).exists() else None


def install():
    """Debian's package where this process may install one, else the driver's own download."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            subprocess.run(["apt-get", "-qq", *command], env=quiet, check=False)
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if find() is None:
        install()
    if find() is None:
        sys.exit(
            "No Chromium, and none could be installed: put one on the PATH, or name it in ULTRON_CHROMIUM."
        )
    print(find())
