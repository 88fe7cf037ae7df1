# What a bot in Python finds in the browser, beside what MicroPython has: lines of the match on
# standard input and output, and functions of Python's library that programs of games use.
import collections
import io
import itertools
import os
import random
import sys
import time

import _host


class Module:
    """A module in Python can be changed; those in C can't, so this is a copy of one."""

    def __init__(self, name, old=None, **new):
        for key in dir(old) if old else ():
            setattr(self, key, getattr(old, key))
        for key in new:
            setattr(self, key, new[key])
        sys.modules[name] = self


class Input:
    """Standard input: the lines that the match sends."""

    def readline(self, size=-1):
        line = _host.read()  # waits, although it does not look so
        return "" if line is None else line + "\n"

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self):
        return list(self)

    def read(self, size=-1):
        return "".join(self)

    def fileno(self):
        return 0

    def close(self):
        pass

    flush = close


class Output:
    """Standard output, whose lines are sent, or standard error, whose lines are shown."""

    def __init__(self, number, line):
        self.number, self.line, self.rest = number, line, ""

    def write(self, text):
        lines = (self.rest + text).split("\n")
        self.rest = lines.pop()
        for line in lines:
            self.line(line)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def close(self):
        pass

    def fileno(self):
        return self.number


streams = Input(), Output(1, _host.write), Output(2, _host.log)


def input_(prompt=""):
    if prompt:
        print_(prompt, end="")
    line = streams[0].readline()
    if not line:
        raise EOFError("the match is over: no line follows")
    return line[:-1]


def print_(*values, sep=" ", end="\n", file=None, flush=False):
    (file or library.stdout).write((" " if sep is None else sep).join([str(v) for v in values]) + ("\n" if end is None else end))


def open_(file, *args, **kwargs):
    if file in (0, 1, 2):
        return streams[file]
    raise OSError("there are no files in the browser")


library = Module("sys", sys, argv=["bot.py"], stdin=streams[0], stdout=streams[1], stderr=streams[2], setrecursionlimit=lambda n: None)
Module("os", os, environ={}, getenv=lambda name, other=None: other)


def seed(value=None):
    if value is not None:
        random.seed(value if isinstance(value, int) else hash(value))


def shuffle(values):
    for i in range(len(values) - 1, 0, -1):
        j = random.randrange(i + 1)
        values[i], values[j] = values[j], values[i]


def sample(values, k):
    values = list(values)
    if k > len(values):
        raise ValueError("Sample larger than population or is negative")
    shuffle(values)
    return values[:k]


def choices(values, weights=None, cum_weights=None, k=1):
    sums = list(cum_weights or itertools.accumulate(weights or [1] * len(values)))
    found = []
    for _ in range(k):
        at = random.random() * sums[-1]
        found.append(values[next(i for i, s in enumerate(sums) if s > at)])
    return found


Module("random", random, seed=seed, shuffle=shuffle, sample=sample, choices=choices)


def now():
    return time.ticks_ms() / 1000


Module("time", time, perf_counter=now, monotonic=now, process_time=now)


def product(*lists, repeat=1):
    found = [()]
    for values in [tuple(values) for values in lists] * repeat:
        found = [before + (value,) for before in found for value in values]
    return iter(found)


def combinations(values, k):
    values = tuple(values)
    if k == 0:
        yield ()
    for i in range(len(values) if k else 0):
        for rest in combinations(values[i + 1:], k - 1):
            yield (values[i],) + rest


def permutations(values, k=None):
    values = tuple(values)
    if k == 0 or k is None and not values:
        yield ()
        return
    for i in range(len(values)):
        for rest in permutations(values[:i] + values[i + 1:], len(values) - 1 if k is None else k - 1):
            yield (values[i],) + rest


Module("itertools", itertools, product=product, combinations=combinations, permutations=permutations)


class Counter(dict):
    def __init__(self, values=()):
        super().__init__()
        self.update(values)

    def __getitem__(self, key):
        return self.get(key, 0)

    def update(self, values):
        for key in values:
            self[key] = self[key] + (values[key] if isinstance(values, dict) else 1)

    def most_common(self, n=None):
        return sorted(self.items(), key=lambda item: -item[1])[:n]


class deque:
    """MicroPython's has a fixed size."""

    def __init__(self, values=(), maxlen=None):
        self.front, self.back, self.maxlen = [], [], maxlen  # front is in reverse
        self.extend(values)

    def append(self, value):
        self.back.append(value)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.popleft()

    def appendleft(self, value):
        self.front.append(value)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.pop()

    def popleft(self):
        if not self.front:
            self.front, self.back = self.back[::-1], []
        return self.front.pop()

    def pop(self):
        if not self.back:
            self.front, self.back = [], self.front[::-1]
        return self.back.pop()

    def extend(self, values):
        for value in values:
            self.append(value)

    def clear(self):
        self.front, self.back = [], []

    def __iter__(self):
        return iter(self.front[::-1] + self.back)

    def __len__(self):
        return len(self.front) + len(self.back)

    def __bool__(self):
        return len(self) > 0

    def __getitem__(self, i):
        return (self.front[::-1] + self.back)[i]


Module("collections", collections, Counter=Counter, deque=deque)


def bisect_left(values, x):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if values[middle] < x else (low, middle)
    return low


def bisect_right(values, x):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if x < values[middle] else (middle + 1, high)
    return low


Module("bisect", bisect_left=bisect_left, bisect_right=bisect_right, bisect=bisect_right, insort=lambda values, x: values.insert(bisect_right(values, x), x))


class Type:
    def __getitem__(self, key):
        return self


Module("typing", **{name: Type() for name in "Any Callable Dict Generator Iterable Iterator List Optional Sequence Set Tuple Union".split()})
Module("__future__", annotations=None)


class Main:
    """Iterating runs the bot: of all that JavaScript can call, only that lets the memory be
    collected while the bot waits for a line."""

    def __init__(self, source):
        self.source = source

    def __iter__(self):
        try:
            exec(compile(self.source, "bot.py", "exec"), {"__name__": "__main__", "print": print_, "input": input_, "open": open_})
        except SystemExit:
            pass
        except BaseException as error:
            text = io.StringIO()
            sys.print_exception(error, text)
            _host.fail(text.getvalue())
        return iter(())


roots = bytearray(_host.room)  # a copy of the stack, while the bot waits
address = id(roots)
main = Main(_host.source)
