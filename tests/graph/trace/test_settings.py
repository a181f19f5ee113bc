"""Whether and where traces are written."""

from pathlib import Path

import pytest

from turngraph import UsageError
from turngraph.graph.trace import TraceSettings, trace_settings


def test_traces_are_off_by_default():
    assert trace_settings(env={}).enabled is False


@pytest.mark.parametrize(
    ("value", "enabled"),
    [("1", True), ("true", True), ("TRUE", True), (" on ", True), ("0", False), ("false", False), ("Off", False)],
)
@pytest.mark.parametrize("variable", ["TURNGRAPH_TRACE", "SCIENCE_AGENT_CONTEXT_TRACE"])
def test_a_variable_switches(variable, value, enabled):
    assert trace_settings(env={variable: value}).enabled is enabled


@pytest.mark.parametrize("value", ["", "  ", "\t"])
def test_a_blank_variable_is_off_and_leaves_the_alias_its_say(value):
    assert trace_settings(env={"TURNGRAPH_TRACE": value}).enabled is False
    assert trace_settings(env={"TURNGRAPH_TRACE": value, "SCIENCE_AGENT_CONTEXT_TRACE": "1"}).enabled is True


def test_the_own_variable_beats_the_alias():
    env = {"TURNGRAPH_TRACE": "0", "SCIENCE_AGENT_CONTEXT_TRACE": "1"}

    assert trace_settings(env=env).enabled is False


@pytest.mark.parametrize("value", ["yes", "2", "enabled", "tru", "1 1", "ｏｎ", "１"])
@pytest.mark.parametrize("variable", ["TURNGRAPH_TRACE", "SCIENCE_AGENT_CONTEXT_TRACE"])
def test_any_other_word_is_refused_by_name(variable, value):
    with pytest.raises(UsageError, match=f"{variable} must be 0/1, false/true, or off/on") as caught:
        trace_settings(env={variable: value})

    assert caught.value.details == {"variable": variable, "value": value}


def test_an_argument_replaces_a_variable_unjudged():
    assert trace_settings(True, {"TURNGRAPH_TRACE": "nonsense"}).enabled is True
    assert trace_settings(False, {"TURNGRAPH_TRACE": "1"}).enabled is False


def test_the_folder_lies_in_the_data_folder_unless_somebody_names_one(tmp_path):
    env = {"TURNGRAPH_DATA_DIR": str(tmp_path)}

    assert trace_settings(env=env).dir == tmp_path / "context-traces"
    assert trace_settings(env=env | {"SCIENCE_AGENT_CONTEXT_TRACE_DIR": "/a"}).dir == Path("/a").absolute()
    both = env | {"SCIENCE_AGENT_CONTEXT_TRACE_DIR": "/a", "TURNGRAPH_TRACE_DIR": " /b "}
    assert trace_settings(env=both).dir == Path("/b").absolute()
    assert trace_settings(env=both | {"TURNGRAPH_TRACE_DIR": " "}).dir == Path("/a").absolute()


@pytest.mark.parametrize("make", [str, Path])
def test_a_folder_as_argument_turns_traces_on(tmp_path, make):
    found = trace_settings(make(tmp_path / "t"), {"TURNGRAPH_TRACE": "0", "TURNGRAPH_TRACE_DIR": "/elsewhere"})

    assert (found.enabled, found.dir) == (True, tmp_path / "t")


def test_a_relative_folder_does_not_move_with_the_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = trace_settings("here", {})
    monkeypatch.chdir("/")

    assert found.dir == tmp_path / "here"


def test_settings_are_taken_as_they_are(tmp_path):
    own = TraceSettings(enabled=True, dir=tmp_path, wait_s=0.5)

    assert trace_settings(own, {"TURNGRAPH_TRACE": "nonsense"}) is own


@pytest.mark.parametrize("folder", ["", "  ", "a\0b"])
def test_a_folder_that_is_no_path_is_refused(folder):
    with pytest.raises(UsageError, match="folder of traces"):
        trace_settings(folder, {})
