"""The part of gRPC that a game needs, without TLS: unary calls and one bidirectional stream.

https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md and RFC 9113.
"""

import asyncio
import struct
import sys
import traceback
from urllib.parse import quote

from .hpack import Decoder

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM = ACK = 1
END_HEADERS, PADDED, PRIORITY = 4, 8, 32
WINDOW = 1 << 20  # bytes that the host can send before they are read
LARGEST = 16384  # bytes of a frame of either side; the default of HTTP/2
LONGEST = 64 << 20  # bytes of one message; a host sends less
FULL = 4 << 20  # unsent bytes of a stream, above which it takes no more

# Codes of https://grpc.io/docs/guides/status-codes/
OK, UNIMPLEMENTED, INTERNAL = 0, 12, 13

RESPONSE = b"\x88" + b"\x00\x0ccontent-type\x10application/grpc"  # :status 200


class Connection(asyncio.Protocol):
    """A connection of a host.

    methods has, by path, what decodes the request, what encodes the reply, and a function
    from request to reply. For the stream the encoder is None, and the function gets a
    Stream and returns an object with receive(message), flush() and close().
    """

    def __init__(self, methods):
        self.methods = methods
        self._buffer = bytearray()
        self._greeted = False
        self._headers = Decoder()
        self._block = None  # a header block that is not complete: stream, flags, bytes
        self._streams = {}
        self._read = 0  # bytes since the last update of the window
        self.window = 65535  # bytes that can be sent on all streams
        self.stream_window = 65535  # of a new stream

    def connection_made(self, transport):
        self._transport = transport
        self.frame(SETTINGS, 0, 0, struct.pack(">HI", 4, WINDOW))
        self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW - 65535))

    def connection_lost(self, _):
        for stream in list(self._streams.values()):
            stream.close()
        self._streams.clear()

    def frame(self, kind, flags, number, payload=b""):
        self._transport.write(struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, number) + payload)

    def data_received(self, raw):
        self._buffer += raw
        try:
            self._take()
        except Exception:  # not a host: the connection can't go on
            sys.stderr.write("the connection of the host failed: " + traceback.format_exc())
            self._transport.abort()

    def _take(self):
        buffer = self._buffer
        if not self._greeted:
            if len(buffer) < len(PREFACE):
                return
            if buffer[: len(PREFACE)] != PREFACE:
                raise ValueError("this is not HTTP/2 with prior knowledge")
            del buffer[: len(PREFACE)]
            self._greeted = True
        at = 0
        while len(buffer) - at >= 9:
            length = int.from_bytes(buffer[at : at + 3], "big")
            if length > LARGEST:
                raise ValueError(f"a frame of {length} bytes")
            if len(buffer) - at < 9 + length:
                break
            kind, flags, number = struct.unpack(">BBI", buffer[at + 3 : at + 9])
            payload = bytes(buffer[at + 9 : at + 9 + length])
            at += 9 + length
            self._handle(kind, flags, number & 0x7FFFFFFF, payload)
        del buffer[:at]

    def _handle(self, kind, flags, number, payload):
        if kind in (DATA, HEADERS) and flags & PADDED:
            payload = payload[1 : len(payload) - payload[0]]
        if kind == DATA:
            self._data(number, payload, flags & END_STREAM)
        elif kind == HEADERS:
            self._block = [number, flags, payload[5:] if flags & PRIORITY else payload]
        elif kind == CONTINUATION and self._block and self._block[0] == number:
            self._block[1] |= flags & END_HEADERS
            self._block[2] += payload
            if len(self._block[2]) > WINDOW:
                raise ValueError("headers are too long")
        elif kind == RST_STREAM:
            stream = self._streams.pop(number, None)
            if stream:
                stream.close()
        elif kind == SETTINGS and not flags & ACK:
            for at in range(0, len(payload) - 5, 6):
                name, value = struct.unpack(">HI", payload[at : at + 6])
                if name == 4:
                    for stream in self._streams.values():
                        stream.window += value - self.stream_window
                    self.stream_window = value
            self.frame(SETTINGS, ACK, 0)
            self.drain()
        elif kind == PING and not flags & ACK:
            self.frame(PING, ACK, 0, payload)
        elif kind == WINDOW_UPDATE:
            more = struct.unpack(">I", payload)[0] & 0x7FFFFFFF
            if number == 0:
                self.window += more
            elif number in self._streams:
                self._streams[number].window += more
            self.drain()
        if kind in (HEADERS, CONTINUATION) and self._block and self._block[1] & END_HEADERS:
            (number, flags, block), self._block = self._block, None
            headers = dict(self._headers.decode(block))
            if number not in self._streams:  # else these are trailers
                self._streams[number] = Stream(self, number, headers.get(":path", ""))
            if flags & END_STREAM:
                self._streams[number].end()

    def _data(self, number, payload, end):
        self._read += len(payload)
        if self._read > WINDOW // 2:
            self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", self._read))
            self._read = 0
        stream = self._streams.get(number)
        if stream:
            stream.data(payload)
            if end:
                stream.end()

    def drain(self):
        for stream in list(self._streams.values()):
            stream.drain()

    def forget(self, number):
        self._streams.pop(number, None)


