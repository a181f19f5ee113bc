"""Where the inputs stand, and short ways to say what was read."""

from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "formats"


def outline(messages):
    """Say of each message its role, its origin where that is not the usual one, and its parts."""
    return [
        " ".join([message.role, *_origin(message), *(_part(part) for part in message.content)]) for message in messages
    ]


def _origin(message):
    usual = {"system": "unknown", "user": "prompt"}.get(message.role, message.role)
    return [] if message.origin.kind == usual else [f"({message.origin.kind})"]


def _part(part):
    kind = type(part).__name__
    match kind:
        case "Text":
            return repr(part.text)
        case "ToolCall":
            return f"{part.id}:{part.name}{part.arguments}"
        case "ToolResult":
            failed = "!" if part.is_error else ""
            return f"{part.call_id}={failed}{' '.join(_part(inner) for inner in part.content)}"
        case "Reasoning":
            return f"<{part.text}|{part.signature}|{part.encrypted}>"
        case "Opaque":
            return f"?{part.format}"
        case _:
            return f"[{kind} {part.media_type}]"


def said(diagnostics):
    """Give the messages of diagnostics."""
    return [one.message for one in diagnostics]
