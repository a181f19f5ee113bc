"""Random runs of an agent through the boundary: prompts, steps, results in any order, interim ones, folds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from turngraph import History, Message, Text, ToolCall, ToolResult
from turngraph.nodes.boundary import ToolResultBoundary
from turngraph.state.durable import DEFAULT_RULES, EMPTY_STATE, DurableRules, DurableState, SkillCatalogue, hydrate

CATALOGUE = SkillCatalogue.from_json([{"id": "s1", "revision": 3}, {"id": "s2", "revision": "b"}])
IDS = ("c0", "c1", "c2", "call_0", "编号")
STEP = {"step": "look", "status": "pending"}
CALLS = (
    ("bash", {}),
    ("task", {"description": "screen"}),
    ("task", {"description": "x" * 4000}),
    ("update_plan", {"plan": [STEP]}),
    ("update_plan", {"plan": [STEP, STEP], "explanation": "why"}),
    ("update_plan", {"plan": []}),
    ("update_plan", {"plan": "none"}),
    ("read_skill", {"skillId": "s1"}),
    ("read_skill", {"skillId": "s2"}),
    ("read_skill", {"skillId": "unlisted"}),
    ("declare_artifact", {"path": "a.md"}),
    ("query_graph", {"query": "TP53"}),
    ("review_checkpoint", {}),
    ("run_contract", {"objective": "review"}),
)
ANSWERS = (
    ("fine", False),
    ('{"a":[1,2.5,null]}', False),
    ('{"ok":false}', False),
    ('{"error":{"code":"X"}}', False),
    ('{"error":"x"}', False),
    ("boom", True),
    ("x" * 5000, False),
    ('{"ok":true,"superseded":true}', False),
    ('"\\ud800"', False),
    ("\ud83d\ude00 \ud800", False),
    ("", False),
)

small = st.integers(0, 10_000)
operations = st.lists(
    st.tuples(st.sampled_from(["prompt", "step", "complete", "complete", "complete", "interim"]), small), max_size=40
)
"""What happens, and a number that says to whom and how."""


@dataclass
class Run:
    """An agent run under way."""

    rules: DurableRules = DEFAULT_RULES
    unique: bool = False
    history: History = field(default_factory=History)
    boundary: ToolResultBoundary = field(init=False)
    stages: list[History] = field(default_factory=list)
    given: int = 0

    def __post_init__(self):
        self.boundary = ToolResultBoundary(rules=self.rules, catalogue=CATALOGUE)

    def fresh_id(self) -> str:
        self.given += 1
        return f"n{self.given}"

    def do(self, operation: tuple[str, int]) -> None:
        kind, number = operation
        if kind == "prompt":
            self.history = self.history.append(Message.user(f"do {number}", id=self.fresh_id()))
        elif kind == "step":
            self.step(number)
        elif pending := self.boundary.pending():
            message_id, call = pending[number % len(pending)]
            text, failed = ANSWERS[number // 7 % len(ANSWERS)]
            given = ToolResult(call_id=call.id, content=(Text(text),), is_error=failed, interim=kind == "interim")
            done = self.boundary.complete(call.id, given, message_id=message_id)
            self.history = self.history.extend(done.messages)
        self.stages.append(self.history)

    def step(self, number: int) -> None:
        calls = []
        for at in range(1 + number % 4):
            name, arguments = CALLS[(number // 3 + at * 5 + at * at) % len(CALLS)]
            id = self.fresh_id() if self.unique else IDS[(number // 11 + at * (number % 3)) % len(IDS)]
            calls.append(ToolCall(id=id, name=name, arguments=arguments))
        self.history = self.history.append(Message.assistant("", calls=calls, id=self.fresh_id()))
        self.boundary.declare(self.history[-1])


def played(script: Sequence[tuple[str, int]], rules: DurableRules = DEFAULT_RULES, *, unique: bool = False) -> Run:
    """Play a script to its end; `unique`: no call id comes twice."""
    run = Run(rules, unique)
    for operation in script:
        run.do(operation)
    return run


def hydrated(history: History, state: DurableState = EMPTY_STATE, rules: DurableRules = DEFAULT_RULES) -> DurableState:
    """Hydrate with the catalogue of the runs."""
    return hydrate(history, state, rules=rules, catalogue=CATALOGUE)


def folded(history: History, keep: int) -> History:
    """Fold the closed steps but the newest `keep`, as `fold` does: checkpoint, open steps, the rest."""
    end = max(0, history.step_count - keep)
    gone = {at for step in history.steps(0, end) if step.closed for at in step.positions}
    if not gone:
        return history
    border = max(step.head for step in history.steps(0, end) if step.closed)
    summary = Message(role="user", content=(Text("summary"),), id=history.next_id(), name="summary")
    carried = [history[at] for at in range(border) if at not in gone]
    return history.rebuilt([summary, *carried, *[history[at] for at in range(border, len(history)) if at not in gone]])
