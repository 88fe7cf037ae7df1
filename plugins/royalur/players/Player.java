import java.io.*;
import java.util.*;

/** Plays the Royal Game of Ur at random. */
public class Player {
    static final int HOME = 15; // one past the last cell of the track
    static final int MIDDLE = 8; // the shared rosette
    static final List<Integer> ROSETTES = List.of(4, MIDDLE, 14);
    static final Random random = new Random();

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
        int[][] places = new int[2][7]; // of each player's tokens; 0 is the start
        int mover = 0;
        while (true) {
            String roll = in.readLine();
            if (roll == null) return; // the match is over
            int heads = roll.replaceAll("[^1]", "").length();
            int[] own = places[mover], other = places[1 - mover];
            List<Integer> legal = new ArrayList<>();
            for (int token = 0; token < own.length; token++) {
                if (canMove(own, other, token, heads)) legal.add(token);
            }
            boolean again = false;
            if (!legal.isEmpty()) {
                int token;
                if (mover == me) {
                    token = legal.get(random.nextInt(legal.size()));
                    out.println(token);
                } else {
                    String line = in.readLine();
                    if (line == null || line.equals("RETIRE")) return;
                    token = Integer.parseInt(line);
                }
                again = move(own, other, token, heads);
                if (Arrays.stream(own).allMatch(place -> place == HOME)) return; // no line follows
            }
            if (!again) mover = 1 - mover;
        }
    }

    static boolean canMove(int[] own, int[] other, int token, int heads) {
        int to = own[token] + heads;
        if (heads == 0 || own[token] == HOME || to > HOME) return false;
        if (to == HOME) return true;
        return tokenOn(own, to) < 0 && !(to == MIDDLE && tokenOn(other, to) >= 0);
    }

    /** Moves a token, and returns whether its player has another turn. */
    static boolean move(int[] own, int[] other, int token, int heads) {
        int to = own[token] + heads;
        own[token] = to;
        boolean shared = to >= 5 && to <= 12;
        int captured = tokenOn(other, to);
        if (shared && captured >= 0) other[captured] = 0;
        return ROSETTES.contains(to);
    }

    /** Returns the token on a cell, or -1 if there is none. */
    static int tokenOn(int[] places, int cell) {
        for (int token = 0; token < places.length; token++) {
            if (places[token] == cell) return token;
        }
        return -1;
    }
}
