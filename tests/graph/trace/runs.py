"""Assemblies to trace: a counter that can be checked by hand, one fixed moment."""

from datetime import UTC, datetime

from turngraph import Assembler, Budget, MemoryOutputStore, Message, ToolCall

NOW = datetime(2026, 3, 14, 15, 9, 26, 535_000, tzinfo=UTC)
GOOD = "## Completed work and verified findings\nread the parts\n## Next step\ngo on"
OVERFLOW = {
    "error": {
        "status": 400,
        "body": {"error": {"code": "context_length_exceeded", "message": "maximum context length is 8000 tokens"}},
    }
}


class Quarters:
    name = "quarters"

    def count(self, text):
        return -(-len(text) // 4)


def session(steps=12, size=2000, prompt="Tell me what is wrong."):
    """A prompt, then `steps` calls with results of `size` characters."""
    messages = [Message.user(prompt)]
    for number in range(steps):
        messages.append(Message.assistant(calls=[ToolCall(id=f"c{number}", name="read", arguments={"n": number})]))
        messages.append(Message.tool(f"c{number}", f"part {number} " + "word " * (size // 5)))
    return messages


def assembler(*, window=4000, reserve=500, store=True, contributors=(), model=None, summarizer=..., **budget):
    return Assembler(
        budget=Budget.resolve(
            argument={"model_max_tokens": window, "output_reserve_tokens": reserve, **budget}, env={}
        ),
        outputs=MemoryOutputStore() if store else None,
        contributors=contributors,
        model=model,
        summarizer=summarizer,
        counter=Quarters(),
        mode="dynamic",
        clock=float,
    )
