package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// order is what a launcher does: system calls, and then it executes a program.
type order struct {
	Steps []step
	Data  []byte // what the calls refer to; it begins at dataAddress
	Links []int  // offsets of Data with addresses of Data
	Path  string `json:"-"` // of the program
}

// step is a system call.
type step struct {
	Number uintptr
	Args   [6]uintptr // numbers, and addresses of Data
	Into   uintptr    // address in Data at which the result is stored, as 4 bytes; 0: nowhere
	Pass   bool       // the result is the first argument of the next call
	What   string     // what it does, for people, if it fails; empty: a failure does not matter
}

// launch changes a command so that a launcher confines it, and starts it.
func launch(cmd *exec.Cmd, level Level, p Policy, group *Group, start func() error) error {
	done, entered := group.enter(cmd)
	defer done()
	own := 3 + len(cmd.ExtraFiles) // the files of the process; those of the launcher follow
	if strings.ContainsRune(cmd.Path+cmd.Dir, 0) {
		return fmt.Errorf("start %q: %w", cmd.Path, syscall.EINVAL)
	}
	o := order{Path: cmd.Path, Steps: make([]step, 0, 100), Data: make([]byte, 0, 16<<10)}
	o.do("close the files of the host", unix.SYS_CLOSE_RANGE, uintptr(own), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	// The launcher changes to the folder. If that hangs, because a file server is down,
	// the host can still start other processes.
	if cmd.Dir != "" {
		o.do("chdir "+cmd.Dir, unix.SYS_CHDIR, o.text(cmd.Dir))
	}
	if group != nil && !entered {
		o.write("join its control group", filepath.Join(group.path, "cgroup.procs"), "0")
	}
	if level != Off {
		// If the machine lacks memory, the system ends games before others.
		o.write("", "/proc/self/oom_score_adj", "1000") // not without /proc
		o.dropRights()
	}
	if level != Off && Supported().Files > 0 {
		rules, err := p.rules()
		if err != nil {
			o.fail("restrict its files: " + err.Error())
		} else {
			defer rules.Close()
			cmd.ExtraFiles = append(cmd.ExtraFiles, rules)
			o.do("restrict its files", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(2+len(cmd.ExtraFiles)), 0)
		}
	}
	o.setLimits(level, p)
	if level != Off && Supported().Calls {
		if err := o.restrictCalls(p); err != nil {
			return fmt.Errorf("restrict its system calls: %w", err)
		}
	}
	// A limit on data bounds heap, stacks and private mappings. One on address space would
	// be useless, because the runtimes of Go and Java reserve far more than they use. It is
	// the last one, because a launcher itself can need more.
	if p.Memory > 0 {
		o.limit("memory", unix.RLIMIT_DATA, uint64(p.Memory))
	}
	cmd.Dir = ""
	if !runsImages() {
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		cmd.Path, cmd.Args = launcherPath, append([]string{launcherName, string(text), o.Path}, cmd.Args...)
		return start()
	}
	image, err := o.image()
	if err != nil {
		return fmt.Errorf("write the launcher: %w", err)
	}
	defer image.Close()
	cmd.ExtraFiles = append(cmd.ExtraFiles, image)
	cmd.Path = fmt.Sprintf("/proc/self/fd/%d", 2+len(cmd.ExtraFiles))
	return start()
}

// dataAddress is where the data of an order begins: for the small launcher that is its real
// address. An argument is an address if it is one of the data. No other argument is as large,
// except -1 and the like.
const dataAddress = orderAddress + orderHeader

func (o *order) isAddress(word uintptr) bool {
	return word >= dataAddress && word-dataAddress < uintptr(len(o.Data))
}

// put adds data, and returns its address.
func (o *order) put(data []byte) (address uintptr) {
	for len(o.Data)%8 != 0 {
		o.Data = append(o.Data, 0)
	}
	address = dataAddress + uintptr(len(o.Data))
	o.Data = append(o.Data, data...)
	return address
}

// text adds a text as the system takes it, which has no zero byte.
func (o *order) text(s string) (address uintptr) { return o.put(append([]byte(s), 0)) }

// numbers adds numbers of 64 bits.
func (o *order) numbers(all ...uint64) (address uintptr) {
	var data []byte
	for _, n := range all {
		data = binary.NativeEndian.AppendUint64(data, n)
	}
	return o.put(data)
}

// do adds a call.
func (o *order) do(what string, number uintptr, args ...uintptr) *step {
	c := step{Number: number, What: what}
	copy(c.Args[:], args)
	o.Steps = append(o.Steps, c)
	return &o.Steps[len(o.Steps)-1]
}

// write adds the writing of a text into a file that exists.
func (o *order) write(what, path, text string) {
	here := unix.AT_FDCWD
	open := what
	if what != "" {
		open += ": open " + path
	}
	o.do(open, unix.SYS_OPENAT, uintptr(here), o.text(path), unix.O_WRONLY|unix.O_CLOEXEC).Pass = true
	o.do(what, unix.SYS_WRITE, math.MaxUint32, o.text(text), uintptr(len(text))) // of no file, if it was not opened
}

// fail makes the launcher end with an error.
func (o *order) fail(text string) {
	text = complaint + text + "\n"
	o.do("", unix.SYS_WRITE, 2, o.text(text), uintptr(len(text)))
	o.do("", unix.SYS_EXIT_GROUP, 1)
}

// complaint is how an error of a launcher begins.
const complaint = "confine the process: "

// dropRights gives up all capabilities for good. Without no_new_privs a program of
// root would get them back.
func (o *order) dropRights() {
	o.do("set no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	for c := uintptr(0); c <= unix.CAP_LAST_CAP+16; c++ { // the kernel can know more than this program
		o.do("", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c) // only root can do it, and only root needs it
	}
	o.do("", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL) // since Linux 4.3
	header := binary.NativeEndian.AppendUint32(nil, unix.LINUX_CAPABILITY_VERSION_3)
	header = binary.NativeEndian.AppendUint32(header, 0) // this process
	none := make([]byte, 2*unsafe.Sizeof(unix.CapUserData{}))
	o.do("give up the capabilities", unix.SYS_CAPSET, o.put(header), o.put(none))
}

// Limits of every confined process.
const (
	maxDescriptors = 1024 // open files
	maxPending     = 256  // pending signals and timers, whose number all processes of a user share
)

// setLimits sets the limits of the process except that of its memory.
func (o *order) setLimits(level Level, p Policy) {
	o.limit("core dumps", unix.RLIMIT_CORE, 0)
	o.limit("open files", unix.RLIMIT_NOFILE, maxDescriptors)
	if level != Off {
		o.limit("files", unix.RLIMIT_FSIZE, uint64(p.FileBytes))
		o.limit("message queues", unix.RLIMIT_MSGQUEUE, 0)
		o.limit("pending signals", unix.RLIMIT_SIGPENDING, maxPending)
		o.limit("stack", unix.RLIMIT_STACK, maxStack)
		if now := limitOf(unix.RLIMIT_NPROC); now.Max < math.MaxInt64 {
			// It counts all threads of a user: the host must not run out of them.
			o.limit("threads", unix.RLIMIT_NPROC, now.Max/4*3)
		}
	}
	if p.CPU > 0 {
		o.limit("CPU time", unix.RLIMIT_CPU, uint64(p.CPU))
	}
}

// limit sets a limit of the process, not above that of the host.
func (o *order) limit(what string, resource int, value uint64) {
	now := limitOf(resource)
	soft := min(value, now.Max)
	if resource == unix.RLIMIT_STACK {
		soft = min(value, now.Cur) // C libraries make the stacks of all threads as large
	}
	o.do("limit its "+what, unix.SYS_PRLIMIT64, 0, uintptr(resource), o.numbers(soft, min(value, now.Max)))
}

// limitOf returns a limit of this process.
func limitOf(resource int) unix.Rlimit {
	now := unix.Rlimit{Cur: math.MaxUint64, Max: math.MaxUint64}
	_ = unix.Prlimit(0, resource, nil, &now) // without an answer, the launcher fails
	return now
}

// restrictCalls allows the process only the system calls that the policy needs.
func (o *order) restrictCalls(p Policy) error {
	filter, err := p.assembled()
	if err != nil {
		return err
	}
	rules := o.put(filter.instructions)
	for _, at := range filter.pids {
		o.do("", unix.SYS_GETPID).Into = rules + uintptr(at)
	}
	program := make([]byte, 2*unsafe.Sizeof(rules)) // a sock_fprog
	binary.NativeEndian.PutUint16(program, uint16(len(filter.instructions)/instruction))
	address := o.put(program)
	o.link(address+unsafe.Sizeof(rules), rules)
	// Without the flag, kernels before 5.16 slow the process down.
	o.do("restrict its system calls", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, address)
	return nil
}

// link stores an address in the data.
func (o *order) link(at, address uintptr) {
	offset := int(at - dataAddress)
	*(*uintptr)(unsafe.Pointer(&o.Data[offset])) = address // all data is aligned
	o.Links = append(o.Links, offset)
}
