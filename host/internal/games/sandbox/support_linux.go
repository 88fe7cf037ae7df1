package sandbox

import (
	"sync"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// Supported returns what this system offers.
var Supported = sync.OnceValue(func() Support {
	_, err := arch.GetInfo("")
	groups := ownGroups()
	return Support{
		Launcher: true, Files: landlockVersion(), Calls: err == nil && hasFilters(), Group: groups.parent != "", Limits: groups.limits,
	}
})

// hasFilters reports whether a filter with the flag of restrictCalls can be installed:
// a kernel that can do it complains only about the address of the filter.
func hasFilters() bool {
	_, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, 0)
	return err == unix.EFAULT
}
