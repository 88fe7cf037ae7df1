/* Plays dama by any rules except damath. It captures as much as it can.
   Build it with: cc -o player player.c

   It does not know the rules of the match. It tries possible moves, the longest
   captures first, until the referee accepts one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SIZE = 10,        /* rows of the larger board */
    MAX_PATH = 21,    /* squares of a move: a side has at most 20 pieces to capture */
    MAX_MOVES = 20000 /* far more than any position has */
};

struct square {
    signed char row, column; /* counted from 0 */
};

struct move {
    struct square path[MAX_PATH];
    int length; /* of the path */
    int worth;  /* greater for longer captures, and then for those by a king; -1: it was tried */
};

static char board[SIZE][SIZE];        /* pieces, as the referee writes them; 0 outside the board */
static const char *own, *enemy;       /* letters of a man and a king */
static int forward, far;              /* direction in which men move, and their last row */
static struct move moves[MAX_MOVES];  /* moves that might be legal */
static int count;                     /* of the moves */

static const struct square diagonals[] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

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

/* Returns the number of a row of the board, or 0 if the line is not such a row. */
static int row_number(const char *line)
{
    char *end;
    long row = strtol(line, &end, 10);

    return end - line <= 2 && strncmp(end, " [", 2) == 0 && strlen(end) >= 26 && row >= 1 && row <= SIZE ? (int)row : 0;
}

static struct square next(struct square s, struct square direction)
{
    s.row += direction.row;
    s.column += direction.column;
    return s;
}

/* Returns the piece on a square, or 0 outside the board. */
static char at(struct square s)
{
    return s.row < 0 || s.row >= SIZE || s.column < 0 || s.column >= SIZE ? 0 : board[s.row][s.column];
}

static int is_one_of(const char *pieces, char piece)
{
    return piece == pieces[0] || piece == pieces[1];
}

static void add(const struct move *m)
{
    if (count < MAX_MOVES)
        moves[count++] = *m;
}

/* Adds each move that continues m by jumps over enemies, complete or not. If the piece can fly,
   flies is 1. */
static void add_captures(struct move m, int flies)
{
    struct square prey, from = m.path[m.length - 1];
    char piece;
    int d;

    if (m.length == MAX_PATH || count == MAX_MOVES)
        return;
    m.length++;
    m.worth += 2;
    for (d = 0; d < 4; d++) {
        prey = next(from, diagonals[d]);
        while (flies && at(prey) == ' ')
            prey = next(prey, diagonals[d]);
        piece = at(prey);
        if (!is_one_of(enemy, piece))
            continue;
        board[prey.row][prey.column] = 'x'; /* it remains as an obstacle */
        m.path[m.length - 1] = next(prey, diagonals[d]);
        while (at(m.path[m.length - 1]) == ' ') {
            add(&m);
            /* In some rules a man that touches the far row continues as a king. */
            add_captures(m, flies || m.path[m.length - 1].row == far);
            if (!flies)
                break;
            m.path[m.length - 1] = next(m.path[m.length - 1], diagonals[d]);
        }
        board[prey.row][prey.column] = piece;
    }
}

/* Fills the list of moves. */
static void find_moves(void)
{
    int i, d, king;

    count = 0;
    for (i = 0; i < SIZE * SIZE; i++) {
        struct square start = {(signed char)(i / SIZE), (signed char)(i % SIZE)};
        struct move m = {{start}, 1, 0};
        char piece = at(start);
        if (!is_one_of(own, piece))
            continue;
        king = piece == own[1];
        m.worth = king;
        board[start.row][start.column] = ' '; /* the piece can return to its square */
        add_captures(m, king);
        board[start.row][start.column] = piece;
        m.length = 2;
        m.worth = 0;
        for (d = 0; d < 4; d++) {
            if (!king && diagonals[d].row != forward)
                continue;
            m.path[1] = next(start, diagonals[d]);
            while (at(m.path[1]) == ' ') {
                add(&m);
                if (!king)
                    break;
                m.path[1] = next(m.path[1], diagonals[d]);
            }
        }
    }
}

/* Sends one of the best moves that were not tried yet. Returns 0 if there is none. */
static int try_move(FILE *out)
{
    struct move *best = NULL;
    int i, equal = 0;

    for (i = 0; i < count; i++) {
        if (moves[i].worth < 0 || (best && moves[i].worth < best->worth))
            continue;
        if (!best || moves[i].worth > best->worth)
            equal = 0;
        if (rand() % ++equal == 0) /* so each of the equal ones is as likely */
            best = &moves[i];
    }
    if (!best)
        return 0;
    for (i = 0; i < best->length; i++)
        fprintf(out, "%s%d%c", i > 0 ? " " : "", best->path[i].row + 1, 'A' + best->path[i].column);
    fprintf(out, "\n");
    best->worth = -1;
    return fflush(out) == 0;
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[256], *cell;
    int row, column, known = 0; /* known: the list has the moves on this board */

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
    own = "bB", enemy = "nN", forward = -1, far = 0;
    if (!read_line(in, line, sizeof line) || /* white's name */
        !read_line(in, line, sizeof line))   /* black's */
        return 1;
    while (read_line(in, line, sizeof line)) {
        if (strncmp(line, "Game Over", 9) == 0)
            break;
        if (strcmp(line, "Sei i Neri") == 0) {
            own = "nN", enemy = "bB", forward = 1, far = board[SIZE - 1][0] ? SIZE - 1 : 7;
        } else if ((row = row_number(line)) > 0) {
            cell = strchr(line, '[');
            for (column = 0; column < SIZE && cell[0] == '[' && cell[1] != '\0'; column++, cell += 3)
                board[row - 1][column] = cell[1];
            known = 0;
        } else if (strncmp(line, "Es > ", 5) == 0) { /* the referee asks for a move */
            if (!known)
                find_moves();
            known = 1;
            if (!try_move(out))
                return 1;
        }
    }
    return 0;
}
