"""render: join the system prompt and settle the tool table."""

from ..state.given import Given
from ..state.history import History
from ..state.node import Outcome, View
from ..state.outputs import READ_TOOL_OUTPUT_SPEC
from ..state.pricing import Pricer
from ..state.products import Admitted, Prompt
from ..state.sections import ToolSpec
from .services import AssemblyServices

__all__ = ["Rendered", "governed_tools", "reader_tokens", "render"]

READ_TOOL_OUTPUT = ToolSpec(
    name=READ_TOOL_OUTPUT_SPEC["name"],
    description=READ_TOOL_OUTPUT_SPEC["description"],
    parameters=READ_TOOL_OUTPUT_SPEC["parameters"],
)


class RenderView(View):
    """What was admitted, and what the history shows."""

    history: History
    admitted: Admitted
    given: Given


class Rendered(Outcome):
    """The prompt is text."""

    prompt: Prompt


def governed_tools(tools: tuple[ToolSpec, ...], *, stored: bool, history: History) -> tuple[ToolSpec, ...]:
    """Give the tool set that the model must be shown: the caller's, and `read_tool_output` once it has a use."""
    if not stored or not history.shows_reference or any(tool.name == READ_TOOL_OUTPUT.name for tool in tools):
        return tools
    return (*tools, READ_TOOL_OUTPUT)


def reader_tokens(prompt: Prompt, pricer: Pricer) -> int:
    """Price what the first reference in the history adds to the tool table; 0 when it is there already."""
    if any(tool.name == READ_TOOL_OUTPUT.name for tool in prompt.tools):
        return 0
    return pricer.tools((READ_TOOL_OUTPUT,))


def render(view: RenderView, services: AssemblyServices) -> Rendered:
    """Put the history's own system text first in slot identity, then the sections, joined by one newline."""
    own = view.history.system_text
    texts = [section.content for section in view.admitted.sections if section.content]
    system = "\n".join([own, *texts] if own else texts)
    ids = [section.id for section in view.admitted.sections]
    tools = governed_tools(view.given.tools, stored=services.outputs is not None, history=view.history)
    pricer = services.pricer
    return Rendered(
        prompt=Prompt(
            system=system,
            section_ids=tuple(["history.system", *ids] if own else ids),
            tools=tools,
            system_tokens=pricer.system(system),
            tools_tokens=pricer.tools(tools),
        )
    )
