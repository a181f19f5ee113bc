"""What `assemble` takes, and how options stand to a request."""

import json

import pytest

HISTORY = {"format": "openai-chat", "messages": [{"role": "user", "content": "hi"}]}
REQUEST = {"version": 1, "history": HISTORY}


def test_a_request_comes_from_stdin(cli):
    ran = cli("assemble", "--request", "-", "--json", stdin=REQUEST)

    assert ran.code == 0
    assert ran.document["history"]["format"] == "openai-chat"


def test_a_request_comes_from_a_file(cli, tmp_path):
    path = tmp_path / "request.json"
    path.write_text(json.dumps(REQUEST))

    assert cli("assemble", "--request", path, "--json").document["ok"]
    assert "fits" in cli("assemble", "--request", path).out


def test_a_transcript_comes_from_stdin(cli, chat):
    ran = cli("assemble", "-", "--json", stdin=chat.read_bytes())

    assert ran.document["model_input"]["system"] == "You help."


@pytest.mark.parametrize(
    "arguments", [[], ["x.json", "--request", "y.json"], ["--request", "y.json", "--format", "codex"]]
)
def test_inputs_that_exclude_each_other_are_usage(cli, arguments):
    ran = cli("assemble", *arguments, "--json")

    assert ran.code == 2
    assert ran.document == {"ok": False, "error": {**ran.document["error"], "code": "usage"}}


@pytest.mark.parametrize("option", ["--session", "--store"])
def test_options_of_a_later_version_are_refused_as_such(cli, chat, option):
    ran = cli("assemble", chat, option, "x", "--json")

    assert ran.code == 2
    assert "later version" in ran.document["error"]["message"]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("missing.json", None, "unreadable_input"),
        ("empty.json", b"", "unreadable_input"),
        ("blank.json", b" \n\n", "unreadable_input"),
        ("prose.txt", b"Dear diary,\ntoday\n", "unreadable_input"),
        ("binary.bin", bytes(range(256)) * 8, "unreadable_input"),
        ("gemini.json", b'{"contents": [{"parts": []}]}', "unknown_format"),
        ("scalar.json", b"5", "unreadable_input"),
        ("list.json", b"[1, 2, 3]", "unknown_format"),
    ],
)
def test_a_broken_file_is_refused_with_a_result(cli, tmp_path, name, content, code):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)

    ran = cli("assemble", path, "--json")

    assert (ran.code, ran.document["error"]["code"]) == (2, code)
    assert ran.document["history"] is None
    assert cli("assemble", path).code == 2
    assert cli("assemble", path).err.startswith(f"turngraph: {code}: ")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "unreadable_input"),
        (b"{", "unreadable_input"),
        (b"\xff\xfe\x00", "unreadable_input"),
        (b"[" * 100_000, "unreadable_input"),
        (b"[]", "bad_request"),
        (b"null", "bad_request"),
    ],
)
def test_a_broken_request_is_refused_with_a_result(cli, content, code):
    ran = cli("assemble", "--request", "-", "--json", stdin=content)

    assert (ran.code, ran.document["error"]["code"]) == (2, code)


def test_a_missing_request_file_is_unreadable(cli, tmp_path):
    ran = cli("assemble", "--request", tmp_path / "none.json", "--json")

    assert (ran.code, ran.document["error"]["code"]) == (2, "unreadable_input")


def test_damaged_lines_are_survived_and_reported_with_their_numbers(cli, example, tmp_path):
    lines = example.read_bytes().split(b"\n")
    lines[6] = lines[6][:200]
    path = tmp_path / "torn.jsonl"
    path.write_bytes(b"\n".join(lines))

    document = cli("assemble", path, "--json").document

    found = [item for item in document["report"]["diagnostics"] if item["code"] == "INPUT_LINE_SKIPPED"]
    assert document["ok"]
    assert any("line 7 " in item["message"] for item in found)
    assert "line 7 " in cli("assemble", path).out


def test_window_and_reserve_set_the_limit(cli, chat):
    document = cli("assemble", chat, "--window", 9000, "--reserve", 1000, "--json").document

    assert document["report"]["tokens"]["limit"] == 8000


def test_a_reserve_as_large_as_the_window_is_an_error(cli, chat):
    ran = cli("assemble", chat, "--window", 9000, "--reserve", 9000, "--json")

    assert (ran.code, ran.document["error"]["code"]) == (2, "budget_invalid")


def test_a_window_of_nothing_is_out_of_range_and_one_in_words_is_usage(cli, chat):
    assert cli("assemble", chat, "--window", 0, "--json").document["error"]["code"] == "budget_invalid"
    assert cli("assemble", chat, "--window", "big", "--json").document["error"]["code"] == "usage"


