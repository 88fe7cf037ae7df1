import java.io.*;
import java.util.*;

/**
 * Plays chess: takes the best piece it can, and otherwise moves at random. It never castles or
 * captures en passant, and after 40 moves it offers draws.
 */
public class Player {
    static final String USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    static final int[][] STRAIGHT = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    static final int[][] DIAGONAL = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    static final int[][] AROUND = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    static final int[][] JUMPS = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    static final Random random = new Random();

    record Move(int start, int end) {}

    /**
     * The letter of the piece on each square, as in FEN, or a space. A square is a number: 8 times
     * its row counted from row 1, plus its column counted from a.
     */
    static char[] board = new char[64];
    static int side; // to move

    static BufferedReader in;
    static PrintStream out;

    public static void main(String[] args) throws IOException {
        // The pipes are opened in this order, before anything else: coco waits for both.
        String pipeIn = System.getenv("COCO_PIPEIN"), pipeOut = System.getenv("COCO_PIPEOUT");
        InputStream source = pipeIn == null ? System.in : new FileInputStream(pipeIn);
        OutputStream sink = pipeOut == null ? System.out : new FileOutputStream(pipeOut);
        in = new BufferedReader(new InputStreamReader(source, "UTF-8"));
        out = new PrintStream(sink, true, "UTF-8"); // true: println sends a line at once
        play();
    }

    /** Returns the next line, or an empty one when there are no more. */
    static String read() throws IOException {
        String line = in.readLine();
        return line == null ? "" : line;
    }

    /** Plays one match. */
    static void play() throws IOException {
        read(); // name of White
        read(); // name of Black
        String line = read();
        place(USUAL);
        if (line.startsWith("START")) {
            place(line.substring("START <".length()));
            line = read();
        }
        int me = "1".equals(line) ? 1 : 0, moved = 0;
        boolean offered = false;
        while (true) {
            List<Move> moves = side == me ? legal() : List.of();
            if (!moves.isEmpty() && moved >= 40 && !offered) {
                out.println("DRAW");
                offered = true;
            } else if (!moves.isEmpty()) {
                Collections.shuffle(moves, random);
                Move m = Collections.max(moves, Comparator.comparingInt(move -> value(board[move.end])));
                String squares = name(m.start) + " " + name(m.end);
                boolean last = Character.toUpperCase(board[m.start]) == 'P' && (m.end / 8 == 0 || m.end / 8 == 7);
                out.println(last ? "promote " + squares + " queen" : squares);
                moved++;
                offered = false;
            }
            line = read();
            while (line.equals("DRAW <PROPOSED>")) {
                if (side != me) out.println("DRAW"); // accept
                line = read();
            }
            if (line.startsWith("OK <")) {
                announced(line.substring(4, line.length() - 1).split("> <"));
                side = 1 - side;
            } else if (!line.equals("DRAW <REFUSED>")) {
                return; // the match is over
            }
        }
    }

    static void place(String fen) {
        int row = 7, column = 0;
        Arrays.fill(board, ' ');
        String[] fields = fen.split(" ");
        for (char c : fields[0].toCharArray()) {
            if (c == '/') {
                row--;
                column = 0;
            } else if (Character.isDigit(c)) {
                column += c - '0';
            } else {
                board[8 * row + column++] = c;
            }
        }
        side = fields[1].equals("b") ? 1 : 0;
    }

    static String name(int square) {
        return "" + (char) ('a' + square % 8) + (char) ('1' + square / 8);
    }

    static int owner(char piece) {
        return Character.isLowerCase(piece) ? 1 : 0;
    }

    static int value(char piece) {
        return switch (Character.toUpperCase(piece)) {
            case 'P' -> 1;
            case 'N', 'B' -> 3;
            case 'R' -> 5;
            case 'Q' -> 9;
            default -> 0;
        };
    }

    /** Returns another square, or -1 if it is off the board. */
    static int beside(int square, int right, int up) {
        int column = square % 8 + right, row = square / 8 + up;
        return column < 0 || column > 7 || row < 0 || row > 7 ? -1 : 8 * row + column;
    }

    /** Returns the squares to which a piece can move, if its king does not matter. */
    static List<Integer> targets(int start) {
        List<Integer> found = new ArrayList<>();
        char piece = Character.toUpperCase(board[start]);
        int own = owner(board[start]), ahead = own == 0 ? 1 : -1;
        if (piece == 'P') {
            for (int right = -1; right <= 1; right += 2) {
                int end = beside(start, right, ahead);
                if (end >= 0 && board[end] != ' ' && owner(board[end]) != own) found.add(end);
            }
            int end = beside(start, 0, ahead);
            if (end >= 0 && board[end] == ' ') {
                found.add(end);
                int far = beside(end, 0, ahead);
                if (start / 8 == (own == 0 ? 1 : 6) && board[far] == ' ') found.add(far);
            }
            return found;
        }
        int[][] ways = piece == 'N' ? JUMPS : piece == 'B' ? DIAGONAL : piece == 'R' ? STRAIGHT : AROUND;
        for (int[] way : ways) {
            for (int end = beside(start, way[0], way[1]); end >= 0; end = beside(end, way[0], way[1])) {
                if (board[end] == ' ' || owner(board[end]) != own) found.add(end);
                if (board[end] != ' ' || piece == 'K' || piece == 'N') break;
            }
        }
        return found;
    }

    /** Reports whether the king of the side to move is attacked. */
    static boolean attacked() {
        for (int square = 0; square < 64; square++) {
            if (board[square] == ' ' || owner(board[square]) == side) continue;
            for (int end : targets(square)) {
                if (Character.toUpperCase(board[end]) == 'K') return true;
            }
        }
        return false;
    }

    /** Returns the moves of the side to move after which its king is not attacked. */
    static List<Move> legal() {
        List<Move> moves = new ArrayList<>();
        for (int start = 0; start < 64; start++) {
            if (board[start] == ' ' || owner(board[start]) != side) continue;
            for (int end : targets(start)) {
                char piece = board[start], victim = board[end];
                board[start] = ' ';
                board[end] = piece;
                if (!attacked()) moves.add(new Move(start, end));
                board[start] = piece;
                board[end] = victim;
            }
        }
        return moves;
    }

    /** Makes an announced move. */
    static void announced(String[] words) {
        List<Integer> squares = new ArrayList<>();
        char promoted = ' ';
        for (String word : words) {
            if (word.matches("[a-h][1-8]")) squares.add(word.charAt(0) - 'a' + 8 * (word.charAt(1) - '1'));
            promoted = switch (word) {
                case "queen" -> 'Q';
                case "rook" -> 'R';
                case "bishop" -> 'B';
                case "knight" -> 'N';
                default -> promoted;
            };
        }
        for (int i = 0; i + 1 < squares.size(); i += 2) { // castling has two moves
            int start = squares.get(i), end = squares.get(i + 1);
            char piece = board[start];
            if (promoted != ' ') piece = owner(piece) == 0 ? promoted : Character.toLowerCase(promoted);
            if (words[0].equals("enpassant")) board[start / 8 * 8 + end % 8] = ' ';
            board[start] = ' ';
            board[end] = piece;
        }
    }
}
