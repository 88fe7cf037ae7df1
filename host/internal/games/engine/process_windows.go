package engine

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"colosseum/internal/group"
)

// systemEnv returns the variables of the host that programs for Windows need to start.
// It ignores its argument, because there is no folder for a socket.
func systemEnv(string) []string {
	var env []string
	for _, key := range []string{"PATH", "PATHEXT", "COMSPEC", "SYSTEMDRIVE", "SYSTEMROOT", "WINDIR", "TEMP", "TMP"} {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return env
}

// passOn lets a command inherit a file, and returns its number there: the handle.
func passOn(cmd *exec.Cmd, f *os.File) (number int, err error) {
	handle := windows.Handle(f.Fd())
	// Other children do not get it: Go lists the handles of each child.
	if err := windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
		return 0, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(handle))
	return int(handle), nil
}

// lowerPriority makes the system prefer other processes. Children that exist already
// keep their priority.
func lowerPriority(pid int) {
	process, err := windows.OpenProcess(windows.PROCESS_SET_INFORMATION, false, uint32(pid))
	if err != nil {
		return // it has ended
	}
	defer windows.CloseHandle(process)
	_ = windows.SetPriorityClass(process, windows.BELOW_NORMAL_PRIORITY_CLASS)
}

// killed reports whether the host killed the process.
func killed(e *exec.ExitError) bool { return e.ExitCode() == group.KilledStatus }

// endedBy returns what ended a process; "" means that it exited.
func endedBy(e *exec.ExitError) string {
	switch code := uint32(e.ExitCode()); {
	case killed(e):
		return "the host"
	case code >= 0xC0000000: // an error of NTSTATUS
		return fmt.Sprintf("error 0x%X", code)
	default:
		return ""
	}
}
