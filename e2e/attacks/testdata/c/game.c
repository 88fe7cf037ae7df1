// The attacks in C. The program tries each one, writes what happened on one line of
// the standard error, and ends. As in Go, no attack changes the machine, even if it works.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// target returns the value of a name in the file targets, or "".
static char *target(const char *name) {
	static char value[8][4096];
	static int next;
	char *v = value[next++ % 8], line[4096];
	size_t n = strlen(name);
	FILE *f = fopen("targets", "r");
	*v = 0;
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, n) && line[n] == '=')
			sprintf(v, "%s", line + n + 1), v[strcspn(v, "\n")] = 0;
	if (f) fclose(f);
	return v;
}

// below returns the path of a file in a folder.
static char *below(const char *folder, const char *name) {
	static char path[8][8192];
	static int next;
	char *p = path[next++ % 8];
	sprintf(p, "%s/%s", folder, name);
	return p;
}

static char *victim(const char *name) { return below(target("victims"), name); }
static char *private(const char *name) { return below(getenv("TMPDIR"), name); }

static char *host(const char *name) {
	char folder[32];
	sprintf(folder, "/proc/%d", getppid());
	return below(folder, name);
}

static int refused(int error) { errno = error; return -1; }

static int load(const char *path) { int fd = open(path, O_RDONLY | O_NONBLOCK); return fd < 0 ? -1 : close(fd); }

static int create(const char *path) {
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return fd < 0 ? -1 : write(fd, "x", 1) < 0 ? -1 : close(fd) ?: unlink(path);
}

static int in(const char *address, int type, int protocol) {
	struct sockaddr_in to = {AF_INET};
	int fd = socket(AF_INET, type, protocol);
	if (fd < 0) return -1;
	inet_aton("127.0.0.1", &to.sin_addr);
	to.sin_port = htons(atoi(strchr(address, ':') + 1));
	return (type == SOCK_STREAM ? connect(fd, (void *)&to, sizeof to) : (int)sendto(fd, "x", 1, 0, (void *)&to, sizeof to)) < 0 ? -1 : close(fd);
}

static int un(const char *path, int type, int abstract) {
	struct sockaddr_un to = {AF_UNIX};
	int fd = socket(AF_UNIX, type, 0);
	if (fd < 0) return -1;
	snprintf(to.sun_path + abstract, sizeof to.sun_path - abstract, "%s", path);
	return connect(fd, (void *)&to, sizeof(sa_family_t) + abstract + strlen(path) + !abstract) < 0 ? -1 : close(fd);
}

static int child(int pid) {
	if (pid == 0) _exit(0);
	return pid < 0 ? -1 : waitpid(pid, 0, 0) > 0 ? 0 : -1;
}

static int spawn(void) {
	char *args[] = {"true", 0};
	int pid, error = posix_spawn(&pid, "/bin/true", 0, 0, args, 0);
	return error ? refused(error) : child(pid);
}

static int vforked(void) {
	int pid = vfork();
	if (pid == 0) _exit(execl("/bin/true", "true", (char *)0));
	return child(pid);
}

static int loaded(void) { // a program in memory
	char *args[] = {"x", 0};
	int fd = memfd_create("x", 0);
	return fd < 0 ? -1 : fexecve(fd, args, args);
}

static int fill(int fd, int flags) {
	char *p = mmap(0, 1 << 30, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p == MAP_FAILED) return -1;
	return *p = 1, munmap(p, 1 << 30);
}

static int zero(void) { int fd = open("/dev/zero", O_RDWR); return fd < 0 ? -1 : fill(fd, MAP_SHARED); }

static int stack(void) { // without a limit it would grow beyond that of the memory
	struct rlimit limit;
	getrlimit(RLIMIT_STACK, &limit);
	return limit.rlim_max <= 1 << 30 ? refused(EPERM) : 0;
}

static int shared(void) {
	int id = shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600);
	return id < 0 ? -1 : shmctl(id, IPC_RMID, 0);
}

