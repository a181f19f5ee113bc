"""The layout: rooms, imports, packages, the import name."""

import ast
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import turngraph

ROOT = Path(__file__).parents[2]
ROOMS = ("graph", "nodes", "state")
RANK = {"state": 0, "nodes": 1, "graph": 2}


def sources():
    return [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def imported_rooms(path):
    """Rooms that a module reaches by relative imports."""
    depth = len(path.relative_to(ROOT).parts) - 1
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == depth + 1 and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_from_graph_to_nodes_to_state(path):
    own = RANK[path.relative_to(ROOT).parts[0]]

    assert [room for room in imported_rooms(path) if RANK.get(room, -1) > own] == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_package_imports_itself_relatively(path):
    names = [
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else [])
        + ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [])
    ]

    assert [name for name in names if name.partition(".")[0] in {"turngraph", *ROOMS}] == []


def test_every_folder_with_code_is_a_listed_package():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(ROOT) for path in sources()}

    assert listed == {"turngraph"} | {"turngraph." + ".".join(folder.parts) for folder in folders}


def test_the_three_links_lead_to_the_rooms():
    assert {room: (ROOT / "turngraph" / room).resolve() for room in ROOMS} == {room: ROOT / room for room in ROOMS}


def test_turngraph_comes_from_where_this_run_says(request):
    """`pytest` tests the tree, `pytest -o pythonpath=` what is installed."""
    from_tree = bool(request.config.getini("pythonpath"))

    assert (Path(turngraph.__file__).parent == ROOT / "turngraph") == from_tree


def test_bare_room_names_are_never_imported():
    code = (
        "import sys, turngraph; from turngraph import *; import turngraph.testing, turngraph.graph.assembly; "
        "print([n for n in ('graph', 'nodes', 'state') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_public_names_are_sorted_importable_and_complete():
    names = turngraph.__all__

    assert names == sorted(names)
    assert [name for name in names if getattr(turngraph, name, None) is None] == []
    assert set(names) == {*turngraph._HOME_OF, "__version__"}


def test_a_name_of_a_later_version_says_so():
    with pytest.raises(AttributeError, match="comes with the session journal, which is not in this version yet"):
        turngraph.Session  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, turngraph; print([n for n in ('networkx', 'pydantic', 'sqlalchemy', 'tiktoken', 'typer', 'rich') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_the_drawing_in_the_readme_is_fresh():
    draw = runpy.run_path(str(ROOT / "docs" / "draw.py"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert draw["with_drawing"](readme) == readme
