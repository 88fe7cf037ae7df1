package sandbox

import (
	"strings"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// allowed are the system calls that every process can use with any arguments: those
// that act only on the process itself and its open files, and those that Landlock
// restricts. All others fail with EPERM; those of unknown are an exception.
//
// Among the calls that are missing are those about other processes (ptrace,
// process_vm_readv, pidfd_open, kcmp, setpriority); those that change or observe files
// although Landlock does not restrict them (chmod, chown, setxattr, utime, truncate,
// inotify, fanotify); mounts and namespaces, keys, modules, bpf and perf events;
// io_uring, because no filter sees its operations; and those that allocate memory that
// RLIMIT_DATA does not count (memfd_create, shmget, vmsplice, landlock_add_rule).
const allowed = `
	read write futex epoll_pwait epoll_wait nanosleep recvmsg sendmsg clock_gettime clock_nanosleep sched_yield
	readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek sendfile splice tee copy_file_range readahead
	creat close close_range dup dup2 dup3 flock fsync fdatasync sync_file_range ftruncate fadvise64 fadvise64_64
	stat fstat lstat newfstatat fstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat getdents getdents64
	getcwd chdir fchdir umask mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
	poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_pwait2 eventfd eventfd2 signalfd signalfd4 pipe pipe2
	timerfd_create timerfd_settime timerfd_gettime timer_create timer_settime timer_gettime timer_getoverrun timer_delete
	getsockname getpeername setsockopt getsockopt shutdown sendto recvfrom sendmmsg recvmmsg
	mprotect munmap mremap madvise brk mincore msync mlock mlock2 munlock mlockall munlockall membarrier pkey_alloc pkey_free pkey_mprotect mseal get_mempolicy
	rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause alarm getitimer setitimer restart_syscall
	exit exit_group set_tid_address set_robust_list futex_waitv futex_wake futex_wait futex_requeue rseq sched_getaffinity sched_getparam
	sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval getpriority getcpu
	gettid getpid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getresuid getresgid getgroups capget
	arch_prctl set_thread_area get_thread_area uname sysinfo times getrusage getrlimit setrlimit getrandom time gettimeofday clock_getres
	wait4 waitid execve`

// unknown are the system calls that fail with ENOSYS, because C libraries and
// runtimes then use an older one. The flags of clone3 and openat2 are in memory, where
// no filter sees them.
const unknown = `openat2 clone3 memfd_create pidfd_open pidfd_send_signal io_uring_setup io_uring_enter io_uring_register process_madvise userfaultfd set_mempolicy mbind
	seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self`

const notThere = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)

// namespaces are the flags of clone that create them.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID |
	unix.CLONE_NEWNET

// fileCommands are the commands of fcntl that a process can use. The missing ones let
// the kernel send a signal to any process of the user (F_SETOWN, F_SETSIG), delay other
// processes that open a file (F_SETLEASE), observe folders (F_NOTIFY), or use up a
// quota that the processes of a user share (F_SETPIPE_SZ).
var fileCommands = []int{
	unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW,
	unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_GETPIPE_SZ, unix.F_GET_SEALS,
}

// options are the options of prctl that a process can use. Missing are those that use
// memory of the kernel (PR_FUTEX_HASH), that keep others from a core of the processor
// (PR_SCHED_CORE), and that hide the process from the host (PR_SET_DUMPABLE).
var options = []int{
	unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA, unix.PR_SET_PDEATHSIG, unix.PR_GET_PDEATHSIG, unix.PR_GET_DUMPABLE,
	unix.PR_SET_NO_NEW_PRIVS, unix.PR_GET_NO_NEW_PRIVS, unix.PR_CAPBSET_READ, unix.PR_CAP_AMBIENT, unix.PR_GET_SECCOMP,
	unix.PR_SET_TIMERSLACK, unix.PR_GET_TIMERSLACK, unix.PR_SET_THP_DISABLE, unix.PR_GET_THP_DISABLE,
	unix.PR_SET_SPECULATION_CTRL, unix.PR_GET_SPECULATION_CTRL, unix.PR_SET_MDWE, unix.PR_GET_MDWE, unix.PR_SVE_GET_VL,
	unix.PR_SET_TAGGED_ADDR_CTRL, unix.PR_GET_TAGGED_ADDR_CTRL, unix.PR_PAC_RESET_KEYS, unix.PR_SET_CHILD_SUBREAPER,
}

// controls are the requests of ioctl that a process can use: those of pipes, sockets
// and terminals that runtimes need. Others could allocate space on the disk that no
// limit counts (FS_IOC_RESVSP), change files, and send signals (FIOSETOWN).
var controls = []int{
	unix.TCGETS, unix.TCGETS2, unix.TIOCGWINSZ, unix.TIOCGPGRP, unix.TIOCINQ, unix.TIOCOUTQ,
	0x5421, 0x5451, 0x5450, // FIONBIO, FIOCLEX and FIONCLEX on most architectures
}

// interfaceControls are the requests of ioctl that list network interfaces.
var interfaceControls = []int{
	unix.SIOCGIFNAME, unix.SIOCGIFCONF, unix.SIOCGIFFLAGS, unix.SIOCGIFADDR, unix.SIOCGIFDSTADDR, unix.SIOCGIFBRDADDR, unix.SIOCGIFNETMASK,
	unix.SIOCGIFMTU, unix.SIOCGIFHWADDR, unix.SIOCGIFINDEX,
}

