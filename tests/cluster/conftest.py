"""A SLURM of one node that a test starts for itself: own folder, own configuration, own ports, no accounting."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ROOT / ".venv/cluster"
CLIENTS = ("srun", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
PROGRAMS = ("munged", "slurmctld", "slurmd", *CLIENTS)
WAIT_S = 120


@dataclass(frozen=True)
class Cluster:
    """What a process needs to submit to it."""

    folder: Path
    plugins: Path = PLUGINS

    @property
    def environment(self) -> dict[str, str]:
        """Its programs come first on PATH: SLURM_CONF itself does not get through to a job's own `srun`."""
        return {"PATH": f"{self.folder / 'bin'}{os.pathsep}{_path()}"}

    def jobs(self) -> int:
        """How many jobs it has been given so far."""
        text = (self.folder / "slurmctld.log").read_text(errors="replace")
        return text.count("_slurm_rpc_submit_batch_job: JobId=")


def _path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin", "/usr/bin"])


def _why_not() -> str:
    if os.geteuid() != 0:
        return "slurmd and munged are started as root"
    missing = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if missing:
        return f"{', '.join(missing)} missing: workflow/scripts/install_slurm.sh installs them"
    if not (PLUGINS / "snakemake_executor_plugin_slurm").is_dir():
        return "the executor plugin is missing: workflow/scripts/install_slurm.sh installs it"
    return ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _configuration(folder: Path) -> str:
    host = socket.gethostname().split(".")[0]
    return f"""\
ClusterName=copperbench
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={_free_port()}
SlurmdPort={_free_port()}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldDebug=info
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000000 State=UNKNOWN
PartitionName=bench Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def _start(folder: Path, processes: list[subprocess.Popen[bytes]]) -> None:
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    for name in ("state", "spool", "bin"):
        (folder / name).mkdir()
    for name in CLIENTS:
        program = folder / "bin" / name
        found = shutil.which(name, path=_path())
        program.write_text(f'#!/bin/sh\nSLURM_CONF="{folder}/slurm.conf" exec "{found}" "$@"\n')
        program.chmod(0o755)
    configuration = folder / "slurm.conf"
    configuration.write_text(_configuration(folder))
    places = [f"--{what}={folder}/{file}" for what, file in (("socket", "munge.socket"), ("pid-file", "munged.pid"))]
    places += [f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed", f"--key-file={key}"]
    conf = ["-D", "-f", str(configuration)]
    for command in (["munged", "--foreground", "--force", *places], ["slurmctld", "-c", *conf], ["slurmd", *conf]):
        with (folder / f"{command[0]}.said").open("wb") as said:
            environment = os.environ | {"PATH": _path()}
            processes.append(subprocess.Popen(command, stdout=said, stderr=said, env=environment))
        _wait_for(lambda: (folder / "munge.socket").exists(), "munged to listen")


def _is_idle(cluster: Cluster) -> bool:
    asked = ["sinfo", "--noheader", "--format", "%T"]
    told = subprocess.run(asked, env=os.environ | cluster.environment, capture_output=True, text=True, check=False)
    return told.stdout.strip() == "idle"


def _wait_for(condition, what: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"gave up waiting for {what}")
        time.sleep(0.2)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    why_not = _why_not()
    if why_not:
        pytest.skip(why_not)
    folder = tmp_path_factory.mktemp("slurm")
    # munge insists that nobody else could have put its socket's folders in place
    folder.chmod(0o755)
    processes: list[subprocess.Popen[bytes]] = []
    try:
        _start(folder, processes)
        made = Cluster(folder)
        _wait_for(lambda: _is_idle(made), "the node to be idle")
        yield made
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(30)
