/* Plays tron: moves straight on, and turns at random when a wall is ahead. Build it with: cc -o player player.c */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 60 };

static const char ways[] = "UDLR";
static const int dx[] = {0, 0, -1, 1}, dy[] = {-1, 1, 0, 0};

static int width, height;
static char taken[MOST][MOST]; /* by column and row */

static int is_free(int x, int y)
{
    return x >= 0 && x < width && y >= 0 && y < height && !taken[x][y];
}

/* Returns the way to move from a place: the last one if it is free, or else a random one that is. */
static int choose(int x, int y, int way)
{
    int i, first = rand() % 4;

    for (i = 0; i < 4 && !is_free(x + dx[way], y + dy[way]); i++)
        way = (first + i) % 4;
    return way;
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    int tick, players, me, seat, x[4], y[4], way[4];
    char name;

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
    if (fscanf(in, "%d %d %d %d", &width, &height, &tick, &players) != 4)
        return 1;
    for (seat = 0; seat < players; seat++) {
        if (fscanf(in, "%d %d %c%*[^\n]", &x[seat], &y[seat], &name) != 3) /* the rest: its team and name */
            return 1;
        for (way[seat] = 0; way[seat] < 3 && ways[way[seat]] != name; way[seat]++)
            ;
        taken[x[seat]][y[seat]] = 1;
    }
    if (fscanf(in, "%d", &me) != 1)
        return 1;
    for (;;) {
        if (x[me] >= 0) { /* else it has crashed */
            way[me] = choose(x[me], y[me], way[me]);
            fprintf(out, "%c\n", ways[way[me]]);
            fflush(out);
        }
        for (seat = 0; seat < players; seat++) {
            if (fscanf(in, "%d %d", &x[seat], &y[seat]) != 2)
                return 0; /* the match has ended */
            if (x[seat] >= 0)
                taken[x[seat]][y[seat]] = 1;
        }
    }
}
