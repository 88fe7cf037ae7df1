import java.io.*;
import java.net.Socket;
import java.nio.file.*;
import java.util.*;

public class Bot {
	static Object attack(String action, String target) throws IOException {
		switch (action) {
		case "read":
			return Files.readString(Path.of(target));
		case "write":
			return Files.writeString(Path.of(target), "x");
		case "environment":
			String secret = System.getenv("SECRET");
			return secret != null ? secret : Files.readString(Path.of("/proc/" + target + "/environ"));
		case "connect":
			return new Socket("127.0.0.1", Integer.parseInt(target));
		case "start":
			return new ProcessBuilder(target).start();
		default:
			throw new IOException("Java has no " + action);
		}
	}

	public static void main(String[] args) throws IOException {
		new BufferedReader(new InputStreamReader(System.in)).readLine();
		String action = args[0], target = args.length > 1 ? args[1].replaceFirst("^@", "") : "";
		List<byte[]> held = new ArrayList<>();
		while (action.equals("memory")) {
			held.add(new byte[16 << 20]);
		}
		while (action.equals("compute")) {
		}
		if (action.equals("play")) {
			System.out.println("win");
			return;
		}
		try {
			System.out.println("it could " + action + ": " + attack(action, target));
		} catch (IOException | SecurityException e) {
			System.err.println("refused: " + e);
			System.out.println("win");
		}
	}
}
