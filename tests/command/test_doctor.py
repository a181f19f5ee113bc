"""`turngraph doctor`."""

from turngraph import __version__
from turngraph.state.budget import Budget
from turngraph.state.formats import known_formats


def test_the_document_says_what_is_installed_and_where_data_lies(cli, tmp_path):
    document = cli("doctor", "--json").document

    assert document["turngraph"] == __version__
    assert all(document["packages"].values())
    assert document["formats"] == known_formats()
    assert document["data"] == {
        "dir": str(tmp_path / "data"),
        "outputs": str(tmp_path / "data" / "tool-outputs"),
        "writable": True,
    }
    assert [counter["name"] for counter in document["tokenizers"]] == [
        "conservative",
        "tiktoken:o200k_base",
        "tiktoken:cl100k_base",
    ]
    assert document["problems"] == []


def test_a_tokenizer_is_exact_and_available_exactly_when_it_can_be_asked_for(cli, chat):
    for counter in cli("doctor", "--json").document["tokenizers"]:
        assert (cli("assemble", chat, "--counter", counter["name"], "--json").code == 0) == counter["available"]
        assert counter["exact"] == counter["name"].startswith("tiktoken:")


def test_usual_mistakes_are_found(cli, monkeypatch):
    monkeypatch.setenv("TURNGRAPH_MODEL_MAX_TOKENS", "-1")
    monkeypatch.setenv("TURNGRAPH_MODEL_MAX_TOKEN", "5000")
    monkeypatch.setenv("TURNGRAPH_MODE", "turbo")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/nowhere")

    problems = "\n".join(cli("doctor", "--json").document["problems"])

    assert "TURNGRAPH_MODEL_MAX_TOKENS must be" in problems
    assert "TURNGRAPH_MODEL_MAX_TOKEN is set, but nothing reads it" in problems
    assert "'turbo'" in problems
    assert "/nowhere" in problems


def test_a_mode_for_debugging_is_mentioned(cli, monkeypatch):
    monkeypatch.setenv("TURNGRAPH_MODE", "shadow")

    assert "'shadow' is set" in cli("doctor").out


def test_every_variable_of_the_budget_is_known_to_be_read(cli, monkeypatch):
    without = {"per_source", "prune_arguments", "summary_fallback", "learned_limit_tokens"}
    for name in Budget.model_fields.keys() - without:
        value = getattr(Budget(), name)
        monkeypatch.setenv(f"TURNGRAPH_{name.upper()}", str(value) if value is not None else "1000")

    assert cli("doctor", "--json").document["problems"] == []


def test_the_page_is_readable(cli):
    out = cli("doctor").out

    assert f"turngraph  {__version__}" in out
    assert "claude-code" in out
    assert "\x1b" not in out
