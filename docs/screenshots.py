"""Screenshots of pages in Chromium, with the text that they show."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TIMEOUT = 30_000
"""The longest time to wait for a page or for something on it, in milliseconds."""


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise RuntimeError("screenshots and posters need Chromium: `make web` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def print_pdf(page: Path, file: Path, width: int, height: int) -> None:
    """Print a page as one of a PDF, with its size in pixels."""
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": width, "height": height})
        opened.set_content(f"<style>@page, body {{margin: 0}} svg {{display: block}}</style>{page.read_text()}")
        opened.pdf(path=file, width=f"{width}px", height=f"{height + 1}px", print_background=True, page_ranges="1")


@dataclasses.dataclass(frozen=True)
class Screenshot:
    """A part of a page.

    Attributes:
        page: An HTML file, with its address within the page; or, with `serve`, the name before a link in its output.
        select: The part, as a CSS selector.
        clicks: What is clicked first, one after another, as CSS selectors.
        hide: What is left out, as a CSS selector: what is too long, or differs from run to run.
        serve: A command that serves the page while it is open, and prints the link.
        width: The width of the window, in pixels.
    """

    page: str
    select: str = "main"
    clicks: Sequence[str] = ()
    hide: str = ""
    serve: str | None = None
    width: int = 1000

    def take(self, folder: Path, file: Path, environment: Mapping[str, str]) -> str:
        """Write the picture, as PNG, and return the text that it shows.

        Args:
            folder: The folder of the page, in which the server runs.
            file: The picture.
            environment: The variables of the server.

        Raises:
            RuntimeError: There is no Chromium, or the server prints no link.
        """
        with self._link(folder, environment) as link, chromium() as browser:
            page = browser.new_page(viewport={"width": self.width, "height": 900}, bypass_csp=True)
            page.set_default_timeout(TIMEOUT)
            page.goto(link)
            page.wait_for_selector("html[data-ready]")
            for selector in self.clicks:
                page.locator(selector).first.click()
            if self.hide:
                page.add_style_tag(content=f"{self.hide} {{display: none !important}}")
            part = page.locator(self.select).first
            part.screenshot(path=file, animations="disabled")
            return part.inner_text()

    @contextlib.contextmanager
    def _link(self, folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
        if self.serve is None:
            name, _, place = self.page.partition("#")
            yield f"{(folder / name).resolve().as_uri()}#{place}"
            return
        command = shlex.split(self.serve)
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                links = (re.match(rf"{re.escape(self.page)}: (http\S+)", line) for line in server.stdout)
                link = next((match[1] for match in links if match), None)
                if link is None:
                    raise RuntimeError(f"`{self.serve}` prints no link of {self.page}")
                yield link
            finally:
                server.terminate()
