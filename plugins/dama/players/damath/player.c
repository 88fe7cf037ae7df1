/* Plays damath: it makes random legal moves. Build it with: cc -o player player.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PATH = 13 }; /* squares of a move: a side has at most 12 chips to capture */

struct square {
    int column, row; /* counted from 0 */
};

struct path {
    struct square squares[MAX_PATH];
    int length;
};

static const struct square diagonals[] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};

/* The side of the chip on each square, and whether it is a dama. This player ignores the values. */
enum { FIRST, SECOND, FREE, OUTSIDE };
static int board[8][8];
static int dama[8][8];

/* A random one of the best moves: those that capture the most chips, and among these those by a
   dama. */
static struct path best;
static int best_worth;
static int equal; /* number of moves that are as good */

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

static struct square next(struct square s, struct square direction)
{
    s.column += direction.column;
    s.row += direction.row;
    return s;
}

static int at(struct square s)
{
    return s.row < 0 || s.row > 7 || s.column < 0 || s.column > 7 ? OUTSIDE : board[s.row][s.column];
}

static void set_up(void)
{
    int row, column;

    for (row = 0; row < 8; row++)
        for (column = 0; column < 8; column++)
            board[row][column] = (row + column) % 2 == 0 || row == 3 || row == 4 ? FREE : row / 4;
}

static void consider(const struct path *p, int worth)
{
    if (worth < best_worth)
        return;
    if (worth > best_worth)
        equal = 0;
    best_worth = worth;
    if (rand() % ++equal == 0) /* so each of the equal moves is as likely */
        best = *p;
}

/* Considers each move that continues p by captures of the enemy's chips. worth is that of p. */
static void consider_captures(struct path p, int enemy, int is_dama, int worth)
{
    struct square victim, from = p.squares[p.length - 1];
    int d;

    if (p.length == MAX_PATH)
        return;
    p.length++;
    for (d = 0; d < 4; d++) {
        struct square *to = &p.squares[p.length - 1];
        victim = next(from, diagonals[d]);
        while (is_dama && at(victim) == FREE)
            victim = next(victim, diagonals[d]);
        if (at(victim) != enemy)
            continue;
        board[victim.row][victim.column] = OUTSIDE; /* it remains as an obstacle */
        for (*to = next(victim, diagonals[d]); at(*to) == FREE; *to = next(*to, diagonals[d])) {
            consider(&p, worth + 2);
            consider_captures(p, enemy, is_dama, worth + 2);
            if (!is_dama)
                break;
        }
        board[victim.row][victim.column] = enemy;
    }
}

/* Writes a random legal move of a side, or "" if there is none. line has room for any move. */
static void choose(int side, char *line)
{
    int i, d;

    equal = best_worth = best.length = 0;
    for (i = 0; i < 64; i++) {
        struct square from = {i % 8, i / 8};
        struct path p = {{from}, 1};
        int is_dama = dama[from.row][from.column];
        if (at(from) != side)
            continue;
        board[from.row][from.column] = FREE; /* the chip can return to its square */
        consider_captures(p, 1 - side, is_dama, is_dama);
        board[from.row][from.column] = side;
        p.length = 2;
        for (d = 0; d < 4; d++) {
            struct square to = next(from, diagonals[d]);
            if (!is_dama && diagonals[d].row != (side == FIRST ? 1 : -1))
                continue;
            for (; at(to) == FREE; to = next(to, diagonals[d])) {
                p.squares[1] = to;
                consider(&p, 0);
                if (!is_dama)
                    break;
            }
        }
    }
    for (i = 0; i < best.length; i++) {
        *line++ = (char)('a' + best.squares[i].column);
        *line++ = (char)('1' + best.squares[i].row);
    }
    *line = '\0';
}

/* Makes a legal move. Returns 0 if the line is not a move. */
static int apply(const char *line)
{
    struct square from = {line[0] - 'a', line[0] ? line[1] - '1' : 0}, to, s, d;
    int side = at(from), is_dama;

    if (side != FIRST && side != SECOND)
        return 0;
    is_dama = dama[from.row][from.column];
    board[from.row][from.column] = FREE;
    dama[from.row][from.column] = 0;
    for (line += 2; strlen(line) >= 2; line += 2, from = to) {
        to.column = line[0] - 'a';
        to.row = line[1] - '1';
        if (at(to) != FREE)
            return 0;
        d.column = (to.column > from.column) - (to.column < from.column);
        d.row = (to.row > from.row) - (to.row < from.row);
        for (s = from; at(s) != OUTSIDE && (s.column != to.column || s.row != to.row); s = next(s, d)) {
            board[s.row][s.column] = FREE; /* captured, unless it was free */
            dama[s.row][s.column] = 0;
        }
    }
    board[from.row][from.column] = side;
    dama[from.row][from.column] = is_dama || from.row == (side == FIRST ? 7 : 0);
    return 1;
}

static void send(FILE *out, const char *line)
{
    fprintf(out, "%s\n", line);
    fflush(out);
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[64], chosen[64], move[64]; /* names have at most 16 characters */
    int me, side = FIRST;
    int sent = 0; /* its move, which the referee has not confirmed yet, is in move */
    int late = 0; /* another player or the referee makes this move */

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
    if (!read_line(in, line, sizeof line)) /* the set of chips */
        return 1;
    set_up();
    for (;;) {
        choose(side, chosen);
        if (side == me && !sent && !late && chosen[0]) {
            send(out, strcpy(move, chosen));
            sent = 1;
        }
        if (!read_line(in, line, sizeof line) || strcmp(line, "RETIRE") == 0 ||
            strcmp(line, "resign") == 0 || strncmp(line, "END", 3) == 0)
            return 0;
        if (strcmp(line, "draw") == 0) {
            send(out, "no");
        } else if (strncmp(line, "LATE ", 5) == 0) {
            if (atoi(line + 5) == me) {
                send(out, "LATE");
                late = 1;
                sent = 0;
            } else if (side != me) { /* move for the other, unless the referee moves for both */
                send(out, strcpy(move, chosen));
                sent = 1;
            }
        } else {
            if (!sent) {
                strcpy(move, line);
                read_line(in, line, sizeof line); /* the points; after its own move they are in line */
            }
            if (!apply(move)) {
                fprintf(stderr, "this is not a move: %s\n", move);
                return 1;
            }
            sent = late = 0;
            side = 1 - side;
        }
    }
}
