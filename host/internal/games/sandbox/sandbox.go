// Package sandbox confines processes that the host does not trust: games, and
// programs of players that run on this machine.
//
// A confined process is started by a launcher. It gives up every right that the process
// does not need, and then executes the program. So the process is confined before the
// first instruction of the program, which does not have to cooperate. What the launcher
// does is an order: a list of system calls that the host prepares. The launcher is a few
// instructions that the host writes with the order into an ELF file in memory; where that
// is not possible, it is this same program under another name.
package sandbox

import (
	"fmt"
	"os/exec"
	"slices"
)

// Policy says what a confined process can use. It always has its own memory, threads
// and clock, and the files that it is started with. The zero Policy permits nothing
// else.
type Policy struct {
	// Execute and Read are files and folders that the process can read, as paths without
	// links. It can also execute those of Execute. Files that do not exist are skipped.
	Execute, Read []string
	// Write is a folder in which it can create and remove files; empty: nowhere.
	Write string
	// FileBytes is the maximum length of a file that it writes. With 0, it can create
	// only empty files, and sockets.
	FileBytes int64
	// Listen lets it listen on Unix sockets in Write.
	Listen bool
	// Network lets it use TCP and UDP. Before version 9 of Landlock it can then also
	// connect to the Unix sockets of the system.
	Network bool
	// Processes lets it start other processes, which are confined in the same way. They
	// can't leave its process group.
	Processes bool
	// Pinned keeps it from choosing the cores on which it runs.
	Pinned bool
	// Memory is the maximum size of its heap, stacks and private mappings in bytes;
	// 0: no limit.
	Memory int64
	// CPU is the maximum CPU time of each process in seconds; 0: no limit.
	CPU int64
}

// Level says what happens on systems that can't confine processes completely.
type Level string

// The levels.
const (
	Require    Level = "require"     // nothing is started if a process could read other files or use other system calls
	BestEffort Level = "best-effort" // as far as the system can
	Off        Level = "off"         // processes have the rights of the host; only memory and CPU time are limited
)

// Levels are all levels.
var Levels = []Level{Require, BestEffort, Off}

// Start confines a command under a policy and starts it with start, which calls cmd.Start.
// cmd.ExtraFiles must be set before, because the process gets no other files. The caller
// must close the group, which can be nil, after the end of the process. After an error
// nothing runs, and there is no group. On systems other than Linux, Start only calls start.
func Start(cmd *exec.Cmd, level Level, p Policy, start func() error) (*Group, error) {
	support := Supported()
	if missing := support.Missing(); level == Require && len(missing) > 0 {
		return nil, fmt.Errorf("it can't be confined on this system, and isolation is %q: %s", Require, missing[0].Text)
	}
	if !support.Launcher || level == Off && p.Memory == 0 && p.CPU == 0 {
		return nil, start()
	}
	var group *Group
	if level != Off {
		group = newGroup(p)
	}
	err := launch(cmd, level, p, group, start)
	if err != nil {
		group.Close()
		return nil, err
	}
	return group, nil
}

// Group is a control group (cgroup v2 of Linux) for one process and its descendants.
// It kills all of them at once, and limits what they use together. A nil Group has no
// members.
type Group struct{ path string }

// Support is what the system offers to confine processes.
type Support struct {
	Launcher bool // Linux: processes can be confined at all
	Files    int  // version of Landlock's interface; 0: files can't be restricted
	Calls    bool // system calls can be restricted
	Group    bool // control groups can be created
	Limits   bool // and they can limit memory, processes and CPU time
}

// Missing is a protection that the system does not offer.
type Missing struct {
	Feature string // a word for metrics; one of Features
	Text    string // what a game can therefore do
	Remedy  string // what offers the protection
}

// Features are the protections: restrictions of files, of system calls and of signals
// to other processes, and control groups.
var Features = []string{"files", "calls", "signals", "group"}

// Missing returns the protections without which a game could do more than its policy
// says.
func (s Support) Missing() (all []Missing) {
	if !s.Launcher {
		const linux = "run the host on Linux if you do not trust all games"
		return []Missing{
			{"files", "games can read and change all files of the host's user", linux},
			{"calls", "games can use the network, start programs and send signals", linux},
		}
	}
	if s.Files == 0 {
		all = append(all, Missing{"files", "games can read and change all files of the host's user: Landlock is not available", "use Linux 5.13 or newer, started with Landlock (lsm=landlock,...), and a container that permits its system calls"})
	}
	if !s.Calls {
		all = append(all, Missing{"calls", "games can use the network, start programs and send signals: filters of system calls are not available", "use Linux 4.17 or newer with CONFIG_SECCOMP_FILTER, on amd64 or arm64, and a container that permits seccomp"})
	}
	return all
}

// Weaker returns the missing protections that others replace in part.
func (s Support) Weaker() (all []Missing) {
	if !s.Launcher {
		return nil
	}
	if s.Files > 0 && s.Files < 6 {
		all = append(all, Missing{"signals", fmt.Sprintf("games that can start programs can also send signals to the host: Landlock has version %d", s.Files), "use Linux 6.12 or newer, or no exception that lets games start programs"})
	}
	if !s.Limits {
		all = append(all, Missing{"group", "the CPU time of games is not limited, and their threads and memory are measured only twice a second: there are no control groups with limits", "give the host a control group of its own: Delegate=yes in systemd"})
	}
	return all
}

// Lacks reports whether a feature is among Missing or Weaker.
func (s Support) Lacks(feature string) bool {
	return slices.ContainsFunc(append(s.Missing(), s.Weaker()...), func(m Missing) bool { return m.Feature == feature })
}
