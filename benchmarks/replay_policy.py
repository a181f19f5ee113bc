"""turngraph as a policy of the turn-by-turn replay: default settings but the replay's window and reserve.

python replay.py --module <this file> --conv CONV --split dev --windows 32000,64000 --out rows.jsonl
"""

import json
import re
import tempfile
from pathlib import Path

import measure as M
from replay import Policy

from turngraph import Assembler, Budget, FileOutputStore, History, __version__
from turngraph.state.errors import TurngraphError
from turngraph.state.formats import read

_REF = re.compile(r"tool-output-[0-9a-f]{16,64}")


class Turngraph(Policy):
    """A `History` that grows, assembled before every model call; the model may read what a shown reference holds."""

    name = "turngraph"
    peer = f"turngraph {__version__}"
    note = "default settings, extractive summariser, file store"

    def setup(self):
        self.folder = tempfile.TemporaryDirectory(prefix="turngraph-replay-")
        self.outputs = FileOutputStore(Path(self.folder.name))
        budget = Budget(model_max_tokens=self.window, output_reserve_tokens=self.reserve)
        self.assembler = Assembler(budget=budget, outputs=self.outputs)
        self.history = History(format="openai-chat")
        self.body = []
        self.bodies = {}

    def feed(self, new):
        self.history = self.history.extend(read(list(new), "openai-chat").messages)

    def call(self):
        self.refused_now = False
        try:
            self.assembly = self.assembler.assemble(self.history)
        except TurngraphError as error:
            self.refused_now = True
            self.extra[error.code] = self.extra.get(error.code, 0) + 1
            return
        self.history = self.assembly.history
        report = self.assembly.report
        self.compactions += report.folded is not None
        self.extra["pruned"] = self.extra.get("pruned", 0) + len(report.pruned)

    def request(self):
        if not self.refused_now:
            self.body = self.assembly.model_input.to("openai")["messages"]
        return self.body

    def store(self, request):
        """Everything that can be read from a reference in the request, references inside bodies followed."""
        todo = set()
        for message in request:
            todo.update(_REF.findall(M.message_text(message)))
        found = {}
        while todo:
            ref = todo.pop()
            if ref in found or not self.outputs.contains(ref):
                continue
            found[ref] = self.outputs.get(ref)
            todo.update(_REF.findall(found[ref]))
        # The replay looks for facts in the JSON text of arguments, where a newline is two characters: of a line that
        # begins with `src/x.ts` it makes the path `nsrc/x.ts`. So each body stands here as JSON writes it, too.
        return "\n".join([*found.values(), *(json.dumps(text)[1:-1] for text in found.values())])


POLICIES = [Turngraph]
