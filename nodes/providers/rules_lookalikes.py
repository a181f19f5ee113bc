"""Rules about other limits that sound like the window: `max_tokens`, images, messages, fields, bytes.

They stand before the overflows: a summary of the conversation cures none of them but a count of messages.
"""

from typing import Final

from . import words as w
from .rule import Rule, any_of

__all__ = ["LOOK_ALIKES"]

_CAP: Final = (
    r"\b(?:max_(?:completion_|output_|new_)?tokens(?:_to_sample)?|max(?:output|completion|new)?tokens|"
    r"n(?:um)?_predict|max_gen_(?:len|tokens))\b"
)
_CLAIM: Final = (
    r"(?:is|are) (?:too|above|greater|larger|higher|out|beyond|limited|more)|too (?:large|high|big|many)|must|"
    r"should|can ?not|can t|exceed|above|greater|larger|higher|out of|>|<=|range|maximum|at most|limited|up to|"
    r"not valid"
)
_NUMBER: Final = r"(?:\(?\d[\d,._ ]*\)?\W{0,3})?"
_AND: Final = r"(?:\+|and|plus)\W{0,3}"
_SUM: Final = any_of(
    rf"(?:inputs?|prompt|messages|tokens?|length)\W{{0,3}}{_NUMBER}(?:tokens?\W{{0,3}})?{_AND}(?:the )?"
    rf"(?:requested )?\(?{_NUMBER}max_?",
    rf"{_CAP}\W{{0,3}}{_NUMBER}{_AND}(?:the )?(?:input|prompt|message|number of (?:input|prompt))",
    r"sum of",
    r"total (?:of|number)",
    r"input and (?:the )?(?:requested )?output",
)
"""Input and output together are the window."""

