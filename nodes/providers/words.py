"""The vocabulary of provider errors: which word belongs to which family, and text cut into sentences of families.

A rule asks for families that meet in one sentence, not for a sentence that somebody once saw. Each family is one bit,
so that a rule costs a comparison of integers and the patterns behind it run only where they can match.
"""

import re
from typing import Final, TypeAlias

__all__ = [
    "AUTH",
    "BODY",
    "BYTES",
    "CHARACTERS",
    "CONTEXT",
    "CRASH",
    "EMBEDDING",
    "EMPTY",
    "EXCEED",
    "FIT",
    "HEDGE",
    "IMAGE",
    "INVALID",
    "JSON",
    "LARGE",
    "LENGTH",
    "LIMIT",
    "MESSAGE",
    "MESSAGES",
    "MINIMUM",
    "MORE",
    "MUCH",
    "MUST",
    "OUTPUT",
    "OUTPUT_CAP",
    "OVERLOAD",
    "PERIOD",
    "PLAN",
    "PROMPT",
    "QUOTA",
    "RANGE",
    "RATE",
    "REDUCE",
    "REQUEST",
    "ROLE",
    "SAFETY",
    "SERVER",
    "STRING",
    "THINKING",
    "TIMEOUT",
    "TOKEN",
    "TOO",
    "TOOL",
    "Sentence",
    "sentences",
]

(
    TOKEN, CONTEXT, PROMPT, MESSAGE, MESSAGES, LENGTH, LARGE, MUCH, TOO, EXCEED, MORE, LIMIT, MINIMUM, REDUCE, FIT,
    RANGE, OUTPUT_CAP, OUTPUT, BYTES, BODY, REQUEST, IMAGE, STRING, CHARACTERS, RATE, PERIOD, QUOTA, PLAN, OVERLOAD,
    TIMEOUT, AUTH, SAFETY, TOOL, THINKING, ROLE, EMPTY, JSON, INVALID, MUST, SERVER, CRASH, HEDGE, EMBEDDING,
) = [1 << bit for bit in range(43)]  # fmt: skip

_WORDS: Final = (
    (TOKEN, "token tokens toks"),
    (CONTEXT, "context contexts ctx n_ctx num_ctx n_ctx_slot max_model_len max_position_embeddings max_seq_len"),
    (PROMPT, "prompt prompts input inputs conversation history transcript dialog dialogue contents sequence query"),
    (PROMPT, "question instructions messages chat convo"),
    (MESSAGE, "message"),
    (MESSAGES, "messages message turns items contents history list array"),
    (LENGTH, "length lengths long longer size sizes count maxlength max_length max_position_embeddings"),
    (LARGE, "long large big"),
    (MUCH, "many much"),
    (TOO, "too"),
    (EXCEED, "exceed exceeds exceeded exceeding overflow overflows overflowed overran surpass surpasses surpassed"),
    (MORE, "longer larger greater bigger more above over beyond higher than oversized outside"),
    (LIMIT, "limit limits limited maximum max maximal cap ceiling allowed most up less fewer only supports supported"),
    (LIMIT, "reached lower within maxlength max_length smaller"),
    (MINIMUM, "minimum least min"),
    (REDUCE, "reduce reducing shorten shorter decrease trim truncate compress shrink smaller"),
    (FIT, "fit fits room space filled full fill fills small overrun requires"),
    (RANGE, "range between"),
    (OUTPUT_CAP, "max_tokens max_completion_tokens max_output_tokens max_new_tokens max_tokens_to_sample maxtokens"),
    (OUTPUT_CAP, "maxoutputtokens maxcompletiontokens maxnewtokens num_predict n_predict max_gen_len max_gen_tokens"),
    (OUTPUT, "output outputs completion completions generated generation response new maximum max requested"),
    (BYTES, "byte bytes kb mb gb kib mib gib megabyte megabytes kilobytes pixel pixels dimension dimensions"),
    (BODY, "body payload entity upload file files page pages pdf document documents attachment base64 data"),
    (REQUEST, "request requests received message content text"),
    (IMAGE, "image images picture pictures photo photos media attachments screenshots"),
    (STRING, "string strings array list"),
    (CHARACTERS, "character characters chars codepoints"),
    (RATE, "rate ratelimit throttle throttled throttling requests rpm tpm rpd tpd qps qpm tps rps per wait slow retry"),
    (RATE, "try quickly frequent frequently frequency concurrent concurrency exhausted tier"),
    (RATE, "minute minutes second hour day"),
    (PERIOD, "minute minutes second seconds hour hours day days daily week weekly month monthly period cycle hourly"),
    (QUOTA, "quota quotas balance credit credits billing payment funds spend spending usage budget arrears arrearage"),
    (QUOTA, "overdue suspended recharge top period cycle daily weekly monthly hourly insufficient free reset today"),
    (PLAN, "plan plans subscription subscriptions tier credit credits beta upgrade paid extra membership"),
    (OVERLOAD, "overload overloaded capacity demand load loading traffic ready busy warming slot slots booting"),
    (TIMEOUT, "timeout timeouts timed deadline etimedout took expired stalled time"),
    (AUTH, "key keys apikey api_key unauthorized unauthorised authentication authenticate authenticated authorization"),
    (AUTH, "authorized credential credentials permission permissions access denied forbidden oauth bearer expired"),
    (AUTH, "signature security revoked"),
    (SAFETY, "filter filtered filtering safety moderation policy policies inappropriate flagged prohibited guidelines"),
    (SAFETY, "inspection sensitive recitation blocked unsafe guardrail guardrails harmful risk cybersecurity violates"),
    (SAFETY, "refusal violation"),
    (TOOL, "tool tool_use tool_uses tool_result tool_results tool_call tool_calls tool_call_id tool_call_ids"),
    (TOOL, "tool_use_id toolresult tooluse toolconfig toolcall tooluseid function function_call function_call_output"),
    (TOOL, "functionresponse functioncall function_response call_id"),
    (THINKING, "thinking redacted_thinking signature thought_signature thoughtsignature reasoning reasoning_content"),
    (THINKING, "encrypted encrypted_content item"),
    (ROLE, "role roles alternate alternating user assistant prefill conversation system developer empty"),
    (ROLE, "text part parts content contents message messages turn turns first last final block blocks short"),
    (EMPTY, "empty nonempty blank whitespace null specified required missing short least either oneof initialized"),
    (EMPTY, "expected must should"),
    (JSON, "json surrogate surrogates unicode utf utf8 codec escape parse"),
    (INVALID, "invalid unsupported unknown unrecognized unrecognised unexpected deprecated parameter parameters"),
    (INVALID, "required permitted supported schema exist exists found missing malformed must argument arguments field"),
    (MUST, "must should cannot expected expects multiple valid only not no required unexpected invalid unknown is"),
    (MUST, "missing"),
    (INVALID, "no wrong deactivated decommissioned retired bad"),
    (SERVER, "server internal gateway upstream connection connect disconnected disconnect network socket unavailable"),
    (SERVER, "econnreset econnrefused econnaborted epipe eof chunked fetch hang wrong unexpected stream terminated"),
    (SERVER, "errno enotfound reset cloudflare proxy error errors resolve dns ssl tls"),
    (CRASH, "terminated crashed exit killed cuda oom memory segfault ggml panic"),
    (HEDGE, "possible possibly perhaps maybe might"),
    (EMBEDDING, "embedding embeddings embed embedder embedcontent batchembedcontents"),
)  # fmt: skip

