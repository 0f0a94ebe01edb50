"""The server's settings: what the machine's size says, on top of base.conf."""

import os
from pathlib import Path

import psutil

MB = 1024 * 1024
BASE = Path(__file__).parent / "base.conf"
# only loopback, only with the password; there is no unix socket to slip in by
HBA = """\
host all all 127.0.0.1/32 scram-sha-256
# pg_basebackup, and a standby on this machine
host replication all 127.0.0.1/32 scram-sha-256
"""
# for tests: a crash of the machine may lose everything, a crash of the server nothing
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def memory_bytes() -> int:
    """Memory this process may use: the machine's, or less when a container is given less."""
    limits = [int(psutil.virtual_memory().total)]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            limits.append(int((Path("/sys/fs/cgroup") / name).read_text()))
        except (OSError, ValueError):  # no such cgroup version, or "max"
            continue
    return min(limits)


def cores() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shared_memory_bytes() -> int:
    """Room for memory that several processes share; containers often get 64 MB of it."""
    try:
        found = os.statvfs("/dev/shm")  # noqa: S108 - the system's place for it, nothing is written
    except OSError:
        return 0
    return found.f_blocks * found.f_frsize


def sized_settings(*, memory: int, processors: int, shared_memory: int) -> dict[str, str]:
    """Settings that follow from the machine; `memory` and `shared_memory` in bytes.

    The server is one program among others here (workers, a model, an editor), so it takes about
    a seventh for itself and counts on half of the rest being file cache. Vector indexes build
    several times faster when they fit into maintenance_work_mem.
    """
    megabytes = memory // MB
    maintenance = _between(64, megabytes * 6 // 100, 2048)
    settings = {
        "shared_buffers": f"{_between(64, megabytes * 15 // 100, 4096)}MB",
        "effective_cache_size": f"{_between(128, megabytes // 2, 65536)}MB",
        "maintenance_work_mem": f"{maintenance}MB",
        "autovacuum_work_mem": f"{min(maintenance, 256)}MB",
        "work_mem": f"{_between(4, megabytes // 400, 64)}MB",
        "max_parallel_maintenance_workers": str(_between(1, processors, 4)),
    }
    # processes that build a vector index together share maintenance_work_mem through /dev/shm
    if shared_memory < 2 * maintenance * MB:
        settings["dynamic_shared_memory_type"] = "sysv"
    return settings


def this_machine() -> dict[str, str]:
    """The settings for the machine, or the container, we run on."""
    return sized_settings(
        memory=memory_bytes(), processors=cores(), shared_memory=shared_memory_bytes()
    )


def configuration(*, port: int, settings: dict[str, str]) -> str:
    """The whole postgresql.conf, but for paths: as arguments they need no quoting."""
    lines = [
        "# Written anew at every start; change a setting with ALTER SYSTEM instead.",
        BASE.read_text(),
        "# This machine.",
        "listen_addresses = '127.0.0.1'",
        f"port = {port}",
        "unix_socket_directories = ''",
        "logging_collector = on",
        # one file per weekday, begun anew a week later: a week is kept
        "log_filename = 'server-%a.log'",
        "log_rotation_age = 1d",
        "log_rotation_size = 0",
        "log_truncate_on_rotation = on",
        *(f"{name} = {value}" for name, value in settings.items()),
    ]
    return "\n".join(lines) + "\n"


def server_environ(environ: dict[str, str] | os._Environ[str]) -> dict[str, str]:
    """What the server sees of our environment: its functions call an embedding endpoint."""
    passed = {
        name: value
        for name, value in environ.items()
        if name == "OPENAI_API_KEY" or name.startswith("PGKB_EMBED_")
    }
    return {"PATH": environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **passed}


def _between(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))
