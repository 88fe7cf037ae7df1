"""SplitMix64, the same generator as in the Go SDK. It is not for secrets.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
"""

# The streams of random numbers of a match's seed.
REFEREE = 0
BOTS = 2  # the bot on seat s uses BOTS + s; the host uses 1

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


class Rand:
    def __init__(self, seed, stream):
        self._state = seed if stream == 0 else _mix(seed ^ _mix(stream * GOLDEN & MASK))

    def next(self):
        """Returns the next 64 bits."""
        self._state = (self._state + GOLDEN) & MASK
        return _mix(self._state)

    def below(self, n):
        """Returns a number from 0 to n-1, each with the same chance.

        It is Lemire's multiplication with rejection ("Fast random integer generation in
        an interval", 2019).
        """
        if not isinstance(n, int) or not 1 <= n <= MASK >> 1:
            raise ValueError(f"a random number below {n!r}: give a whole number from 1")
        product = self.next() * n
        if product & MASK < n:
            reject = (1 << 64) % n
            while product & MASK < reject:
                product = self.next() * n
        return product >> 64


def _mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)