_STEMS: Final = {
    "throttl": RATE, "ratelimit": RATE, "toomany": TOO | MUCH, "requests": RATE, "quota": QUOTA, "billing": QUOTA,
    "contextlength": CONTEXT | LENGTH, "contextwindow": CONTEXT, "contextsize": CONTEXT, "exceed": EXCEED,
    "overload": OVERLOAD, "notready": OVERLOAD, "timeout": TIMEOUT, "timedout": TIMEOUT, "deadline": TIMEOUT,
    "unauthor": AUTH, "authentic": AUTH, "accessdenied": AUTH, "permission": AUTH, "credential": AUTH,
    "exhausted": RATE, "unavailable": SERVER, "internal": SERVER, "connect": SERVER, "toolarge": TOO | LARGE,
    "toolong": TOO | LARGE | LENGTH, "input": PROMPT, "prompt": PROMPT, "tokens": TOKEN, "inspection": SAFETY,
    "contentfilter": SAFETY, "policy": SAFETY, "safety": SAFETY, "request": REQUEST, "notfound": INVALID,
    "embedding": EMBEDDING,
}  # fmt: skip
"""Parts of words glued together in names of exceptions and codes, upper case or camel."""
_STEM: Final = re.compile("|".join(_STEMS))


class _Families(dict[str, int]):
    """Families by word; a word met for the first time is taken apart once."""

    def __missing__(self, word: str) -> int:
        """Judge a word by its parts: `context_length_exceeded`, `contextwindowexceedederror`."""
        found = 0
        if "_" in word:
            for part in word.split("_"):
                found |= self.get(part, 0)
        elif len(word) > 10:
            for stem in _STEM.findall(word):
                found |= _STEMS[stem]
        if len(self) < _REMEMBERED:
            self[word] = found
        return found


_REMEMBERED: Final = 4096
"""Words that are kept; texts of errors come from a small vocabulary, and what is not kept is taken apart again."""
_FAMILIES: Final = _Families()
for _bit, _line in _WORDS:
    for _word in _line.split():
        _FAMILIES[_word] = _FAMILIES.get(_word, 0) | _bit

_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")
_BREAK: Final = re.compile(r"[.!?]\s+")
_LONGEST: Final = 600
"""A sentence without end (HTML, logs) is cut: families that meet only across that much text are no sentence."""


Sentence: TypeAlias = tuple[str, int]
"""One sentence in lower case and the families of its words."""


def sentences(text: str) -> list[Sentence]:
    """Cut `text` (lower case) into sentences with the families of their words. One lookup per word, linear."""
    found: list[Sentence] = []
    for line in text.split("\n"):
        for part in _BREAK.split(line) if ". " in line or "! " in line or "? " in line else (line,):
            if len(part) > _LONGEST:
                pieces = [part[at : at + _LONGEST] for at in range(0, len(part), _LONGEST)]
                found += [(piece, _families(piece)) for piece in pieces]
            elif part:
                found.append((part, _families(part)))
    return found


def _families(text: str) -> int:
    found = 0
    for bits in map(_FAMILIES.__getitem__, _WORD.findall(text)):
        found |= bits
    return found | MORE if "<=" in text or " > " in text else found
