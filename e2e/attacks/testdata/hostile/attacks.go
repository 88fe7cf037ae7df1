package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attacks are the attacks by name. An attack returns nil if it has succeeded. None goes
// further than it must to show that it works: signals have number 0, and what fills
// something ends at a bound. Where success would change the machine or stop the host, the
// arguments are invalid: the filter of system calls does not look at them, and without
// the filter, the kernel refuses them even to root.
var attacks = map[string]func(t targets) error{
	// Files.
	"read-passwd":   func(targets) error { return load("/etc/passwd") },
	"read-shadow":   func(targets) error { return load("/etc/shadow") },
	"read-database": func(t targets) error { return load(t["database"]) },
	"read-password": func(t targets) error { return load(t["password"]) },
	"read-config":   func(t targets) error { return load(t["config"]) },
	"read-home":     func(t targets) error { return load(t["home"]) },
	"read-game":     func(t targets) error { return load(t["game"]) },
	"list-data":     func(t targets) error { return list(t["data"]) },
	"list-games":    func(t targets) error { return list(t["games"]) },
	"list-tmp":      func(targets) error { return list("/tmp") },
	"list-proc":     func(targets) error { return list("/proc") },
	"write-data":    func(t targets) error { return os.WriteFile(filepath.Join(t["victims"], "new"), nil, 0o600) },
	"write-own":     func(targets) error { return os.WriteFile("new", nil, 0o600) },
	"write-tmp":     func(targets) error { return create("/tmp") },
	"write-shm":     func(targets) error { return create("/dev/shm") },
	"write-var-tmp": func(targets) error { return create("/var/tmp") },
	"rename":        func(t targets) error { return os.Rename(victim(t, "rename"), victim(t, "renamed")) },
	"link":          func(t targets) error { return os.Link(victim(t, "link"), victim(t, "linked")) },
	"link-private":  func(t targets) error { return os.Link(victim(t, "link"), private("linked")) },
	"symlink":       func(t targets) error { return os.Symlink("x", victim(t, "symlink")) },
	"unlink":        func(t targets) error { return os.Remove(victim(t, "unlink")) },
	"mkdir":         func(t targets) error { return os.Mkdir(victim(t, "mkdir"), 0o700) },
	"mkfifo":        func(t targets) error { return unix.Mkfifo(victim(t, "mkfifo"), 0o600) },
	"mknod": func(targets) error {
		defer os.Remove(private("node"))
		return unix.Mknod(private("node"), unix.S_IFCHR|0o600, 0x103)
	},
	"chmod":    func(t targets) error { return os.Chmod(victim(t, "chmod"), 0o777) },
	"chown":    func(t targets) error { return os.Chown(victim(t, "chown"), os.Getuid(), os.Getgid()) },
	"utime":    func(t targets) error { return os.Chtimes(victim(t, "utime"), time.Unix(1, 0), time.Unix(1, 0)) },
	"truncate": func(t targets) error { return os.Truncate(victim(t, "truncate"), 0) },
	"setxattr": func(t targets) error {
		return unix.Setxattr(victim(t, "setxattr"), "user.attack", []byte("x"), 0)
	},
	"inotify": func(t targets) error {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		_, err = unix.InotifyAddWatch(fd, t["victims"], unix.IN_ALL_EVENTS)
		return err
	},
	"fanotify": func(targets) error {
		_, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF, unix.O_RDONLY)
		return err
	},
	"open-by-handle": func(targets) error { return call(unix.SYS_OPEN_BY_HANDLE_AT) },
	"lease": func(targets) error {
		f, err := os.Open("targets")
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		return err
	},
	"dnotify": func(targets) error {
		f, err := os.Open(".")
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = unix.FcntlInt(f.Fd(), unix.F_NOTIFY, 4)
		return err
	},
	"inherited": func(targets) error {
		for fd := 3; fd < 1024; fd++ {
			var b [6]byte
			if n, err := unix.Pread(fd, b[:], 0); err == nil && string(b[:n]) == "secret" {
				return nil
			}
		}
		return unix.EBADF
	},

	// The host's process.
	"environ":    func(targets) error { return load(of("environ")) },
	"cmdline":    func(targets) error { return load(of("cmdline")) },
	"memory":     func(targets) error { return load(of("mem")) },
	"fds":        func(targets) error { return list(of("fd")) },
	"root":       func(targets) error { return list(of("root")) },
	"executable": func(targets) error { _, err := os.Readlink(of("exe")); return err },
	"vm-readv": func(targets) error {
		b := []byte{0}
		_, err := unix.ProcessVMReadv(os.Getppid(), []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: 0x400000, Len: 1}}, 0)
		return err
	},
	"vm-writev":       func(targets) error { return call(unix.SYS_PROCESS_VM_WRITEV, host(), 0, 0, 0, 0, 0) },
	"ptrace-attach":   func(targets) error { return unix.PtraceAttach(-1) },
	"ptrace-seize":    func(targets) error { return unix.PtraceSeize(-1) },
	"pidfd-getfd":     func(targets) error { return call(unix.SYS_PIDFD_GETFD, 0, 2, 0) },
	"kcmp":            func(targets) error { return call(unix.SYS_KCMP, host(), host(), 1) },
	"kill":            func(targets) error { return unix.Kill(os.Getppid(), 0) },
	"kill-group":      func(targets) error { group, _ := unix.Getpgid(os.Getppid()); return unix.Kill(-group, 0) },
	"kill-all":        func(targets) error { return unix.Kill(-1, 0) },
	"tgkill":          func(targets) error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
	"tkill":           func(targets) error { return call(unix.SYS_TKILL, host(), 0) },
	"sigqueue":        func(targets) error { return queue(unix.SYS_RT_SIGQUEUEINFO, host(), 0) },
	"thread-sigqueue": func(targets) error { return queue(unix.SYS_RT_TGSIGQUEUEINFO, host(), host(), 0) },
	"pidfd-signal": func(targets) error {
		fd, err := unix.PidfdOpen(os.Getppid(), 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	},
	// The kernel sends a signal of the file's owner to the host when something arrives.
	"fcntl-owner": func(targets) error {
		return ends(func(fd int) error { _, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, os.Getppid()); return err })
	},
	"fcntl-owner-ex": func(targets) error {
		owner := [2]int32{1, int32(os.Getppid())} // F_OWNER_PID
		return ends(func(fd int) error {
			return call(unix.SYS_FCNTL, uintptr(fd), unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner)))
		})
	},
	"fcntl-signal": func(targets) error {
		return ends(func(fd int) error { _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, 9); return err })
	},
	"ioctl-owner": func(targets) error {
		return ends(func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x8901, os.Getppid()) }) // FIOSETOWN
	},
	"prlimit": func(targets) error {
		var now unix.Rlimit
		return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &now)
	},
	"priority": func(targets) error { return unix.Setpriority(-1, 0, 0) },
	"ioprio":   func(targets) error { return call(unix.SYS_IOPRIO_SET, ^uintptr(0)) },
	"affinity": func(targets) error {
		var own unix.CPUSet // also that of the host
		if err := unix.SchedGetaffinity(0, &own); err != nil {
			return fmt.Errorf("its own affinity: %v", err)
		}
		return unix.SchedSetaffinity(os.Getppid(), &own)
	},
	"scheduler": func(targets) error {
		var now [8]int32
		policy, _, _ := unix.Syscall(unix.SYS_SCHED_GETSCHEDULER, host(), 0, 0)
		if err := call(unix.SYS_SCHED_GETPARAM, host(), uintptr(unsafe.Pointer(&now))); err != nil {
			return fmt.Errorf("the host's priority: %v", err)
		}
		return call(unix.SYS_SCHED_SETSCHEDULER, host(), policy, uintptr(unsafe.Pointer(&now)))
	},

	// Sockets.
	"connect-host":     func(t targets) error { return dial("tcp4", t["host"]) },
	"connect-metrics":  func(t targets) error { return dial("tcp4", t["metrics"]) },
	"connect-database": func(t targets) error { return dial("tcp4", t["tcp"]) },
	"connect-ipv6":     func(t targets) error { return dial("tcp6", t["tcp6"]) },
	"connect-mptcp": func(t targets) error {
		at, err := net.ResolveTCPAddr("tcp4", t["tcp"])
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Connect(fd, &unix.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())})
	},
	"connect-unix":     func(t targets) error { return dial("unix", t["unix"]) },
	"connect-abstract": func(t targets) error { return dial("unix", "@"+t["abstract"]) },
	"connect-game":     func(t targets) error { return dial("unix", t["socket"]) },
	"send-udp":         func(t targets) error { return send("udp4", t["udp"]) },
	"send-unix":        func(t targets) error { return send("unixgram", t["unixgram"]) },
	"send-pair": func(t targets) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(pair[0])
		defer unix.Close(pair[1])
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: t["unixgram"]})
	},
	"list-sockets":   func(targets) error { return load("/proc/net/unix") },
	"listen-tcp":     func(targets) error { return listen("tcp4", "127.0.0.1:0") },
	"socket-raw":     func(targets) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
	"socket-packet":  func(targets) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"socket-netlink": func(targets) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) },
	"socket-vsock":   func(targets) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
	"socket-alg":     func(targets) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) },
	"interfaces": func(targets) error { // on a socket that a game can have
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return call(unix.SYS_IOCTL, uintptr(fd), unix.SIOCGIFNAME, uintptr(unsafe.Pointer(&[40]byte{16: 1})))
	},

	// Processes.
	"start-program": func(targets) error { return exec.Command("/bin/true").Run() },
	"fork":          func(targets) error { return fork(sigchld) },
	"fork-sibling":  func(targets) error { return fork(unix.CLONE_PARENT | sigchld) },
	"clone3": func(targets) error {
		args := [11]uint64{4: uint64(unix.SIGCHLD)}
		return child(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args))
	},
	"fork-bomb": func(targets) error {
		for range 100 {
			if err := fork(sigchld); err != nil {
				return err
			}
		}
		return nil
	},
	"execve":         func(targets) error { return unix.Exec("/bin/true", []string{"true"}, nil) },
	"execveat":       func(targets) error { return call(unix.SYS_EXECVEAT) },
	"memfd":          func(targets) error { _, err := unix.MemfdCreate("attack", 0); return err },
	"setsid":         func(targets) error { _, err := unix.Setsid(); return err },
	"setpgid":        func(targets) error { return unix.Setpgid(0, 0) },
	"namespace-user": func(targets) error { return fork(unix.CLONE_NEWUSER | sigchld) },
	"namespace-pid":  func(targets) error { return fork(unix.CLONE_NEWPID | sigchld) },

	// The kernel.
	"unshare":     func(targets) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"setns":       func(targets) error { return call(unix.SYS_SETNS) },
	"mount":       func(targets) error { return call(unix.SYS_MOUNT) },
	"mount-new":   func(targets) error { return call(unix.SYS_FSOPEN) },
	"umount":      func(targets) error { return unix.Unmount("/nowhere", 0) },
	"chroot":      func(targets) error { return unix.Chroot("/nowhere") },
	"pivot-root":  func(targets) error { return call(unix.SYS_PIVOT_ROOT) },
	"setuid":      func(targets) error { return call(unix.SYS_SETUID, 0) },
	"keyring":     func(targets) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err },
	"add-key":     func(targets) error { return call(unix.SYS_ADD_KEY) },
	"request-key": func(targets) error { return call(unix.SYS_REQUEST_KEY) },
	"bpf":         func(targets) error { return call(unix.SYS_BPF) },
	"perf": func(targets) error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: 112}, 0, -1, -1, 0)
		return err
	},
	"userfaultfd": func(targets) error { return call(unix.SYS_USERFAULTFD) },
	"io-uring":    func(targets) error { return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(new([120]byte)))) },
	"kexec":       func(targets) error { return call(unix.SYS_KEXEC_LOAD, 0, 0, 0, ^uintptr(0)) },
	"module":      func(targets) error { return call(unix.SYS_INIT_MODULE) },
	"module-file": func(targets) error { return call(unix.SYS_FINIT_MODULE, ^uintptr(0)) },
	"reboot":      func(targets) error { return call(unix.SYS_REBOOT) }, // without the magic numbers
	"set-clock":   func(targets) error { return call(unix.SYS_CLOCK_SETTIME, ^uintptr(0)) },
	"set-time":    func(targets) error { return call(unix.SYS_SETTIMEOFDAY, 1) },
	"adjust-time": func(targets) error { return call(unix.SYS_CLOCK_ADJTIME, ^uintptr(0)) },
	"hostname":    func(targets) error { return call(unix.SYS_SETHOSTNAME, 0, 1<<20) },
	"syslog":      func(targets) error { return call(unix.SYS_SYSLOG, 10) }, // the size of the buffer
	"quota":       func(targets) error { return call(unix.SYS_QUOTACTL) },
	"swap":        func(targets) error { return call(unix.SYS_SWAPON) },
	"accounting":  func(targets) error { return unix.Acct("/nowhere") },
	"personality": func(targets) error { return call(unix.SYS_PERSONALITY, 0x0040000) }, // without random addresses
	"type-ahead":  func(targets) error { return call(unix.SYS_IOCTL, 2, unix.TIOCSTI) }, // into the terminal of the host
	"terminal":    func(targets) error { return load("/dev/tty") },

	// Resources. What one of them gets, it gives back.
	"memory-private": func(targets) error { return fill(-1, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS) },
	"memory-shared":  func(targets) error { return fill(-1, unix.MAP_SHARED|unix.MAP_ANONYMOUS) },
	"memory-stack":   func(targets) error { return fill(-1, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_GROWSDOWN) },
	"memory-late": func(targets) error { // writable only after it has been mapped
		b, err := unix.Mmap(-1, 0, 1<<30, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return err
		}
		defer unix.Munmap(b)
		return unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE)
	},
	"memory-zero": func(targets) error {
		f, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return fill(int(f.Fd()), unix.MAP_SHARED)
	},
	"memory-sysv": func(targets) error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 1<<20, unix.IPC_CREAT|0o600)
		if err != nil {
			return err
		}
		_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		return err
	},
	"message-queue": func(targets) error { return call(unix.SYS_MSGGET, 1, 0) },
	"semaphores":    func(targets) error { return call(unix.SYS_SEMGET, 1, 1<<30, 0) },
	"stack-limit": func(targets) error { // the memory of a large stack would not be counted
		var now unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_STACK, &now); err != nil {
			return err
		}
		if now.Max > 1<<30 {
			return nil
		}
		return unix.EPERM
	},
	"raise-limits": func(targets) error {
		for _, resource := range []int{unix.RLIMIT_DATA, unix.RLIMIT_FSIZE, unix.RLIMIT_NOFILE, unix.RLIMIT_CORE} {
			err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
			if err == nil || resource == unix.RLIMIT_CORE {
				return err
			}
		}
		return nil
	},
	"timers": func(targets) error { // all of the user's processes share their number
		for range 2000 {
			var id int32
			if err := call(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&id))); err != nil {
				return err
			}
			defer call(unix.SYS_TIMER_DELETE, uintptr(id))
		}
		return nil
	},
	"disk-bytes": func(targets) error {
		return inPrivate(func(fd int) error { _, err := unix.Write(fd, []byte("x")); return err })
	},
	"disk-hole": func(targets) error { return inPrivate(func(fd int) error { return unix.Ftruncate(fd, 1<<20) }) },
	"disk-allocate": func(targets) error {
		return inPrivate(func(fd int) error { return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, 1<<20) })
	},
	"disk-reserve": func(targets) error {
		return inPrivate(func(fd int) error {
			space := struct {
				kind, whence int16
				start, len   int64
				_            [6]int32
			}{len: 1 << 20}
			return call(unix.SYS_IOCTL, uintptr(fd), 0x4030582a, uintptr(unsafe.Pointer(&space))) // FS_IOC_RESVSP64
		})
	},
	"disk-attributes": func(targets) error {
		return inPrivate(func(fd int) error { return unix.Fsetxattr(fd, "user.attack", make([]byte, 1<<10), 0) })
	},
	"disk-folders": func(targets) error { return os.Mkdir(private("folder"), 0o700) },
	"disk-links":   func(targets) error { return os.Symlink("x", private("symlink")) },

	// These end the process.
	"disk-files": func(targets) error {
		for i := range 2000 {
			f, err := os.Create(private(strconv.Itoa(i)))
			if err != nil {
				return err
			}
			f.Close()
		}
		select {}
	},
	"thread-bomb": func(targets) error {
		for range 1500 {
			go func() {
				runtime.LockOSThread()
				time.Sleep(time.Hour) // in the runtime; the thread waits for the goroutine
			}()
		}
		select {}
	},

	// busy uses all cores with many threads.
	"busy": func(targets) error {
		runtime.GOMAXPROCS(64)
		end := time.Now().Add(6 * time.Second) // longer than the other players have for an answer
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for time.Now().Before(end) {
				}
			})
		}
		all.Wait()
		return nil
	},
}

