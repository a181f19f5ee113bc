"""collect: gather what is contributed for this turn, each contributor all or nothing."""

from collections.abc import Iterable
from types import MappingProxyType

from ..state.cleaning import clean_contribution
from ..state.diagnostics import Diagnostic
from ..state.errors import AssemblyError, ContributedRole, ContributorFailed, TurngraphError
from ..state.given import Given
from ..state.history import History, shape_problem
from ..state.node import Outcome, View
from ..state.products import Collected as Collection
from ..state.products import ContributorReport, Window
from ..state.sections import Attachment, Contribution, Section, id_problem, source_problem, word_problem
from .contributors import ContributionRequest, Contributor, is_required
from .services import AssemblyServices

__all__ = ["Collected", "RequiredFailed", "collect"]

TIME_LIMIT_S = 10.0
"""One contributor may think this long: it runs before every model call."""
MAX_CHARS = 1_000_000
"""One contribution may be this large; the reference system's bound for an attachment."""


class CollectView(View):
    """What contributors are asked about."""

    history: History
    given: Given
    left_out: Window


class Collected(Outcome):
    """Everything that was contributed."""

    collected: Collection


class RequiredFailed(Outcome):
    """A required contributor failed."""

    error: AssemblyError


async def collect(view: CollectView, services: AssemblyServices) -> Collected | RequiredFailed:
    """Take the given sections, attachments and messages, then those of the contributors, asked all at once, by id."""
    given, history = view.given, view.history
    wrong = [message.role for message in given.messages if message.role != "user"]
    if wrong:
        return RequiredFailed(error=contributed_role("request", wrong[0]))
    gathered = _Gathered(given)
    registry = services.contributors
    if registry is not None and len(registry):
        prompts = history.prompts()
        request = ContributionRequest(
            context_id=given.context_id,
            scope=given.scope,
            turn=given.turn.number,
            history=history,
            latest_user_input=history[prompts[-1]].text if prompts else "",
            state=MappingProxyType({"left_out": view.left_out.removed}),
            deadline_s=services.reach.left(),
        )
        asked = registry.of_scope(given.scope)
        contribute = [contributor.contribute for contributor in asked]
        answers = await services.reach.gather(contribute, request, limit_s=TIME_LIMIT_S)
        for contributor, answer in zip(asked, answers, strict=True):
            try:
                if isinstance(answer, BaseException):
                    raise answer  # noqa: TRY301 - sorted below like what `take` raises
                gathered.take(contributor, answer)
            except ContributedRole as error:
                return RequiredFailed(error=error)
            except Exception as error:  # noqa: BLE001 - whatever plugged code raises is its failure, not ours
                gathered.fail(contributor, error)
    failure = gathered.failure()
    return RequiredFailed(error=failure) if failure else Collected(collected=gathered.result())


def contributed_role(source: str, role: str) -> ContributedRole:
    """Say that a contribution tried to speak as somebody else."""
    return ContributedRole(
        f"{source} contributed a message with role {role!r}; contributed messages may only have role 'user'",
        details={"source": source, "role": role},
    )


class _Gathered:
    """What has been gathered so far."""

    def __init__(self, given: Given) -> None:
        self.sections = list(given.sections)
        self.attachments = list(given.attachments)
        self.messages = list(given.messages)
        self.visible: set[str] = set()
        self.reports: list[ContributorReport] = []
        self.diagnostics: list[Diagnostic] = []
        self.ids = {section.id for section in given.sections} | {item.id for item in given.attachments}

    def take(self, contributor: Contributor, answer: object) -> None:
        """Check one contribution as a whole, then add it."""
        if not isinstance(answer, Contribution):
            raise TypeError(f"contribute() gave {type(answer).__name__}, not a Contribution")
        answer = clean_contribution(answer)
        for message in answer.messages:
            if message.role != "user":
                raise contributed_role(contributor.id, message.role)
        ids = [section.id for section in answer.sections] + [item.id for item in answer.attachments]
        problems = [problem for name in ids if (problem := id_problem(name))]
        problems += [problem for item in answer.attachments if (problem := source_problem(item.source))]
        items: list[Section | Attachment] = [*answer.sections, *answer.attachments]
        problems += [problem for item in items if (problem := word_problem(item))]
        problems += [f"id {name!r} is taken" for name in ids if name in self.ids or ids.count(name) > 1]
        texts = [section.content for section in answer.sections] + [item.content for item in answer.attachments]
        problems += ["a section or attachment is blank" for text in texts if not text.strip()]
        problems += [problem for message in answer.messages if (problem := shape_problem(message))]
        problems += [
            f"content of {len(text)} characters is over {MAX_CHARS}" for text in texts if len(text) > MAX_CHARS
        ]
        if problems:
            raise ValueError("; ".join(dict.fromkeys(problems)))
        self.ids.update(ids)
        self.sections += answer.sections
        self.attachments += answer.attachments
        self.messages += answer.messages
        self.visible.update(answer.visible)
        self.diagnostics += answer.diagnostics
        required = is_required(contributor)
        self.reports.append(ContributorReport(contributor_id=contributor.id, status="contributed", required=required))

    def fail(self, contributor: Contributor, error: Exception) -> None:
        """Note a failure; whether it ends the assembly is decided when everybody was asked."""
        if isinstance(error, TurngraphError) and error.code in ("deadline_exceeded", "cancelled"):
            raise error
        text = f"{type(error).__name__}: {error}"
        required = is_required(contributor)
        report = ContributorReport(contributor_id=contributor.id, status="failed", required=required, error=text)
        self.reports.append(report)
        self.diagnostics.append(
            Diagnostic(
                code="CONTRIBUTOR_FAILED",
                severity="error" if required else "warning",
                source="collect",
                id=contributor.id,
                message=f"Contributor {contributor.id} failed: {text}",
            )
        )

    def failure(self) -> ContributorFailed | None:
        """Give the error of the required ones, with the whole report."""
        failed = [report for report in self.reports if report.status == "failed" and report.required]
        if not failed:
            return None
        lines = "; ".join(f"{report.contributor_id}: {report.error}" for report in failed)
        return ContributorFailed(f"Required contributors failed: {lines}", details={"report": _as_json(self.reports)})

    def result(self) -> Collection:
        """Give everything."""
        return Collection(
            sections=tuple(self.sections),
            attachments=tuple(self.attachments),
            messages=tuple(self.messages),
            visible=frozenset(self.visible),
            contributors=tuple(self.reports),
            diagnostics=tuple(self.diagnostics),
        )


def _as_json(reports: Iterable[ContributorReport]) -> list[dict[str, object]]:
    return [
        {"contributorId": item.contributor_id, "status": item.status, "required": item.required, "error": item.error}
        for item in reports
    ]
