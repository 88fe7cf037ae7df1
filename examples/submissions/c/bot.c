// Plays roshambo: shows the hand that beats the opponent's last one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[256];

static int read_line(void) {
    if (!fgets(line, sizeof line, stdin)) return 0;
    line[strcspn(line, "\r\n")] = 0;
    return 1;
}

int main(void) {
    const char *hands[] = {"ROCK", "PAPER", "SCISSORS"}; // each is beaten by the next
    if (!read_line() || !read_line() || !read_line()) return 1; // both names, the number of rounds
    int rounds = atoi(line), hand = 0;
    while (rounds-- > 0) {
        puts(hands[hand]);
        fflush(stdout);
        if (!read_line()) return 0;
        int other = 0;
        while (other < 3 && strcmp(line, hands[other])) other++;
        if (other == 3) return 0; // RETIRE: the match has ended
        hand = (other + 1) % 3;
    }
}
