"""Asking a contributor for one turn."""

from turngraph import ContributionRequest, History, Message, ToolCall
from turngraph.nodes.builtin import StateReads
from turngraph.state.durable import DurableState, hydrate


def ask(contributor, history=None, state=None, *, left_out=(), turn=3, scope="main"):
    """What the contributor gives; without a state that of the history."""
    history = history if history is not None else History()
    durable = state if state is not None else hydrate(history)
    return contributor.contribute(
        ContributionRequest(
            context_id="default",
            scope=scope,
            turn=turn,
            history=history,
            latest_user_input="",
            state=StateReads(contributor, durable, left_out),
        )
    )


def did(tool, *, id="c1", answer="fine", **arguments):
    """A call and its result."""
    call = ToolCall(id=id, name=tool, arguments=arguments)
    return [Message.assistant("", calls=[call]), Message.tool(id, answer)]


def contents(contribution):
    """The sections' contents."""
    return [section.content for section in contribution.sections]


EMPTY = DurableState()
