#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int attack(const char *action, const char *target) {
	char path[64];
	if (!strcmp(action, "read")) return open(target, O_RDONLY);
	if (!strcmp(action, "write")) return open(target, O_WRONLY | O_CREAT, 0600);
	if (!strcmp(action, "environment")) {
		snprintf(path, sizeof path, "/proc/%d/environ", getppid());
		return getenv("SECRET") ? 0 : open(path, O_RDONLY);
	}
	if (!strcmp(action, "connect")) {
		struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(target))};
		inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
		int s = socket(AF_INET, SOCK_STREAM, 0);
		return s < 0 ? s : connect(s, (struct sockaddr *)&a, sizeof a);
	}
	if (!strcmp(action, "start")) {
		pid_t child = fork();
		if (child == 0) execl(target, target, NULL), _exit(1);
		return child < 0 ? child : waitpid(child, NULL, 0);
	}
	if (!strcmp(action, "kill")) return kill(getppid(), 0);
	return 0;
}

int main(int argc, char **argv) {
	char line[64];
	if (argc < 2 || !fgets(line, sizeof line, stdin)) return 1;
	while (!strcmp(argv[1], "memory")) {
		char *more = malloc(16 << 20);
		if (!more) {
			perror("malloc");
			abort();
		}
		memset(more, 1, 16 << 20);
	}
	while (!strcmp(argv[1], "compute"))
		;
	if (strcmp(argv[1], "play") && attack(argv[1], argc < 3 ? "" : argv[2] + (*argv[2] == '@')) >= 0) {
		printf("it could %s\n", argv[1]);
		return 0;
	}
	perror("refused");
	puts("win");
}
