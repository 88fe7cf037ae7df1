import java.util.Map;
import java.util.Scanner;

/** Plays roshambo: shows the hand that beats the opponent's last one. */
class Bot {
    static final Map<String, String> BEATS = Map.of("ROCK", "PAPER", "PAPER", "SCISSORS", "SCISSORS", "ROCK");

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        in.nextLine(); // its own name
        in.nextLine(); // the opponent's
        int rounds = Integer.parseInt(in.nextLine());
        String hand = "ROCK";
        while (rounds-- > 0 && hand != null) {
            System.out.println(hand);
            hand = in.hasNextLine() ? BEATS.get(in.nextLine()) : null; // null for RETIRE: the match has ended
        }
    }
}