// Bits of a socket's type, without its flags, that are not set in the type of a stream, of
// a datagram, and of packets in order.
const (
	notStream   = 0xf &^ unix.SOCK_STREAM
	notPacket   = 0xf &^ unix.SOCK_SEQPACKET
	notDatagram = 0xf &^ unix.SOCK_DGRAM
)

// filter returns the rules for an architecture.
func (p Policy) filter(info *arch.Info, pid int) seccomp.Policy {
	known := func(list string) (names []string) {
		for _, name := range strings.Fields(list) {
			if _, ok := info.SyscallNames[name]; ok { // not every architecture has the older ones
				names = append(names, name)
			}
		}
		return names
	}
	var conditional []seccomp.NameWithConditions
	when := func(name string, all ...seccomp.Condition) {
		if _, ok := info.SyscallNames[name]; ok {
			conditional = append(conditional, seccomp.NameWithConditions{Name: name, Conditions: all})
		}
	}
	is := func(argument uint32, value int) seccomp.Condition {
		return seccomp.Condition{Argument: argument, Operation: seccomp.Equal, Value: uint64(value)}
	}
	without := func(argument uint32, bits uint64) seccomp.Condition {
		return seccomp.Condition{Argument: argument, Operation: seccomp.BitsNotSet, Value: bits}
	}
	set := func(argument uint32, bits uint64) seccomp.Condition { // any of the bits
		return seccomp.Condition{Argument: argument, Operation: seccomp.BitsSet, Value: bits}
	}
	free := known(allowed)

	// Landlock before version 3 (Linux 6.2) checks only the access mode, and even a file
	// that is opened for reading is emptied with O_TRUNC. The mode 3 (O_ACCMODE) needs no
	// right of Landlock, and permits ioctl.
	for name, flags := range map[string]uint32{"open": 1, "openat": 2} {
		when(name, without(flags, unix.O_ACCMODE|unix.O_TRUNC))
		when(name, set(flags, unix.O_WRONLY), without(flags, unix.O_RDWR))
		when(name, set(flags, unix.O_RDWR), without(flags, unix.O_WRONLY))
	}

	// RLIMIT_DATA counts neither shared anonymous memory nor stacks that grow.
	when("mmap", without(3, unix.MAP_SHARED|unix.MAP_GROWSDOWN))
	when("mmap", without(3, unix.MAP_ANONYMOUS|unix.MAP_GROWSDOWN))

	for _, command := range fileCommands {
		when("fcntl", is(1, command))
	}
	for _, option := range options {
		when("prctl", is(0, option))
	}
	for _, request := range controls {
		when("ioctl", is(1, request))
	}
	when("fallocate", is(1, 0)) // RLIMIT_FSIZE does not limit the other modes

	// Threads are allowed, processes only with the right to start them. Without setsid
	// and setpgid these stay in its group. With CLONE_PARENT they would be children of
	// the host, and remain in the system's table when they end.
	if p.Processes {
		when("clone", without(0, namespaces|unix.CLONE_PARENT))
		free = append(free, known("fork vfork kill")...)
		// Rust starts processes with such a pair. It is connected, and sends to no other socket.
		when("socketpair", is(0, unix.AF_UNIX), without(1, notPacket))
	} else {
		when("clone", without(0, namespaces), set(0, unix.CLONE_THREAD))
		when("kill", is(0, pid))
	}
	when("tgkill", is(0, pid))
	when("rt_sigqueueinfo", is(0, pid))
	when("rt_tgsigqueueinfo", is(0, pid))
	when("prlimit64", is(0, 0))
	when("prlimit64", is(0, pid))
	if !p.Pinned {
		when("sched_setaffinity", is(0, 0))
	}

	// Only streams: datagrams can be sent without connect, and Landlock does not know
	// all of their kinds.
	when("socketpair", is(0, unix.AF_UNIX), without(1, notStream))
	if p.Listen || p.Network {
		free = append(free, known("bind listen accept accept4")...)
		when("socket", is(0, unix.AF_UNIX), without(1, notStream))
	}
	if p.Network {
		free = append(free, "connect")
		for _, family := range []int{unix.AF_INET, unix.AF_INET6} {
			when("socket", is(0, family), without(1, notStream))
			when("socket", is(0, family), without(1, notDatagram))
		}
		when("socket", is(0, unix.AF_NETLINK), is(2, unix.NETLINK_ROUTE)) // to list addresses
		for _, request := range interfaceControls {
			when("ioctl", is(1, request))
		}
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, // EPERM
		Syscalls: []seccomp.SyscallGroup{
			{Names: free, Action: seccomp.ActionAllow},
			{NamesWithCondtions: conditional, Action: seccomp.ActionAllow},
			{Names: known(unknown), Action: notThere},
		},
	}
}

// HideMemory prevents other processes of the same user from reading this one's memory
// and environment, and from tracing it. It also turns core dumps off. It does nothing
// on systems other than Linux.
func HideMemory() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) } // since Linux 2.4
