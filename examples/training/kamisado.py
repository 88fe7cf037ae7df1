"""A small player of kamisado that learns: it looks at each of its moves, weighs a few features
of the position after it, and takes the best. The weights are trained by the cross-entropy
method, first against the random bot and then against the beginner.

    python3 kamisado.py train weights.json   # needs COLOSSEUM_HOST, the path of the host
    python3 kamisado.py play weights.json    # plays a match on its standard input and output
"""

import json
import random
import sys

from colosseum import player
from colosseum.env import Matches, rewards

COLOURS = ["NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK", "KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN"]  # from row 1
FEATURES = 6
GAMES = 8  # that a set of weights plays in a generation, half of them as black


class Seat:
    """The match as one seat sees it, from the lines that it receives."""

    def __init__(self, weights):
        self.weights, self.heard, self.turn, self.colour = weights, 0, 0, None
        self.towers = [{COLOURS[row][column]: (column, row) for column in range(8)} for row in (0, 7)]
        self.taken = {square for towers in self.towers for square in towers.values()}

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
            start, end = [("abcdefgh".index(text[0]), int(text[1]) - 1) for text in (line[:2], line[2:])]
            self.move(start, end)
            if start != end and end[1] == (0, 7)[self.own]:
                return None  # the opponent has won
        return self.choose() if self.turn == self.own else None

    def move(self, start, end):
        towers = self.towers[self.turn]
        towers[COLOURS_OF[start] if self.colour is None else self.colour] = end
        self.taken.remove(start)
        self.taken.add(end)
        self.turn, self.colour = 1 - self.turn, COLOURS_OF[end]

    def ways(self, seat, colour):
        """The squares that a tower can reach."""
        column, row = self.towers[seat][colour]
        up, squares = (1, -1)[seat], []
        for side in (-1, 0, 1):
            x, y = column + side, row + up
            while 0 <= x < 8 and 0 <= y < 8 and (x, y) not in self.taken:
                squares.append((x, y))
                x, y = x + side, y + up
        return squares

    def wins(self, seat, colour):
        return any(row == (7, 0)[seat] for _, row in self.ways(seat, colour))

    def choose(self):
        """Makes the best move of this seat, and returns its line. None: its tower is blocked."""
        colours = list(COLOURS[0]) if self.colour is None else [self.colour]
        moves = [(colour, self.towers[self.own][colour], end) for colour in colours for end in self.ways(self.own, colour)]
        if not moves:
            return None
        _, start, end = max(moves, key=lambda move: self.value(*move))
        self.move(start, end)
        return "".join("abcdefgh"[column] + str(row + 1) for column, row in (start, end))

    def value(self, colour, start, end):
        if end[1] == (7, 0)[self.own]:
            return float("inf")
        self.place(self.own, colour, start, end)
        features = self.features(COLOURS_OF[end])
        self.place(self.own, colour, end, start)
        return sum(weight * feature for weight, feature in zip(self.weights, features))

    def place(self, seat, colour, start, end):
        self.towers[seat][colour] = end
        self.taken.remove(start)
        self.taken.add(end)

    def features(self, colour):
        """Of the position after a move, in which the opponent must move the tower of a colour:
        whether it can win, whether it is blocked, how many moves it has, after how many of
        them this seat can win, and how many towers of each side could reach the end."""
        other = 1 - self.own
        start, replies = self.towers[other][colour], self.ways(other, colour)
        wins = 0
        for end in replies:
            self.place(other, colour, start, end)
            wins += self.wins(self.own, COLOURS_OF[end])
            self.place(other, colour, end, start)
        lost = any(row == (7, 0)[other] for _, row in replies)
        return (lost, not replies, len(replies) / 13, wins / len(replies) if replies else 0,
                sum(self.wins(self.own, c) for c in COLOURS[0]) / 8, sum(self.wins(other, c) for c in COLOURS[0]) / 8)


COLOURS_OF = {(column, row): COLOURS[row][column] for column in range(8) for row in range(8)}


def play(matches, players, bot, seed):
    """Plays a match for each set of weights against a bot, the even ones as black. It returns
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


def train(file, generations=8, population=16, tests=400, game="kamisado"):
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
