package sandbox

import (
	"sync"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
)

// Supported returns what this system offers.
var Supported = sync.OnceValue(func() Support {
	_, err := arch.GetInfo("")
	groups := ownGroups()
	return Support{
		Launcher: true, Files: landlockVersion(), Calls: err == nil && seccomp.Supported(), Group: groups.parent != "", Limits: groups.limits,
	}
})
