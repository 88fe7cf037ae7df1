package sandbox

import (
	"errors"
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights on files and folders.
const (
	canRead    landlock.AccessFSSet = llsys.AccessFSReadFile | llsys.AccessFSReadDir
	canExecute landlock.AccessFSSet = llsys.AccessFSExecute
	canChange  landlock.AccessFSSet = llsys.AccessFSWriteFile | llsys.AccessFSTruncate
	canCreate  landlock.AccessFSSet = llsys.AccessFSMakeReg | llsys.AccessFSMakeSock | llsys.AccessFSRemoveFile
	canArrange landlock.AccessFSSet = llsys.AccessFSMakeDir | llsys.AccessFSMakeSym | llsys.AccessFSRemoveDir
	fileRights                      = canExecute | canChange | llsys.AccessFSReadFile | llsys.AccessFSResolveUnix
)

// devices are the device files that every process can use. (/dev/zero is not among
// them: mapping it yields memory that no limit counts.)
var devices = map[string]landlock.AccessFSSet{
	"/dev/null":    llsys.AccessFSReadFile | llsys.AccessFSWriteFile,
	"/dev/full":    llsys.AccessFSReadFile | llsys.AccessFSWriteFile,
	"/dev/random":  llsys.AccessFSReadFile,
	"/dev/urandom": llsys.AccessFSReadFile,
}

// nameServices are the sockets at which C libraries ask for addresses. With other Unix
// sockets, such as that of Docker, a process of the host's user could leave its
// confinement.
var nameServices = []string{"/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve"}

// landlockVersion returns the version of Landlock's interface, or 0. Version 6 counts
// as 5 if threads of one process can't signal each other with it (erratum 2, of early
// kernels): the library does not restrict signals there.
func landlockVersion() int {
	version, err := llsys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	if errata, err := llsys.LandlockGetErrata(); version >= 6 && (err != nil || errata&(1<<1) == 0) {
		return 5
	}
	return version
}

// restrictsUnix is the version of Landlock that restricts connections to Unix sockets.
const restrictsUnix = 9

// landlock returns what Landlock restricts, as far as the kernel knows it.
func (l *launch) landlock() landlock.Config {
	config := landlock.V11.BestEffort()
	if l.Network {
		config.HandledAccessNet = 0
	}
	return config
}

// restrictFiles restricts files, and from newer kernels also TCP, signals and sockets.
func (l *launch) restrictFiles() error {
	config := l.landlock()
	var rules []landlock.Rule
	var failed error
	add := func(path string, rights landlock.AccessFSSet, resolve uint64) {
		// It stays open until the program is executed.
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
		var info unix.Stat_t
		if err == nil {
			err = unix.Fstat(fd, &info)
		}
		switch {
		case err == unix.ENOENT:
			return
		case err == unix.ELOOP:
			err = errors.New("a link has replaced a part of it")
			fallthrough
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", path, err))
			return
		case info.Mode&unix.S_IFMT != unix.S_IFDIR:
			rights &= fileRights
		}
		// A right that this kernel does not know can't be withheld either.
		rules = append(rules, landlock.PathAccess(rights&config.HandledAccessFS, fmt.Sprintf("/proc/self/fd/%d", fd)))
	}
	// Others can own the folders, and put a link to anything in place of a path that
	// the host has examined.
	const noLinks = unix.RESOLVE_NO_SYMLINKS
	for _, path := range l.Execute {
		add(path, canRead|canExecute, noLinks)
	}
	for _, path := range l.Read {
		add(path, canRead, noLinks)
	}
	if l.Network && landlockVersion() >= restrictsUnix {
		for _, path := range nameServices {
			add(path, llsys.AccessFSResolveUnix, 0)
		}
	}
	for path, rights := range devices {
		add(path, rights, 0)
	}
	if l.Write != "" {
		rights := canRead | canChange | canCreate
		if l.FileBytes > 0 {
			rights |= canArrange
		}
		add(l.Write, rights, 0)
	}
	if failed != nil {
		return failed
	}
	return config.Restrict(rules...)
}
