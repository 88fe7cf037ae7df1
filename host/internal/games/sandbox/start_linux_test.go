package sandbox

import (
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkStart runs a small program of the system, in turns confined and not, and
// compares the CPU time and the time of both.
func BenchmarkStart(b *testing.B) {
	program, err := Look("true")
	if err != nil {
		b.Fatal(err)
	}
	needs, err := Examine(program)
	if err != nil {
		b.Fatal(err)
	}
	run := func(confined bool) {
		cmd := exec.Command(program)
		var group *Group
		var err error
		if confined {
			group, err = Start(cmd, BestEffort, Policy{Execute: needs.Execute, Read: needs.Read, Memory: 512 << 20, CPU: 600}, cmd.Start)
		} else {
			err = cmd.Start()
		}
		if err == nil {
			err = cmd.Wait()
		}
		group.Close()
		if err != nil {
			b.Fatal(err)
		}
	}
	run(true) // what is prepared once
	var cpu, wall [2]time.Duration
	for b.Loop() {
		for i, confined := range []bool{false, true} {
			used, begin := cpuTime(b), time.Now()
			run(confined)
			cpu[i] += cpuTime(b) - used
			wall[i] += time.Since(begin)
		}
	}
	b.ReportMetric(float64(cpu[0].Microseconds())/float64(b.N), "µs-cpu-free")
	b.ReportMetric(float64(cpu[1].Microseconds())/float64(b.N), "µs-cpu-confined")
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "cpu-ratio")
	b.ReportMetric(float64(wall[1])/float64(wall[0]), "time-ratio")
}

// cpuTime returns the CPU time of this process and of its children that have ended.
func cpuTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var used unix.Rusage
		if err := unix.Getrusage(who, &used); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return sum
}
