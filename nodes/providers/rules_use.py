"""Rules about how much of a service one may use, and who may: plan, load, quota, rate, time, credentials.

They win over every wording about sizes: `Too many tokens, please wait before trying again` is no overflow.
"""

from typing import Final

from . import words as w
from .rule import Rule, any_of

__all__ = ["USE"]

_RATE_WORDS: Final = r"rate[ _-]?limit"

USE: Final[tuple[Rule, ...]] = (
    Rule(
        name="plan.context",
        error_class="plan_limit",
        every=w.CONTEXT | w.PLAN,
        pattern=any_of(
            r"(?:extra usage|usage credits?|subscription|tier|paid|upgrade|beta|\bplans?\b|credits?|"
            r"membership)",
        ),
        veto=any_of(
            _RATE_WORDS,
            r"per (?:minute|day|hour)",
            r"unexpected value",
            r"unsupported",
            r"not supported",
        ),
        why="Anthropic sends 400 or 429 when the long window is not paid for: a smaller input would pass",
    ),
    Rule(
        name="plan.prompt",
        error_class="plan_limit",
        every=w.PROMPT | w.PLAN,
        some=w.EXCEED | w.MORE,
        none=w.PERIOD,
        pattern=any_of(
            r"(?:prompt|input|request)s?\b.{0,120}(?:exceed|longer|larger|greater).{0,120}(?:tier|plan|subscription)",
        ),
        veto=any_of(
            _RATE_WORDS,
            r"quota",
        ),
    ),
    Rule(
        name="overload.words",
        error_class="overloaded",
        every=w.OVERLOAD,
        pattern=any_of(
            r"overload",
            r"(?:at|over|no|insufficient|out of|limited) (?:available )?capacity",
            r"capacity (?:constraint|exhausted|not available)",
            r"capacity_exhausted",
            r"capacity (?:\w+ )?exceeded",
            r"high(?:er)? (?:than usual )?(?:demand|load|traffic)",
            r"(?:heavy|peak) (?:load|traffic)",
            r"not[ _]?(?:yet )?ready",
            r"\b(?:is|are|currently|still) (?:currently |still |too )?(?:loading|busy|warming|booting)",
            r"\bloading (?:the )?model",
            r"model (?:is )?loading",
            r"no (?:free |available )?slots?",
            r"slots? (?:are )?(?:busy|unavailable)",
            r"(?:server|service|system|model|engine)s? (?:too )?busy",
            r"busy\b.{0,120}(?:later|again)",
        ),
        veto=any_of(
            r"tier capacity",
        ),
        why="also with status 429: the credential is fine, the server is not",
    ),
    Rule(
        name="quota.money",
        error_class="quota",
        every=w.QUOTA,
        pattern=any_of(
            r"insufficient[ _-](?:\w+ ){0,2}(?:quota|balance|credit|fund)",
            r"insufficient_(?:quota|balance|credit|fund)",
            r"balance\b.{0,30}(?:too low|insufficient|not enough|exhausted|deplet|negative|zero)",
            r"not enough (?:credit|balance|fund)",
            r"exceed\w*[ _](?:\w+[ _]){0,5}quota",
            r"quota\w*[ _](?:\w+[ _]){0,4}(?:exceed|exhaust|reach|used up|deplet|violat)",
            r"quotas? (?:for|of)\b.{0,60}exceed",
            r"allocated quota",
            r"spend(?:ing)?[ _-](?:\w+[ _-])?(?:limit|cap)",
            r"hard[ _]limit",
            r"billing",
            r"payment required",
            r"out of (?:extra usage|credit|fund)",
            r"(?:more|enough|purchase|no|exceed\w*|available) (?:\w+ ){0,2}credits",
            r"credits? (?:\w+ ){0,3}(?:exhausted|deplet|used|exceed|too low)",
            r"(?<!token )budget (?:has been |is )?exceeded",
            r"exceed\w* (?:\w+ ){0,2}budget\b(?! tokens)",
            r"arrear",
            r"overdue",
            r"suspended",
            r"free (?:tier|trial|credits)\b.{0,60}(?:exhaust|used up|ended|expired)",
            r"used up (?:your|the|all)\b",
            r"free allocation",
            r"recharge",
            r"top[ -]?up",
        ),
        veto=any_of(
            r"budget_tokens",
            r"thinking",
        ),
        why="OpenAI and Gemini share a sentence; whether waiting helps is decided apart",
    ),
    Rule(
        name="quota.period",
        error_class="quota",
        every=w.QUOTA,
        pattern=any_of(
            r"usage[ _-]limits?",
            r"(?:current|this|next|billing) (?:\w+ )?(?:period|cycle|month|week)",
            r"(?:daily|weekly|monthly|hourly|hour) (?:\w+ ){0,2}(?:limit|cap\b|allowance)",
            r"limit (?:\w+ ){0,3}(?:for )?(?:today|the (?:day|week|month|period|cycle))",
            r"limit will reset",
        ),
        veto=any_of(
            _RATE_WORDS,
            r"per (?:minute|second)",
        ),
        why="`Token limit exceeded for the current period` is no overflow",
    ),
    Rule(
        name="rate.words",
        error_class="rate_limit",
        every=w.RATE,
        pattern=any_of(
            _RATE_WORDS,
            r"request rate",
            r"rate (?:increased|growth)",
            r"too[ _]?many[ _]?(?:\w+[ _])?requests",
            r"throttl",
            r"toomanyrequests",
            r"(?:requests?|tokens?|calls?|queries|images|limit)\W{1,3}(?:\(\w+\)\W{0,2})?(?:per|/|"
            r"each)\W{0,2}(?:min|sec|hour|day)",
            r"per[ _-](?:minute|min|second|hour|day)\b",
            r"(?:for|in|within) (?:this|the|one|a|each) (?:minute|second|hour|day)\b",
            r"\b[rtq]p[msdh]\b",
            r"concurren\w+ (?:\w+ ){0,3}(?:limit|exceed|reach)",
            r"(?:limit|exceed\w*|max\w*|many) (?:\w+ ){0,3}concurren",
            r"please wait",
            r"wait (?:before|and try|a (?:moment|while|few))",
            r"slow down",
            r"(?:try|retry)(?: again| your request)?(?: after| in) (?:about )?\d",
            r"available in \d",
            r"resource[ _]?(?:\w+ ){0,3}exhausted",
            r"tier capacity",
            r"too (?:quickly|fast|frequent)",
            r"max (?:rpm|tpm|requests)",
            r"high concurrency",
            r"reduce (?:your )?concurrency",
        ),
    ),
    Rule(
        name="quota.word",
        error_class="quota",
        every=w.QUOTA,
        pattern=any_of(
            r"quota",
        ),
    ),
    Rule(
        name="timeout.words",
        error_class="timeout",
        every=w.TIMEOUT,
        pattern=any_of(
            r"timed?[ -]?out",
            r"timeout",
            r"deadline[ _]?exceeded",
            r"deadline (?:has )?(?:expired|passed)",
            r"etimedout",
            r"took too long",
            r"stalled",
        ),
        veto=any_of(
            r"(?:parameter|argument|field|value|invalid) \W?timeout",
            r"timeout (?:must|should|parameter|value)",
        ),
        why="Go says `context deadline exceeded`, which has nothing to do with a context",
    ),
    Rule(
        name="auth.words",
        error_class="auth",
        every=w.AUTH,
        pattern=any_of(
            r"api[ _-]?key",
            r"unauthori[sz]ed",
            r"not authori[sz]ed",
            r"authori[sz]ation (?:header|failed|required|error)",
            r"authenticat",
            r"credential",
            r"access[ _]?denied",
            r"do(?:es)? not have access",
            r"no access",
            r"denied access",
            r"permission[ _]?(?:denied|error)",
            r"(?:insufficient|no|lacks?|missing) permissions?",
            r"forbidden",
            r"\b(?:oauth|bearer|security|auth|access|refresh|id)[ _-]token",
            r"\btokens? (?:is |has |have )?(?:been )?(?:expired|revoked)",
            r"signature (?:we calculated|does not match|mismatch)",
            r"\bkey (?:is |has been )?(?:invalid|disabled|revoked|expired)",
        ),
        veto=any_of(
            r"does not exist",
            r"schema",
            r"tool_",
            r"limit",
        ),
    ),
)
"""How much one may use, and who may: wins over every wording about sizes."""
