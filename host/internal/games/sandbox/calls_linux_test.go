package sandbox

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
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

func TestPinnedProcessCannotChooseItsCores(t *testing.T) {
	for _, pinned := range []bool{false, true} {
		filter := Policy{Pinned: pinned}.filter(arch.X86_64, 1)
		allowed := false
		for _, group := range filter.Syscalls {
			for _, rule := range group.NamesWithCondtions {
				allowed = allowed || rule.Name == "sched_setaffinity"
			}
		}
		if allowed == pinned {
			t.Errorf("pinned %t: it can choose its cores: %t", pinned, allowed)
		}
	}
}

// policies are those with different filters.
func policies() (all []Policy) {
	for i := range 16 {
		all = append(all, Policy{Listen: i&1 != 0, Network: i&2 != 0, Processes: i&4 != 0, Pinned: i&8 != 0})
	}
	return all
}

// TestAssembledFilterDoesWhatItsRulesSay runs the program of each filter with many calls.
func TestAssembledFilterDoesWhatItsRulesSay(t *testing.T) {
	const most = 4096 // instructions that Linux takes
	for _, info := range []*arch.Info{arch.X86_64, arch.AARCH64} {
		for _, p := range policies() {
			// A process with this ID could once start others: a condition on the flags of clone
			// that did not hold led to the conditions of kill.
			pid := info.SyscallNames["kill"]
			filter := p.filter(info, pid)
			program := assemble(filter, info)
			if len(program) > most {
				t.Fatalf("%s, %+v: got %d instructions, want at most %d", info.Name, p, len(program), most)
			}
			vm, err := bpf.NewVM(program)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range someCalls(filter, info, uint64(pid)) {
				want := uint32(verdict(filter, info, c))
				if got, err := vm.Run(c.data()); err != nil || uint32(got) != want {
					t.Fatalf("%s, %+v, call %+v: got %#x and %v, want %#x", info.Name, p, c, got, err, want)
				}
			}
		}
	}
}

// rawCall is a system call as a filter sees it.
type rawCall struct {
	arch, number uint32
	args         [6]uint64
}

// data returns the words of a call for a machine with its bytes in network order.
func (c rawCall) data() []byte {
	b := binary.BigEndian.AppendUint32(nil, c.number)
	b = binary.BigEndian.AppendUint32(b, c.arch)
	b = binary.BigEndian.AppendUint64(b, 0) // the instruction pointer
	for _, arg := range c.args {
		halves := make([]byte, 8) // its halves are in the order of this machine
		binary.NativeEndian.PutUint64(halves, arg)
		b = binary.BigEndian.AppendUint32(b, binary.NativeEndian.Uint32(halves))
		b = binary.BigEndian.AppendUint32(b, binary.NativeEndian.Uint32(halves[4:]))
	}
	return b
}

// someCalls returns all calls of an architecture, and those with conditions with many
// arguments: the values of their conditions, those next to them, and the numbers of others.
func someCalls(filter seccomp.Policy, info *arch.Info, pid uint64) (all []rawCall) {
	values := map[uint32]map[uint64]bool{} // by the number of a call
	for _, group := range filter.Syscalls {
		for _, rule := range group.NamesWithCondtions {
			number := uint32(info.SyscallNames[rule.Name])
			if values[number] == nil {
				values[number] = map[uint64]bool{0: true, 1: true, 2: true, 3: true, pid: true}
			}
			for _, c := range rule.Conditions {
				for _, v := range []uint64{c.Value, c.Value + 1, c.Value | 1<<32, c.Value << 1, ^c.Value} {
					values[number][v] = true
				}
			}
		}
	}
	numbers := slices.Sorted(maps.Keys(values))
	id := uint32(info.ID)
	for number := range uint32(600) {
		all = append(all, rawCall{arch: id, number: number}, rawCall{arch: id, number: number | uint32(arch.X32.SeccompMask)}, rawCall{arch: id ^ 1, number: number})
		if values[number] == nil {
			continue
		}
		for _, other := range numbers {
			values[number][uint64(other)] = true
		}
		for v := range values[number] {
			for _, first := range []uint64{0, 1, pid} {
				for arg := range 4 {
					c := rawCall{arch: id, number: number, args: [6]uint64{first}}
					c.args[arg] = v
					all = append(all, c)
				}
			}
		}
	}
	return append(all, rawCall{arch: id, number: 1 << 31}, rawCall{arch: id, number: 1<<32 - 1})
}

// verdict returns what a filter says about a call.
func verdict(filter seccomp.Policy, info *arch.Info, c rawCall) seccomp.Action {
	if c.arch != uint32(info.ID) {
		return refusal
	}
	if info.ID == arch.X86_64.ID && c.number >= uint32(arch.X32.SeccompMask) {
		return notThere
	}
	name := info.SyscallNumbers[int(c.number)]
	for _, group := range filter.Syscalls {
		if slices.Contains(group.Names, name) {
			return group.Action
		}
		for _, rule := range group.NamesWithCondtions {
			if rule.Name == name && !slices.ContainsFunc(rule.Conditions, func(one seccomp.Condition) bool { return !holds(one, c) }) {
				return group.Action
			}
		}
	}
	return refusal
}

func holds(one seccomp.Condition, c rawCall) bool {
	arg := c.args[one.Argument]
	switch one.Operation {
	case seccomp.Equal:
		return arg == one.Value
	case seccomp.BitsSet:
		return arg&one.Value != 0
	case seccomp.BitsNotSet:
		return arg&one.Value == 0
	}
	panic("unknown operation " + one.Operation)
}

func TestEachKindOfPoliciesHasItsOwnFilter(t *testing.T) {
	known := map[string]Policy{}
	for _, p := range policies() {
		a, err := p.assembled()
		if err != nil {
			t.Skip(err)
		}
		if other, ok := known[string(a.instructions)]; ok && (other.Pinned != p.Pinned || other.Processes != p.Processes || other.Network != p.Network) {
			t.Errorf("%+v and %+v have the same filter", other, p)
		}
		known[string(a.instructions)] = p
	}
}

func TestFilterOfThisSystemHasThePlacesOfItsProcessID(t *testing.T) {
	for _, p := range policies() {
		a, err := p.assembled()
		if err != nil {
			t.Skip(err)
		}
		want := 5 // kill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, prlimit64
		if p.Processes {
			want = 4 // it can send signals to others
		}
		if len(a.pids) != want {
			t.Errorf("%+v: got %d places, want %d", p, len(a.pids), want)
		}
	}
}
