import java.io.*;
import java.util.*;

/** Plays damath: makes random legal moves. */
public class Player {
    static final int[][] DIAGONALS = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}; // columns right, rows up
    static final List<List<String>> START = List.of( // chips of the first and the second player
            List.of("b1", "d1", "f1", "h1", "a2", "c2", "e2", "g2", "b3", "d3", "f3", "h3"),
            List.of("a6", "c6", "e6", "g6", "b7", "d7", "f7", "h7", "a8", "c8", "e8", "g8"));
    static final Random random = new Random();

    /** A move has the squares where the chip starts and lands, and those of captured chips. */
    record Move(List<String> path, List<String> taken, boolean dama) {
        String name() { return String.join("", path); }
        int worth() { return 2 * taken.size() + (dama ? 1 : 0); } // most chips, then by a dama
    }

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
        in.readLine(); // name of the first player
        in.readLine(); // name of the second
        int me = "0".equals(in.readLine()) ? 0 : 1;
        in.readLine(); // the set of chips
        Map<String, Integer> chips = new TreeMap<>(); // the player, 0 or 1, whose chip is on a square
        for (int player = 0; player < 2; player++) {
            for (String square : START.get(player)) chips.put(square, player);
        }
        Set<String> damas = new HashSet<>(); // their squares
        int side = 0; // the player whose turn it is
        Move sent = null; // the move that this program has sent in this turn
        boolean late = false; // it was late in this turn
        while (true) {
            List<Move> moves = legalMoves(chips, damas, side);
            if (side == me && sent == null && !late && !moves.isEmpty()) sent = send(moves);
            String line = in.readLine();
            if (line == null || line.equals("RETIRE") || line.equals("resign") || line.startsWith("END")) return; // the match is over
            if (line.equals("draw")) {
                out.println("no");
            } else if (line.equals("LATE " + me)) { // another player or the referee moves instead
                sent = null;
                late = true;
                out.println("LATE");
            } else if (line.startsWith("LATE")) { // move for the other, unless the referee moves for both
                if (side != me) sent = send(moves);
            } else {
                Move move = sent;
                if (sent == null) {
                    move = moves.stream().filter(m -> m.name().equals(line)).findFirst().orElseThrow();
                    in.readLine(); // the points; after its own move they are in line
                }
                sent = null;
                late = false;
                apply(move, chips, damas, side);
                side = 1 - side;
            }
        }
    }

    static Move send(List<Move> moves) {
        Move move = moves.get(random.nextInt(moves.size()));
        out.println(move.name());
        return move;
    }

    static void apply(Move move, Map<String, Integer> chips, Set<String> damas, int side) {
        String end = last(move.path);
        boolean dama = move.dama || end.charAt(1) == (side == 0 ? '8' : '1');
        List<String> cleared = new ArrayList<>(move.taken);
        cleared.add(move.path.get(0));
        for (String square : cleared) {
            chips.remove(square);
            damas.remove(square);
        }
        chips.put(end, side);
        if (dama) damas.add(end);
    }

    static List<Move> legalMoves(Map<String, Integer> chips, Set<String> damas, int side) {
        List<Move> jumps = new ArrayList<>(), steps = new ArrayList<>();
        for (String start : chips.keySet()) {
            if (chips.get(start) != side) continue;
            boolean dama = damas.contains(start);
            Map<String, Integer> others = new HashMap<>(chips);
            others.remove(start); // the chip can return to its square
            addCaptures(jumps, others, new Move(List.of(start), List.of(), dama), side);
            for (int[] way : DIAGONALS) {
                if (!dama && way[1] != (side == 0 ? 1 : -1)) continue;
                for (String square : freeSquares(chips, start, way, dama)) {
                    steps.add(new Move(List.of(start, square), List.of(), dama));
                }
            }
        }
        if (jumps.isEmpty()) return steps;
        int best = jumps.stream().mapToInt(Move::worth).max().getAsInt();
        return jumps.stream().filter(jump -> jump.worth() == best).toList();
    }

    /** Adds each move that continues a move with captures. */
    static void addCaptures(List<Move> found, Map<String, Integer> chips, Move move, int side) {
        for (int[] way : DIAGONALS) {
            String end = last(move.path);
            List<String> free = freeSquares(chips, end, way, move.dama);
            if (!free.isEmpty() && !move.dama) continue; // a chip captures only adjacent chips
            String victim = beside(free.isEmpty() ? end : last(free), way);
            if (chips.getOrDefault(victim, -1) != 1 - side || move.taken.contains(victim)) continue;
            for (String square : freeSquares(chips, victim, way, move.dama)) {
                Move longer = new Move(with(move.path, square), with(move.taken, victim), move.dama);
                found.add(longer);
                addCaptures(found, chips, longer, side);
            }
        }
    }

    /** Returns the empty squares after a square, at most one for a chip. */
    static List<String> freeSquares(Map<String, Integer> chips, String square, int[] way, boolean dama) {
        List<String> found = new ArrayList<>();
        for (String next = beside(square, way); next.matches("[a-h][1-8]") && !chips.containsKey(next); next = beside(next, way)) {
            found.add(next);
            if (!dama) break;
        }
        return found;
    }

    /** Returns the name of a neighbour of a square. It may be off the board. */
    static String beside(String square, int[] way) {
        return "" + (char) (square.charAt(0) + way[0]) + (char) (square.charAt(1) + way[1]);
    }

    static String last(List<String> list) { return list.get(list.size() - 1); }

    static List<String> with(List<String> list, String item) {
        List<String> longer = new ArrayList<>(list);
        longer.add(item);
        return longer;
    }
}
