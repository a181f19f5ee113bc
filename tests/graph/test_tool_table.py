"""Tools from turn to turn: known ones are taken over, changed ones are seen."""

from types import MappingProxyType

import pytest

from turngraph import Assembler, BadRequest, Budget, History, Message, ToolSpec


def tool(**properties):
    return {"name": "search", "description": "Finds.", "parameters": {"type": "object", "properties": properties}}


def sent(assembler, *tools):
    assembly = assembler.assemble(History([Message.user("hi")]), tools=tools)
    return assembly.model_input.tools, assembly.report.bill.tools


def test_the_same_tool_is_the_same_spec_on_the_next_turn():
    assembler = Assembler()

    assert sent(assembler, tool(a={}))[0][0] is sent(assembler, tool(a={}))[0][0]


def test_a_tool_that_was_changed_in_place_is_sent_and_priced_as_it_is_now():
    assembler, mine = Assembler(), tool(a={"type": "string"})
    before, cheap = sent(assembler, mine)

    mine["parameters"]["properties"]["b"] = {"type": "string", "description": "Another field. " * 20}
    after, dear = sent(assembler, mine)

    assert list(before[0].parameters["properties"]) == ["a"]
    assert list(after[0].parameters["properties"]) == ["a", "b"]
    assert dear > cheap


def test_a_spec_and_a_dict_of_the_same_content_cost_the_same():
    given = tool(a={"type": "string"})

    assert sent(Assembler(), ToolSpec(**given)) == sent(Assembler(), given)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"description": "\ud800"}, id="lone surrogate"),
        pytest.param({1: "a"}, id="key that is no string"),
        pytest.param({"maximum": 1 << 70}, id="integer over 64 bits"),
        pytest.param(MappingProxyType({"type": "string"}), id="mapping that is no dict"),
    ],
)
def test_a_tool_whose_json_cannot_be_its_key_is_taken_all_the_same(odd):
    ((spec,), price) = sent(Assembler(), tool(a=odd))

    assert spec.name == "search"
    assert price > 0


def test_more_tools_than_are_kept_are_all_sent():
    many = [{"name": f"tool_{number}"} for number in range(1500)]
    assembler = Assembler(budget=Budget(model_max_tokens=1_000_000))

    for _ in range(2):
        specs, _ = sent(assembler, *many)
        assert [spec.name for spec in specs] == [item["name"] for item in many]


def test_a_tool_with_another_field_is_refused_though_the_rest_is_known():
    assembler = Assembler()
    sent(assembler, tool(a={}))

    with pytest.raises(BadRequest, match="strict"):
        sent(assembler, {**tool(a={}), "strict": True})
