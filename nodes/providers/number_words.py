"""What the words beside a number say about it."""

from typing import Final

__all__ = ["BEFORE", "BEHIND", "DIRECTLY", "OBJECTS", "WINDOW"]

WINDOW: Final = frozenset(
    {"context", "window", "n_ctx", "num_ctx", "ctx", "context_window", "context_length", "max_model_len", "max_seq_len"}
)
"""A limit near one of these is the model's window."""

_BEFORE: Final = {
    "limit": "limit limits limited maximum max allowed allows most than exceed exceeds exceeded exceeding context"
    " window n_ctx num_ctx ctx supports support supported only cap up available available_tokens budget ceiling"
    " max_seq_len context_window context_length max_model_len max_context_length equal below under over within capacity"
    " accepts afford <= <",
    "asked": "requested requesting resulted requires needs totaling totals",
    "found": "contains contain contained has have had received got given actual actually provided passed sent current"
    " currently using uses requested_tokens was found supplied",
    "in": "n_prompt_tokens input_tokens prompt_tokens",
    "used": "used",
    "output": "max_tokens max_completion_tokens max_output_tokens max_new_tokens max_tokens_to_sample maxtokens"
    " maxoutputtokens maxcompletiontokens maxnewtokens num_predict n_predict max_gen_len max_gen_tokens generating"
    " generate generation",
    "weak": "input inputs prompt prompts request message messages conversation history text query sequence chat"
    " question payload body image images size long large total",
    "weak_output": "output completion output_tokens completion_tokens",
    "stop": "code status error http id line column char position index again retry wait after version tier trace"
    " characters chars",
}  # fmt: skip
BEFORE: Final = {word: role for role, words in _BEFORE.items() for word in words.split()}
"""Role by word, read from the number towards the left. `weak` holds only if nothing further left decides; behind a
`stop` word a number counts nothing."""
DIRECTLY: Final = {"by": "over", "not": "found", "per": "stop"}
"""Role by the word directly before the number, whatever stands further left."""

_BEHIND: Final = {
    "in": "messages prompt prompts inputs input history conversation",
    "functions": "functions function tool tools schemas definitions",
    "output": "completion completions output outputs response generated generation reply new max_tokens max_new_tokens"
    " max_completion_tokens max_output_tokens",
    "limit": "maximum max limit",
    "characters": "characters chars",
    "subject": "exceeds exceed exceeded exceeding",
    "past": "is are but however which and while that longer greater larger cannot for"
    " than whereas or so too more given allowed after a per have has was as , ; : ( +",
}  # fmt: skip
OBJECTS: Final = frozenset(
    {"the", "this", "model", "models", "its", "your", "our", "their", "maximum", "max", "that", "a"}
)
"""Words that begin the object of `exceeds`."""
BEHIND: Final = {word: role for role, words in _BEHIND.items() for word in words.split()}
"""Part by word, read from the number towards the right; behind a `past` word the sentence has moved on."""
