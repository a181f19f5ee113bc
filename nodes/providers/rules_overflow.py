"""Rules about what is too long for the model, and about what a filter refused.

Asked last of all faults: by then the sentence is about no other limit. Words of three kinds meet: what is counted
(tokens, a prompt, a context), the limit or the excess, and the direction.
"""

from typing import Final

from . import words as w
from .rule import Rule, any_of

__all__ = ["OVERFLOWS"]

OVERFLOWS: Final[tuple[Rule, ...]] = (
    Rule(
        name="context.words",
        error_class="context_overflow",
        every=w.CONTEXT,
        some=w.EXCEED | w.MORE | w.LIMIT | w.TOO | w.REDUCE | w.FIT,
        pattern=any_of(
            r"(?:context|ctx)[ _-]?(?:length|window|size|limit|budget|space|token|overflow|exceed|too|"
            r"is too|was too|full|capacity|of)",
            r"(?:max(?:imum)?|model|available|exceed\w*(?: the)?(?: model s)?|requires more|full|"
            r"fit\w* (?:in|into|within)(?: the)?)[ _-]?(?:\w+ )?(?:context|ctx)",
            r"max_model_len",
            r"n_ctx",
            r"num_ctx",
            r"max_seq_len",
            r"max_position_embeddings",
            r"contextwindow",
            r"contextlength",
            r"contextsize",
        ),
        veto=any_of(
            r"minimum is",
            r"minimum (?:of|context)",
            r"at least \d+ (?:required|tokens of context)",
            r"deadline",
            r"cancell?ed",
            r"too small(?!.{0,120}(?:prompt|input|request))",
        ),
    ),
    Rule(
        name="context.compared",
        error_class="context_overflow",
        every=w.CONTEXT,
        pattern=any_of(
            r"(?:has|have|contains|requested|sent|received|of) \d.{0,120}(?:context|ctx).{0,120}\d",
            r"(?:context|ctx)\b.{0,120}\d.{0,120}(?:has|have|got|contains|received|requested|sent) \d",
            r"n_keep.{0,120}n_ctx",
        ),
    ),
    Rule(
        name="tokens.over",
        error_class="context_overflow",
        every=w.TOKEN,
        some=w.EXCEED | w.MORE | w.TOO | w.REDUCE,
        veto=any_of(
            r"minimum",
            r"too (?:few|short|small)",
            r"unexpected token",
            r"output token",
            r"completion token",
            r"stop token",
            r"access token",
            r"logit",
        ),
    ),
    Rule(
        name="tokens.limit",
        error_class="context_overflow",
        every=w.TOKEN | w.LIMIT,
        pattern=any_of(
            r"(?:input|prompt|request|message|conversation|sequence)s?\b.{0,120}\btokens?",
            r"tokens?\b.{0,120}(?:input|prompt|request|message|conversation|sequence)",
            r"(?:token|length)s?[ _](?:count |length )?(?:limit|maximum|max)",
            r"(?:max|maximum|limit)\w*\W{1,3}(?:\w+ ){0,2}(?:size|length|number|count|tokens?)\b.{0,120}\d",
            r"tokens? (?:allowed|limit)",
            r"max(?:imum)? size",
            r"tokens?\b.{0,80}\bat most \d",
        ),
        veto=any_of(
            r"minimum",
            r"at least one",
            r"too (?:few|short|small)",
            r"unexpected token",
            r"output token",
            r"completion token",
            r"stop token",
            r"access token",
            r"logit",
            r"per (?:minute|day)",
        ),
    ),
    Rule(
        name="prompt.long",
        error_class="context_overflow",
        every=w.PROMPT,
        some=w.EXCEED | w.LENGTH | w.LARGE | w.CHARACTERS | w.LIMIT,
        none=w.BYTES | w.IMAGE | w.STRING,
        pattern=any_of(
            r"\b(?:prompt|input|conversation|history|transcript|dialogue|dialog|contents|sequence|"
            r"query|question|messages|chat)s?\b.{0,60}\b(?:too[ _](?:long|large|big|much)|toolong|"
            r"longer|(?:exceed|surpass)\w*|over the (?:\w+ )?(?:limit|max)|beyond the)",
            r"(?:too[ _](?:long|large|big)|toolong|(?:exceed|surpass)\w*)[^,]{0,40}\b(?:prompt|input|"
            r"conversation|history|sequence|messages)\b",
            r"(?:input|prompt|sequence|messages?|conversation|question|query) (?:token )?(?:length|"
            r"size)s?\b.{0,60}(?:should be|must|cannot|can only|limit|max|range|between|exceed|>|"
            r"greater|larger|too)",
            r"(?:range of|max(?:imum)?|limit on) (?:the )?(?:input|prompt|sequence|"
            r"conversation) (?:token )?(?:length|size)",
            r"(?:prompt|input)\W{1,3}length\W{1,3}1\.\.\d",
            r"(?:input|prompt)\b.{0,120}expected max_?length",
            r"(?:inputs?|prompt)\b.{0,15}must (?:have|be|contain) (?:less|fewer|shorter|at most|no more)",
            r"max(?:imum)? (?:input|prompt) (?:characters|tokens)",
            r"reached .{0,20}(?:conversation|prompt|input) (?:length )?limit",
            r"(?:max(?:imum)?|limit).{0,25}(?:length|characters|size) (?:of|for|"
            r"in) (?:the )?(?:current )?(?:question|input|prompt|conversation|query)",
        ),
        veto=any_of(
            r"number of (?:tools|functions|stop)",
            r"image",
            r"audio",
            r"second",
            r"minute",
            r"took",
        ),
    ),
    Rule(
        name="message.long",
        error_class="context_overflow",
        every=w.REQUEST | w.TOO | w.LENGTH,
        none=w.BYTES,
        pattern=any_of(
            r"(?:message|content|text|request) (?:is |was )?too long",
        ),
    ),
    Rule(
        name="length.limit",
        error_class="context_overflow",
        every=w.LENGTH | w.EXCEED,
        none=w.BYTES | w.BODY | w.IMAGE | w.STRING | w.CHARACTERS | w.PERIOD,
        pattern=any_of(
            r"(?:^|[:\-] )\W*(?:\w+ ){0,3}(?:max(?:imum)? )?(?:token |"
            r"sequence )?length (?:limit )?(?:was |is |has been )?exceed",
            r"(?:exceed\w*|over) (?:the )?(?:max\w* |model s? )?(?:allowed |sequence |"
            r"total )?length(?: limit)?\b",
        ),
        veto=any_of(
            r"field",
            r"name",
            r"description",
            r"url",
            r"uri",
            r"header",
            r"key",
            r"title",
            r"path",
            r"array",
            r"parameter",
        ),
    ),
    Rule(
        name="reduce.prompt",
        error_class="context_overflow",
        every=w.REDUCE | w.PROMPT,
        none=w.BYTES | w.IMAGE | w.BODY,
        pattern=any_of(
            r"(?:reduce|shorten|decrease|trim|truncate|compress|"
            r"shrink)\w*(?: the)?(?: \w+){0,2}? (?:length|size|number)? ?(?:of |in )?(?:the |"
            r"your )?(?:\w+ )?(?:prompt|inputs?|messages|conversation|history|context)",
            r"(?:shorter|smaller) (?:prompt|input|conversation|message)",
        ),
        veto=any_of(
            r"number of (?:tools|functions)",
        ),
    ),
    Rule(
        name="content.filter",
        error_class="content_filter",
        every=w.SAFETY,
        pattern=any_of(
            r"content[ _-]?(?:filter|policy|management|moderation|violat|safety)",
            r"safety",
            r"moderation",
            r"responsible\w* ?ai",
            r"inappropriate",
            r"flagged",
            r"prohibited",
            r"usage (?:polic|guideline)",
            r"violat\w+ (?:\w+ ){0,3}(?:polic|guideline|terms)",
            r"inspection",
            r"sensitive (?:content|information|words?|data)?",
            r"sensitive",
            r"recitation",
            r"(?:was|been|were) (?:blocked|filtered)",
            r"blocked (?:by|due)",
            r"output blocked",
            r"harmful",
            r"unsafe",
            r"guardrail",
            r"high risk",
            r"cyber",
            r"policy violation",
            r"\brefusal\b",
        ),
    ),
)
