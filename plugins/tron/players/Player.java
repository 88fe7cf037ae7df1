import java.io.*;
import java.util.*;

/** Plays tron: moves straight on, and turns at random when a wall is ahead. */
public class Player {
    static final Map<String, int[]> STEPS = Map.of("U", new int[] {0, -1}, "D", new int[] {0, 1}, "L", new int[] {-1, 0}, "R", new int[] {1, 0});

    static BufferedReader in;
    static PrintStream out;
    static boolean[][] taken; // by column and row

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
        String[] first = in.readLine().split(" ");
        taken = new boolean[Integer.parseInt(first[0])][Integer.parseInt(first[1])];
        int players = Integer.parseInt(first[3]);
        int[][] heads = new int[players][2];
        String[] ways = new String[players];
        for (int seat = 0; seat < players; seat++) {
            String[] fields = in.readLine().split(" ");
            heads[seat][0] = Integer.parseInt(fields[0]);
            heads[seat][1] = Integer.parseInt(fields[1]);
            ways[seat] = fields[2];
            taken[heads[seat][0]][heads[seat][1]] = true;
        }
        int me = Integer.parseInt(in.readLine());
        String way = ways[me];
        while (true) {
            if (heads[me][0] >= 0) { // else it has crashed
                way = choose(heads[me], way);
                out.println(way);
            }
            String line = in.readLine();
            if (line == null) return; // the match has ended
            String[] numbers = line.split(" ");
            for (int seat = 0; seat < players; seat++) {
                heads[seat][0] = Integer.parseInt(numbers[2 * seat]);
                heads[seat][1] = Integer.parseInt(numbers[2 * seat + 1]);
                if (heads[seat][0] >= 0) taken[heads[seat][0]][heads[seat][1]] = true;
            }
        }
    }

    /** Returns the last way if it is free, or else a random one that is. */
    static String choose(int[] head, String way) {
        if (isFree(head, way)) return way;
        List<String> others = new ArrayList<>(STEPS.keySet());
        Collections.shuffle(others);
        return others.stream().filter(other -> isFree(head, other)).findFirst().orElse(way);
    }

    static boolean isFree(int[] head, String way) {
        int x = head[0] + STEPS.get(way)[0], y = head[1] + STEPS.get(way)[1];
        return x >= 0 && x < taken.length && y >= 0 && y < taken[0].length && !taken[x][y];
    }
}
