# Computes the figures of TestLLRIsThatOfFishtest by the formulas of fishtest's
# server/fishtest/stats/LLRcalc.py (LLR_logistic), without its libraries.
import math

def secular(pdf):
    low, high = -1 / max(a for a, p in pdf), -1 / min(a for a, p in pdf)
    for _ in range(200):
        x = (low + high) / 2
        if sum(p * a / (1 + x * a) for a, p in pdf) > 0:
            low = x
        else:
            high = x
    return x

def likeliest(pdf, s):
    x = secular([(a - s, p) for a, p in pdf])
    return [p / (1 + x * (a - s)) for a, p in pdf]

def llr(elo0, elo1, results):
    results = [r or 1e-3 for r in results]
    n = sum(results)
    pdf = [(i / 4, r / n) for i, r in enumerate(results)]
    p0, p1 = (likeliest(pdf, 1 / (1 + 10 ** (-elo / 400))) for elo in (elo0, elo1))
    return n * sum(p * math.log(q1 / q0) for (a, p), q0, q1 in zip(pdf, p0, p1))

# The counts and hypotheses are those of the tests in fishtest's stat_util.py, and some
# with scores that did not occur.
for elo0, elo1, counts in [
    (-3, 1, [10789, 19328, 33806, 19402, 10543]),
    (-3, 1, [1187, 7410, 13475, 7378, 1164]),
    (0.2, 0.9, [39, 2226, 31451, 2412, 40]),
    (0, 10, [1, 2, 3, 4, 5]),
    (0, 10, [0, 0, 0, 0, 3]),
    (0, 10, [0, 5, 0, 9, 0]),
    (-20, 30, [0, 0, 50, 0, 0]),
]:
    print("%g, %g, %s: %.8f" % (elo0, elo1, counts, llr(elo0, elo1, counts)))
