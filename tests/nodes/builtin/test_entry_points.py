"""Contributors of other packages: what they register is loaded, what is broken is reported and stops nobody."""

import sys
import textwrap

import pytest

from turngraph import Assembler, ContributorRegistry, Message
from turngraph.nodes.builtin import entry_point_contributors

MODULE = """
from turngraph import Contribution, Section


class Note:
    id = "note"

    def __init__(self, name="note"):
        self.id = name

    def contribute(self, request):
        return Contribution(sections=(Section(id=self.id, slot="footer", content=self.id),))


class Team:
    id = "team"

    def create(self, *, context_id, scope):
        return [Note("one"), Note(f"{context_id}.{scope}")]


class Sulking:
    id = "sulking"

    def create(self, *, context_id, scope):
        raise OSError("no key")


class Odd:
    id = "odd"

    def create(self, *, context_id, scope):
        return [7]


ready = Note("ready")
several = [Note("first"), Note("second")]


def made():
    return Note("made")


def raising():
    raise LookupError("no licence")


number = 7
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package that registers the given entry points."""

    def install(**points):
        (tmp_path / "plugged_notes.py").write_text(textwrap.dedent(MODULE))
        info = tmp_path / "plugged_notes-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-notes\nVersion: 1.0\n")
        lines = [f"{name.replace('_', '-')} = {value}" for name, value in points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[turngraph.contributors]", *lines]) + "\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "plugged_notes", raising=False)
        return entry_point_contributors()

    return install


def test_without_entry_points_there_are_none():
    assert entry_point_contributors() == ()


@pytest.mark.parametrize(
    ("target", "system"),
    [
        ("ready", "ready"),
        ("Note", "note"),
        ("made", "made"),
        ("several", "first\nsecond"),
        ("Team", "default.main\none"),
    ],
)
def test_an_entry_point_names_a_contributor_a_factory_or_what_makes_them(installed, target, system):
    found = installed(mine=f"plugged_notes:{target}")

    assert Assembler(contributors=found).assemble([Message.user("hi")]).model_input.system == system


def test_they_come_by_the_name_of_the_entry_point(installed):
    found = installed(b="plugged_notes:made", a="plugged_notes:ready")

    assert [item.id for item in found] == ["ready", "made"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("raising", "LookupError: no licence"),
        ("missing", "AttributeError"),
        ("number", "7 is neither a contributor nor a factory"),
        ("Sulking", "its factory failed: OSError: no key"),
        ("Odd", "its factory made 7, which is no contributor"),
    ],
)
def test_what_is_broken_is_a_diagnostic_of_every_turn_and_stops_nobody(installed, target, words):
    found = installed(Broken_One=f"plugged_notes:{target}", fine="plugged_notes:ready")

    done = Assembler(contributors=found).assemble([Message.user("hi")])

    (noted,) = done.report.diagnostics
    assert (noted.code, noted.severity, noted.id) == ("CONTRIBUTOR_FAILED", "warning", "entry_point.broken.one")
    assert words in noted.message
    assert done.model_input.system == "ready"


def test_an_id_that_is_taken_goes_to_the_first(installed):
    found = installed(a="plugged_notes:ready", b="plugged_notes:ready", c="plugged_notes:ready")

    done = Assembler(contributors=found).assemble([Message.user("hi")])

    assert [item.id for item in found] == ["ready", "entry_point.b", "entry_point.c"]
    assert ["'ready' is taken" in item.message for item in done.report.diagnostics] == [True, True]


def test_names_that_make_the_same_id_do_not_stop_the_registry(installed):
    found = installed(x__y="plugged_notes:missing", x_y="plugged_notes:missing")

    assert len(ContributorRegistry(found)) == 2
