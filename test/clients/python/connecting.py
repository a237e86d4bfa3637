"""Checks of the logs, commands and ports of a pod that is made up; ../../support/pod-sessions.ts says what it does."""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor

from harness import NAMESPACE, WAIT_SECONDS, wait_until
from kubernetes import watch
from kubernetes.client.rest import ApiException
from kubernetes.stream import portforward, stream

POD = "sessions"
# Each is one message.
PIECE = 2 << 20
PIECES = 2
RESIZE_CHANNEL = 4


def logs(core, **_):
    assert core.read_namespaced_pod_log(POD, NAMESPACE, tail_lines=2) == "first\n"
    follower = watch.Watch()
    lines = follower.stream(core.read_namespaced_pod_log, name=POD, namespace=NAMESPACE)
    assert next(lines) == "first"
    run(core, ["log", "second"])
    assert next(lines) == "second"
    follower.stop()
    lines.close()


def commands(core, **_):
    answer = stream(
        core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=["echo", "a b", "ü"], stdout=True, stderr=True
    )
    assert answer == "echo a b ü\n", answer
    running = run(core, ["complain", "no"])
    assert (running.read_stdout(), running.read_stderr(), running.returncode) == ("", "no\n", 0)
    assert run(core, ["exit", "7"]).returncode == 7
    try:
        stream(core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=["ls"], container="none", stdout=True)
        raise AssertionError("a refusal was expected")
    except ApiException as error:
        assert "container none is not valid for pod sessions" in error.reason, error.reason


def much_input(core, **_):
    running = opened(core, ["cat"], stdin=True, stderr=False)
    for _ in range(PIECES):
        text = os.urandom(PIECE // 2).hex()
        running.write_stdin(text)
        # Nothing is read while it writes.
        back = ""
        while len(back) < PIECE:
            assert running.is_open(), f"{len(back)} bytes came back"
            back += running.read_stdout(timeout=WAIT_SECONDS)
        assert digest(back) == digest(text)
    ends_its_input(running)


def digest(text):
    return hashlib.sha256(text.encode()).digest()


def terminal(core, **_):
    running = opened(core, ["sizes"], stdin=True, stderr=False, tty=True)
    for width in (80, 132):
        size = {"Width": width, "Height": 24}
        running.write_channel(RESIZE_CHANNEL, json.dumps(size))
        wait_until("the terminal has its size", lambda: running.peek_stdout(timeout=1) != "")
        assert json.loads(running.read_stdout()) == size
    ends_its_input(running)


def attached(core, **_):
    running = stream(
        core.connect_get_namespaced_pod_attach, POD, NAMESPACE, stdin=True, stdout=True, _preload_content=False
    )
    running.write_stdin("hello\n")
    assert running.readline_stdout(timeout=WAIT_SECONDS) == "hello"
    ends_its_input(running)


def ports(core, **_):
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, POD, NAMESPACE, ports="80,81")
    # The library passes nothing on for one port while nobody reads another.
    with ThreadPoolExecutor() as pool:
        used = [pool.submit(use_port, forwarded.socket(port), pool) for port in (80, 81)]
        for each in used:
            each.result()
    assert [forwarded.error(port) for port in (80, 81)] == [None, None]


def use_port(socket, pool):
    text = os.urandom(PIECE // 2).hex()
    writing = pool.submit(socket.sendall, text.encode())
    socket.settimeout(WAIT_SECONDS)
    back = bytearray()
    while len(back) < len(text):
        back += socket.recv(1 << 20)
    writing.result()
    assert digest(back.decode()) == digest(text.upper())
    socket.close()


def opened(core, command, **streams):
    """A command whose streams are read and written as it runs."""
    wanted = {"stdout": True, "stderr": True, **streams}
    return stream(
        core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=command, _preload_content=False, **wanted
    )


def run(core, command):
    """A command that has ended."""
    running = opened(core, command)
    running.run_forever(timeout=WAIT_SECONDS)
    assert not running.is_open(), command
    return running


def ends_its_input(running):
    """Ends the input alone, where the two sides have agreed on the protocol for it, else the connection."""
    if getattr(running, "subprotocol", None) == "v5.channel.k8s.io":
        running.close_channel(0)
        running.run_forever(timeout=WAIT_SECONDS)
        assert running.returncode == 0
    else:
        running.close()


# They come last: what they leave open is looked for at the agent once the program has ended.
CHECKS = [
    ("logs, whole and followed", logs),
    ("exec: outputs, exit code, refusal", commands),
    ("exec of some MB, both ways", much_input),
    ("exec in a terminal whose size changes", terminal),
    ("attach", attached),
    ("port-forward of some MB, both ways", ports),
]
