//go:build unix

package group

import "testing"

// A group that has ended stands for one whose ID the system has given to another.
func TestGroupThatHasEndedSignalsNobody(t *testing.T) {
	cmd, g, out := startFamily(t)
	old := &Group{leader: g.leader, ended: true}
	old.Kill()
	old.Terminate()
	old.End()
	if !g.Alive() || cmd.Process == nil {
		t.Error("the group with the same ID has ended, want it alive")
	}
	g.Kill()
	if _, err := out.ReadString('\n'); err == nil { // ends with the child
		t.Error("got another line, want none")
	}
	_ = cmd.Wait()
	g.End()
	if !g.ended {
		t.Error("the group has not ended after End")
	}
}
