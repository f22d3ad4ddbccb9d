"""Plays the runtime: sends records one by one over a socket, and expects an answer after each that is printed, not before."""

import signal
import socket
import subprocess
import sys

photofinish, records = sys.argv[1:]
ours, theirs = socket.socketpair()
ours.settimeout(60)
report = subprocess.Popen([photofinish, "report", "--live", "--log=live.log", "--json=live.json"], stdin=theirs)
theirs.close()
printed = 0
for line in open(records, "rb"):
    # In pieces, as a stream may come.
    ours.sendall(line[:10])
    ours.sendall(line[10:])
    if b'"event":"start"' in line or b'"event":"modules"' in line:
        continue
    assert len(ours.recv(16)) == 1, "one byte for each record"
    if b'"event":"race"' in line:
        printed += 1
        # What ends the program does not end the report.
        report.send_signal(signal.SIGINT)
        assert "why: " in open("live.log").read(), "printed before it is answered"
        assert '"race"' in open("live.json").read()
ours.sendall(b"garbage\n")
assert len(ours.recv(16)) == 1, "even for one that makes no sense: the program waits"
ours.close()
assert printed == 1 and report.wait(60) == 2
