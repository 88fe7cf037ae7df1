import java.io.*;
import java.util.*;

/** Plays Kamisado: wins if it can, and otherwise moves at random. */
public class Player {
    static final List<String> COLOURS = List.of( // from row 1 up to row 8, columns a to h
            "NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK",
            "KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN");
    static final char[] HOME = {'1', '8'}; // rows of black and white
    static final Random random = new Random();

    record Move(String from, String to) {}

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
        in.readLine(); // name of black
        in.readLine(); // name of white
        int me = "0".equals(in.readLine()) ? 0 : 1;
        // For each side, the square of its tower of each colour.
        List<Map<Character, String>> towers = List.of(new HashMap<>(), new HashMap<>());
        for (int side = 0; side < 2; side++) {
            for (char column = 'a'; column <= 'h'; column++) {
                String square = "" + column + HOME[side];
                towers.get(side).put(colourOf(square), square);
            }
        }
        int side = 0; // the side to move
        char colour = ' '; // the tower to move; a space: any
        while (true) {
            List<Move> moves = new ArrayList<>(), wins = new ArrayList<>();
            for (char c : towers.get(side).keySet()) {
                if (colour == ' ' || colour == c) moves.addAll(movesOf(towers, side, towers.get(side).get(c)));
            }
            for (Move m : moves) {
                if (m.to.charAt(1) == HOME[1 - side]) wins.add(m);
            }
            Move move;
            if (side == me && !moves.isEmpty()) {
                List<Move> best = wins.isEmpty() ? moves : wins;
                move = best.get(random.nextInt(best.size()));
                out.println(move.from + move.to);
            } else { // the opponent's move, or one of distance zero
                String line = in.readLine();
                if (line == null || line.equals("RETIRE")) return; // the match is over
                move = new Move(line.substring(0, 2), line.substring(2));
            }
            towers.get(side).replaceAll((c, square) -> square.equals(move.from) ? move.to : square);
            if (move.to.charAt(1) == HOME[1 - side]) return; // no line follows
            colour = colourOf(move.to);
            side = 1 - side;
        }
    }

    static char colourOf(String square) {
        return COLOURS.get(square.charAt(1) - '1').charAt(square.charAt(0) - 'a');
    }

    /** Returns the moves of the tower on a square. */
    static List<Move> movesOf(List<Map<Character, String>> towers, int side, String from) {
        List<Move> found = new ArrayList<>();
        for (int sideways = -1; sideways <= 1; sideways++) {
            int up = side == 0 ? 1 : -1;
            String to = beside(from, sideways, up);
            while (to.matches("[a-h][1-8]") && !towers.get(0).containsValue(to) && !towers.get(1).containsValue(to)) {
                found.add(new Move(from, to));
                to = beside(to, sideways, up);
            }
        }
        return found;
    }

    /** Returns the name of a neighbour of a square. It may be off the board. */
    static String beside(String square, int right, int up) {
        return "" + (char) (square.charAt(0) + right) + (char) (square.charAt(1) + up);
    }
}