// call makes a system call.
func call(number uintptr, args ...uintptr) error {
	var six [6]uintptr
	copy(six[:], args)
	if _, _, err := unix.Syscall6(number, six[0], six[1], six[2], six[3], six[4], six[5]); err != 0 {
		return err
	}
	return nil
}

func host() uintptr { return uintptr(os.Getppid()) }

// of returns the path of a file of the host's process.
func of(file string) string { return fmt.Sprintf("/proc/%d/%s", os.Getppid(), file) }

func victim(t targets, name string) string { return filepath.Join(t["victims"], name) }

// private returns a path in the game's private folder.
func private(name string) string { return filepath.Join(os.Getenv("TMPDIR"), name) }

// load reads the beginning of a file.
func load(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = unix.Pread(int(f.Fd()), make([]byte, 1), 0x400000*boolean(filepath.Base(path) == "mem"))
	if errors.Is(err, unix.ESPIPE) || errors.Is(err, unix.EIO) {
		return nil // it is open, which is enough
	}
	return err
}

func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func list(path string) error {
	_, err := os.ReadDir(path)
	return err
}

// create creates a file in a folder and removes it.
func create(folder string) error {
	f, err := os.CreateTemp(folder, "attack-")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// inPrivate calls f with a new file in the private folder, and removes it.
func inPrivate(f func(fd int) error) error {
	path := private("file")
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer unix.Close(fd)
	return f(fd)
}

// ends calls f with the end of a pair of sockets.
func ends(f func(fd int) error) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	return f(pair[0])
}

// queue sends signal 0 with information.
func queue(number uintptr, args ...uintptr) error {
	info := [16]uint64{1: ^uint64(0)} // the code of sigqueue
	return call(number, append(args, uintptr(unsafe.Pointer(&info)))...)
}

func dial(network, address string) error {
	conn, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

func send(network, address string) error {
	conn, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte("x"))
	return err
}

func listen(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	return l.Close()
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

const sigchld = uintptr(unix.SIGCHLD)

// fork creates a process with the flags of clone. It exits at once.
func fork(flags uintptr) error { return child(unix.SYS_CLONE, flags, 0) }

//go:norace
func child(number, a, b uintptr) error {
	pid, _, err := syscall.RawSyscall6(number, a, b, 0, 0, 0, 0)
	if err != 0 {
		return err
	}
	if pid == 0 {
		for {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	_, _ = unix.Wait4(int(pid), nil, 0, nil)
	return nil
}

// fill maps a GiB of memory and writes to a part of it.
func fill(fd, flags int) error {
	b, err := unix.Mmap(fd, 0, 1<<30, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return err
	}
	for i := 0; i < 1<<20; i += os.Getpagesize() {
		b[i] = 1
	}
	return unix.Munmap(b)
}
