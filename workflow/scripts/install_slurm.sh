#!/bin/sh
# What the cluster test needs: Debian's SLURM and munge (as root), and Snakemake's executor for SLURM in a folder of its
# own. In the environment itself it would make every start of snakemake half a second slower.
set -eu
cd "$(dirname "$0")/../.."

if ! command -v slurmctld > /dev/null 2>&1 && [ ! -x /usr/sbin/slurmctld ]; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null 2>&1; then
		echo "SLURM is not here and cannot be installed (no root, or no apt): the cluster test is skipped" >&2
		exit 0
	fi
	apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends slurm-wlm munge > /dev/null
fi

if [ ! -d .venv/cluster/snakemake_executor_plugin_slurm ]; then
	.venv/bin/pip install --quiet --no-deps --target .venv/cluster \
		snakemake-executor-plugin-slurm==2.8.0 snakemake-executor-plugin-slurm-jobstep==0.6.1 \
		pandas==3.1.1 throttler==1.2.3
fi
