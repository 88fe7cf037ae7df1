/* Plays taacoca: it prefers moves to the goal, then captures, then any move.
   Build it with: cc -o player player.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cell {
    int row, number; /* the row is counted from 0, the number from 1 */
};

struct move {
    struct cell stones[3];
    int count; /* of the stones */
    char direction; /* L or R */
};

static const int lengths[] = {5, 6, 7, 8, 9, 8, 7, 6, 5}; /* of the rows A to I */

static char board[9][10]; /* W, B or 0 on each cell; no cell has the number 0 */

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

static char enemy_of(char side) { return side == 'W' ? 'B' : 'W'; }

static int home_of(char side) { return side == 'W' ? 0 : 8; } /* a row */

/* Puts the stones on their cells. */
static void set_up(void)
{
    int i, number;

    for (i = 0; i < 3; i++)
        for (number = i + 1; number <= 5; number++) {
            board[i][number] = 'W';
            board[8 - i][number] = 'B';
        }
}

/* Finds the cell that a stone enters. Returns 0 if it would leave the board. */
static int target(struct cell c, char side, char direction, struct cell *to)
{
    int longer = side == 'W' ? c.row < 4 : c.row > 4; /* than this row is the next one */

    to->row = side == 'W' ? c.row + 1 : c.row - 1;
    to->number = c.number + (direction == 'R') - !longer;
    return to->row >= 0 && to->row <= 8 && to->number >= 1 && to->number <= lengths[to->row];
}

/* Returns how good a move is, or -1 if it is not legal. */
static int worth(char side, const struct move *m)
{
    struct cell to;
    int i, j, points = 0;

    for (i = 0; i < m->count; i++) {
        if (!target(m->stones[i], side, m->direction, &to))
            return -1;
        if (board[to.row][to.number] == side) { /* this stone must leave its cell */
            for (j = 0; j < m->count; j++)
                if (m->stones[j].row == to.row && m->stones[j].number == to.number)
                    break;
            if (j == m->count)
                return -1;
        }
        if (to.row == home_of(enemy_of(side)))
            points += 100;
        if (board[to.row][to.number] == enemy_of(side))
            points++;
    }
    return points;
}

/* Makes a legal move. All its stones go at the same time. */
static void apply(char side, const struct move *m)
{
    struct cell to;
    int i;

    for (i = 0; i < m->count; i++)
        board[m->stones[i].row][m->stones[i].number] = 0;
    for (i = 0; i < m->count; i++)
        if (target(m->stones[i], side, m->direction, &to))
            board[to.row][to.number] = side;
}

/* The best move so far, its worth, and how many are equal to it. */
struct choice {
    struct move best;
    int worth, equal;
};

/* Tries each move of m.count stones that has the first n stones of m, and others of a list from
   index i. */
static void try_moves(char side, struct move m, int n, const struct cell *own, int owned, int i, struct choice *choice)
{
    int points;

    if (n < m.count && n < 3) { /* m.count is at most 3, but not every compiler sees it */
        for (; i < owned; i++) {
            m.stones[n] = own[i];
            try_moves(side, m, n + 1, own, owned, i + 1, choice);
        }
        return;
    }
    points = worth(side, &m);
    if (points < choice->worth)
        return;
    if (points > choice->worth)
        choice->equal = 0;
    choice->worth = points;
    if (rand() % ++choice->equal == 0) /* so each of the equal moves is as likely */
        choice->best = m;
}

/* Finds a random one of the best moves. Returns 0 if there is no legal move. */
static int choose(char side, struct move *m)
{
    struct choice choice = {{{{0, 0}}, 0, 'L'}, 0, 0};
    struct cell own[9 * 10];
    int owned = 0, row, number;

    for (row = 0; row < 9; row++)
        for (number = 1; number <= 9; number++)
            if (board[row][number] == side) {
                own[owned].row = row;
                own[owned++].number = number;
            }
    if (owned == 0)
        return 0;
    *m = choice.best;
    m->count = owned < 3 ? owned : 3;
    for (m->direction = 'L'; m->direction; m->direction = m->direction == 'L' ? 'R' : 0)
        try_moves(side, *m, 0, own, owned, 0, &choice);
    *m = choice.best;
    return choice.equal > 0;
}

/* Reads a move as the referee writes it. Returns 0 if it is not a legal one. */
static int parse(const char *line, char side, struct move *m)
{
    for (m->count = 0; m->count < 3 && strlen(line) > 3; m->count++, line += 3) {
        struct cell *c = &m->stones[m->count];
        c->row = line[0] - 'A';
        c->number = line[1] - '0';
        if (c->row < 0 || c->row > 8 || c->number < 1 || c->number > lengths[c->row])
            return 0;
    }
    m->direction = line[0];
    return worth(side, m) >= 0;
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[64]; /* names have at most 16 characters */
    char me, side;
    struct move m;
    int i;

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
    if (!read_line(in, line, sizeof line) || /* White's name */
        !read_line(in, line, sizeof line) || /* Black's */
        !read_line(in, line, sizeof line))   /* its own number */
        return 1;
    me = line[0] == '0' ? 'W' : 'B';
    set_up();
    for (side = 'W';; side = enemy_of(side)) {
        if (side == me) {
            if (memchr(board[home_of(me)], enemy_of(me), sizeof board[0]) || !choose(me, &m))
                break; /* this side has lost */
            for (i = 0; i < m.count; i++)
                fprintf(out, "%c%d ", 'A' + m.stones[i].row, m.stones[i].number);
            fprintf(out, "%c\n", m.direction);
            fflush(out);
        } else {
            if (!read_line(in, line, sizeof line) || strcmp(line, "RETIRE") == 0)
                break;
            if (!parse(line, side, &m)) {
                fprintf(stderr, "this is not a legal move: %s\n", line);
                return 1;
            }
        }
        apply(side, &m);
    }
    return 0;
}
