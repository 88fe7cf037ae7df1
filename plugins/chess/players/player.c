/* Plays chess: takes the best piece it can, and otherwise moves at random. It never castles or
   captures en passant, and after 40 moves it offers draws.
   Build it with: cc -o player player.c */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usual[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";

/* The letter of the piece on each square, as in FEN, or a space. A square is a number: 8 times
   its row counted from row 1, plus its column counted from a. */
static char board[64];

/* The ways of the pieces, as columns and rows: straight, diagonal, and the knight's. */
static const int ways[16][2] = {
    {0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
    {1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2},
};

/* Reads a line without its line feed. Drops what does not fit. Returns 0 at the end of the stream. */
static int read_line(FILE *in, char *line, int size)
{
    int c;

    if (!fgets(line, size, in)) {
        line[0] = '\0';
        return 0;
    }
    if (!strchr(line, '\n'))
        while ((c = getc(in)) != EOF && c != '\n')
            ;
    line[strcspn(line, "\r\n")] = '\0';
    return 1;
}

static void write_line(FILE *out, const char *line)
{
    fprintf(out, "%s\n", line);
    fflush(out);
}

/* Puts the pieces on their squares. Returns the side to move. */
static int place(const char *fen)
{
    int row = 7, column = 0;

    memset(board, ' ', sizeof board);
    for (; *fen && *fen != ' '; fen++) {
        if (*fen == '/') {
            row--;
            column = 0;
        } else if (isdigit((unsigned char)*fen)) {
            column += *fen - '0';
        } else if (row >= 0 && column < 8) {
            board[8 * row + column++] = *fen;
        }
    }
    return fen[0] == ' ' && fen[1] == 'b';
}

static int owner(char piece) { return islower((unsigned char)piece) != 0; }

static int beside(int square, int right, int up)
{
    int column = square % 8 + right, row = square / 8 + up;

    return column < 0 || column > 7 || row < 0 || row > 7 ? -1 : 8 * row + column;
}

/* Finds the squares to which a piece can move, if its king does not matter. Returns their number. */
static int targets(int start, int *list)
{
    int count = 0, side = owner(board[start]), up = side ? -1 : 1, i, end, first = 0, last = 8;
    char piece = toupper((unsigned char)board[start]);

    if (piece == 'P') {
        for (i = -1; i <= 1; i += 2) {
            end = beside(start, i, up);
            if (end >= 0 && board[end] != ' ' && owner(board[end]) != side)
                list[count++] = end;
        }
        end = beside(start, 0, up);
        if (end >= 0 && board[end] == ' ') {
            list[count++] = end;
            end = beside(end, 0, up);
            if (start / 8 == (side ? 6 : 1) && board[end] == ' ')
                list[count++] = end;
        }
        return count;
    }
    if (piece == 'N') {
        first = 8;
        last = 16;
    } else if (piece == 'R') {
        last = 4;
    } else if (piece == 'B') {
        first = 4;
    }
    for (i = first; i < last; i++)
        for (end = beside(start, ways[i][0], ways[i][1]); end >= 0; end = beside(end, ways[i][0], ways[i][1])) {
            if (board[end] == ' ' || owner(board[end]) != side)
                list[count++] = end;
            if (board[end] != ' ' || piece == 'K' || piece == 'N')
                break;
        }
    return count;
}

/* Reports whether the king of a side is attacked. */
static int attacked(int side)
{
    int list[32], square, count;

    for (square = 0; square < 64; square++) {
        if (board[square] == ' ' || owner(board[square]) == side)
            continue;
        for (count = targets(square, list); count > 0; count--)
            if (toupper((unsigned char)board[list[count - 1]]) == 'K')
                return 1;
    }
    return 0;
}

static int value(char piece)
{
    switch (toupper((unsigned char)piece)) {
    case 'P': return 1;
    case 'N': case 'B': return 3;
    case 'R': return 5;
    case 'Q': return 9;
    }
    return 0;
}

/* Finds a legal move that takes the best piece. Returns 0 if there is no move. */
static int choose(int side, int *from, int *to)
{
    int list[32], start, i, count, legal, best = -1, equal = 0;

    for (start = 0; start < 64; start++) {
        if (board[start] == ' ' || owner(board[start]) != side)
            continue;
        count = targets(start, list);
        for (i = 0; i < count; i++) {
            char piece = board[start], victim = board[list[i]];

            board[start] = ' ';
            board[list[i]] = piece;
            legal = !attacked(side);
            board[start] = piece;
            board[list[i]] = victim;
            if (!legal || value(victim) < best)
                continue;
            if (value(victim) > best)
                equal = 0;
            best = value(victim);
            if (rand() % ++equal == 0) { /* so each of the best is as likely */
                *from = start;
                *to = list[i];
            }
        }
    }
    return best >= 0;
}

/* Makes an announced move, such as OK <e2> <e4>. */
static void play(const char *line)
{
    int squares[4], count = 0, i;
    char promoted = 0;
    const char *word;

    for (word = strchr(line, '<'); word; word = strchr(word + 1, '<')) {
        if (word[1] >= 'a' && word[1] <= 'h' && word[2] >= '1' && word[2] <= '8' && word[3] == '>' && count < 4)
            squares[count++] = word[1] - 'a' + 8 * (word[2] - '1');
        else if (strcmp(word, "<queen>") == 0)
            promoted = 'Q';
        else if (strcmp(word, "<rook>") == 0)
            promoted = 'R';
        else if (strcmp(word, "<bishop>") == 0)
            promoted = 'B';
        else if (strcmp(word, "<knight>") == 0)
            promoted = 'N';
    }
    for (i = 0; i + 1 < count; i += 2) { /* castling has two moves */
        char piece = board[squares[i]];

        if (promoted)
            piece = owner(piece) ? tolower(promoted) : promoted;
        if (strncmp(line, "OK <enpassant>", 14) == 0)
            board[squares[i] / 8 * 8 + squares[i + 1] % 8] = ' ';
        board[squares[i]] = ' ';
        board[squares[i + 1]] = piece;
    }
}

int main(void)
{
    FILE *in = stdin, *out = stdout;
    char line[160], text[32];
    int me, side, from = 0, to = 0, moved = 0, offered = 0;

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
        !read_line(in, line, sizeof line))
        return 1;
    side = place(usual);
    if (strncmp(line, "START <", 7) == 0) {
        side = place(line + 7);
        read_line(in, line, sizeof line);
    }
    me = atoi(line);
    for (;;) {
        if (side == me && choose(side, &from, &to)) {
            if (moved >= 40 && !offered) {
                write_line(out, "DRAW");
                offered = 1;
            } else {
                int last = toupper((unsigned char)board[from]) == 'P' && (to / 8 == 0 || to / 8 == 7);

                sprintf(text, "%s%c%d %c%d%s", last ? "promote " : "", 'a' + from % 8, from / 8 + 1, 'a' + to % 8, to / 8 + 1, last ? " queen" : "");
                write_line(out, text);
                moved++;
                offered = 0;
            }
        }
        while (read_line(in, line, sizeof line) && strcmp(line, "DRAW <PROPOSED>") == 0)
            if (side != me)
                write_line(out, "DRAW"); /* accept */
        if (strncmp(line, "OK", 2) == 0) {
            play(line);
            side = 1 - side;
        } else if (strcmp(line, "DRAW <REFUSED>") != 0) {
            return 0; /* the match is over */
        }
    }
}
