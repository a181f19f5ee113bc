"""Whatever a plugged tokenizer does, the run has a number for every text; what asks to stop is obeyed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph import Assembler, Budget, History, Image, MemoryOutputStore, Message, Text, ToolCall
from turngraph.state.tokens import ConservativeCounter, counter_named

from .scenarios import Panic, Panicking
from .texts import PALETTE, text


class Broken:
    """A counter that answers or raises what it is told."""

    name = "broken"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def count(self, text: str) -> object:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def session() -> History:
    return History(
        [
            Message.user("translate 请把这份报告翻译成中文"),
            Message.assistant("ok", calls=[ToolCall(id="c", name="read", arguments={"path": "é"})]),
            Message.tool("c", "body " * 500),
        ]
    )


@pytest.mark.parametrize("answer", [None, -1, 1.5, "7", True, Panic("panicked"), ValueError("bad"), RecursionError()])
def test_a_counter_that_gives_no_number_is_replaced_text_by_text_and_reported(answer):
    budget = Budget(model_max_tokens=9000, output_reserve_tokens=1)
    broken = Assembler(budget=budget, counter=Broken(answer)).assemble(session())
    ours = Assembler(budget=budget).assemble(session())

    assert broken.report.total_tokens == ours.report.total_tokens
    assert [item.code for item in broken.report.diagnostics] == ["TOKENIZER_FALLBACK"]


def test_a_panic_on_some_texts_only_leaves_the_others_to_the_counter():
    done = Assembler(budget=Budget(model_max_tokens=9000, output_reserve_tokens=1), counter=Panicking()).assemble(
        History([Message.user("abcdefgh")])
    )

    assert done.report.total_tokens == 4 + 2


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(2)])
def test_a_request_to_stop_is_no_failure_of_the_counter(error):
    with pytest.raises(type(error)):
        Assembler(budget=Budget(model_max_tokens=9000, output_reserve_tokens=1), counter=Broken(error)).assemble(
            session()
        )


@pytest.mark.parametrize("name", ["conservative", "tiktoken:o200k_base", "tiktoken:cl100k_base"])
@settings(max_examples=60)
@given(random=st.randoms(use_true_random=False))
def test_every_text_has_a_price(name, random):
    counter = counter_named(name)
    found = text(random)

    assert counter.count(found) >= (1 if found else 0)
    assert counter.count(found) == counter.count(found)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 9000), st.integers(1, 9000))
def test_an_image_costs_what_its_size_says_however_it_is_encoded(times, width, height):
    def price(data: str) -> int:
        image = Image(media_type="image/png", data=data, width=width, height=height)
        done = Assembler(budget=Budget(model_max_tokens=200_000)).assemble([Message.user([Text("look"), image])])
        return done.report.total_tokens

    assert price(PALETTE[8]) == price(PALETTE[8] * times)


@settings(max_examples=40)
@given(st.binary(min_size=300, max_size=3000))
def test_base64_as_text_is_priced_as_dense_as_it_is(data):
    from base64 import b64encode

    encoded = b64encode(data).decode()

    assert ConservativeCounter().count(encoded) >= len(encoded) * 0.5


def test_a_result_of_base64_text_is_seen_as_over_the_limit_before_a_provider_says_so():
    import random

    body = "".join(
        random.Random(3).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=60_000)
    )
    history = History(
        [
            Message.user("look"),
            Message.assistant("", calls=[ToolCall(id="c", name="read", arguments={})]),
            Message.tool("c", body),
            Message.assistant("done"),
        ]
    )
    store = MemoryOutputStore()
    done = Assembler(budget=Budget(model_max_tokens=20_001, output_reserve_tokens=1), outputs=store).assemble(history)

    assert done.report.pruned
    assert store.get(done.report.pruned[0].ref) == body
