import java.io.*;
import java.util.*;

/** Plays taacoca: prefers moves to the goal, then captures, then any move. */
public class Player {
    static final String ROWS = "ABCDEFGHI";
    static final int[] LENGTHS = {5, 6, 7, 8, 9, 8, 7, 6, 5};
    static final char[] HOME = {'A', 'I'}; // rows of White and Black
    static final List<Set<String>> START = List.of( // stones of White and Black
            Set.of("A1", "A2", "A3", "A4", "A5", "B2", "B3", "B4", "B5", "C3", "C4", "C5"),
            Set.of("I1", "I2", "I3", "I4", "I5", "H2", "H3", "H4", "H5", "G3", "G4", "G5"));
    static final Random random = new Random();

    /** A move has its stones, a direction (L or R), and the cells that the stones enter. */
    record Move(List<String> stones, String direction, Set<String> entered) {}

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
        in.readLine(); // name of White
        in.readLine(); // name of Black
        int me = "0".equals(in.readLine()) ? 0 : 1;
        List<Set<String>> stones = List.of(new TreeSet<>(START.get(0)), new TreeSet<>(START.get(1)));
        int side = 0; // the side to move
        while (true) {
            Set<String> own = stones.get(side), enemy = stones.get(1 - side);
            List<Move> moves = legalMoves(own, side);
            // Has the last move won? Then no line follows.
            if (hasStoneInRow(enemy, HOME[side]) || moves.isEmpty()) return;
            Move move;
            if (side == me) {
                move = best(moves, enemy, HOME[1 - side]);
                out.println(String.join(" ", move.stones) + " " + move.direction);
            } else {
                String line = in.readLine();
                if (line == null || line.equals("RETIRE")) return; // the match is over
                List<String> words = List.of(line.split(" "));
                int last = words.size() - 1;
                move = newMove(words.subList(0, last), words.get(last), side);
            }
            own.removeAll(move.stones);
            own.addAll(move.entered);
            enemy.removeAll(move.entered);
            side = 1 - side;
        }
    }

    /** Returns the best move: one that wins, or captures most. It draws lots among equals. */
    static Move best(List<Move> moves, Set<String> enemy, char goal) {
        Move best = null;
        double most = -1;
        for (Move move : moves) {
            double worth = random.nextDouble();
            if (hasStoneInRow(move.entered, goal)) worth += 10;
            for (String cell : move.entered) {
                if (enemy.contains(cell)) worth++;
            }
            if (worth > most) {
                best = move;
                most = worth;
            }
        }
        return best;
    }

    static boolean hasStoneInRow(Set<String> stones, char row) {
        return stones.stream().anyMatch(cell -> cell.charAt(0) == row);
    }

    /** Returns the cell that a stone enters, or null off the board. */
    static String target(String cell, int side, String direction) {
        int row = ROWS.indexOf(cell.charAt(0)), number = cell.charAt(1) - '0';
        boolean widens = side == 0 ? row < 4 : row > 4; // the next row is longer
        number += (direction.equals("R") ? 1 : 0) - (widens ? 0 : 1);
        row += side == 0 ? 1 : -1;
        if (row < 0 || row > 8 || number < 1 || number > LENGTHS[row]) return null;
        return "" + ROWS.charAt(row) + number;
    }

    static Move newMove(List<String> stones, String direction, int side) {
        Set<String> entered = new HashSet<>();
        for (String cell : stones) entered.add(target(cell, side, direction));
        return new Move(stones, direction, entered);
    }

    static List<Move> legalMoves(Set<String> own, int side) {
        List<Move> moves = new ArrayList<>();
        for (String direction : List.of("L", "R")) {
            List<String> free = own.stream().filter(cell -> target(cell, side, direction) != null).toList();
            for (List<String> stones : choose(free, Math.min(3, own.size()))) {
                Move move = newMove(stones, direction, side);
                Set<String> stay = new HashSet<>(own);
                stay.removeAll(stones);
                if (!stones.isEmpty() && Collections.disjoint(stay, move.entered)) moves.add(move);
            }
        }
        return moves;
    }

    /** Returns all ways to choose a number of items from a list. */
    static List<List<String>> choose(List<String> list, int number) {
        if (number == 0) return List.of(List.of());
        List<List<String>> found = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            for (List<String> others : choose(list.subList(i + 1, list.size()), number - 1)) {
                List<String> chosen = new ArrayList<>(List.of(list.get(i)));
                chosen.addAll(others);
                found.add(chosen);
            }
        }
        return found;
    }
}
