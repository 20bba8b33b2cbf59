"""The script of a page: ES modules joined into one, because browsers import no modules from `file://`."""

from __future__ import annotations

import re
from pathlib import Path

import aucenv

WEB = Path(aucenv.__file__).parent / "web"
FOLDER = WEB / "js"
"""The modules of pages."""
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_DEFINED = re.compile(r"^(export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_OTHER = re.compile(r"^(?:import\b|export\b(?! (?:async |function|const|let|class)))[^\n]*", re.MULTILINE)


def join(entry: Path) -> str:
    """Return the text of a module and of all that it imports, in the order of imports, as one module.

    Modules import names in braces, and export functions, constants and classes where they define them. As all share one
    scope, no two define the same name.

    Args:
        entry: The module to begin with.

    Raises:
        OSError: A module cannot be read.
        ValueError: An import or an export has another form, a name is not exported, or two modules define it.
    """
    texts: dict[Path, str] = {}
    _add(entry.resolve(), texts, ())
    defined: dict[str, Path] = {}
    parts = []
    for path, text in texts.items():
        body = _IMPORT.sub("", text)
        for _, name in _DEFINED.findall(body):
            if name in defined:
                raise ValueError(f"{path}: expected a name of its own, but {defined[name]} defines {name}, too")
            defined[name] = path
        if other := _OTHER.search(body):
            raise ValueError(f"{path}: expected `import {{NAME}} from` or `export` of a definition, got {other[0]!r}")
        parts.append(_EXPORT.sub("", body).strip() + "\n")
    return "\n".join(parts)


def _add(path: Path, texts: dict[Path, str], importing: tuple[Path, ...]) -> None:
    """Add a module after those that it imports.

    Args:
        texts: The modules that are added already.
        importing: The modules that import it.
    """
    if path in importing:
        raise ValueError(f"{path}: expected no circle of imports, got {' -> '.join(map(str, (*importing, path)))}")
    if path in texts:
        return
    text = path.read_text(encoding="utf-8")
    for names, source in _IMPORT.findall(text):
        imported = (path.parent / source).resolve()
        _add(imported, texts, (*importing, path))
        exported = {name for export, name in _DEFINED.findall(texts[imported]) if export}
        for name in filter(None, map(str.strip, names.split(","))):
            if name not in exported:
                raise ValueError(f"{path}: expected a name that {imported} exports, got {name!r}")
    texts[path] = text
