package group

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a program with all its descendants: none can leave a job. Its methods can
// be called concurrently.
type Group struct {
	mu  sync.Mutex     // guards the field below
	job windows.Handle // 0 after End
}

// KilledStatus is the exit status of a program that was killed, like that of a
// shell for SIGKILL.
const KilledStatus = 128 + 9

func start(cmd *exec.Cmd, memory int64) (*Group, error) {
	job, err := newJob(memory)
	if err != nil {
		return nil, fmt.Errorf("create a job: %w", err)
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// It begins suspended, because its children would not be in the job if it started
	// them before it is there itself.
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	assigned := errors.ErrUnsupported
	err = cmd.Process.WithHandle(func(process uintptr) {
		assigned = windows.AssignProcessToJobObject(job, windows.Handle(process))
	})
	if err = errors.Join(err, assigned); err == nil {
		err = resume(cmd.Process.Pid)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("start it in a job: %w", err)
	}
	return &Group{job: job}, nil
}

// newJob creates a job that ends with its last handle, which is never passed on.
func newJob(memory int64) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if memory > 0 {
		limits.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		limits.JobMemoryLimit = uintptr(memory)
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// resume lets a suspended process run. It has only its first thread.
func resume(pid int) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(all)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err := windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if entry.OwnerProcessID != uint32(pid) {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return errors.New("its first thread was not found")
}

// Kill kills the group.
func (g *Group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, KilledStatus)
	}
}

// Terminate kills the group, because Windows has no SIGTERM.
func (g *Group) Terminate() { g.Kill() }

// Stop does nothing.
func (g *Group) Stop() {}

// Continue does nothing.
func (g *Group) Continue() {}

// Yield does nothing.
func (g *Group) Yield() {}

// End kills the rest of the group, after the program itself has ended.
func (g *Group) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, KilledStatus)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}
