"""A board comes over https as a stranger's would: certificate checked, one commit fetched, nothing else believed."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

BOARD = "copperbench-ldo-sensor"


def backend() -> str | None:
    """git's own server side, which speaks the protocol behind any web server."""
    git = shutil.which("git")
    if git is None:
        return None
    place = subprocess.run([git, "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    return shutil.which("git-http-backend", path=place)


pytestmark = [
    pytest.mark.kicad,
    pytest.mark.skipif(backend() is None or not shutil.which("openssl"), reason="needs openssl and git-http-backend"),
]


class Handler(BaseHTTPRequestHandler):
    """One request, handed to git as a web server hands it on."""

    protocol_version = "HTTP/1.1"
    served: Path

    def do_GET(self) -> None:
        self._hand_on(b"")

    def do_POST(self) -> None:
        self._hand_on(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _hand_on(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.served),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        done = subprocess.run([str(backend())], input=body, env=environment, capture_output=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing: the tests read stderr."""


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority of our own (`ca.pem`) and a certificate of it for localhost."""
    folder = tmp_path_factory.mktemp("authority")
    key = ("-newkey", "rsa:2048", "-nodes")
    ours = ("-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=copperbench test authority")
    openssl(folder, "req", "-x509", *key, *ours, "-days", "2")
    openssl(folder, "req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl(folder, "x509", "-req", "-in", "server.csr", *signed, "-out", "server.pem")
    return folder


@pytest.fixture
def upstream(authority: Path, clone: tuple[Path, str], tmp_path: Path):
    """The candidate's repository behind https: its address and the commit that has the board."""
    repository, commit = clone
    subprocess.run(["git", "clone", "-q", "--bare", str(repository), str(tmp_path / "served/a-board")], check=True)
    handler = type("Served", (Handler,), {"served": tmp_path / "served"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "server.pem", authority / "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_port}/a-board", commit
    server.shutdown()
    server.server_close()


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch, authority: Path) -> None:
    """git told of the authority as a user would tell it, and of no proxy."""
    monkeypatch.setenv("GIT_SSL_CAINFO", str(authority / "ca.pem"))
    monkeypatch.setenv("no_proxy", "localhost")


@pytest.fixture
def fetched(copperbench, upstream: tuple[str, str], trusted: None, checkout: Path) -> Path:
    url, commit = upstream
    done = copperbench("fixture", "new", f"{url}@{commit}")
    assert done.returncode == 0, done.stderr
    return checkout / "fixtures/a-board"


def test_a_board_is_taken_in_over_https(fetched: Path, root: Path):
    sheet = f"{BOARD}.kicad_sch"
    assert (fetched / "tree/hardware" / sheet).read_bytes() == (root / "fixtures" / BOARD / "tree" / sheet).read_bytes()


def test_a_tree_that_is_gone_is_fetched_again_and_is_the_same(fetched: Path, copperbench):
    shutil.rmtree(fetched / "tree")
    (fetched / "LICENSE").unlink()
    done = copperbench("fixture", "get", "a-board")
    assert (done.returncode, (fetched / "LICENSE").is_file()) == (0, True), done.stderr
    assert done.stdout.strip() in (fetched / "fixture.json").read_text()


def test_an_upstream_whose_certificate_nobody_vouches_for_is_refused(
    copperbench, upstream, checkout: Path, monkeypatch
):
    monkeypatch.setenv("no_proxy", "localhost")
    url, commit = upstream
    done = copperbench("fixture", "new", f"{url}@{commit}")
    assert (done.returncode, done.stderr.count("\n"), list((checkout / "fixtures").iterdir())) == (2, 1, [])
    assert "certificate" in done.stderr


def test_a_commit_that_upstream_does_not_have_is_one_line(copperbench, upstream, trusted: None, checkout: Path):
    done = copperbench("fixture", "new", f"{upstream[0]}@{'1' * 40}")
    assert (done.returncode, done.stderr.count("\n"), list((checkout / "fixtures").iterdir())) == (2, 1, [])
    assert "not our ref" in done.stderr