class Stream:
    """One call of the host."""

    def __init__(self, connection, number, path):
        self._connection, self._number = connection, number
        self.window = connection.stream_window
        self._method = connection.methods.get(path)
        self._buffer = bytearray()
        self._unsent = bytearray()
        self._trailers = None
        self._read = 0
        self._request = None
        self._handler = None
        if not self._method:
            self._fail(UNIMPLEMENTED, f"there is no {path}")
        elif self._method[1] is None:
            self._open()
            self._handler = self._method[2](self)

    def data(self, payload):
        self._read += len(payload)
        if self._read > WINDOW // 2:
            self._connection.frame(WINDOW_UPDATE, 0, self._number, struct.pack(">I", self._read))
            self._read = 0
        if not self._method:
            return
        self._buffer += payload
        while len(self._buffer) >= 5:  # each message follows a byte of flags and its length
            length = int.from_bytes(self._buffer[1:5], "big")
            if self._buffer[0] != 0 or length > LONGEST:
                raise ValueError("a message is compressed or too long")
            if len(self._buffer) < 5 + length:
                return
            message = self._method[0].load(bytes(self._buffer[5 : 5 + length]))
            del self._buffer[: 5 + length]
            if self._handler:
                self._handler.receive(message)
            else:
                self._request = message

    def end(self):
        """Handles the end of the host's side."""
        if self._handler:
            self.close()
            self._finish(OK)
        elif self._method:
            try:
                reply = self._method[1].dump(self._method[2](self._request or self._method[0].load(b"")))
            except Exception as error:
                traceback.print_exc()
                self._fail(INTERNAL, str(error))
                return
            self._open()
            self.send(reply)
            self._finish(OK)

    def close(self):
        handler, self._handler = self._handler, None
        if handler:
            handler.close()

    def full(self):
        """Reports whether the host reads too slowly to take more now."""
        return len(self._unsent) > FULL

    def send(self, message):
        self._unsent += struct.pack(">BI", 0, len(message)) + message
        self.drain()

    def drain(self):
        """Sends as much as the windows of the host allow."""
        before = self.full()
        at = 0
        while at < len(self._unsent):
            n = min(len(self._unsent) - at, LARGEST, self.window, self._connection.window)
            if n <= 0:
                break
            self._connection.frame(DATA, 0, self._number, bytes(self._unsent[at : at + n]))
            self.window -= n
            self._connection.window -= n
            at += n
        del self._unsent[:at]
        if self._trailers is not None and not self._unsent:
            trailers, self._trailers = self._trailers, None
            self._connection.frame(HEADERS, END_HEADERS | END_STREAM, self._number, trailers)
            self._connection.forget(self._number)
        elif before and not self.full() and self._handler:
            self._handler.flush()

    def _open(self):
        self._connection.frame(HEADERS, END_HEADERS, self._number, RESPONSE)

    def _finish(self, code, text=""):
        self._trailers = _literal("grpc-status", str(code)) + (_literal("grpc-message", quote(text)[:100]) if text else b"")
        self.drain()

    def _fail(self, code, text):
        self._method = None
        self._trailers = RESPONSE + _literal("grpc-status", str(code)) + _literal("grpc-message", quote(text)[:100])
        asyncio.get_running_loop().call_soon(self.drain)  # the stream is not yet listed


def _literal(name, value):
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
