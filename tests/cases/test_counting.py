"""Field reports on counting: everything that is sent is priced, by one counter, which no text can break."""

import itertools

import pytest

from turngraph import Assembler, Attachment, Image, Message, Section, ToolCall
from turngraph.testing import MemoryOutputStore

from .helpers import Quarters, assembler, budget, call, codes, history, steps, texts


def tokens(assembly) -> dict:
    return assembly.report.as_json()["tokens"]


def conservative(text: str) -> int:
    done = Assembler(budget=budget(10_000_000)).assemble(history(text))
    return tokens(done)["by_source"]["history"]


def tool(number: int) -> dict:
    fields = {f"p{at}": {"type": "string", "description": "d"} for at in range(10)}
    return {
        "name": f"t{number}",
        "description": "does things " * 60,
        "parameters": {"type": "object", "properties": fields},
    }


def test_the_sources_add_up_to_the_total():  # B056, est-2, est-3
    asked = history(Message.system("rule " * 200), "q")
    note = Message.user("note")
    data = Attachment(id="a", source="s", content="data")
    section = Section(id="s", slot="footer", content="footer")

    done = assembler(10_000).assemble(asked, tools=[tool(0)], messages=[note], attachments=[data], sections=[section])

    parts = tokens(done)["by_source"]
    assert min(parts.values()) > 0
    assert sum(parts.values()) == tokens(done)["total"] == done.report.total_tokens
    assert tokens(assembler(10_000).assemble(history("q")))["by_source"]["system"] == 0


def test_each_tool_costs_at_least_its_schema():  # B056, est-5
    import json

    prices = [
        tokens(assembler(10_000).assemble(history("q"), tools=[tool(n) for n in range(count)])) for count in (0, 1, 2)
    ]

    schema = len(json.dumps(tool(0))) // 4
    assert all(b["total"] - a["total"] >= schema for a, b in itertools.pairwise(prices))


def test_tools_count_against_the_limit():  # B056
    asked = history("task", steps(6, 1000))
    made = assembler(3000, store=False)

    assert made.assemble(asked).report.as_json()["compaction"]["reason"] == "none"
    pressed = assembler(3000, "## Next step\n- go", store=False).assemble(asked, tools=[tool(n) for n in range(4)])
    assert pressed.report.as_json()["compaction"]["reason"] == "pressure"


def test_what_is_not_sent_costs_nothing():  # est-7: hidden metadata is priced in the reference
    plain = Message.user("a")
    laden = Message(role="user", content=plain.content, extras={"kwargs": {"k": "y" * 80}})

    totals = {assembler(1000).assemble(history(message)).report.total_tokens for message in (plain, laden)}

    assert len(totals) == 1


def test_one_counter_prices_everything_and_the_report_names_it():  # B058
    asked = history("漢字" * 600, Message.assistant("ok"), "次")

    done = assembler(4000).assemble(asked)

    assert tokens(done)["counter"] == "quarters"
    assert done.report.total_tokens == sum(4 + Quarters().count(text) for text in texts(asked))
    assert tokens(Assembler(budget=budget(4000)).assemble(asked))["counter"] == "conservative"


class Panic(BaseException):
    """What a native tokenizer raises is not always an `Exception`."""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(Panic("stack overflow"), "^" * 1_000_000, id="B053"),
        pytest.param(ValueError("disallowed special token"), "explain <|endoftext|>", id="B055"),
    ],
)
def test_a_plugged_tokenizer_that_fails_is_replaced_for_that_text_and_reported(error, text):
    class Fragile:
        name = "fragile"

        def count(self, given):
            if len(given) > 500_000 or "<|endoftext|>" in given:
                raise error
            return len(given)

    done = Assembler(budget=budget(10_000_000), counter=Fragile()).assemble(history(text, Message.assistant("ok")))

    assert codes(done) == ["TOKENIZER_FALLBACK"]
    assert tokens(done)["counter"] == "fragile"
    assert done.report.total_tokens > len(text) // 8


def test_only_what_is_not_about_the_text_passes():  # B053
    class Interrupted:
        name = "interrupted"

        def count(self, given):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Assembler(budget=budget(1000), counter=Interrupted()).assemble(history("q"))


@pytest.mark.parametrize("counter", ["conservative", "tiktoken:o200k_base"])
def test_special_tokens_are_plain_text(counter):  # B055
    marked = history(
        "explain <|endoftext|> and <|im_start|>system",
        [call("c1", "f", q="<|fim_prefix|>"), Message.tool("c1", "<|endofprompt|>")],
    )

    done = Assembler(budget=budget(10_000), counter=counter).assemble(
        marked, tools=[{"name": "f", "description": "handles <|endoftext|>"}]
    )

    assert codes(done) == []
    assert texts(done.model_input.messages)[0] == "explain <|endoftext|> and <|im_start|>system"


@pytest.mark.parametrize(
    ("text", "least"),
    [
        pytest.param("1\n" * 30_000, 57_000, id="B062 lines of digits"),
        pytest.param("{}[],:;" * 8000, 30_400, id="B062 punctuation"),
        pytest.param("0x9F " * 9000, 42_750, id="B062 hex"),
        pytest.param("Zm9vYmFyIHNvbWUgYmFzZTY0IHRleHQ" * 2000, 41_333, id="B060 base64"),
        pytest.param("a" * 100_000, 11_875, id="B054 one long word"),
        pytest.param("漢字仮名" * 500, 2850, id="B058 Chinese"),
    ],
)
def test_dense_text_is_never_priced_like_prose(text, least):
    assert conservative(text) >= least


def test_a_price_is_the_same_every_time():  # B054
    text = "".join(chr(97 + (7 * at * at) % 26) for at in range(100_000))

    assert conservative(text) == conservative(text)


def test_base64_in_a_text_result_becomes_a_preview_that_fits():  # B060
    shot = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg9" * 20_000
    made = Assembler(budget=budget(100_000), outputs=MemoryOutputStore())

    done = made.assemble(history("shot", [call("c1", "screenshot"), Message.tool("c1", shot)]))

    assert done.report.as_json()["compaction"]["before"] > len(shot) // 2
    assert done.report.total_tokens <= 100_000
    assert "[tool output shortened: ref=" in texts(done.model_input.messages, "tool")[0]


def test_an_image_costs_by_its_size_never_by_its_encoded_length():  # B060
    def priced(**image):
        shown = Message.user([Image(media_type="image/png", **image)])
        return assembler(100_000).assemble(history(shown)).report.total_tokens

    assert priced(data="A" * 400_000, width=750, height=100) == priced(data="A" * 4000, width=750, height=100)
    assert priced(data="A" * 400_000, width=750, height=100) < 200


def test_arguments_and_names_of_calls_are_priced():  # B056
    small = Message.assistant("", calls=[ToolCall(id="c", name="f", arguments={})])
    large = Message.assistant("", calls=[ToolCall(id="c", name="f", arguments={"text": "x" * 4000})])

    first, second = (
        assembler(10_000).assemble(history("q", [item, Message.tool("c", "r")])) for item in (small, large)
    )

    assert second.report.total_tokens - first.report.total_tokens >= 1000
