"""The part of Protocol Buffers that game.proto needs.

Messages are described by tables, decoded to dicts and encoded from them. So no generated
code is tied to a version of a library.
https://protobuf.dev/programming-guides/encoding/
"""

import struct

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5


class Scalar:
    """A type of a field: its wire type, its value if it is absent, and its two functions."""

    def __init__(self, wire, zero, load, dump):
        self.wire, self.zero, self.load, self.dump = wire, zero, load, dump


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(raw):
    """Returns the text of a line, which need not be UTF-8; line() restores its bytes."""
    return raw.decode("utf-8", "surrogateescape")


def line(value):
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")


UINT = Scalar(VARINT, 0, lambda v: v, lambda v: varint(int(v)))
BOOL = Scalar(VARINT, False, bool, lambda v: varint(1 if v else 0))
FIXED64 = Scalar(EIGHT_BYTES, 0, lambda b: struct.unpack("<Q", b)[0], lambda v: struct.pack("<Q", v))
DOUBLE = Scalar(EIGHT_BYTES, 0.0, lambda b: struct.unpack("<d", b)[0], lambda v: struct.pack("<d", v))
STRING = Scalar(LENGTH, "", lambda b: b.decode("utf-8", "replace"), lambda v: v.encode("utf-8", "replace"))
LINE = Scalar(LENGTH, "", text, line)


class Optional:
    """A scalar that is None if it is absent."""

    def __init__(self, kind):
        self.kind = kind


class Message:
    """Describes a message by fields: name=(number, type).

    A type is one of the above, another message (None if it is absent), one of these in a
    list if it is repeated, or MAP for map<string, string>.
    """

    wire = LENGTH

    def __init__(self, **fields):
        self._fields = []
        self._numbers = {}
        for name, (number, kind) in fields.items():
            repeated, optional = isinstance(kind, list), isinstance(kind, Optional)
            kind = kind[0] if repeated else kind.kind if optional else kind
            field = (name, number, kind, repeated, optional or isinstance(kind, Message))
            self._fields.append(field)
            self._numbers[number] = field

    def load(self, raw):
        """Returns the dict that is encoded in bytes. It raises ValueError."""
        out = {}
        for name, _, kind, repeated, absent in self._fields:
            out[name] = [] if repeated else {} if kind is MAP else None if absent else kind.zero
        at, end = 0, len(raw)
        while at < end:
            tag, at = _varint(raw, at)
            name, _, kind, repeated, _ = self._numbers.get(tag >> 3, (None, 0, None, False, False))
            value, at = _value(raw, at, tag & 7)
            if name is None:
                continue  # a field of a newer version
            if kind.wire == tag & 7:
                value = kind.load(value)
                if kind is MAP:
                    out[name][value["key"]] = value["value"]
                elif repeated:
                    out[name].append(value)
                else:
                    out[name] = value
            elif repeated and kind.wire == VARINT and tag & 7 == LENGTH:  # packed
                inside = 0
                while inside < len(value):
                    number, inside = _varint(value, inside)
                    out[name].append(kind.load(number))
        return out

    def part(self, name, dumped):
        """Returns a field with a message that is encoded already."""
        number = next(n for field, n, _, _, _ in self._fields if field == name)
        return varint(number << 3 | LENGTH) + varint(len(dumped)) + dumped

    def dump(self, values):
        """Returns the bytes of a dict. Fields that it lacks are absent."""
        out = bytearray()
        for name, number, kind, repeated, absent in self._fields:
            value = values.get(name)
            if value is None or not absent and not repeated and kind is not MAP and value == kind.zero:
                continue
            if kind is MAP:
                value = [{"key": k, "value": v} for k, v in value.items()]
            if repeated and kind.wire == VARINT:
                if value:
                    packed = b"".join(kind.dump(v) for v in value)
                    out += varint(number << 3 | LENGTH) + varint(len(packed)) + packed
                continue
            for v in value if repeated or kind is MAP else [value]:
                part = kind.dump(v)
                out += varint(number << 3 | kind.wire)
                if kind.wire == LENGTH:
                    out += varint(len(part))
                out += part
        return bytes(out)


MAP = Message(key=(1, STRING), value=(2, STRING))


def _varint(raw, at):
    value = shift = 0
    while True:
        if at >= len(raw) or shift > 63:
            raise ValueError("protobuf: a number is cut off or too long")
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
        shift += 7


def _value(raw, at, wire):
    if wire == VARINT:
        return _varint(raw, at)
    if wire == LENGTH:
        length, at = _varint(raw, at)
    elif wire in (EIGHT_BYTES, FOUR_BYTES):
        length = 8 if wire == EIGHT_BYTES else 4
    else:
        raise ValueError(f"protobuf: wire type {wire} is unknown")
    if at + length > len(raw):
        raise ValueError("protobuf: a field is longer than its message")
    return raw[at : at + length], at + length
