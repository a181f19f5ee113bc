import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from turngraph.state.budget import Budget, read_budget_file
from turngraph.state.errors import BadRequest, BudgetInvalid, UnreadableInput

DEFAULTS = {
    "prompt_budget_chars": 300_000,
    "section_max_chars": 100_000,
    "data_budget_chars": 500_000,
    "attachment_max_chars": 200_000,
    "contributed_message_budget_chars": 100_000,
    "max_contributed_messages": 50,
    "model_max_tokens": 131_072,
    "output_reserve_tokens": 16_384,
    "compaction_pressure_percent": 80,
    "compaction_target_percent": 50,
    "compaction_retain_percent": 16,
    "compaction_keep_prompts_percent": 8,
    "compaction_tool_preview_bytes": 2_048,
    "compaction_min_clear_tokens": 0,
    "compaction_summary_retries": 1,
    "compaction_trigger_messages": 2_000,
    "compaction_keep_messages": 1_000,
    "window_messages": None,
    "window_rounds": None,
    "window_tokens": None,
    "per_source": None,
    "prune_arguments": True,
    "summary_fallback": "extractive",
    "learned_limit_tokens": None,
}


def resolve(**request):
    return Budget.resolve(request=request, env={})


def problems_of(error, **layers):
    with pytest.raises(error) as caught:
        Budget.resolve(env=layers.pop("env", {}), **layers)
    return [(item["field"], item["value"], item["rule"]) for item in caught.value.details["problems"]]


def test_every_default_is_the_one_of_the_table():
    assert Budget.resolve(env={}).model_dump() == DEFAULTS


@pytest.mark.parametrize(
    ("window", "reserve"), [(131_072, 16_384), (65_536, 16_384), (65_532, 16_383), (8_000, 2_000), (7, 1)]
)
def test_the_default_reserve_is_a_quarter_of_a_small_window(window, reserve):
    assert resolve(model_max_tokens=window).output_reserve_tokens == reserve


@pytest.mark.parametrize(("pressure", "target"), [(80, 50), (50, 50), (49, 49), (17, 17)])
def test_an_unset_target_is_at_most_the_pressure(pressure, target):
    assert resolve(compaction_pressure_percent=pressure).compaction_target_percent == target


@pytest.mark.parametrize(("trigger", "keep"), [(2_000, 1_000), (5_000, 1_000), (50, 25), (1, 1)])
def test_an_unset_number_of_kept_messages_is_at_most_half_the_trigger(trigger, keep):
    assert resolve(compaction_trigger_messages=trigger).compaction_keep_messages == keep


def test_the_lines_are_floored_percents_of_the_limit():
    budget = resolve(model_max_tokens=10_999, output_reserve_tokens=1_000)

    assert budget.limit_tokens == 9_999
    assert budget.pressure_tokens == 7_999
    assert budget.target_tokens == 4_999
    assert budget.retain_tokens == 1_599
    assert budget.keep_prompts_tokens == 799
    assert budget.min_clear_tokens == 499


def test_a_minimum_to_clear_that_is_set_replaces_the_automatic_one():
    assert resolve(compaction_min_clear_tokens=7).min_clear_tokens == 7


@pytest.mark.parametrize(("window_tokens", "limit"), [(None, 6_000), (5_000, 5_000), (9_000, 6_000)])
def test_the_limit_is_the_smaller_of_the_window_setting_and_what_the_model_takes(window_tokens, limit):
    assert resolve(model_max_tokens=8_000, window_tokens=window_tokens).limit_tokens == limit


def test_a_learned_limit_lowers_every_line_and_is_never_raised():
    budget = resolve(model_max_tokens=8_000)

    lowered = budget.with_limit(1_000)

    assert (budget.limit_tokens, budget.pressure_tokens) == (6_000, 4_800)
    assert (lowered.limit_tokens, lowered.pressure_tokens) == (1_000, 800)
    assert lowered.with_limit(2_000) is lowered
    assert budget.with_limit(6_000) is budget
    assert lowered.with_limit(-5).limit_tokens == 1
    assert lowered.sources == budget.sources
    assert lowered != budget


def test_a_budget_is_a_frozen_value_that_ignores_where_its_numbers_came_from():
    by_argument = Budget.resolve(argument={"model_max_tokens": 8_000}, env={})
    by_request = resolve(model_max_tokens=8_000)
    _ = by_argument.limit_tokens

    assert by_argument == by_request
    assert hash(by_argument) == hash(by_request)
    assert by_argument.sources["model_max_tokens"] == "argument"
    assert by_request.sources["model_max_tokens"] == "request"
    with pytest.raises(ValidationError):
        by_argument.model_max_tokens = 1


def test_caps_per_source_are_immutable_and_take_part_in_equality():
    caps = {"history": 50, "system": 10}
    budget = resolve(per_source=caps)
    caps["history"] = 1

    assert dict(budget.per_source) == {"history": 50, "system": 10}
    assert len(budget.per_source) == 2
    assert repr(budget.per_source) == "{'history': 50, 'system': 10}"
    assert budget == resolve(per_source={"system": 10, "history": 50})
    assert hash(budget) == hash(resolve(per_source={"system": 10, "history": 50}))
    assert budget != resolve(per_source={"history": 50})
    assert budget.model_dump(mode="json")["per_source"] == {"history": 50, "system": 10}
    with pytest.raises(TypeError):
        budget.per_source["history"] = 2


