package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launcherPath is this program, even if its file has been replaced since.
const launcherPath = "/proc/self/exe"

// launcherName is the name (argument 0) under which this program is the launcher where the
// small one can't run. Its arguments are an order in JSON, the path of the program to execute,
// and that program's own arguments, beginning with its name.
const launcherName = "colosseum-launcher"

// init makes every program that imports this package its own launcher, tests too. It
// runs before most other packages are initialised, which saves half of the time.
func init() {
	if len(os.Args) == 0 || os.Args[0] != launcherName {
		return
	}
	err := run(os.Args[1:])
	fmt.Fprintln(os.Stderr, complaint+err.Error())
	os.Exit(1)
}

// run does what the small launcher does. It returns only after an error.
func run(args []string) error {
	// Capabilities and filters belong to a thread; the one that executes the program
	// becomes its first thread.
	runtime.LockOSThread()
	if len(args) < 3 {
		return errors.New("only the host starts the launcher")
	}
	var o order
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := o.run(); err != nil {
		return err
	}
	err := syscall.Exec(args[1], args[2:], os.Environ())
	return fmt.Errorf("execute %s: %w", args[1], err)
}

// run makes the calls.
func (o *order) run() error {
	o.Data = append(o.Data, 0) // so that it has an address
	move := uintptr(unsafe.Pointer(&o.Data[0])) - dataAddress
	for _, offset := range o.Links {
		*(*uintptr)(unsafe.Pointer(&o.Data[offset])) += move
	}
	for i, c := range o.Steps {
		for n := range c.Args {
			if o.isAddress(c.Args[n]) {
				c.Args[n] += move
			}
		}
		result, _, failed := unix.RawSyscall6(c.Number, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5])
		switch {
		case failed != 0 && c.Number == unix.SYS_CLOSE_RANGE:
			if err := closeFrom(int(c.Args[0])); err != nil {
				return fmt.Errorf("%s: %w", c.What, err)
			}
		case failed != 0 && c.What != "":
			return fmt.Errorf("%s: %w", c.What, failed)
		case failed != 0:
		case c.Pass:
			o.Steps[i+1].Args[0] = result
		case c.Into != 0:
			*(*uint32)(unsafe.Pointer(&o.Data[c.Into-dataAddress])) = uint32(result)
		}
	}
	runtime.KeepAlive(o.Data)
	return nil
}

// closeFrom marks the files from number first on, so that they are closed when the
// program is executed. It is for kernels before 5.11.
func closeFrom(first int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
