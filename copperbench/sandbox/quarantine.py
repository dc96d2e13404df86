"""The scan before publication, and where a run goes that leaked a credential (STANDARD 4.1, 12)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.publish import json_bytes, publish
from copperbench.sandbox.archive import Member
from copperbench.sandbox.models import RunFacts
from copperbench.sandbox.run_json import run_json
from copperbench.suite import CredentialMatch, find_credentials


@dataclass(slots=True)
class Scan:
    """A search for credentials in what a run left; what the baseline or the task's manifests hold doesn't count.

    `found` is the first match with the name of what holds it, a name that is never itself a credential.
    """

    secrets: tuple[bytes, ...]
    baseline: Mapping[str, Member]
    manifests: tuple[bytes, ...]
    found: tuple[str, CredentialMatch] | None = None
    _allowed: frozenset[str] | None = field(default=None, repr=False)

    def look(self, name: str, data: bytes) -> None:
        """Search the bytes of something; the first match of all is kept."""
        if self.found is None:
            match = self.match(data)
            if match is not None:
                self.found = (self._harmless(name), match)

    def look_at_name(self, path: str, *, known: bool) -> None:
        """Search a path that the baseline did not have."""
        if self.found is None and not known:
            match = self.match(path.encode("utf-8", "surrogateescape"))
            if match is not None:
                self.found = ("the name of a file", match)

    def match(self, data: bytes) -> CredentialMatch | None:
        """The first credential in `data` that the run did not start with."""
        return next((each for each in find_credentials(data, self.secrets) if each.digest not in self._known()), None)

    def _known(self) -> frozenset[str]:
        # looked for on a first match only: hardly any run has one, and the baseline may be a hundred megabytes
        if self._allowed is None:
            started_with = (*(member.data for member in self.baseline.values()), *self.manifests)
            names = "\n".join(self.baseline).encode("utf-8", "surrogateescape")
            self._allowed = frozenset(
                each.digest for data in (*started_with, names) for each in find_credentials(data, self.secrets)
            )
        return self._allowed

    def _harmless(self, name: str) -> str:
        if self.match(name.encode("utf-8", "surrogateescape")) is not None:
            return "a file whose name holds one too"
        return name.encode("ascii", "backslashreplace").decode("ascii")[:200]


def put_aside(root: Path, facts: RunFacts, files: Mapping[str, bytes], scan: Scan, folder: Path) -> RunFacts:
    """Write the evidence of a run that leaked a credential under `root`; returns the facts that may be published.

    The folder is named for the run and its content, mode 0700; `finding.json` in it says kind, file, digest and place,
    never the text. Raises CopperbenchError when it cannot be written, or when the facts themselves cannot be cleared.
    """
    assert scan.found is not None
    name, match = scan.found
    content = hashlib.sha256(b"".join(files[each] for each in sorted(files))).hexdigest()[:12]
    run_id = "--".join((facts.campaign, facts.model_slug, folder.parent.name, folder.name, content))
    place = root / run_id
    try:
        for private in (root, place):
            private.mkdir(parents=True, exist_ok=True, mode=0o700)
            private.chmod(0o700)
    except OSError as error:
        raise CopperbenchError(place, f"cannot be made ({error.strerror})", "fix the permissions and repeat") from error
    for each, data in sorted(files.items()):
        publish(place / each, data)
        (place / each).chmod(0o600)
    finding = {"kind": match.kind, "file": name, "digest": match.digest, "id": run_id}
    publish(place / "finding.json", json_bytes({**finding, "offset": match.offset}))
    return _cleared(replace(facts, files={}, quarantine=finding), scan)


def quarantine_notices(root: Path, only: str | None = None) -> tuple[str, ...]:
    """A line for the operator for each run that lies aside under `root`: where, what was found in what, what to do.

    `only` is the id of one of them. The credential itself is in no line.
    """
    lines = []
    for path in sorted(root.glob("*/finding.json")):
        place = f"{root.name}/{path.parent.name}"
        if only is not None and path.parent.name != only:
            continue
        try:
            finding = json.loads(path.read_bytes())
            found = f"a credential ({finding['kind']}) in {finding['file']!r}, byte {int(finding['offset'])}"
        except (OSError, ValueError, KeyError, TypeError):
            found = "a credential"
        lines.append(
            f"{place}: the run left {found}, so its evidence lies here and it counts as failed; "
            "revoke the credential, then remove this folder"
        )
    return tuple(lines)


def _cleared(facts: RunFacts, scan: Scan) -> RunFacts:
    """The facts without any free text that holds a credential."""
    if scan.match(run_json(facts)) is None:
        return facts
    bare = replace(
        facts,
        harness=replace(facts.harness, version="withheld", commit=None, quirks=()),
        model=None if facts.model is None else replace(facts.model, served=None),
        exit=replace(facts.exit, tampered="withheld" if facts.exit.tampered else None),
        setup_skipped=(),
        ablations={},
        environment={},
    )
    if scan.match(run_json(bare)) is not None:
        raise CopperbenchError(
            facts.model_slug, "the run's own identity holds a credential", "rename the model's slug or id and repeat"
        )
    return bare