def test_a_budget_survives_pickle_and_deepcopy_with_its_sources():
    budget = resolve(model_max_tokens=8_000, per_source={"tools": 5}).with_limit(70)

    for twin in (pickle.loads(pickle.dumps(budget)), copy.deepcopy(budget)):
        assert twin == budget
        assert twin.sources == budget.sources
        assert twin.limit_tokens == 70


def test_a_copy_is_validated_and_its_defaults_and_lines_follow():
    budget = resolve(model_max_tokens=80_000)
    assert budget.limit_tokens == 63_616

    changed = budget.model_copy(update={"model_max_tokens": 8_000})

    assert changed.output_reserve_tokens == 2_000
    assert changed.limit_tokens == 6_000
    assert changed.sources["model_max_tokens"] == "argument"
    with pytest.raises(BudgetInvalid):
        budget.model_copy(update={"output_reserve_tokens": 80_000})


def test_a_budget_made_without_validation_calls_what_was_set_an_argument():
    budget = Budget.model_construct(model_max_tokens=8_000)

    assert budget.sources["model_max_tokens"] == "argument"
    assert budget.sources["output_reserve_tokens"] == "default"


def test_the_repr_is_short_and_names_what_was_given():
    assert repr(resolve(model_max_tokens=8_000)) == "Budget(model_max_tokens=8000, limit_tokens=6000)"


def test_the_upper_bound_of_the_retries_is_declared_on_the_field():
    metadata = Budget.model_fields["compaction_summary_retries"].metadata

    assert [item.ge for item in metadata if hasattr(item, "ge")] == [0]
    assert [item.le for item in metadata if hasattr(item, "le")] == [10]


def test_the_schema_shows_every_field_that_a_request_may_set():
    assert set(Budget.model_json_schema()["properties"]) == set(DEFAULTS) - {"learned_limit_tokens"}


@pytest.mark.parametrize("name", [name for name, value in DEFAULTS.items() if type(value) is int])
def test_every_number_has_a_lowest_value_that_its_rule_names(name):
    lowest = 0 if name in {"compaction_min_clear_tokens", "compaction_summary_retries"} else 1

    [(field, value, rule)] = problems_of(BudgetInvalid, request={name: lowest - 1})

    assert (field, value) == (name, lowest - 1)
    if name == "compaction_summary_retries":
        assert rule == "must be a non-negative integer up to 10"
    elif name.endswith("_percent"):
        assert rule == "must be between 1 and 100"
    else:
        assert rule == f"must be a {'positive' if lowest else 'non-negative'} integer"


@pytest.mark.parametrize(
    ("request_", "field", "rule"),
    [
        ({"compaction_pressure_percent": 101}, "compaction_pressure_percent", "must be between 1 and 100"),
        (
            {"compaction_summary_retries": 11},
            "compaction_summary_retries",
            "must be a non-negative integer up to 10",
        ),
        ({"window_rounds": 0}, "window_rounds", "must be a positive integer"),
        ({"window_tokens": 2**53}, "window_tokens", "must be a positive integer"),
        ({"per_source": {"history": 0}}, "per_source.history", "must be a positive integer"),
        ({"summary_fallback": "model"}, "summary_fallback", "must be 'extractive' or 'none'"),
        (
            {"model_max_tokens": 100, "output_reserve_tokens": 100},
            "output_reserve_tokens",
            "must be smaller than model_max_tokens (100)",
        ),
        (
            {"compaction_retain_percent": 80},
            "compaction_retain_percent",
            "must be smaller than compaction_pressure_percent (80)",
        ),
        (
            {"compaction_pressure_percent": 16},
            "compaction_retain_percent",
            "must be smaller than compaction_pressure_percent (16)",
        ),
        (
            {"compaction_target_percent": 81},
            "compaction_target_percent",
            "must not be larger than compaction_pressure_percent (80)",
        ),
        (
            {"compaction_trigger_messages": 20, "compaction_keep_messages": 21},
            "compaction_keep_messages",
            "must not be larger than compaction_trigger_messages (20)",
        ),
        ({"model_max_tokens": 1}, "output_reserve_tokens", "must be smaller than model_max_tokens (1)"),
    ],
)
def test_a_value_out_of_range_is_budget_invalid(request_, field, rule):
    [(named, _, broken)] = problems_of(BudgetInvalid, request=request_)

    assert (named, broken) == (field, rule)


def test_the_edges_of_the_relations_are_allowed():
    budget = resolve(
        model_max_tokens=100,
        output_reserve_tokens=99,
        compaction_pressure_percent=17,
        compaction_target_percent=17,
        compaction_trigger_messages=20,
        compaction_keep_messages=20,
    )

    assert budget.limit_tokens == 1