LOOK_ALIKES: Final[tuple[Rule, ...]] = (
    Rule(
        name="output.cap",
        error_class="max_tokens_too_large",
        every=w.OUTPUT_CAP,
        pattern=any_of(
            rf"{_CAP}(?:(?!prompt|\binput\b|messages).){{0,60}}?(?:{_CLAIM})",
            r"(?:range of|invalid|value (?:of|for)|limit (?:of|for)|maximum (?:value )?(?:of|for)|"
            rf"exceed\w*(?: the)?(?: maximum)?)\W{{0,3}}(?:the )?\W?{_CAP}",
        ),
        veto=_SUM,
    ),
    Rule(
        name="output.words",
        error_class="max_tokens_too_large",
        every=w.TOKEN,
        some=w.EXCEED | w.MORE | w.LIMIT | w.RANGE,
        none=w.CONTEXT,
        pattern=any_of(
            r"max(?:imum)? (?:output |completion |new )?tokens? (?:you requested|value|parameter|"
            r"requested|must be|should be|cannot be|is too|limit for)",
            r"(?:output|completion|generated|new) tokens?\b",
            r"(?:output|completion) (?:token )?(?:length|limit|size)",
        ),
        veto=any_of(
            r"response exceeded",
            r"reached",
            r"\b(?:input|inputs|prompt|messages|conversation)\b",
            r"^\W*(?:for|so|the) a total",
        ),
    ),
    Rule(
        name="images.many",
        error_class="too_many_images",
        every=w.IMAGE,
        some=w.TOO | w.LIMIT | w.EXCEED | w.MORE | w.REQUEST,
        none=w.TOKEN,
        pattern=any_of(
            r"too (?:many|much) (?:\w+ ){0,2}(?:images?|media|pictures|photos|attachments|screenshots)",
            r"many-image",
            r"(?:number|count|total) of (?:\w+ ){0,2}(?:images|media|pictures|attachments)",
            r"(?:most|maximum(?: of)?|max|up to|limit of|limited to|only|more than|"
            r"exceed\w*(?: the)?(?: limit of)?|than) (?:\w+ )?\d+ (?:\w+ )?(?:images?|pictures|media)",
            r"\d+[ -](?:images?|pictures|media items)\b.{0,40}(?:exceed|maximum|limit|allowed|max\b|>)",
            r"images? (?:per (?:request|message|prompt)|limit|count)",
            r"limit.{0,20}number of images",
        ),
        veto=any_of(
            r"\d ?(?:mb|mib|kb|bytes)\b",
            r"per (?:minute|day|hour)",
        ),
        why="dropping old images helps, a summary does not",
    ),
    Rule(
        name="messages.many",
        error_class="message_count_overflow",
        every=w.MESSAGES,
        some=w.EXCEED | w.MORE | w.LIMIT | w.TOO,
        none=w.TOKEN | w.PERIOD | w.BYTES,
        pattern=any_of(
            r"\d[\d,.]*[ -](?:messages?|turns?)[ -](?:limit|cap|maximum)",
            r"too many (?:\w+ ){0,2}(?:messages|turns|items|contents)\b",
            r"\$\.(?:messages|input|contents) is too long",
            r"(?:number|count) of (?:\w+ ){0,3}(?:messages|turns|items)\b.{0,40}(?:exceed|limit|max|"
            r"more|greater|too)",
            r"(?:max(?:imum)?|most|up to|limit of|limited to|more than|exceed\w*(?: the)?(?: limit of)?)"
            r"(?: number of)? (?:of )?(?:\d[\d,.]* )?(?:\w+ )?(?:messages|turns)\b(?! (?:length|size|token))",
            r"(?:messages|input|contents|history)\W{1,3}(?:array|list)\b.{0,25}(?:too long|at most|"
            r"maximum|should have)",
            r"(?:messages|turns)\b.{0,25}(?:exceed|limit|max).{0,20}\bcount",
            r"message[ _]count.{0,30}(?:exceed|limit|max|large)",
            r"\d+ (?:messages|turns)\b.{0,40}(?:exceed|maximum|limit|allowed)",
            r"(?:messages|input|contents|history)\W.{0,30}(?:at most|more than|no more than|"
            r"maximum of) \d+ (?:items|messages|elements|turns|entries)",
        ),
        veto=any_of(
            r"\b(?:length|size)s? of (?:the )?(?:messages|conversation)",
            r"tool_calls",
            r"tools\b",
        ),
    ),
    Rule(
        name="field.string",
        error_class="field_too_long",
        every=w.STRING,
        some=w.LENGTH | w.TOO | w.LIMIT,
        none=w.TOKEN,
        pattern=any_of(
            r"(?:string|array|list)s?[ _]?(?:is )?(?:too[ _]long|longer|exceed|above[ _]max)",
            r"(?:string|list|array) (?:should|must) (?:have|be|contain) (?:at most|no more|less|shorter)",
            r"max(?:imum)? (?:string )?length (?:of|is|for).{0,40}string",
            r"(?:string|array) (?:with )?(?:a )?max(?:imum)? length",
        ),
    ),
    Rule(
        name="field.characters",
        error_class="field_too_long",
        every=w.CHARACTERS,
        some=w.EXCEED | w.MORE | w.LIMIT | w.TOO,
        none=w.TOKEN | w.PROMPT | w.CONTEXT,
        why="characters of a prompt are an overflow, characters of a field are not",
    ),
    Rule(
        name="field.named",
        error_class="field_too_long",
        every=w.TOO | w.LENGTH,
        none=w.TOKEN | w.PROMPT | w.CONTEXT,
        pattern=any_of(
            r"\b(?:field|name|description|title|identifier|key|value|parameter|user|"
            r"metadata)\b.{0,20}\btoo[ _]long",
        ),
    ),
    Rule(
        name="context.text_bytes",
        error_class="context_overflow",
        every=w.BYTES | w.TOO | w.MUCH,
        pattern=any_of(
            r"text bytes",
        ),
        why="Bedrock counts the text of the conversation in bytes",
    ),
    Rule(
        name="bytes.units",
        error_class="request_too_large",
        every=w.BYTES,
        some=w.EXCEED | w.MORE | w.LIMIT | w.TOO,
        none=w.TOKEN | w.CONTEXT,
        veto=any_of(
            r"memory",
            r"vram",
            r"disk",
        ),
    ),
    Rule(
        name="bytes.body",
        error_class="request_too_large",
        every=w.BODY,
        some=w.EXCEED | w.MORE | w.LIMIT | w.TOO,
        none=w.TOKEN | w.CONTEXT,
        absent=w.TOKEN,
        pattern=any_of(
            r"\b(?:body|payload|entity|upload|file|document|attachment|"
            r"data)s?\b.{0,40}(?:too[ _](?:large|big|long)|exceed|overflow|limit|larger|greater|over\b)",
            r"(?:exceed\w*|over|larger than|limit of|limit on|too large|too big)\b.{0,50}\b(?:body|"
            r"payload|entity|upload|file|pages?)\b",
            r"pages? .{0,20}(?:may be provided|limit)",
            r"too many (?:\w+ )?(?:pages|files)",
            r"maximum of \d+ (?:\w+ )?pages",
        ),
        veto=any_of(
            r"(?:prompt|input|conversation) (?:is |was )?too long",
            r"file ?name",
        ),
    ),
    Rule(
        name="bytes.request",
        error_class="request_too_large",
        every=w.REQUEST,
        some=w.EXCEED | w.MORE | w.TOO,
        none=w.TOKEN | w.CONTEXT | w.PROMPT,
        absent=w.TOKEN,
        pattern=any_of(
            r"(?:request|content|http)[ _-]?(?:is |was |size |body |entity )?(?:too[ _]?(?:large|big)|"
            r"toolarge)",
            r"(?:request|content|total)(?: \w+)? (?:size )?exceed\w*(?: the)? (?:max|allowed|size|"
            r"limit|server|configured)",
            r"larger than max",
            r"(?:request|total|message) size\b.{0,40}(?:exceed|limit|max|too)",
            r"exceed\w*.{0,30}(?:request|content|message) size",
        ),
        veto=any_of(
            r"message (?:is )?too long",
        ),
    ),
)
