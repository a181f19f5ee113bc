"""A trace document under the names that questions are asked by: what is where, and what became of it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from ...state.checkpoint import parse_checkpoint
from ...state.formats.json_values import is_array, is_object
from ...state.outputs import find_refs

__all__ = ["Json", "TraceIndex", "refs_in", "texts_in"]

Json = Mapping[str, Any]


class TraceIndex:
    """Reads a document that `check_document` let pass; looking something up costs one pass over it at most."""

    def __init__(self, document: Json) -> None:
        self.document = document
        self.config: Json = document["contextConfig"]
        self.rendered: Json = document["renderedContext"] or {}
        self.error: Json | None = document.get("error")
        self.sent: bool = document["llmInput"] is not None
        """Whether anything was sent."""
        self.in_shadow: bool = self.config["mode"] == "shadow"

    @cached_property
    def input(self) -> Mapping[str, Json]:
        """What was sent, by message id."""
        return {message["id"]: message for message in _items(self.document["llmInput"], "messages")}

    @cached_property
    def history(self) -> Mapping[str, Json]:
        """The history as the run left it, by message id; whole messages."""
        entries = _items(self.rendered, "history")
        return {entry["id"]: self.input.get(entry["id"], entry) if len(entry) == 1 else entry for entry in entries}

    @cached_property
    def as_it_stands(self) -> frozenset[str]:
        """Ids of the messages of the history that were sent as they stand in it."""
        return frozenset(entry["id"] for entry in _items(self.rendered, "history") if len(entry) == 1)

    @cached_property
    def leading(self) -> frozenset[str]:
        """Ids of the system messages that lead the history: their text goes into the system prompt."""
        found: list[str] = []
        for name, message in self.history.items():
            if message.get("role") != "system":
                break
            found.append(name)
        return frozenset(found)

    @cached_property
    def compaction(self) -> Json:
        """What the pressure handling did; empty if the run did not come so far."""
        return _object(self.rendered, "compaction")

    @cached_property
    def summary(self) -> Json:
        """What was folded."""
        return _object(self.compaction, "summary")

    @cached_property
    def pruned(self) -> Sequence[Json]:
        """Bodies that became previews in this turn."""
        return _items(self.compaction, "pruned")

    @cached_property
    def covered(self) -> Sequence[str]:
        """Ids of the messages that this turn folded."""
        return cast("Sequence[str]", self.summary.get("covered", ()))

    @cached_property
    def windowed(self) -> frozenset[str]:
        """Ids of the messages that the window left out."""
        window = _object(_object(self.rendered, "statistics"), "window")
        return frozenset(cast("Sequence[str]", window.get("removed", ())))

    @cached_property
    def contributors(self) -> Mapping[str, Json]:
        """Who was asked, by id."""
        return {item["contributorId"]: item for item in self.document["collection"]["contributors"]}

    @cached_property
    def collected(self) -> Json:
        """What was contributed; empty if collecting failed."""
        return _object(self.document["collection"], "collected")

    @cached_property
    def sections(self) -> Mapping[str, Json]:
        """Contributed sections, by id."""
        return {item["id"]: item for item in _items(self.collected, "sections")}

    @cached_property
    def attachments(self) -> Mapping[str, Json]:
        """Contributed attachments, by id."""
        return {item["id"]: item for item in _items(self.collected, "attachments")}

    @cached_property
    def contributed(self) -> Mapping[str, Json]:
        """Contributed messages, by the id that they have or would have been given."""
        items = _items(self.collected, "messages")
        return {item.get("id") or f"contributed:{number}": item for number, item in enumerate(items)}

    @property
    def admitted(self) -> Json | None:
        """What the character budgets let in, `None` if the run did not come so far."""
        found: Json | None = self.document["admitted"]
        return found

    @cached_property
    def diagnostics(self) -> Sequence[Json]:
        """Everything that was lost, repaired or noticed."""
        return _items(self.rendered, "diagnostics") or _items(self.admitted, "diagnostics")

    def noted(self, item: str, *codes: str) -> Iterator[Json]:
        """Give the diagnostics about an item, of some codes."""
        for note in self.diagnostics:
            if note.get("id") == item and note["code"] in codes:
                yield note

    @cached_property
    def everywhere(self) -> Mapping[str, Json]:
        """All messages that the document holds, by id."""
        return {**self.history, **self.input}

    def folded_text(self, checkpoint: str) -> str | None:
        """Give the reference of the text that was folded into a checkpoint, `None` where none is kept."""
        for text in texts_in(self.everywhere.get(checkpoint, {}).get("content", ())):
            found = parse_checkpoint(text)
            if found is not None and found.transcript is not None:
                return found.transcript
        return None

    def messages_of_call(self, call_id: str) -> list[str]:
        """List the messages that make or answer a call of that id; ids of calls may come again."""
        found: list[str] = []
        for name, message in self.everywhere.items():
            for part in message.get("content", ()):
                if call_id in (part.get("call_id"), part.get("id") if part.get("type") == "tool_call" else None):
                    found.append(name)
                    break
        return found

    def messages_showing(self, ref: str) -> list[str]:
        """List the messages that name the reference of a stored output."""
        return [name for name, message in self.everywhere.items() if ref in refs_in(message.get("content", ()))]


def refs_in(value: Any) -> Iterator[str]:
    """Give the references in a JSON value, at every depth."""
    for text in texts_in(value):
        yield from find_refs(text)


def texts_in(value: Any) -> Iterator[str]:
    """Give the strings in a JSON value, at every depth, keys excluded."""
    if isinstance(value, str):
        yield value
    elif is_object(value):
        for item in value.values():
            yield from texts_in(item)
    elif is_array(value):
        for item in value:
            yield from texts_in(item)


def _object(value: Json | None, name: str) -> Json:
    return (value.get(name) if value is not None else None) or {}


def _items(value: Json | None, name: str) -> Sequence[Json]:
    return (value.get(name) if value is not None else None) or ()
