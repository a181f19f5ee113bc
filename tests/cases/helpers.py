"""Small inputs for the tests of the recorded cases: a counter that can be checked by hand, and shapes of histories."""

from collections.abc import Iterable, Sequence

from turngraph import Assembler, Budget, History, Message, ToolCall
from turngraph.testing import MemoryOutputStore, ScriptedSummarizer

SUMMARY = """\
## Primary request and intent
- tidy the repository
## Completed work and verified findings
- the log was read
## Evidence, artifacts, and references
(none)
## Decisions and constraints
(none)
## Failed or abandoned leads
(none)
## Pending requirements
(none)
## Optional leads
(none)
## Next step
- go on"""


class Quarters:
    """A quarter of a token per character, rounded up."""

    name = "quarters"

    def count(self, text: str) -> int:
        return -(-len(text) // 4)


def budget(limit: int, **more) -> Budget:
    """A budget whose effective input limit is `limit`."""
    return Budget(model_max_tokens=limit + 1, output_reserve_tokens=1, **more)


def assembler(limit: int, *replies, store: bool = True, **more) -> Assembler:
    """An assembler with that limit, a script for its summariser and a store in memory."""
    own = ("summarizer", "contributors", "counter", "model", "outputs")
    parts = {name: more.pop(name) for name in own if name in more}
    parts.setdefault("summarizer", ScriptedSummarizer(replies))
    parts.setdefault("outputs", MemoryOutputStore() if store else None)
    return Assembler(**({"budget": budget(limit, **more), "counter": Quarters()} | parts))


def call(name: str, tool: str = "read", **arguments) -> Message:
    """An assistant message with one call; the call's id is `name`."""
    return Message.assistant(f"step {name}", calls=[ToolCall(id=name, name=tool, arguments=arguments)])


def steps(count: int, characters: int, *, first: int = 0, letter: str = "x") -> list[Message]:
    """Closed steps c<first>, c<first + 1>, … with results of so many characters."""
    found: list[Message] = []
    for number in range(first, first + count):
        found += [call(f"c{number}"), Message.tool(f"c{number}", letter * characters)]
    return found


def history(*messages: str | Message | Sequence[Message]) -> History:
    """A history; a bare text is a user prompt."""
    flat: list[Message] = []
    for item in messages:
        flat += [Message.user(item)] if isinstance(item, str) else [item] if isinstance(item, Message) else item
    return History(flat)


def texts(messages: Iterable[Message], role: str | None = None) -> list[str]:
    """The texts of the messages of a role."""
    return [message.text for message in messages if role in (None, message.role)]


def pairing(messages: Iterable[Message]) -> list[str]:
    """Every way in which results do not follow their calls at once, in declared order; empty if all is well."""
    waiting: list[str] = []
    problems: list[str] = []
    for message in messages:
        if message.role == "tool":
            if not waiting or waiting.pop(0) != message.result.call_id:
                problems.append(f"{message.id} answers {message.result.call_id!r} out of place")
            continue
        if waiting:
            problems.append(f"{waiting} not answered before {message.id}")
        waiting = [part.id for part in message.calls]
    return problems + ([f"{waiting} not answered at the end"] if waiting else [])


def codes(assembly) -> list[str]:
    """The codes of all diagnostics, in order."""
    return [item.code for item in assembly.report.diagnostics]
