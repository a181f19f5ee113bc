"""A long session: prompts, steps with results of any size, the returned history carried from turn to turn."""

from dataclasses import dataclass, field
from random import Random

from turngraph import Assembler, Assembly, Budget, History, MemoryOutputStore, Message, ToolCall

from .scenarios import COUNTERS, GOOD_SUMMARY, Plugged


@dataclass
class Session:
    """What happened so far."""

    assembler: Assembler
    store: MemoryOutputStore
    summarizer: Plugged | None
    history: History = field(default_factory=History)
    prompts: dict[str, str] = field(default_factory=dict)
    """Id → text of every prompt of the user."""
    bodies: dict[str, str] = field(default_factory=dict)
    """Id → body of every result."""
    summaries: int = 0
    passes: int = 0
    folds: int = 0
    turns: int = 0
    sent: list[Message] = field(default_factory=list)
    """The messages of the last input."""
    appended: int = 0
    """Tokens that were appended."""

    def assemble(self) -> Assembly:
        done = self.assembler.attempt(self.history)
        self.turns += 1
        self.summaries += done.report.as_json()["calls"]["summary"]
        self.passes += done.report.pressure.reason != "none"
        self.folds += done.report.folded is not None
        self.history = done.history
        return done

    def append(self, *messages: Message) -> None:
        self.history = self.history.append(*messages)
        self.appended += sum(self.assembler.pricer.message(message) for message in messages)


def start(random: Random, limit: int, *, counter: str = "thirds", model: bool = False, **more: object) -> Session:
    """A session with that limit; `model`: a summariser that answers briefly, else the extractive one."""
    store = MemoryOutputStore()
    summarizer = Plugged([GOOD_SUMMARY]) if model else None
    assembler = Assembler(
        budget=Budget(model_max_tokens=limit + 1, output_reserve_tokens=1, **more),
        outputs=store,
        counter=COUNTERS[counter](),
        summarizer=summarizer if summarizer is not None else ...,
    )
    return Session(assembler, store, summarizer)


def words(random: Random, size: int) -> str:
    """A text of about `size` characters that no other text of the session is equal to."""
    word = random.choice(("alpha ", "路径 ", "0x3f2b ", "résumé ", "line\n"))
    return f"[{random.getrandbits(64):016x}] " + word * (size // len(word))


def prompt(session: Session, random: Random, size: int) -> None:
    text = words(random, size)
    session.append(Message.user(text))
    session.prompts[session.history[-1].id] = text


def step(session: Session, random: Random, sizes: list[int]) -> None:
    """A step with one call per size; the ids repeat from step to step, as they do."""
    calls = [ToolCall(id=f"call_{at}", name="read", arguments={"path": words(random, 20)}) for at in range(len(sizes))]
    session.append(Message.assistant(words(random, 60), calls=calls))
    for call, size in zip(calls, sizes, strict=True):
        body = words(random, size)
        session.append(Message.tool(call.id, body))
        session.bodies[session.history[-1].id] = body
