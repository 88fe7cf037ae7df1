/* Plays roshambo at random. Build it with: cc -o player player.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *hands[] = {"ROCK", "PAPER", "SCISSORS"};

/* Reads a line without its line feed. Returns 0 at the end of the stream. */
static int read_line(FILE *in, char *line, int size)
{
    if (!fgets(line, size, in))
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    return 1;
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[64]; /* names have at most 16 characters */
    int round, rounds;

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
    if (!read_line(in, line, sizeof line) || /* its own name */
        !read_line(in, line, sizeof line) || /* the opponent's */
        !read_line(in, line, sizeof line))   /* the number of rounds */
        return 1;
    rounds = atoi(line);
    for (round = 0; round < rounds; round++) {
        fprintf(out, "%s\n", hands[rand() % 3]);
        fflush(out);
        if (!read_line(in, line, sizeof line) || strcmp(line, "RETIRE") == 0)
            break;
    }
    return 0;
}
