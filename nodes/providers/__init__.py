"""Model providers: the one classifier of their errors."""

from .classes import TRIGGERS, Classified, ErrorClass, Trigger
from .errors import classify
from .facts import ErrorFacts, Source, facts_from_json
from .raised import facts_from_exception

__all__ = [
    "TRIGGERS",
    "Classified",
    "ErrorClass",
    "ErrorFacts",
    "Source",
    "Trigger",
    "classify",
    "facts_from_exception",
    "facts_from_json",
]
