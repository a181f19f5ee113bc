"""`turngraph output show`."""

import pytest

from turngraph.state.outputs import FileOutputStore, default_output_dir

TEXT = "".join(f"line {number}: Grüße, 世界\n" for number in range(1, 501))


@pytest.fixture
def ref():
    return FileOutputStore(default_output_dir()).put(TEXT, tool="read_log")


def test_lines_are_printed_as_they_are(cli, ref):
    ran = cli("output", "show", ref, "--lines", "2:3")

    assert ran.code == 0
    assert ran.out == "line 2: Grüße, 世界\nline 3: Grüße, 世界\n"
    assert "lines 2 to 3 of 500" in ran.err


def test_characters_are_half_open_from_0(cli, ref):
    assert cli("output", "show", ref, "--chars", "0:6").out == "line 1\n"


def test_a_query_finds_any_case(cli, ref):
    document = cli("output", "show", ref, "--query", "LINE 250:", "--json").document

    assert document["mode"] == "query"
    assert [match["line"] for match in document["matches"]] == [250]


def test_the_page_has_the_keys_of_the_contract(cli, ref):
    document = cli("output", "show", ref, "--json").document

    assert list(document) == ["ref", "tool", "mode", "text", "range", "total", "truncated"]
    assert document["tool"] == "read_log"
    assert document["text"] == TEXT
    assert document["range"] == [1, 500]


def test_a_range_past_the_end_is_an_empty_page(cli, ref):
    ran = cli("output", "show", ref, "--lines", "900:901")

    assert (ran.code, ran.out) == (0, "")
    assert "nothing there" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["not-a-ref"], "output_ref_malformed", 1),
        (["tool-output-" + "0" * 32], "output_ref_unknown", 1),
        (["{ref}", "--lines", "1:2", "--chars", "0:3"], "usage", 2),
        (["{ref}", "--query", "  "], "usage", 2),
        (["{ref}", "--lines", "three"], "usage", 2),
        (["{ref}", "--lines", "3:1"], "usage", 2),
        ([], "usage", 2),
    ],
)
def test_what_cannot_be_given_is_an_error_document(cli, ref, arguments, code, exit_code):
    given = [argument.replace("{ref}", ref) for argument in arguments]

    ran = cli("output", "show", *given, "--json")

    assert ran.code == exit_code
    assert set(ran.document) == {"ok", "error"}
    assert ran.document["error"]["code"] == code
    assert cli("output", "show", *given).out == ""


def test_an_expired_body_has_a_code_of_its_own(cli, ref):
    FileOutputStore(default_output_dir()).expire(ref)

    assert cli("output", "show", ref, "--json").document["error"]["code"] == "output_ref_expired"


def test_what_an_assembly_pruned_can_be_read_whole(cli, example):
    pruned = cli("assemble", example, "--window", 8000, "--json").document["report"]["compaction"]["pruned"]

    assert len(pruned) > 5
    for item in pruned:
        page = cli("output", "show", item["ref"], "--json").document
        assert page["text"]


def test_another_store_can_be_named(cli, tmp_path):
    ref = FileOutputStore(tmp_path / "other").put("elsewhere")

    assert cli("output", "show", ref, "--outputs", tmp_path / "other").out == "elsewhere\n"
    assert cli("output", "show", ref).code == 1


def test_the_command_that_a_report_names_works(cli, example, tmp_path):
    import shlex

    for options in ([], ["--outputs", tmp_path / "a store"]):
        out = cli("assemble", example, "--window", 8000, *options).out
        command = " ".join(out.partition("turngraph output show")[2].partition("\n\n")[0].split())
        ran = cli("output", "show", *shlex.split(command))

        assert ran.code == 0
        assert ran.out
