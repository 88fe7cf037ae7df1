package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Addresses of the small launcher. No processor has pages of more than 64 KiB.
const (
	codeAddress  = 0x5000_0000
	orderAddress = 0x6000_1000 // launcher has it, too
	orderOffset  = 0x1000      // of the order in the file; the address ends with the same digits
)

// Sizes of an order for the small launcher.
const (
	orderHeader = 4 * 8
	callSize    = 10 * 8
	maxError    = 134 // numbers of errors that have a text
)

// image returns a file in memory that is the small launcher with an order. Nobody can
// change it.
func (o *order) image() (*os.File, error) {
	fd, err := unix.MemfdCreate("launcher", memoryFile|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("launcher", memoryFile)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "launcher")
	if _, err = f.Write(o.program()); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

const memoryFile = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING

// program returns an ELF file with three segments: code, order and stack.
func (o *order) program() []byte {
	var header struct {
		elf.Header64
		segments [3]elf.Prog64
	}
	begin := uint64(unsafe.Sizeof(header))
	file := o.encode(append(make([]byte, begin, 32<<10), code()...)[:orderOffset])
	header.Header64 = elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Entry: codeAddress + begin,
		Phoff: uint64(unsafe.Offsetof(header.segments)), Phnum: uint16(len(header.segments)),
		Ehsize: uint16(unsafe.Sizeof(header.Header64)), Phentsize: uint16(unsafe.Sizeof(header.segments[0])),
	}
	if runtime.GOARCH == "arm64" {
		header.Machine = uint16(elf.EM_AARCH64)
	}
	segment := func(flags elf.ProgFlag, offset, address, size uint64) elf.Prog64 {
		return elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(flags), Off: offset, Vaddr: address, Filesz: size, Memsz: size, Align: 1 << 16}
	}
	header.segments = [...]elf.Prog64{
		segment(elf.PF_R|elf.PF_X, 0, codeAddress, begin+uint64(len(code()))),
		segment(elf.PF_R|elf.PF_W, orderOffset, orderAddress, uint64(len(file)-orderOffset)),
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W)},
	}
	copy(file, unsafe.Slice((*byte)(unsafe.Pointer(&header)), begin))
	return file
}

// code returns the code of the small launcher; nil: there is none for this architecture.
var code = sync.OnceValue(func() []byte {
	begin := launcher()
	if begin == nil {
		return nil
	}
	const most = 1 << 10
	code, _, _ := bytes.Cut(unsafe.Slice((*byte)(begin), most), []byte("code_end"))
	return code
})

// encode adds an order to a file, in words of 64 bits. It begins with the address of the first call,
// that after the last call, the address of the texts of errors, and their number; the data
// follows.
//
// A call is its number, six arguments, the address for the result or 0, and the address and
// the length of the text for an error; 0: a failure does not matter. A text of an error is an
// address and a length. The launcher adds the arguments and the environment of the process to
// the last call, which executes the program.
func (o *order) encode(file []byte) []byte {
	// Writing beyond FileBytes is an error for the program instead of its end.
	ignore := o.numbers(1, 0, 0, 0) // a sigaction with SIG_IGN
	o.do("ignore SIGXFSZ", unix.SYS_RT_SIGACTION, uintptr(unix.SIGXFSZ), ignore, 0, 8)
	o.do("execute "+o.Path, unix.SYS_EXECVE, o.text(o.Path))

	whats := make([]uintptr, len(o.Steps))
	for i, c := range o.Steps {
		if c.What != "" {
			whats[i] = o.put([]byte(c.complaint()))
		}
	}
	texts := o.put(errorTexts())
	first := o.put(nil)
	table := first + uintptr(len(o.Steps))*callSize

	add := func(words ...uintptr) {
		for _, word := range words {
			file = binary.LittleEndian.AppendUint64(file, uint64(word))
		}
	}
	add(first, table, table, maxError)
	file = append(file, o.Data...)
	for i, c := range o.Steps {
		if c.Pass {
			c.Into = first + uintptr(i+1)*callSize + 8
		}
		add(c.Number)
		add(c.Args[:]...)
		if c.What == "" {
			add(c.Into, 0, 0)
		} else {
			add(c.Into, whats[i], uintptr(len(c.complaint())))
		}
	}
	for line := range bytes.Lines(errorTexts()) {
		add(texts, uintptr(len(line)))
		texts += uintptr(len(line))
	}
	return file
}

// complaint is how the error of a call begins.
func (c *step) complaint() string { return complaint + c.What + ": " }

// errorTexts returns a line for each number of an error. The first is that of others.
var errorTexts = sync.OnceValue(func() (lines []byte) {
	lines = append(lines, "unknown error\n"...)
	for number := range syscall.Errno(maxError - 1) {
		lines = append(lines, (number+1).Error()+"\n"...)
	}
	return lines
})

// runsImages reports whether this system can run the small launcher.
var runsImages = sync.OnceValue(func() bool {
	if code() == nil {
		return false
	}
	var o order
	o.do("use close_range", unix.SYS_CLOSE_RANGE, math.MaxUint32, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // since Linux 5.11
	o.do("", unix.SYS_EXIT_GROUP, 0)
	image, err := o.image()
	if err != nil {
		return false
	}
	defer image.Close()
	cmd := exec.Command("/proc/self/fd/3")
	cmd.ExtraFiles = []*os.File{image}
	return cmd.Run() == nil
})
