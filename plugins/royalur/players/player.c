/* Plays the Royal Game of Ur at random. Build it with: cc -o player player.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TOKENS = 7,
    HOME = 15, /* one past the last cell of the track */
    MIDDLE = 8 /* the shared rosette */
};

static int places[2][TOKENS]; /* the cell of each token of the players; 0 is the start */

/* Reads a line without its line feed. Drops what does not fit. Returns 0 at the end of the stream. */
static int read_line(FILE *in, char *line, int size)
{
    int c;

    if (!fgets(line, size, in))
        return 0;
    if (!strchr(line, '\n'))
        while ((c = getc(in)) != EOF && c != '\n')
            ;
    line[strcspn(line, "\r\n")] = '\0';
    return 1;
}

/* Returns a player's token on a cell, or -1. */
static int token_on(const int *player, int cell)
{
    int token;

    for (token = 0; token < TOKENS; token++)
        if (player[token] == cell)
            return token;
    return -1;
}

static int can_move(const int *own, const int *other, int token, int heads)
{
    int to = own[token] + heads;

    if (heads == 0 || own[token] == HOME || to > HOME)
        return 0;
    if (to == HOME)
        return 1;
    return token_on(own, to) < 0 && !(to == MIDDLE && token_on(other, to) >= 0);
}

/* Returns a random one of the tokens that can move, or -1 if none can. */
static int choose(const int *own, const int *other, int heads)
{
    int legal[TOKENS], count = 0, token;

    for (token = 0; token < TOKENS; token++)
        if (can_move(own, other, token, heads))
            legal[count++] = token;
    return count > 0 ? legal[rand() % count] : -1;
}

/* Moves a token, and returns the captured one to its start. */
static void advance(int *own, int *other, int token, int heads)
{
    int captured;

    own[token] += heads;
    if (own[token] < 5 || own[token] > 12) /* these cells are not shared */
        return;
    captured = token_on(other, own[token]);
    if (captured >= 0)
        other[captured] = 0;
}

static int all_home(const int *player)
{
    int token;

    for (token = 0; token < TOKENS; token++)
        if (player[token] != HOME)
            return 0;
    return 1;
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[64]; /* names have at most 16 characters */
    int me, mover = 0, heads, token, i;

    if (getenv("COCO_PIPEIN")) {
        /* In this order, before anything else: coco waits for both. */
        in = fopen(getenv("COCO_PIPEIN"), "r");
        out = in ? fopen(getenv("COCO_PIPEOUT"), "w") : NULL;
        if (!out) {
            perror("named pipes");
            return 1;
        }
    }
    srand((unsigned)time(NULL));
    if (!read_line(in, line, sizeof line) || /* the first player's name */
        !read_line(in, line, sizeof line) || /* the second player's */
        !read_line(in, line, sizeof line))   /* its own number */
        return 1;
    me = atoi(line);
    while (read_line(in, line, sizeof line)) { /* a roll */
        int *own = places[mover], *other = places[1 - mover];
        heads = 0;
        for (i = 0; line[i]; i++)
            heads += line[i] == '1';
        token = choose(own, other, heads);
        if (token < 0) {
            mover = 1 - mover;
            continue;
        }
        if (mover == me) {
            fprintf(out, "%d\n", token);
            fflush(out);
        } else {
            if (!read_line(in, line, sizeof line) || strcmp(line, "RETIRE") == 0)
                break;
            token = atoi(line);
            if (token < 0 || token >= TOKENS || !can_move(own, other, token, heads)) {
                fprintf(stderr, "the opponent's move is not legal: %s\n", line);
                return 1;
            }
        }
        advance(own, other, token, heads);
        if (all_home(own))
            break;
        if (own[token] != 4 && own[token] != MIDDLE && own[token] != 14) /* no rosette */
            mover = 1 - mover;
    }
    return 0;
}
