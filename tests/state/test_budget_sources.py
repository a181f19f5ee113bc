import pytest

from turngraph.state.budget import Budget
from turngraph.state.errors import BudgetInvalid

TEN = {
    "COMPACTION_PRESSURE_PERCENT": 75,
    "COMPACTION_RETAIN_PERCENT": 20,
    "COMPACTION_SUMMARY_RETRIES": 2,
    "COMPACTION_TOOL_PREVIEW_BYTES": 512,
    "PROMPT_BUDGET_CHARS": 1_234,
    "MODEL_MAX_TOKENS": 100_000,
    "OUTPUT_RESERVE_TOKENS": 12_000,
    "WINDOW_MESSAGES": 80,
    "WINDOW_ROUNDS": 12,
    "WINDOW_TOKENS": 64_000,
}


def of_env(**env):
    return Budget.resolve(env=env)


def refusal(**env):
    with pytest.raises(BudgetInvalid) as caught:
        of_env(**env)
    return caught.value


@pytest.mark.parametrize("prefix", ["TURNGRAPH_", "SCIENCE_AGENT_CONTEXT_"])
def test_both_prefixes_set_every_field_by_its_suffix(prefix):
    budget = of_env(**{prefix + suffix: str(value) for suffix, value in TEN.items()})

    assert {suffix: getattr(budget, suffix.lower()) for suffix in TEN} == TEN
    assert budget.section_max_chars == 100_000
    source = "env" if prefix == "TURNGRAPH_" else "alias"
    assert {name for name, given in budget.sources.items() if given == source} == {s.lower() for s in TEN}


def test_each_layer_beats_the_next():
    layers = {
        "argument": {"model_max_tokens": 5_000},
        "request": {"model_max_tokens": 4_000},
        "env": {"TURNGRAPH_MODEL_MAX_TOKENS": "3000", "SCIENCE_AGENT_CONTEXT_MODEL_MAX_TOKENS": "2000"},
        "model": {"model_max_tokens": 1_000},
    }
    seen = []
    for name in ["argument", "request", "env", "alias", "model", "default"]:
        budget = Budget.resolve(**{"env": {}} | layers)
        seen.append((budget.model_max_tokens, budget.sources["model_max_tokens"]))
        if name == "env":
            del layers["env"]["TURNGRAPH_MODEL_MAX_TOKENS"]
        elif name == "alias":
            layers["env"] = {}
        else:
            layers.pop(name, None)

    assert seen == [
        (5_000, "argument"),
        (4_000, "request"),
        (3_000, "env"),
        (2_000, "alias"),
        (1_000, "model"),
        (131_072, "default"),
    ]


def test_the_constructor_reads_the_environment_of_the_process_once(monkeypatch):
    monkeypatch.setenv("TURNGRAPH_MODEL_MAX_TOKENS", "9000")
    monkeypatch.setenv("SCIENCE_AGENT_CONTEXT_WINDOW_ROUNDS", "3")
    budget = Budget(output_reserve_tokens=1_000)
    monkeypatch.setenv("TURNGRAPH_MODEL_MAX_TOKENS", "5000")

    assert (budget.limit_tokens, budget.window_rounds) == (8_000, 3)
    assert budget.sources["output_reserve_tokens"] == "argument"
    assert budget.sources["model_max_tokens"] == "env"
    assert budget.sources["window_rounds"] == "alias"
    assert budget.with_limit(10).model_max_tokens == 9_000


def test_an_explicit_none_unsets_what_the_environment_set():
    budget = Budget.resolve(argument={"window_rounds": None}, env={"TURNGRAPH_WINDOW_ROUNDS": "3"})

    assert budget.window_rounds is None
    assert budget.sources["window_rounds"] == "argument"


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_a_blank_variable_is_unset(blank):
    budget = of_env(TURNGRAPH_WINDOW_ROUNDS=blank, SCIENCE_AGENT_CONTEXT_WINDOW_ROUNDS="4")

    assert (budget.window_rounds, budget.sources["window_rounds"]) == (4, "alias")
    assert of_env(TURNGRAPH_DATA_BUDGET_CHARS=blank).sources["data_budget_chars"] == "default"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" 1000 ", 1_000),
        (" 1e3 ", 1_000),
        ("1E3", 1_000),
        ("0x10", 16),
        ("0XfF", 255),
        ("0b11", 3),
        ("0o17", 15),
        ("1.0", 1),
        ("1.", 1),
        ("+5", 5),
        ("1.5e1", 15),
        ("0100", 100),
        ("9007199254740991", 2**53 - 1),
    ],
)
def test_a_spelling_that_denotes_a_safe_integer_is_accepted(text, value):
    assert of_env(SCIENCE_AGENT_CONTEXT_PROMPT_BUDGET_CHARS=text).prompt_budget_chars == value


