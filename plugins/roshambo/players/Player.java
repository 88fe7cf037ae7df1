import java.io.*;
import java.util.*;

/** Plays roshambo: beats the hand that the opponent has shown most often. */
public class Player {
    static final List<String> HANDS = List.of("ROCK", "PAPER", "SCISSORS"); // each is beaten by the next
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
        in.readLine(); // its own name
        in.readLine(); // the opponent's
        String rounds = in.readLine();
        if (rounds == null) return;
        int[] seen = new int[HANDS.size()]; // how often the opponent has shown each hand
        for (int round = 0; round < Integer.parseInt(rounds); round++) {
            out.println(HANDS.get((usual(seen) + 1) % HANDS.size()));
            String hand = in.readLine();
            if (hand == null || hand.equals("RETIRE")) return; // the match has ended
            seen[HANDS.indexOf(hand)]++;
        }
    }

    /** Returns the hand that was seen most often. It draws lots among equals. */
    static int usual(int[] seen) {
        int most = Arrays.stream(seen).max().getAsInt();
        List<Integer> hands = new ArrayList<>();
        for (int hand = 0; hand < seen.length; hand++) {
            if (seen[hand] == most) hands.add(hand);
        }
        return hands.get(random.nextInt(hands.size()));
    }
}
