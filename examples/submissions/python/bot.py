# Plays roshambo: shows the hand that beats the opponent's last one.
BEATS = {"ROCK": "PAPER", "PAPER": "SCISSORS", "SCISSORS": "ROCK"}

input()  # its own name
input()  # the opponent's
hand = "ROCK"
for _ in range(int(input())):
    print(hand, flush=True)
    hand = BEATS.get(input())
    if hand is None:  # RETIRE: the match has ended
        break
