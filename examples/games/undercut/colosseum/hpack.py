"""Decodes the headers of HTTP/2 requests (RFC 7541)."""

_STATIC = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
    (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
    (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
] + [
    (name, "")
    for name in (
        "accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control "
        "content-disposition content-encoding content-language content-length content-location content-range "
        "content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range "
        "if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range "
        "referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary "
        "via www-authenticate"
    ).split()
]

# The lengths of the Huffman code of each byte and of the end, as letters: A is 5. The code
# is canonical: codes of the same length are in the order of the bytes (appendix B).
_LENGTHS = (
    "ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJB"
    "KABABABBBACCBBBABCBAABCCCCCKGJIXPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRS"
    "VVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ"
)


def _codes():
    codes, code, last = {}, 0, 0
    for length, symbol in sorted((ord(c) - ord("A") + 5, symbol) for symbol, c in enumerate(_LENGTHS)):
        code <<= length - last
        codes[length, code] = symbol
        code, last = code + 1, length
    return codes


_CODES = _codes()
_MOST = 4096  # bytes of the table; the default of HTTP/2, which this side does not change


class Decoder:
    """Decodes the headers of one connection, in their order."""

    def __init__(self):
        self._table = []  # the newest first
        self._size, self._limit = 0, _MOST

    def decode(self, raw):
        """Returns a list of pairs. It raises ValueError; then the connection is of no use."""
        out, at = [], 0
        try:
            while at < len(raw):
                first = raw[at]
                if first & 0x80:
                    index, at = _number(raw, at, 7)
                    out.append(self._entry(index))
                elif first & 0xE0 == 0x20:
                    limit, at = _number(raw, at, 5)
                    self._resize(min(limit, _MOST))
                else:
                    added = first & 0x40
                    index, at = _number(raw, at, 6 if added else 4)
                    name = self._entry(index)[0] if index else None
                    if name is None:
                        name, at = _string(raw, at)
                    value, at = _string(raw, at)
                    out.append((name, value))
                    if added:
                        self._table.insert(0, (name, value))
                        self._size += _weight((name, value))
                        self._resize(self._limit)
        except IndexError:
            raise ValueError("hpack: the headers are cut off or have an unknown index") from None
        return out

    def _entry(self, index):
        if index < 1:
            raise IndexError
        return _STATIC[index - 1] if index <= len(_STATIC) else self._table[index - len(_STATIC) - 1]

    def _resize(self, limit):
        self._limit = limit
        while self._size > limit:
            self._size -= _weight(self._table.pop())


def _weight(entry):
    return len(entry[0]) + len(entry[1]) + 32


def _number(raw, at, bits):
    most = (1 << bits) - 1
    value = raw[at] & most
    at += 1
    if value < most:
        return value, at
    for shift in range(0, 35, 7):
        byte = raw[at]
        at += 1
        value += (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("hpack: a number is too long")


def _string(raw, at):
    huffman = raw[at] & 0x80
    length, at = _number(raw, at, 7)
    if at + length > len(raw):
        raise IndexError
    text = raw[at : at + length]
    return (_huffman(text) if huffman else text).decode("latin-1"), at + length


def _huffman(raw):
    out = bytearray()
    length = code = 0
    for byte in raw:
        for bit in range(7, -1, -1):
            length, code = length + 1, code << 1 | byte >> bit & 1
            symbol = _CODES.get((length, code))
            if symbol is not None:
                out.append(symbol)
                length = code = 0
            elif length > 30:
                raise ValueError("hpack: a code is unknown")
    return bytes(out)
