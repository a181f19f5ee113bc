"""Rules about requests that are wrong whatever their size: histories that do not pair up, parameters nobody takes.

First of all faults: `The number of toolResult blocks exceeds the number of toolUse blocks` counts blocks, not tokens.
"""

from typing import Final

from . import words as w
from .rule import Rule, any_of

__all__ = ["WRONG"]

_TOOLS: Final = (
    r"(?<!parallel_)(?:tool[ _]?(?:use|result|call|output|response|message|config)s?|"
    r"function[ _]?(?:call|response|output)|tool id|role \W?tool|call_id|role function)"
)
_BOUND: Final = (
    r"must|correspond|preced|preceed|previous|follow|immediately|match|missing|unexpected|without|duplicate|unique|"
    r"not found|no tool (?:call|output)|no function call|did not have|each|expected|equal|same number|"
    r"exceeds the number|exactly one|required|cannot be|orphan|unanswered|before|found multiple|invalid"
)

WRONG: Final[tuple[Rule, ...]] = (
    Rule(
        name="hedged",
        error_class="ambiguous",
        every=w.HEDGE,
        pattern=any_of(
            r"possible (?:cause|reason)",
            r"(?:possibly|perhaps|maybe|might be) (?:because|caused|due)",
        ),
        why="the provider itself does not know: our own count decides",
    ),
    Rule(
        name="history.tools",
        error_class="invalid_history",
        every=w.TOOL,
        pattern=any_of(
            rf"^(?=.*{_TOOLS})(?=.*(?:{_BOUND}))",
        ),
        veto=any_of(
            r"tool_choice",
            r"string too long",
            r"array too long",
            r"(?:not|n t) support",
            r"schema",
            r"too (?:many|large|long)",
            r"max(?:imum)? (?:length|tokens)",
            r"context",
        ),
        why="pairs of calls and results: only a repaired history passes",
    ),
    Rule(
        name="history.reasoning",
        error_class="invalid_history",
        every=w.THINKING,
        pattern=any_of(
            r"(?:thinking|reasoning)\W{0,3}(?:signature|block|content|item|_content)",
            r"signature",
            r"redacted_thinking",
            r"expected \W{0,2}thinking",
            r"reasoning.{0,60}(?:required|following item|passed back|missing)",
            r"encrypted.{0,30}(?:could not|invalid|verif)",
            r"item (?:with id )?\W?(?:rs|msg|fc)_",
            r"(?:duplicate )?item (?:found )?with id",
        ),
        some=w.INVALID | w.ROLE | w.TOOL | w.RANGE | w.PROMPT | w.MESSAGE | w.SERVER | w.TOO | w.THINKING,
        veto=any_of(
            r"(?:not|n t) support",
            r"budget",
            r"enable_thinking",
            r"signature we calculated",
            r"context length",
            r"too long",
        ),
    ),
    Rule(
        name="history.order",
        error_class="invalid_history",
        every=w.ROLE | w.MUST,
        pattern=any_of(
            r"roles? (?:must|should) (?:be )?alternat",
            r"must alternate",
            r"alternat\w+ (?:between|user)",
            r"multiple \W?(?:user|assistant)\W? (?:roles|messages)",
            r"(?:first|last|final) (?:message|turn|role|non-system).{0,40}(?:must|should|role|user|"
            r"with|cannot)",
            r"(?:conversation|messages?|turn) must (?:start|end|begin|contain)",
            r"(?:user|assistant|system|tool) (?:message|turn)s? (?:must|should|cannot|can only|"
            r"is not allowed)",
            r"assistant message prefill",
            r"prefill\w* (?:is |are )?not",
            r"unexpected role",
            r"expected (?:last )?role",
            r"invalid role",
            r"valid role",
            r"unknown role",
            r"(?:system|developer) (?:message|role|prompt)s? must",
            r"role\W{0,3}(?:field )?(?:is )?(?:required|missing)",
            r"blocks? (?:and|cannot).{0,60}same turn",
            r"no user (?:query|message)",
            r"messages\W{1,2}\d*\W{1,2}role",
            r"must have a (?:valid )?role",
        ),
        veto=any_of(
            r"temperature",
            r"top_p",
            r"context length",
            r"too long",
        ),
    ),
    Rule(
        name="history.empty",
        error_class="invalid_history",
        every=w.ROLE | w.EMPTY,
        pattern=any_of(
            r"non-?empty",
            r"(?:must|should|can|may)(?: ?not|n t) be (?:empty|blank|null)",
            r"(?:content|message|messages|contents|text|parts?|block)\b.{0,60}\b(?:is|are|"
            r"was) (?:empty|blank|not specified|required|null|missing)",
            r"empty (?:content|message|text|parts?)",
            r"at least one (?:message|part|content|user|non-system)",
            r"(?:required|must have) .{0,20}(?:one )?(?:text|parts?|data|content)\b.{0,20}(?:field|"
            r"parameter|initialized|element)",
            r"trailing whitespace",
            r"whitespace text",
            r"\[\] is too short",
            r"messages\W{1,3}(?:is )?too short",
            r"either content or tool_calls",
            r"content\W{1,4}(?:expected|must be|should be|field required)",
            r"required oneof",
        ),
        veto=any_of(
            r"file",
            r"image",
            r"audio",
            r"api key",
            r"max_tokens",
            r"embedding",
        ),
    ),
    Rule(
        name="history.unicode",
        error_class="invalid_history",
        every=w.JSON,
        pattern=any_of(
            r"surrogate",
            r"not valid json",
            r"invalid json",
            r"(?:parse|decode|read) (?:the )?(?:json|request|body)",
            r"malformed json",
            r"json (?:parse|decod|body)",
            r"invalid (?:unicode|utf|code ?point|escape)",
            r"(?:unicode|utf-?8)\b.{0,30}(?:invalid|error|decod|encod)",
            r"codec can t",
        ),
        veto=any_of(
            r"response_format",
            r"schema",
            r"json mode",
            r"failed to parse tool",
        ),
        why="the broken string comes from the history",
    ),
    Rule(
        name="parameter.cap",
        error_class="invalid_request",
        every=w.OUTPUT_CAP,
        pattern=any_of(
            r"not supported",
            r"unsupported",
            r"unrecognized",
            r"unknown",
            r"use \W?max",
            r"must be (?:greater|at least|more|larger|higher|a positive|positive|>)",
            r"below minimum",
            r"less than (?:the )?minimum",
            r"too (?:small|low)",
            r"> ?0\b",
            r">= ?\d",
            r"greater than or equal",
            r"budget",
            r"(?:higher|increase|raise|larger) max",
            r"limit was reached",
            r"was reached",
            r"field required",
            r"is required",
            r"missing",
            r"must be an? (?:valid )?integer",
            r"not of type",
            r"valid integer",
        ),
        veto=any_of(
            r"less than or equal",
            r"<=",
        ),
        why="lowering max_tokens would not help",
    ),
    Rule(
        name="parameter.unknown",
        error_class="invalid_request",
        every=w.INVALID,
        pattern=any_of(
            r"(?:unsupported|unknown|unrecognized|unexpected|deprecated) (?:request )?(?:argument|"
            r"parameter|field|keyword|property|value)",
            r"extra (?:inputs?|fields?|forbidden).{0,12}not permitted",
            r"additional properties",
            r"thinking\W?budget",
            r"budget_tokens",
            r"(?:invalid|input) schema",
            r"schema (?:is )?(?:invalid|too complex)",
            r"does(?: not|n t) support (?:image|tool|function|vision|system|audio|streaming|this)",
            r"model\b.{0,40}(?:not found|does(?: not|n t) exist|not exist|is not a valid|deactivated|"
            r"decommissioned|retired)",
            r"(?:unknown|invalid|no such) model\b",
            r"model_not_found",
            r"\b(?:temperature|top_p|top_k|frequency_penalty|presence_penalty|repetition_penalty|"
            r"logprobs|top_logprobs|stop|seed|n)\b\W{1,4}(?:.{0,20} )?(?:must|should|is invalid|out of|"
            r"input should)",
            r"minimum (?:\w+ )?(?:token|length)",
            r"cache_control",
        ),
    ),
)