def test_a_budget_file_sets_bounds_and_options_win_over_it(cli, chat, tmp_path):
    path = tmp_path / "budget.toml"
    path.write_text("model_max_tokens = 5000\noutput_reserve_tokens = 500\n")

    assert cli("assemble", chat, "--budget", path, "--json").document["report"]["tokens"]["limit"] == 4500
    document = cli("assemble", chat, "--budget", path, "--window", 6000, "--json").document
    assert document["report"]["tokens"]["limit"] == 5500


@pytest.mark.parametrize(
    ("content", "code"), [("speed = 1\n", "bad_request"), ("= =", "unreadable_input"), (None, "unreadable_input")]
)
def test_a_wrong_budget_file_is_refused(cli, chat, tmp_path, content, code):
    path = tmp_path / "budget.toml"
    if content is not None:
        path.write_text(content)

    for arguments in ([chat], ["--request", "-"]):
        ran = cli("assemble", *arguments, "--budget", path, "--json", stdin=REQUEST)
        assert (ran.code, ran.document["error"]["code"]) == (2, code)


def test_the_environment_sets_bounds_and_options_win_over_it(cli, chat, monkeypatch):
    monkeypatch.setenv("TURNGRAPH_MODEL_MAX_TOKENS", "5000")
    monkeypatch.setenv("TURNGRAPH_OUTPUT_RESERVE_TOKENS", "500")

    assert cli("assemble", chat, "--json").document["report"]["tokens"]["limit"] == 4500
    document = cli("assemble", chat, "--window", 6000, "--json").document
    assert document["report"]["tokens"]["limit"] == 5500


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--mode", "turbo"], "unknown_mode"),
        (["--mode", "legacy"], "bad_request"),
        (["--counter", "tiktoken:nowhere"], "tokenizer_unavailable"),
        (["--summarizer", "magic"], "unknown_summarizer"),
        (["--summarizer", "scripted"], "unknown_summarizer"),
        (["--outputs", "/dev/null/x"], "usage"),
    ],
)
def test_a_wrong_choice_is_refused_on_a_transcript_and_on_a_request(cli, chat, arguments, code):
    for given in ([chat], ["--request", "-"]):
        ran = cli("assemble", *given, *arguments, "--json", stdin=REQUEST)
        assert (ran.code, ran.document["error"]["code"]) == (2, code)


def test_a_wrong_format_of_a_transcript_is_unknown(cli, chat):
    ran = cli("assemble", chat, "--format", "telegram", "--json")

    assert (ran.code, ran.document["error"]["code"]) == (2, "unknown_format")


def test_a_format_can_be_named(cli, chat):
    assert cli("assemble", chat, "--format", "anthropic", "--json").document["history"]["format"] == "anthropic"


def test_options_replace_what_a_request_chooses(cli, tmp_path, long_messages):
    request = {
        "version": 1,
        "history": {"format": "openai-chat", "messages": long_messages},
        "budget": {"model_max_tokens": 90_000},
        "counter": "tiktoken:nowhere",
        "mode": "turbo",
        "summarizer": {"kind": "magic"},
        "outputs": {"kind": "memory"},
    }
    store = tmp_path / "store"

    document = cli(
        "assemble",
        *("--request", "-", "--json", "--window", 4000, "--reserve", 1000),
        *("--counter", "conservative", "--mode", "dynamic", "--summarizer", "none", "--outputs", store),
        stdin=request,
    ).document

    assert document["ok"]
    assert document["report"]["tokens"]["limit"] == 3000
    assert document["report"]["calls"]["summary"] == 0
    assert document["outputs"] == {}
    assert list(store.iterdir())


def test_a_transcript_that_is_only_read_comes_back_as_turngraph(cli, example):
    document = cli("assemble", example, "--json").document

    assert document["history"]["format"] == "turngraph"
    assert len(document["history"]["messages"]) == 65


def test_tools_of_a_transcript_are_shown_to_the_model(cli, tmp_path):
    path = tmp_path / "body.json"
    tool = {"type": "function", "function": {"name": "look", "description": "d", "parameters": {"type": "object"}}}
    path.write_text(json.dumps({"messages": HISTORY["messages"], "tools": [tool]}))

    document = cli("assemble", path, "--json").document

    assert [item["name"] for item in document["model_input"]["tools"]] == ["look"]


def test_an_unwritable_data_folder_is_usage_and_says_what_to_do(cli, chat, monkeypatch):
    monkeypatch.setenv("TURNGRAPH_DATA_DIR", "/dev/null/data")

    ran = cli("assemble", chat)

    assert ran.code == 2
    assert "tool outputs cannot be kept" in ran.err


def test_control_characters_and_duplicate_options_in_a_path_do_no_harm(cli):
    ran = cli("assemble", "no\x1b[31msuch\nfile")

    assert ran.code == 2
    assert "\x1b" not in ran.err
