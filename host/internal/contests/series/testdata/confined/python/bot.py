import os, socket, subprocess, sys

import neighbour


def attack(action, target):
    if action == "read":
        return open(target).read()
    if action == "write":
        return open(target, "w").write("x")
    if action == "environment":
        return os.environ.get("SECRET") or open("/proc/%d/environ" % os.getppid()).read()
    if action == "connect":
        return socket.create_connection(("127.0.0.1", int(target)))
    if action == "start":
        return subprocess.run([target])
    if action == "kill":
        return os.kill(os.getppid(), 0)


sys.stdin.readline()
action, target = sys.argv[1], sys.argv[-1].removeprefix("@")
if action == "memory":
    held = []
    while True:
        held.append(bytearray(16 << 20))
while action == "compute":
    pass
answer = neighbour.WIN
try:
    if action != "play":
        answer = "it could %s: %s" % (action, attack(action, target))
except OSError as e:
    print("refused:", e, file=sys.stderr)
print(answer, flush=True)
