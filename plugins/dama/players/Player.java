import java.io.*;
import java.util.*;

/**
 * Plays dama, by any rules except damath, and captures as much as it can.
 *
 * It does not know the rules of the match. It tries possible moves, the longest captures
 * first, until the referee accepts one.
 */
public class Player {
    static final int[][] DIAGONALS = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}; // rows down, columns right
    static final Random random = new Random();

    record Move(List<String> path, double worth) {}

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

    /** Plays one match. in.readLine returns null when there are no more lines. */
    static void play() throws IOException {
        Map<String, Character> board = new TreeMap<>(); // the character on each square, such as 6A
        boolean white = true;
        Deque<Move> untried = null; // moves for this turn; null: not yet found
        while (true) {
            String line = in.readLine();
            if (line == null || line.startsWith("Game Over")) return;
            if (line.startsWith("Sei i Neri")) {
                white = false;
            } else if (line.matches(" ?\\d+ \\[.*")) { // a row of the board
                untried = null;
                int first = line.indexOf('['), size = line.lastIndexOf('[') / 3 - first / 3 + 1;
                String row = line.substring(0, first).trim();
                for (int i = 0; i < size; i++) board.put(row + "ABCDEFGHIJ".charAt(i), line.charAt(first + 1 + 3 * i));
            } else if (line.startsWith("Es > ")) { // the referee asks for a move
                if (untried == null) untried = findMoves(board, white);
                out.println(String.join(" ", untried.removeFirst().path));
            }
        }
    }

    /** Returns moves that might be legal, in the order in which to try them. */
    static Deque<Move> findMoves(Map<String, Character> board, boolean white) {
        String own = white ? "bB" : "nN", enemy = white ? "nN" : "bB";
        int forward = white ? -1 : 1;
        int far = white ? 1 : board.containsKey("10A") ? 10 : 8; // the row where a man becomes a king
        List<Move> found = new ArrayList<>();
        for (String start : board.keySet()) {
            char piece = board.get(start);
            if (own.indexOf(piece) < 0) continue;
            boolean king = Character.isUpperCase(piece);
            Map<String, Character> without = new HashMap<>(board);
            without.put(start, ' '); // the piece can return to its square
            List<List<String>> jumps = new ArrayList<>();
            addCaptures(jumps, without, List.of(start), enemy, king, far, Set.of());
            // The random part of a move's worth draws lots among equals.
            for (List<String> path : jumps) found.add(new Move(path, 2 * path.size() + (king ? 1 : 0) + random.nextDouble()));
            for (int[] way : DIAGONALS) {
                if (!king && way[0] != forward) continue;
                for (String square : freeSquares(board, start, way, king)) {
                    found.add(new Move(List.of(start, square), random.nextDouble()));
                }
            }
        }
        found.sort(Comparator.comparingDouble(Move::worth).reversed());
        return new ArrayDeque<>(found);
    }

    /** Adds each path that jumps over enemies from the end of a path, complete or not. */
    static void addCaptures(List<List<String>> found, Map<String, Character> board, List<String> path, String enemy, boolean king, int far, Set<String> taken) {
        for (int[] way : DIAGONALS) {
            String prey = beside(path.get(path.size() - 1), way);
            while (king && board.getOrDefault(prey, '-') == ' ') prey = beside(prey, way); // a king may fly
            if (enemy.indexOf(board.getOrDefault(prey, '-')) < 0 || taken.contains(prey)) continue;
            Set<String> more = new HashSet<>(taken);
            more.add(prey);
            for (String square : freeSquares(board, prey, way, king)) {
                List<String> longer = new ArrayList<>(path);
                longer.add(square);
                found.add(longer);
                addCaptures(found, board, longer, enemy, king, far, more);
                // A man may continue as a king.
                if (row(square) == far && !king) addCaptures(found, board, longer, enemy, true, far, more);
            }
        }
    }

    /** Returns the free squares after a square, at most one for a man. */
    static List<String> freeSquares(Map<String, Character> board, String square, int[] way, boolean king) {
        List<String> found = new ArrayList<>();
        for (String next = beside(square, way); board.getOrDefault(next, '-') == ' '; next = beside(next, way)) {
            found.add(next);
            if (!king) break;
        }
        return found;
    }

    /** Returns the name of a neighbour of a square. It may be off the board. */
    static String beside(String square, int[] way) {
        return "" + (row(square) + way[0]) + (char) (square.charAt(square.length() - 1) + way[1]);
    }

    static int row(String square) {
        return Integer.parseInt(square.substring(0, square.length() - 1));
    }
}
