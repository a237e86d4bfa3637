"""Stands for systemd: prints each message that comes to a datagram socket as a line of JSON."""
import array
import json
import os
import socket
import sys

address = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind("\0" + address[1:] if address.startswith("@") else address)
print("[]", flush=True)
while True:
    message, rights, _, _ = receiver.recvmsg(4096, socket.CMSG_LEN(64))
    # BARRIER=1 comes with a file; the sender waits until it is closed here.
    for _, _, data in rights:
        for file in array.array("i", data[: len(data) - len(data) % 4]):
            os.close(file)
    print(json.dumps(message.decode().split("\n")), flush=True)
