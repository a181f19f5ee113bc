"""Deferred tools: what a query finds, what is visible when, and that no pattern can make the search hang."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from turngraph.nodes.tool_search import (
    TOOL_SEARCH,
    TOOL_SEARCH_SPEC,
    Promotions,
    guidance,
    handle_tool_search,
    hidden_names,
    search,
    visible_tools,
)
from turngraph.nodes.tool_search_pattern import compile_pattern
from turngraph.state.errors import BadRequest, UsageError
from turngraph.state.sections import ToolSpec


def tool(name, description="", *, deferred=True):
    return ToolSpec(name=name, description=description, deferred=deferred)


TOOLS = [
    tool("mcp__slack__send_message", "Send a message to a channel."),
    tool("mcp__slack__list_channels", "List channels of the workspace."),
    tool("mcp__github__create_issue", "Create an issue; sends a notification."),
    tool("mcp__github__list_issues", "List issues of a repository."),
    tool("mcp__mail__send", "Deliver mail."),
    tool("mcp__calendar__create_event", "Create an event."),
]


def names(found):
    return [each.name.removeprefix("mcp__") for each in found.tools]


@pytest.mark.parametrize(
    ("query", "kind", "expected", "total"),
    [
        ("select:mcp__mail__send,mcp__slack__send_message", "select", ["mail__send", "slack__send_message"], 2),
        (" select: mcp__mail__send , ,mcp__mail__send", "select", ["mail__send"], 1),
        ("+slack", "name", ["slack__send_message", "slack__list_channels"], 2),
        ("+slack list", "name", ["slack__list_channels", "slack__send_message"], 2),
        ("+SLACK channel workspace", "name", ["slack__list_channels", "slack__send_message"], 2),
        ("+list +github", "name", ["github__list_issues"], 1),
        ("+deliver", "name", [], 0),
        ("+", "name", [], 0),
        ("send", "pattern", ["slack__send_message", "mail__send", "github__create_issue"], 3),
        ("SEND", "pattern", ["slack__send_message", "mail__send", "github__create_issue"], 3),
        ("^mcp__github", "pattern", ["github__create_issue", "github__list_issues"], 2),
        ("list.*(issue|channel)s$", "pattern", ["slack__list_channels", "github__list_issues"], 2),
        (r"\bmail\b", "pattern", ["mail__send"], 1),
        ("calendar|mail", "pattern", ["mail__send", "calendar__create_event"], 2),
        ("issue;", "pattern", ["github__create_issue"], 1),
        ("nothing like this", "pattern", [], 0),
        ("(unclosed", "literal", [], 0),
        ("event.**", "literal", [], 0),
    ],
)
def test_what_a_query_finds(query, kind, expected, total):
    found = search(query, TOOLS)

    assert (found.kind, names(found), found.total) == (kind, expected, total)


def test_select_is_not_capped_and_the_others_are():
    many = [tool(f"t{number}", "same") for number in range(20)]

    assert len(search("select:" + ",".join(each.name for each in many), many).tools) == 20
    for query in ("+t", "same", "t[0-9]"):
        found = search(query, many)
        assert ([each.name for each in found.tools], found.total) == (["t0", "t1", "t2", "t3", "t4"], 20)


def test_select_names_what_it_does_not_know():
    found = search("select:mcp__mail__send,b,MCP__MAIL__SEND", TOOLS)

    assert (names(found), found.unknown) == (["mail__send"], ("b", "MCP__MAIL__SEND"))


@pytest.mark.parametrize(
    "query", ["a(b", "x[", "a{3}{4}", "(?<=a)b", r"(a)\1", "*", "(?P<n>a)", "a++", r"\q", "(x{50}){50}"]
)
def test_what_is_no_pattern_is_looked_for_as_it_stands(query):
    found = search(query, [tool("other"), tool("x", f"about {query.upper()} only")])

    assert (found.kind, [each.name for each in found.tools]) == ("literal", ["x"])


@pytest.mark.parametrize("query", ["", " \n", "x" * 4001])
def test_blank_and_endless_queries_are_refused(query):
    with pytest.raises(UsageError, match="1 to 4000"):
        search(query, TOOLS)


@pytest.mark.parametrize(
    "bomb",
    [
        "(a*)*b",
        "(a+)+$",
        "(a|a)*b",
        "(a|aa)+$",
        "(.*a){25}$",
        "a*" * 200 + "b",
        "(" * 40 + "a" + ")*" * 40 + "b",
        ".*.*.*.*.*.*x",
        "(a?){60}a{60}b",
        "(a|b|ab)*c[ab]{90}",
    ],
)
def test_no_pattern_takes_more_than_bounded_work(bomb):
    tools = [tool(f"a{number}", "a" * 3000) for number in range(20)]

    pattern = compile_pattern(bomb)
    assert pattern is None or pattern.found_in("a" * 100_000) in {True, False, None}
    assert pattern is None or pattern._work <= 1_000_400
    assert search(bomb, tools).kind in {"pattern", "literal"}


def test_a_pattern_that_takes_too_long_is_taken_literally():
    text = "".join(chr(0x4E00 + number) for number in range(25_000))

    found = search("a(b|c)", [tool("a(b|c)"), tool("long", text)])
    assert (found.kind, [each.name for each in found.tools]) == ("literal", ["a(b|c)"])


ATOMS = st.sampled_from(
    ["a", "b", "_", ".", "[ab]", "[^a]", "[a-c-]", r"\w", r"\d", r"\W", r"\s", r"\b", "^", "$", r"\.", "{", "é"]
)


def repeated(inner):
    quantifier = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "*?"])
    return st.one_of(
        st.tuples(inner, quantifier).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: f"({'|'.join(items)})"),
    )


@given(st.recursive(ATOMS, repeated, max_leaves=6), st.text(st.sampled_from("abcAB_.1 -{é"), max_size=8))
@example("a{x", "a{x")
@example("[]a]", "]")
@example("(?i)AB", "xab")
@example("|a", "")
def test_a_pattern_matches_where_pythons_does(pattern, text):
    compiled = compile_pattern(pattern)

    assert compiled is not None
    assert compiled.found_in(text) == bool(re.search(pattern, text, re.IGNORECASE))


def test_case_is_that_of_all_of_unicode():
    assert compile_pattern("straße").found_in("STRASSE")
    assert compile_pattern("ΣΊΣΥΦΟΣ").found_in("σίσυφος")
    assert compile_pattern("[A-Z]{3}").found_in("abc")


def test_what_is_found_is_visible_the_turn_after_and_not_before():  # reg-4
    tools = [tool("read", deferred=False), *TOOLS]
    first = Promotions()
    answer = handle_tool_search({"query": "select:mcp__mail__send"}, tools, first)
    after = answer.promotions.next_turn()

    assert [each.name for each in visible_tools(tools, first)] == ["read", TOOL_SEARCH]
    assert [each.name for each in visible_tools(tools, answer.promotions)] == ["read", TOOL_SEARCH]
    assert [each.name for each in visible_tools(tools, after)] == ["read", "mcp__mail__send", TOOL_SEARCH]
    assert len(hidden_names(tools, first)) == 6
    assert "mcp__mail__send" not in hidden_names(tools, after)
    assert answer.text == (
        "These tools can be called from your next turn on, not before.\n- mcp__mail__send: Deliver mail."
    )
    assert not answer.is_error


def test_a_call_of_a_hidden_tool_is_told_what_to_do():  # reg-4
    assert guidance("a") == (
        "The tool 'a' is not loaded, so it was not run. Call tool_search with the query \"select:a\"; "
        "then it can be called from your next turn on."
    )
    found = Promotions().promote(["a"])
    assert guidance("a", found) == (
        "The tool 'a' was found in this turn and can be called from your next turn on. Call it then."
    )
    assert guidance("b", found) == guidance("b")


def test_without_deferred_tools_nothing_is_advertised():  # reg-5
    tools = [tool("read", deferred=False)]

    assert visible_tools(tools, Promotions()) == tuple(tools)
    assert hidden_names(tools, Promotions()) == ()


def test_the_search_stays_when_all_is_visible_and_a_hosts_own_stands_in_for_ours():
    shown = Promotions().promote(["x"]).next_turn()
    own = tool(TOOL_SEARCH, "mine", deferred=False)

    assert visible_tools([tool("x")], shown) == (tool("x"), TOOL_SEARCH_SPEC)
    assert visible_tools([own, tool("x")], Promotions()) == (own,)


def test_tools_that_are_not_deferred_are_not_searched():
    answer = handle_tool_search({"query": "select:read,gone"}, [tool("read", deferred=False), *TOOLS], Promotions())

    assert answer.text == "'read' is loaded already: call it.\n'gone' is no tool of this run."
    assert answer.promotions == Promotions()


def test_the_answer_says_how_many_were_left_out_and_what_can_be_called_now():
    tools = [tool(f"t{number}", "word " * 100) for number in range(7)]
    answer = handle_tool_search({"query": "^t"}, tools, Promotions(visible=("t1",)))

    lines = answer.text.split("\n")
    assert lines[0].endswith("not before. 5 of 7 are shown; narrow the query for others.")
    assert lines[2].startswith("- t1 (can be called now): word word")
    assert max(map(len, lines)) < 400
    assert answer.promotions == Promotions(visible=("t1",), pending=("t0", "t2", "t3", "t4"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("xyz", "No tool matches. Try one word, or a name as the instructions give it with select:NAME."),
        ("x(", "The query is no regular expression that can be searched for; it was taken literally."),
    ],
)
def test_a_miss_says_what_to_try(query, said):
    assert said in handle_tool_search({"query": query}, TOOLS, Promotions()).text


@pytest.mark.parametrize("arguments", [{}, {"query": 5}, {"query": ""}, {"query": "a", "limit": 3}, {"q": "a"}])
def test_wrong_arguments_are_an_error_result(arguments):
    answer = handle_tool_search(arguments, TOOLS, Promotions())

    assert answer.is_error
    assert answer.text.startswith("tool_search ")
    assert answer.promotions == Promotions()


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=4), max_size=5))
def test_promotions_grow_keep_their_order_and_travel_as_json(turns):
    promotions = Promotions()
    for found in turns:
        before = promotions
        promotions = promotions.promote(found)
        assert promotions.visible == before.visible
        assert Promotions.from_json(promotions.as_json()) == promotions
        promotions = promotions.next_turn()
        assert promotions.pending == ()

    assert list(promotions.visible) == list(dict.fromkeys(name for found in turns for name in found))
    assert promotions.promote(promotions.visible) is promotions


@pytest.mark.parametrize(
    "value",
    [
        5,
        [],
        {},
        {"version": 2, "visible": [], "pending": []},
        {"version": 1, "visible": [5], "pending": []},
        {"version": 1, "visible": "ab", "pending": []},
        {"version": 1, "visible": [], "pending": [], "more": 1},
    ],
)
def test_promotions_that_are_none_are_refused(value):
    with pytest.raises(BadRequest, match="promoted tools are wrong"):
        Promotions.from_json(value)


def test_no_promotions_are_null():
    assert Promotions.from_json(None) == Promotions()


def test_the_search_tool_is_described_as_json():
    assert TOOL_SEARCH_SPEC.as_json()["parameters"]["required"] == ["query"]
    assert not TOOL_SEARCH_SPEC.deferred
