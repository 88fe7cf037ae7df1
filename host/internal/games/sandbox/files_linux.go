package sandbox

import (
	"errors"
	"fmt"
	"os"

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

// handled returns what a version of Landlock restricts.
func (p Policy) handled(version int) landlock.Config {
	versions := []landlock.Config{
		landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
	}
	config := versions[min(version, len(versions))-1]
	if p.Network {
		config.HandledAccessNet = 0
	}
	return config
}

// rules returns rules of Landlock, as an open file, that restrict files, and on newer
// kernels also TCP, signals and sockets.
func (p Policy) rules() (rules *os.File, err error) {
	config := p.handled(Supported().Files)
	fd, err := llsys.LandlockCreateRuleset(&llsys.RulesetAttr{
		HandledAccessFS: uint64(config.HandledAccessFS), HandledAccessNet: uint64(config.HandledAccessNet), Scoped: uint64(config.Scoped),
	}, 0)
	if err != nil {
		return nil, os.NewSyscallError("landlock_create_ruleset", err)
	}
	var failed error
	add := func(path string, rights landlock.AccessFSSet, resolve uint64) {
		// A right that this kernel does not know can't be withheld either.
		switch err := addRule(fd, path, rights&config.HandledAccessFS, resolve); err {
		case nil, unix.ENOENT:
		case unix.ELOOP:
			failed = errors.Join(failed, fmt.Errorf("%s: a link has replaced a part of it", path))
		default:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", path, err))
		}
	}
	// Others can own the folders, and put a link to anything in place of a path that
	// the host has examined.
	const noLinks = unix.RESOLVE_NO_SYMLINKS
	for _, path := range p.Execute {
		add(path, canRead|canExecute, noLinks)
	}
	for _, path := range p.Read {
		add(path, canRead, noLinks)
	}
	if p.Network && Supported().Files >= restrictsUnix {
		for _, path := range nameServices {
			add(path, llsys.AccessFSResolveUnix, 0)
		}
	}
	for path, rights := range devices {
		add(path, rights, 0)
	}
	if p.Write != "" {
		rights := canRead | canChange | canCreate
		if p.FileBytes > 0 {
			rights |= canArrange
		}
		add(p.Write, rights, 0)
	}
	if failed != nil {
		_ = unix.Close(fd)
		return nil, failed
	}
	return os.NewFile(uintptr(fd), "rules of Landlock"), nil
}

// addRule permits something for a file, or for a folder and all that is below it.
func addRule(rules int, path string, rights landlock.AccessFSSet, resolve uint64) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	return llsys.LandlockAddPathBeneathRule(rules, &llsys.PathBeneathAttr{AllowedAccess: uint64(rights), ParentFd: fd}, 0)
}
