/* Plays Kamisado: it wins if it can, and otherwise moves at random.
   Build it with: cc -o player player.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The colours of the squares, from row 1 up to row 8, columns a to h. */
static const char *colours[] = {
    "NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK",
    "KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN",
};

static const int home[] = {0, 7}; /* rows, counted from 0, of black and white */

struct square {
    int row, column;
};

struct move {
    struct square start, end;
};

/* The colour of the tower on each square, and its side: 0 or 1, or -1 if the square is free. */
static char towers[8][8];
static int sides[8][8];

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

static int on_board(struct square s)
{
    return s.row >= 0 && s.row < 8 && s.column >= 0 && s.column < 8;
}

/* Puts the towers on their squares. */
static void set_up(void)
{
    int row, column;

    for (row = 0; row < 8; row++)
        for (column = 0; column < 8; column++) {
            sides[row][column] = row == home[0] ? 0 : row == home[1] ? 1 : -1;
            towers[row][column] = colours[row][column];
        }
}

/* Finds a move of a side with its tower of a colour, or with any if the colour is 0: one to the
   opponent's home row if there is one, or else a random one. Returns 0 if there is no move. */
static int choose(int side, char colour, struct move *chosen)
{
    struct move m;
    int i, sideways, count = 0, up = side == 0 ? 1 : -1;

    for (i = 0; i < 64; i++) {
        m.start.row = i / 8;
        m.start.column = i % 8;
        if (sides[i / 8][i % 8] != side || (colour && towers[i / 8][i % 8] != colour))
            continue;
        for (sideways = -1; sideways <= 1; sideways++) {
            m.end = m.start;
            for (;;) {
                m.end.row += up;
                m.end.column += sideways;
                if (!on_board(m.end) || sides[m.end.row][m.end.column] >= 0)
                    break;
                if (m.end.row == home[1 - side]) {
                    *chosen = m;
                    return 1;
                }
                if (rand() % ++count == 0) /* so each move is as likely */
                    *chosen = m;
            }
        }
    }
    return count > 0;
}

/* Reads a move from a line. Returns 0 if it is none. */
static int parse(const char *line, struct move *m)
{
    if (strlen(line) != 4)
        return 0;
    m->start.row = line[1] - '1';
    m->start.column = line[0] - 'a';
    m->end.row = line[3] - '1';
    m->end.column = line[2] - 'a';
    return on_board(m->start) && on_board(m->end);
}

/* Moves a tower, which can stay where it is. */
static void apply(struct move m)
{
    int side = sides[m.start.row][m.start.column];

    sides[m.start.row][m.start.column] = -1;
    sides[m.end.row][m.end.column] = side;
    towers[m.end.row][m.end.column] = towers[m.start.row][m.start.column];
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[64]; /* names have at most 16 characters */
    char colour = 0; /* of the tower to move; 0: any */
    int me, side;
    struct move m;

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
    if (!read_line(in, line, sizeof line) || /* black's name */
        !read_line(in, line, sizeof line) || /* white's */
        !read_line(in, line, sizeof line))   /* its own number */
        return 1;
    me = atoi(line);
    set_up();
    for (side = 0;; side = 1 - side) {
        if (side == me && choose(side, colour, &m)) {
            fprintf(out, "%c%d%c%d\n", 'a' + m.start.column, m.start.row + 1, 'a' + m.end.column, m.end.row + 1);
            fflush(out);
        } else { /* the opponent's move, or one of distance zero */
            if (!read_line(in, line, sizeof line) || strcmp(line, "RETIRE") == 0)
                break;
            if (!parse(line, &m)) {
                fprintf(stderr, "this is not a move: %s\n", line);
                return 1;
            }
        }
        apply(m);
        if (m.end.row == home[1 - side])
            break;
        colour = colours[m.end.row][m.end.column];
    }
    return 0;
}
