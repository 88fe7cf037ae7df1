//go:build linux

// Package attacks tests that hostile games, in several languages, harm nobody on a
// real host.
package attacks

// attack is one thing that a hostile game tries.
type attack struct {
	id   string // as in the games of testdata and in SECURITY.md
	want string // how it ends: errors, any of them
	// Without isolation it succeeds, and harms nobody: this shows that the attack is one.
	works bool
}

// attacks are those of games that start.
var attacks = []attack{
	// Reading files.
	{"read-passwd", "EACCES", true},
	{"read-shadow", "EACCES", false}, // only root can read it
	{"read-database", "EACCES", true},
	{"read-password", "EACCES", true},
	{"read-config", "EACCES", true},
	{"read-home", "EACCES", true},
	{"read-game", "EACCES", true},
	{"read-link", "EACCES", true},
	{"list-data", "EACCES", true},
	{"list-games", "EACCES", true},
	{"list-tmp", "EACCES", true},
	{"list-proc", "EACCES", true},
	{"list-sockets", "EACCES", true},
	{"terminal", "EACCES", false},
	{"inherited", "EBADF", false},

	// Changing files, and observing them.
	{"write-data", "EACCES", true},
	{"write-own", "EACCES", true},
	{"write-tmp", "EACCES", true},
	{"write-shm", "EACCES", true},
	{"write-var-tmp", "EACCES", true},
	{"rename", "EACCES", true},
	{"link", "EACCES", true},
	{"link-private", "EXDEV EACCES", false},
	{"symlink", "EACCES", true},
	{"unlink", "EACCES", true},
	{"mkdir", "EACCES", true},
	{"mkfifo", "EPERM", true},
	{"mknod", "EPERM", false},
	{"chmod", "EPERM", true},
	{"chown", "EPERM", true},
	{"utime", "EPERM", true},
	{"truncate", "EPERM EACCES", true}, // Node opens the file first
	{"setxattr", "EPERM", false},
	{"inotify", "EPERM", true},
	{"dnotify", "EPERM", true},
	{"fanotify", "EPERM", false},
	{"lease", "EPERM", true},
	{"open-by-handle", "EPERM", false},

	// The host's process.
	{"environ", "EACCES", false},
	{"cmdline", "EACCES", true},
	{"memory", "EACCES", false},
	{"fds", "EACCES", false},
	{"root", "EACCES", false},
	{"executable", "EACCES", false},
	{"vm-readv", "EPERM", false},
	{"vm-writev", "EPERM", false},
	{"ptrace-attach", "EPERM", false},
	{"ptrace-seize", "EPERM", false},
	{"pidfd-getfd", "EPERM", false},
	{"kcmp", "EPERM", false},

	// Signals.
	{"kill", "EPERM", true},
	{"kill-group", "EPERM", false},
	{"kill-all", "EPERM", false},
	{"tgkill", "EPERM", true},
	{"tkill", "EPERM", true},
	{"sigqueue", "EPERM", true},
	{"thread-sigqueue", "EPERM", true},
	{"pidfd-signal", "ENOSYS", true},
	{"fcntl-owner", "EPERM", true},
	{"fcntl-owner-ex", "EPERM", true},
	{"fcntl-signal", "EPERM", true},
	{"ioctl-owner", "EPERM", true},

	// The host's limits and priority.
	{"prlimit", "EPERM", false},
	{"priority", "EPERM", false},
	{"ioprio", "EPERM", false},
	{"affinity", "EPERM", true},
	{"scheduler", "EPERM", true},

	// Sockets.
	{"connect-host", "EPERM", true},
	{"connect-metrics", "EPERM", true},
	{"connect-database", "EPERM", true},
	{"connect-ipv6", "EPERM", false},
	{"connect-mptcp", "EPERM", false},
	{"connect-unix", "EPERM", true},
	{"connect-abstract", "EPERM", true},
	{"connect-game", "EPERM", true},
	{"send-udp", "EPERM", true},
	{"send-unix", "EPERM", true},
	{"send-pair", "EPERM", true},
	{"listen-tcp", "EPERM", true},
	{"interfaces", "EPERM", true},
	{"socket-raw", "EPERM", false},
	{"socket-packet", "EPERM", false},
	{"socket-netlink", "EPERM", true},
	{"socket-vsock", "EPERM", false},
	{"socket-alg", "EPERM", false},

	// Processes.
	{"start-program", "EPERM ENOSYS", true},
	{"fork", "EPERM", true},
	{"fork-sibling", "EPERM", false},
	{"fork-bomb", "EPERM", false},
	{"vfork", "EPERM", true},
	{"clone3", "ENOSYS", true},
	{"execve", "EACCES", false},
	{"execveat", "EPERM", false},
	{"memfd", "ENOSYS", false},
	{"setsid", "EPERM", false},
	{"setpgid", "EPERM", false},

	// The kernel.
	{"namespace-user", "EPERM", false},
	{"namespace-pid", "EPERM", false},
	{"unshare", "EPERM", false},
	{"setns", "EPERM", false},
	{"mount", "EPERM", false},
	{"mount-new", "EPERM", false},
	{"umount", "EPERM", false},
	{"chroot", "EPERM", false},
	{"pivot-root", "EPERM", false},
	{"setuid", "EPERM", false},
	{"keyring", "EPERM", false},
	{"add-key", "EPERM", false},
	{"request-key", "EPERM", false},
	{"bpf", "EPERM", false},
	{"perf", "EPERM", false},
	{"userfaultfd", "ENOSYS", false},
	{"io-uring", "ENOSYS", false},
	{"kexec", "EPERM", false},
	{"module", "EPERM", false},
	{"module-file", "EPERM", false},
	{"reboot", "EPERM", false},
	{"set-clock", "EPERM", false},
	{"set-time", "EPERM", false},
	{"adjust-time", "EPERM", false},
	{"hostname", "EPERM", false},
	{"syslog", "EPERM", false},
	{"quota", "EPERM", false},
	{"swap", "EPERM", false},
	{"accounting", "EPERM", false},
	{"personality", "EPERM", false},
	{"type-ahead", "EPERM", false},
	{"calls-32", "EPERM ENOSYS", false},
	{"calls-x32", "ENOSYS", false},

	// Memory and disk.
	{"memory-private", "ENOMEM", false},
	{"memory-late", "ENOMEM", false},
	{"memory-shared", "EPERM", false},
	{"memory-stack", "EPERM", false},
	{"memory-zero", "EACCES", false},
	{"memory-sysv", "EPERM", false},
	{"message-queue", "EPERM", false},
	{"semaphores", "EPERM", false},
	{"stack-limit", "EPERM", false},
	{"raise-limits", "EPERM", false},
	{"timers", "EAGAIN", false},
	{"disk-bytes", "EFBIG", true},
	{"disk-hole", "EFBIG", true},
	{"disk-allocate", "EPERM", false},
	{"disk-reserve", "EPERM", false},
	{"disk-attributes", "EPERM", false},
	{"disk-folders", "EACCES", false},
	{"disk-links", "EACCES", false},
}

// others are the attacks that end a game, or for which it does not start. Each has a
// test of its own.
var others = []string{
	"thread-bomb", "disk-files", "busy", "grandchild", "address", "address-unix", "certificate", "link-program", "fifo-program",
	"secret-interpreter", "script-imports",
}
