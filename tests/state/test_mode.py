import pytest

from turngraph.state.errors import UnknownMode
from turngraph.state.mode import resolve_mode


@pytest.mark.parametrize(
    ("argument", "env", "mode"),
    [
        (None, {}, "dynamic"),
        (None, {"TURNGRAPH_MODE": "shadow"}, "shadow"),
        (None, {"SCIENCE_AGENT_CONTEXT_MODE": "dynamic"}, "dynamic"),
        (None, {"SCIENCE_AGENT_CONTEXT_MODE": " Shadow "}, "shadow"),
        (None, {"SCIENCE_AGENT_CONTEXT_MODE": "LEGACY"}, "legacy"),
        (None, {"SCIENCE_AGENT_CONTEXT_MODE": ""}, "dynamic"),
        (None, {"TURNGRAPH_MODE": " \t"}, "dynamic"),
        (None, {"TURNGRAPH_MODE": "legacy", "SCIENCE_AGENT_CONTEXT_MODE": "shadow"}, "legacy"),
        (None, {"TURNGRAPH_MODE": "", "SCIENCE_AGENT_CONTEXT_MODE": "shadow"}, "shadow"),
        ("dynamic", {"TURNGRAPH_MODE": "legacy"}, "dynamic"),
        (" Legacy\n", {}, "legacy"),
        ("  ", {"TURNGRAPH_MODE": "legacy"}, "legacy"),
        ("shadow", {"TURNGRAPH_MODE": "nonsense"}, "shadow"),
    ],
)
def test_the_strongest_mode_that_is_not_blank_wins(argument, env, mode):
    assert resolve_mode(argument, env) == mode


@pytest.mark.parametrize(
    ("argument", "env", "variable", "value"),
    [
        ("fast", {}, None, "fast"),
        (None, {"TURNGRAPH_MODE": "dynamik"}, "TURNGRAPH_MODE", "dynamik"),
        (None, {"SCIENCE_AGENT_CONTEXT_MODE": "off"}, "SCIENCE_AGENT_CONTEXT_MODE", "off"),
    ],
)
def test_another_mode_is_an_error_that_names_the_three_and_where_it_stood(argument, env, variable, value):
    with pytest.raises(UnknownMode) as caught:
        resolve_mode(argument, env)

    assert caught.value.code == "unknown_mode"
    assert caught.value.exit_code == 2
    assert caught.value.details == {
        "variable": variable,
        "value": value,
        "modes": ["dynamic", "shadow", "legacy"],
    }
    assert caught.value.message == (f"{variable or 'mode'} must be one of dynamic, shadow, legacy, got {value!r}")


def test_without_a_mapping_the_environment_of_the_process_is_read(monkeypatch):
    monkeypatch.delenv("SCIENCE_AGENT_CONTEXT_MODE", raising=False)
    monkeypatch.setenv("TURNGRAPH_MODE", "Shadow")

    assert resolve_mode() == "shadow"