// file calls a function with a new file in the private folder.
static int file(int (*attack)(int)) {
	int fd = open(private("file"), O_RDWR | O_CREAT, 0600), result = fd < 0 ? -1 : attack(fd), error = errno;
	unlink(private("file")), close(fd);
	return errno = error, result;
}
static int bytes(int fd) { return write(fd, "x", 1); }
static int hole(int fd) { return ftruncate(fd, 1 << 20); }
static int space(int fd) { return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 20); }

static int owner(void) { int pair[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ?: fcntl(*pair, F_SETOWN, getppid()); }
static int lease(void) { int fd = open("targets", O_RDONLY); return fcntl(fd, F_SETLEASE, F_RDLCK); }
static int peek(void) { char b; struct iovec own = {&b, 1}, other = {(void *)0x400000, 1}; return process_vm_readv(getppid(), &own, 1, &other, 1, 0); }
static int limit(void) { struct rlimit now; return prlimit(getppid(), RLIMIT_NOFILE, 0, &now); }
static int affinity(void) { cpu_set_t own; return sched_getaffinity(0, sizeof own, &own) ? refused(EIO) : sched_setaffinity(getppid(), sizeof own, &own); }
static int times(const char *path) { struct timeval old[2] = {{1}, {1}}; return utimes(path, old); }

static int bomb(void) {
	for (int i = 0; i < 100; i++)
		if (child(fork())) return -1;
	return 0;
}

#ifdef __x86_64__
static sigjmp_buf back;
static void jump(int sig) { siglongjmp(back, sig); }
static int compat(void) { // the system calls of 32-bit programs
	long result = 20; // getpid
	signal(SIGSEGV, jump);
	if (sigsetjmp(back, 1)) return refused(ENOSYS); // the kernel does not have them
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
	return result < 0 ? refused(-result) : 0;
}
#endif

// grandchild leaves a process behind, and writes its number.
static int grandchild(void) {
	int pid = fork();
	if (pid > 0) return waitpid(pid, 0, 0) > 0 ? 0 : -1;
	if (pid < 0) return -1;
	if ((pid = fork()) > 0) fprintf(stderr, "grandchild %d\n", pid), _exit(0);
	for (int fd = 0; fd < 1024; fd++) close(fd);
	setsid();
	alarm(600); // if nothing else ends it
	for (;;) pause();
}

static void report(const char *name, int result) { fprintf(stderr, " %s=%s", name, result < 0 ? strerrorname_np(errno) : "done"); }

// TRY tries an attack if the file targets has no list, or one with its name.
#define TRY(name, attack) \
	if (!*only || strstr(only, " " name " ")) report(name, (int)(attack));

int main(void) {
	char only[4096], *args[] = {"x", 0};
	uint64_t clone[11] = {[4] = SIGCHLD};
	if (!*target("victims") || !getenv("TMPDIR"))
		return fprintf(stderr, "got no targets: only the tests run this program\n"), 1;
	sprintf(only, "%s", target("only"));
	if (strstr(only, " grandchild ")) grandchild();
	fprintf(stderr, "attacks:");
	TRY("read-passwd", load("/etc/passwd"))
	TRY("read-shadow", load("/etc/shadow"))
	TRY("read-database", load(target("database")))
	TRY("read-password", load(target("password")))
	TRY("read-config", load(target("config")))
	TRY("read-home", load(target("home")))
	TRY("read-game", load(target("game")))
	TRY("read-link", load("link"))
	TRY("list-data", load(target("data")))
	TRY("list-games", load(target("games")))
	TRY("list-tmp", load("/tmp"))
	TRY("list-proc", load("/proc"))
	TRY("list-sockets", load("/proc/net/unix"))
	TRY("write-data", create(victim("new")))
	TRY("write-own", create("new"))
	TRY("write-tmp", create("/tmp/attack-c"))
	TRY("write-shm", create("/dev/shm/attack-c"))
	TRY("write-var-tmp", create("/var/tmp/attack-c"))
	TRY("rename", rename(victim("rename"), victim("renamed")))
	TRY("link", link(victim("link"), victim("linked")))
	TRY("link-private", link(victim("link"), private("linked")))
	TRY("symlink", symlink("x", victim("symlink")))
	TRY("unlink", unlink(victim("unlink")))
	TRY("mkdir", mkdir(victim("mkdir"), 0700))
	TRY("mkfifo", mkfifo(victim("mkfifo"), 0600))
	TRY("chmod", chmod(victim("chmod"), 0777))
	TRY("chown", chown(victim("chown"), getuid(), getgid()))
	TRY("utime", times(victim("utime")))
	TRY("truncate", truncate(victim("truncate"), 0))
	TRY("setxattr", setxattr(victim("setxattr"), "user.attack", "x", 1, 0))
	TRY("inotify", syscall(SYS_inotify_init1, 0))
	TRY("lease", lease())
	TRY("environ", load(host("environ")))
	TRY("memory", load(host("mem")))
	TRY("fds", load(host("fd")))
	TRY("vm-readv", peek())
	TRY("ptrace-seize", ptrace(PTRACE_SEIZE, -1, 0, 0))
	TRY("kill", kill(getppid(), 0))
	TRY("kill-group", kill(-getpgid(getppid()), 0))
	TRY("tgkill", syscall(SYS_tgkill, getppid(), getppid(), 0))
	TRY("fcntl-owner", owner())
	TRY("prlimit", limit())
	TRY("priority", setpriority(-1, 0, 0))
	TRY("affinity", affinity())
	TRY("connect-host", in(target("host"), SOCK_STREAM, 0))
	TRY("connect-metrics", in(target("metrics"), SOCK_STREAM, 0))
	TRY("connect-database", in(target("tcp"), SOCK_STREAM, 0))
	TRY("connect-mptcp", in(target("tcp"), SOCK_STREAM, 262))
	TRY("connect-unix", un(target("unix"), SOCK_STREAM, 0))
	TRY("connect-abstract", un(target("abstract"), SOCK_STREAM, 1))
	TRY("connect-game", un(target("socket"), SOCK_STREAM, 0))
	TRY("send-udp", in(target("udp"), SOCK_DGRAM, 0))
	TRY("send-unix", un(target("unixgram"), SOCK_DGRAM, 0))
	TRY("socket-raw", socket(AF_INET, SOCK_RAW, 1))
	TRY("socket-packet", socket(AF_PACKET, SOCK_RAW, 0))
	TRY("socket-netlink", socket(AF_NETLINK, SOCK_RAW, 0))
	TRY("start-program", spawn())
	TRY("fork", child(fork()))
	TRY("fork-bomb", bomb())
	TRY("vfork", vforked())
	TRY("clone3", child(syscall(SYS_clone3, clone, sizeof clone)))
	TRY("fork-sibling", child(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)))
	TRY("memfd", loaded())
	TRY("setsid", setsid())
	TRY("setpgid", setpgid(0, getppid()))
	TRY("namespace-user", unshare(CLONE_NEWUSER))
	TRY("chroot", chroot("/nowhere"))
	TRY("io-uring", syscall(SYS_io_uring_setup, 1, (char[120]){}))
	TRY("bpf", syscall(SYS_bpf, 0, 0, 0))
	TRY("keyring", syscall(SYS_keyctl, 0, -4, 1))
	TRY("memory-private", fill(-1, MAP_PRIVATE | MAP_ANONYMOUS))
	TRY("memory-shared", fill(-1, MAP_SHARED | MAP_ANONYMOUS))
	TRY("memory-stack", fill(-1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN))
	TRY("memory-zero", zero())
	TRY("memory-sysv", shared())
	TRY("stack-limit", stack())
	TRY("disk-bytes", file(bytes))
	TRY("disk-hole", file(hole))
	TRY("disk-allocate", file(space))
#ifdef __x86_64__
	TRY("calls-32", compat())
	TRY("calls-x32", syscall(0x40000000 | SYS_getpid))
#endif
	TRY("execve", execv("/bin/true", args)) // the last one, because it would end the program
	fprintf(stderr, " end\n");
}