@pytest.mark.parametrize(
    "text",
    [
        *("-1", "0", "1.5", "abc", "1_000", "1,000", "\N{ARABIC-INDIC DIGIT ONE}", "inf", "Infinity", "nan"),
        *("1e400", "-0x10", "0x", ".", "--1", "9007199254740992", "0x20000000000000"),
    ],
)
def test_another_spelling_is_refused_with_variable_value_and_rule(text):
    error = refusal(SCIENCE_AGENT_CONTEXT_DATA_BUDGET_CHARS=text)

    [problem] = error.details["problems"]
    assert problem["field"] == "data_budget_chars"
    assert problem["variable"] == "SCIENCE_AGENT_CONTEXT_DATA_BUDGET_CHARS"
    assert problem["value"] == text
    assert problem["rule"] == "must be a positive integer"
    assert error.message == (f"SCIENCE_AGENT_CONTEXT_DATA_BUDGET_CHARS must be a positive integer, got {text!r}")
    assert (error.code, error.exit_code) == ("budget_invalid", 2)


@pytest.mark.parametrize(
    ("env", "beginning"),
    [
        (
            {
                "SCIENCE_AGENT_CONTEXT_MODEL_MAX_TOKENS": "100",
                "SCIENCE_AGENT_CONTEXT_OUTPUT_RESERVE_TOKENS": "100",
            },
            (
                "SCIENCE_AGENT_CONTEXT_OUTPUT_RESERVE_TOKENS must be smaller than "
                "SCIENCE_AGENT_CONTEXT_MODEL_MAX_TOKENS (100), got '100'"
            ),
        ),
        (
            {
                "SCIENCE_AGENT_CONTEXT_COMPACTION_PRESSURE_PERCENT": "80",
                "TURNGRAPH_COMPACTION_RETAIN_PERCENT": "80",
            },
            (
                "TURNGRAPH_COMPACTION_RETAIN_PERCENT must be smaller than "
                "SCIENCE_AGENT_CONTEXT_COMPACTION_PRESSURE_PERCENT (80), got '80'"
            ),
        ),
        (
            {"TURNGRAPH_COMPACTION_PRESSURE_PERCENT": "101"},
            "TURNGRAPH_COMPACTION_PRESSURE_PERCENT must be between 1 and 100, got '101'",
        ),
        (
            {"TURNGRAPH_COMPACTION_SUMMARY_RETRIES": "-1"},
            "TURNGRAPH_COMPACTION_SUMMARY_RETRIES must be a non-negative integer up to 10, got '-1'",
        ),
        (
            {"TURNGRAPH_COMPACTION_TOOL_PREVIEW_BYTES": "0"},
            "TURNGRAPH_COMPACTION_TOOL_PREVIEW_BYTES must be a positive integer, got '0'",
        ),
        (
            {"TURNGRAPH_COMPACTION_PRESSURE_PERCENT": "10"},
            (
                "compaction_retain_percent must be smaller than "
                "TURNGRAPH_COMPACTION_PRESSURE_PERCENT (10), got 16 (its default)"
            ),
        ),
    ],
)
def test_a_refusal_names_the_variables_the_value_and_the_rule(env, beginning):
    assert refusal(**env).message == beginning


def test_a_bad_variable_that_an_argument_replaces_is_not_judged():
    budget = Budget.resolve(argument={"window_rounds": 2}, env={"TURNGRAPH_WINDOW_ROUNDS": "many"})

    assert budget.window_rounds == 2


def test_variables_that_name_no_number_of_the_table_are_left_alone():
    env = {"TURNGRAPH_TRACE": "1", "TURNGRAPH_LEARNED_LIMIT_TOKENS": "5", "TURNGRAPH_PRUNE_ARGUMENTS": "no"}

    assert Budget.resolve(env=env) == Budget.resolve(env={})


def test_facts_of_the_model_fill_in_and_other_facts_are_ignored():
    facts = {"model_max_tokens": 200_000, "output_reserve_tokens": 64_000, "name": "m", "price": 3}

    budget = Budget.resolve(env={}, model=facts)

    assert (budget.model_max_tokens, budget.output_reserve_tokens) == (200_000, 64_000)
    assert budget.sources["output_reserve_tokens"] == "model"
    assert Budget.resolve(env={}, model={"model_max_tokens": None}).model_max_tokens == 131_072


def test_a_policy_of_the_model_that_a_chosen_window_cannot_hold_gives_way_to_the_default():
    budget = Budget.resolve(argument={"model_max_tokens": 8_000}, env={}, model={"output_reserve_tokens": 64_000})

    assert budget.output_reserve_tokens == 2_000
    assert budget.sources["output_reserve_tokens"] == "default"
    with pytest.raises(BudgetInvalid):
        Budget.resolve(request={"model_max_tokens": 8_000, "output_reserve_tokens": 64_000}, env={})


def test_a_wrong_fact_of_the_model_is_named_as_such():
    with pytest.raises(BudgetInvalid) as caught:
        Budget.resolve(env={}, model={"model_max_tokens": 0})

    assert caught.value.message == ("model_max_tokens must be a positive integer, got 0 (a fact of the model)")
