package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// needed are system calls without which Go's runtime, glibc or musl does not start a
// program or a thread, by the name of an architecture in the library; others are those
// of all.
var needed = map[string]string{
	"": `read write readv writev close lseek pread64 fcntl openat ioctl mmap munmap mprotect mremap madvise brk
		clone futex set_tid_address set_robust_list rseq sched_getaffinity sched_yield gettid tgkill getpid exit exit_group
		rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack nanosleep clock_nanosleep clock_gettime clock_getres
		timer_create timer_settime timer_delete setitimer getrandom prlimit64 uname getuid geteuid getgid getegid
		epoll_create1 epoll_ctl epoll_pwait eventfd2 pipe2 ppoll getcwd fstat statx readlinkat faccessat faccessat2 getdents64
		execve wait4 prctl membarrier restart_syscall socket bind listen accept4 getsockname getsockopt setsockopt shutdown
		unlinkat fchdir dup3`,
	"x86_64":  `arch_prctl open access stat lstat newfstatat readlink poll select epoll_wait dup2 pipe unlink getdents`,
	"aarch64": `fstatat pselect6`, // the library's name of newfstatat
}

func TestFilterKnowsTheCallsOfEachArchitecture(t *testing.T) {
	for _, info := range []*arch.Info{arch.X86_64, arch.AARCH64} {
		filter := Policy{Listen: true}.filter(info, 1)
		var allowed []string
		for _, group := range filter.Syscalls {
			if group.Action == notThere {
				for _, name := range []string{"clone3", "openat2", "memfd_create", "io_uring_setup"} {
					if !slices.Contains(group.Names, name) {
						t.Errorf("%s: got %q without %s, want it", info.Name, group.Names, name)
					}
				}
				continue
			}
			allowed = append(allowed, group.Names...)
			for _, rule := range group.NamesWithCondtions {
				allowed = append(allowed, rule.Name)
			}
		}
		for _, name := range strings.Fields(needed[""] + " " + needed[info.Name]) {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s: got a filter that refuses %s, want it allowed", info.Name, name)
			}
		}
	}
}

// TestFilterIsAssembled can run on any system, with the filter of its architecture.
func TestFilterIsAssembled(t *testing.T) {
	info, err := arch.GetInfo("")
	if err != nil {
		t.Skip(err)
	}
	const most = 4096 // instructions that Linux takes
	for _, p := range []Policy{{}, {Listen: true}, {Network: true}, {Processes: true}, {Listen: true, Network: true, Processes: true}} {
		filter := p.filter(info, 1)
		if program, err := filter.Assemble(); err != nil || len(program) > most {
			t.Errorf("%+v: got %d instructions and %v, want at most %d", p, len(program), err, most)
		}
	}
}
