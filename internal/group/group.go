// Package group starts programs that can be ended with all their descendants: as a
// process group, or on Windows as a job.
package group

import "os/exec"

// Start starts a command in a group of its own, so that Ctrl-C on this terminal does
// not reach it. End must be called when the command has ended.
//
// On Windows the system ends the group when this process ends in any way, and memory
// limits the bytes that the group uses together; 0 means no limit. Other systems
// ignore memory.
func Start(cmd *exec.Cmd, memory int64) (*Group, error) { return start(cmd, memory) }
