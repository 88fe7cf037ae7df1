import java.io.*;
import java.util.*;

/** Plays liar's dice by the number of dice that it can expect of each face. */
public class Player {
    record Bid(int count, int face) {}

    static BufferedReader in;
    static PrintStream out;

    static boolean wild; // whether ones count as any face
    static int total; // of all dice
    static List<Integer> own = List.of(); // its dice
    static Bid last; // null: there is none

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
        int me = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "GAME" -> wild = words[3].equals("yes");
                case "YOU" -> me = Integer.parseInt(words[1]);
                case "ROUND" -> {
                    total = numbers(words).stream().mapToInt(Integer::intValue).sum();
                    last = null;
                }
                case "DICE" -> own = numbers(words);
                case "BID" -> last = new Bid(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                case "TURN" -> {
                    if (Integer.parseInt(words[1]) == me) out.println(choose());
                }
                case "WINS" -> {
                    return;
                }
                default -> {} // lines that it does not need
            }
        }
    }

    /** Returns the numbers of a line from the third word on. */
    static List<Integer> numbers(String[] words) {
        return Arrays.stream(words).skip(2).map(Integer::valueOf).toList();
    }

    /** Returns the most likely higher bid, or LIAR if it expects fewer dice than the last bid. */
    static String choose() {
        if (last != null && surplus(last) < 0) return "LIAR";
        Bid best = null;
        for (int count = 1; count <= total; count++) {
            for (int face = 1; face <= 6; face++) {
                Bid bid = new Bid(count, face);
                boolean legal = last == null ? !(wild && face == 1) : rank(bid) > rank(last); // no round begins with wild ones
                if (legal && (best == null || surplus(bid) > surplus(best))) best = bid;
            }
        }
        return best == null ? "LIAR" : best.count + " " + best.face;
    }

    /** Returns how many more dice it expects than a bid needs: its own that count, and a share of the hidden ones. */
    static double surplus(Bid bid) {
        int counting = wild && bid.face != 1 ? 2 : 1;
        long mine = own.stream().filter(die -> die == bid.face || wild && die == 1).count();
        return mine + (total - own.size()) * counting / 6.0 - bid.count;
    }

    /** Puts the bids in order: n wild ones are above 2n sixes. */
    static int rank(Bid bid) {
        return wild && bid.face == 1 ? 16 * bid.count + 7 : 8 * bid.count + bid.face;
    }
}
