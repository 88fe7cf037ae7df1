"""A small player of taacoca that learns: it looks at each of its moves, weighs a few features
of the position after it, and takes the best. The weights are trained by the cross-entropy
method, first against the random bot and then against the beginner.

    python3 taacoca.py train weights.json   # needs COLOSSEUM_HOST, the path of the host
    python3 taacoca.py play weights.json    # plays a match on its standard input and output
"""

import itertools
import json
import random
import sys

from colosseum import player
from colosseum.env import Matches, rewards

ROWS = "ABCDEFGHI"
SIZES = [5, 6, 7, 8, 9, 8, 7, 6, 5]  # of the rows
START = [{"A": 1, "B": 2, "C": 3}, {"I": 1, "H": 2, "G": 3}]  # by seat: the first stone of each row; the last is 5
FEATURES = 5
GAMES = 8  # that a set of weights plays in a generation, half of them as black


def ahead(seat, cell):
    """The cells to the left and to the right of a cell in the next row; None: there is none."""
    row, number = cell
    after = row + (1, -1)[seat]
    if not 0 <= after < len(SIZES):
        return None, None
    left = number if SIZES[after] > SIZES[row] else number - 1
    return tuple((after, n) if 1 <= n <= SIZES[after] else None for n in (left, left + 1))


AHEAD = [{(row, n): ahead(seat, (row, n)) for row, size in enumerate(SIZES) for n in range(1, size + 1)} for seat in (0, 1)]


class Seat:
    """The match as one seat sees it, from the lines that it receives."""

    def __init__(self, weights):
        self.weights, self.heard, self.turn = weights, 0, 0
        self.stones = [{(ROWS.index(row), n) for row, first in rows.items() for n in range(first, 6)} for rows in START]

    def hear(self, line):
        """Takes a line, and returns a move if the seat is asked."""
        self.heard += 1
        if self.heard < 3:
            return None  # names
        if self.heard == 3:
            self.own = int(line)
        elif line == "RETIRE":
            return None
        else:
            *cells, side = line.split()
            self.move([(ROWS.index(cell[0]), int(cell[1:])) for cell in cells], "LR".index(side))
            if self.won(1 - self.own, self.stones):
                return None
        return self.choose() if self.turn == self.own else None

    def moves(self, seat, stones):
        """The moves of a side: the stones, and the side to which they go."""
        for side in (0, 1):
            to = {cell: AHEAD[seat][cell][side] for cell in sorted(stones[seat])}
            able = [cell for cell, end in to.items() if end is not None]
            for cells in itertools.combinations(able, min(3, len(to))) if to else ():
                if all(to[cell] not in stones[seat] or to[cell] in cells for cell in cells):
                    yield cells, side

    def after(self, seat, cells, side, stones):
        """The stones of both sides after a move."""
        entered = {AHEAD[seat][cell][side] for cell in cells}
        both = [stones[1 - seat] - entered] * 2
        both[seat] = stones[seat] - set(cells) | entered
        return both

    def move(self, cells, side):
        self.stones = self.after(self.turn, cells, side, self.stones)
        self.turn = 1 - self.turn

    def won(self, seat, stones):
        """Whether a side that has just moved has won."""
        home = (8, 0)[seat]
        return any(row == home for row, _ in stones[seat]) or next(self.moves(1 - seat, stones), None) is None

    def choose(self):
        """Makes the best move of this seat, and returns its line."""
        cells, side = max(self.moves(self.own, self.stones), key=lambda move: self.value(*move))
        self.move(cells, side)
        return " ".join([ROWS[row] + str(number) for row, number in cells] + ["LR"[side]])

    def value(self, cells, side):
        stones = self.after(self.own, cells, side, self.stones)
        if self.won(self.own, stones):
            return float("inf")
        return sum(weight * feature for weight, feature in zip(self.weights, self.features(stones)))

    def features(self, stones):
        """Of the position after a move: the stones of each side, how far the first stone of
        each has come, and how many stones of this seat the opponent can capture."""
        other = 1 - self.own
        far = [max((row, 8 - row)[seat] for row, _ in stones[seat]) / 8 for seat in (0, 1)]
        reached = {cell for stone in stones[other] for cell in AHEAD[other][stone]}
        return (len(stones[self.own]) / 12, len(stones[other]) / 12, far[self.own], far[other], len(stones[self.own] & reached) / 12)


def play(matches, players, bot, seed):
    """Plays a match for each set of weights against a bot, the even ones as white. It returns
    which of them have won."""
    seats = [Seat(weights) for weights in players]
    won = [False] * len(players)
    states = matches.reset([{"match": i, "seed": seed + i, "bots": {str(1 - i % 2): bot}} for i in range(len(players))])
    while states:
        asked, answers = [], []
        for state in states:
            match, answer = state["match"], None
            for line in state["texts"][match % 2].splitlines():
                answer = seats[match].hear(line)
            if "end" in state:
                won[match] = rewards(state["end"])[match % 2] > 0
            else:
                asked.append(match)
                answers.append([answer])
        states = matches.step(asked, answers) if asked else []
    return won


def train(file, generations=8, population=16, tests=400, game="taacoca"):
    """Trains weights, writes them to a file, and returns the share of new matches against the
    random bot that they win."""
    chance = random.Random(1)
    mean, spread = [0.0] * FEATURES, [1.0] * FEATURES
    with Matches(game, max(population * GAMES, tests)) as matches:
        for generation in range(generations):
            bot = "random" if generation < generations // 2 else "beginner"
            tried = [[chance.gauss(m, s) for m, s in zip(mean, spread)] for _ in range(population)]
            won = play(matches, [weights for weights in tried for _ in range(GAMES)], bot, 1000 * generation)
            wins = [sum(won[i * GAMES:(i + 1) * GAMES]) for i in range(population)]
            best = [tried[i] for i in sorted(range(population), key=lambda i: -wins[i])[:population // 4]]
            mean = [sum(column) / len(best) for column in zip(*best)]
            spread = [max(0.1, (sum((value - m) ** 2 for value in column) / len(best)) ** 0.5) for m, column in zip(mean, zip(*best))]
            print(f"generation {generation}: {sum(won) / len(won):.0%} won against {bot}", flush=True)
        won = play(matches, [mean] * tests, "random", 10**6)
    print(f"{sum(won)} of {tests} new matches won against random")
    with open(file, "w") as f:
        json.dump(mean, f)
    return sum(won) / tests


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("train", "play"):
        sys.exit(__doc__)
    if sys.argv[1] == "train":
        train(sys.argv[2])
    else:
        with open(sys.argv[2]) as f:
            player.run(Seat(json.load(f)).hear)
