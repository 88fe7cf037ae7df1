package sandbox

import (
	"errors"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Rights on files and folders.
const (
	canRead    landlock.AccessFSSet = llsys.AccessFSReadFile | llsys.AccessFSReadDir
	canExecute landlock.AccessFSSet = llsys.AccessFSExecute
	canChange  landlock.AccessFSSet = llsys.AccessFSWriteFile | llsys.AccessFSTruncate
	canCreate  landlock.AccessFSSet = llsys.AccessFSMakeReg | llsys.AccessFSMakeSock | llsys.AccessFSRemoveFile
	canArrange landlock.AccessFSSet = llsys.AccessFSMakeDir | llsys.AccessFSMakeSym | llsys.AccessFSRemoveDir
	fileRights                      = canExecute | canChange | llsys.AccessFSReadFile
)

// devices are the device files that every process can use. (/dev/zero is not among
// them: mapping it yields memory that no limit counts.)
var devices = map[string]landlock.AccessFSSet{
	"/dev/null":    llsys.AccessFSReadFile | llsys.AccessFSWriteFile,
	"/dev/full":    llsys.AccessFSReadFile | llsys.AccessFSWriteFile,
	"/dev/random":  llsys.AccessFSReadFile,
	"/dev/urandom": llsys.AccessFSReadFile,
}

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

// restrictFiles restricts files, and from newer kernels also TCP, signals and sockets.
func (l *launch) restrictFiles() error {
	config := landlock.V11.BestEffort()
	if l.Network {
		config.HandledAccessNet = 0
		config.HandledAccessFS &^= llsys.AccessFSResolveUnix
	}
	var rules []landlock.Rule
	var failed error
	add := func(path string, rights landlock.AccessFSSet) {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return
		case err != nil:
			failed = errors.Join(failed, err)
			return
		case !info.IsDir():
			rights &= fileRights
		}
		// A right that this kernel does not know can't be withheld either.
		rules = append(rules, landlock.PathAccess(rights&config.HandledAccessFS, path))
	}
	for _, path := range l.Execute {
		add(path, canRead|canExecute)
	}
	for _, path := range l.Read {
		add(path, canRead)
	}
	for path, rights := range devices {
		add(path, rights)
	}
	if l.Write != "" {
		rights := canRead | canChange | canCreate
		if l.FileBytes > 0 {
			rights |= canArrange
		}
		add(l.Write, rights)
	}
	if failed != nil {
		return failed
	}
	return config.Restrict(rules...)
}