def test_all_problems_are_named_at_once_ranges_and_relations():
    problems = problems_of(
        BudgetInvalid,
        argument={"section_max_chars": 0, "compaction_target_percent": 90},
        request={"model_max_tokens": -5},
        env={"TURNGRAPH_WINDOW_ROUNDS": "many", "SCIENCE_AGENT_CONTEXT_COMPACTION_RETAIN_PERCENT": "90"},
    )

    assert sorted(problems) == [
        (
            "compaction_retain_percent",
            "90",
            "must be smaller than compaction_pressure_percent (80)",
        ),
        ("compaction_target_percent", 90, "must not be larger than compaction_pressure_percent (80)"),
        ("model_max_tokens", -5, "must be a positive integer"),
        ("section_max_chars", 0, "must be a positive integer"),
        ("window_rounds", "many", "must be a positive integer"),
    ]


@pytest.mark.parametrize(
    ("request_", "path", "rule"),
    [
        ({"windw": 8_000}, "budget.windw", "is no field of a budget"),
        ({"learned_limit_tokens": 8_000}, "budget.learned_limit_tokens", "is no field of a budget"),
        ({"per_source": {"prompt": 3}}, "budget.per_source.prompt", "is no field of a budget"),
        ({"model_max_tokens": "8000"}, "budget.model_max_tokens", "must be an integer"),
        ({"model_max_tokens": True}, "budget.model_max_tokens", "must be an integer"),
        ({"model_max_tokens": None}, "budget.model_max_tokens", "must be an integer"),
        ({"model_max_tokens": 1.5}, "budget.model_max_tokens", "must be an integer"),
        ({"model_max_tokens": [8_000]}, "budget.model_max_tokens", "must be an integer"),
        ({"per_source": {"history": "5"}}, "budget.per_source.history", "must be an integer"),
        ({"per_source": [5]}, "budget.per_source", "must be a valid dictionary"),
        ({"prune_arguments": 1}, "budget.prune_arguments", "must be a valid boolean"),
    ],
)
def test_a_wrong_name_or_type_is_a_bad_request_that_names_path_and_value(request_, path, rule):
    with pytest.raises(BadRequest) as caught:
        resolve(**request_)

    [problem] = caught.value.details["problems"]
    assert (problem["path"], problem["rule"]) == (path, rule)
    assert caught.value.message == problem["message"]
    assert path in problem["message"]


def test_wrong_names_and_types_are_judged_before_ranges_and_all_at_once():
    problems = problems_of(
        BadRequest, request={"a": 1, "model_max_tokens": "x", "section_max_chars": 0}, argument={"b": 2}
    )

    assert sorted(name for name, _, _ in problems) == ["a", "b", "model_max_tokens"]


def test_an_integral_float_is_an_integer_as_in_json():
    budget = resolve(model_max_tokens=8_000.0)

    assert budget.model_max_tokens == 8_000
    assert type(budget.model_max_tokens) is int


def test_a_budget_file_gives_the_fields_of_a_request(tmp_path):
    path = tmp_path / "budget.toml"
    path.write_text("model_max_tokens = 8_000\n[per_source]\nhistory = 500\n")

    assert read_budget_file(path) == {"model_max_tokens": 8_000, "per_source": {"history": 500}}
    assert Budget.resolve(request=read_budget_file(path), env={}).per_source == {"history": 500}


def test_an_unknown_key_in_a_budget_file_is_an_error_that_names_file_and_key(tmp_path):
    path = tmp_path / "budget.toml"
    path.write_text("window = 8000\nlearned_limit_tokens = 3\n")

    with pytest.raises(BadRequest) as caught:
        read_budget_file(path)

    assert [item["field"] for item in caught.value.details["problems"]] == ["window", "learned_limit_tokens"]
    assert str(path) in caught.value.message


@pytest.mark.parametrize("content", [None, b"= 3", b"\xff\xfe"])
def test_a_budget_file_that_is_missing_or_no_toml_is_unreadable(tmp_path, content):
    path = tmp_path / "budget.toml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UnreadableInput) as caught:
        read_budget_file(path)

    assert caught.value.details == {"path": str(path)}


NUMBERS = st.one_of(st.none(), st.integers(-3, 300), st.integers(1, 10**6), st.just("7"), st.floats(), st.booleans())


@given(st.dictionaries(st.sampled_from([*DEFAULTS, "unknown"]), NUMBERS, max_size=8))
def test_any_request_gives_a_consistent_budget_or_one_of_two_errors_with_problems(request_):
    budget, error = None, None
    try:
        budget = resolve(**request_)
    except (BadRequest, BudgetInvalid) as caught:
        error = caught

    if error is not None:
        assert error.details["problems"]
    else:
        assert 1 <= budget.limit_tokens < budget.model_max_tokens
        assert budget.target_tokens <= budget.pressure_tokens <= budget.limit_tokens
        assert budget.compaction_retain_percent < budget.compaction_pressure_percent
        assert budget.compaction_keep_messages <= budget.compaction_trigger_messages
        assert all(getattr(budget, name) == value for name, value in request_.items())
