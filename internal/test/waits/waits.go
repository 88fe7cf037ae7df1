// Package waits runs the tests of packages whose parallel tests mostly wait.
package waits

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"

	"colosseum/internal/test/poll"
)

// Run runs the tests, eight parallel ones at a time unless the flag -parallel says another
// number. By default go test runs one for each core, and the cores do nothing while these wait
// for a time or for another process.
func Run(m *testing.M) (code int) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// RunToEnd is Run for tests that must leave no goroutine. Parallel tests cannot count their
// own. When some are left after [poll.Limit], it prints them and returns 1.
func RunToEnd(m *testing.M) (code int) {
	before := runtime.NumGoroutine()
	code = Run(m)
	for begun := time.Now(); code == 0 && runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begun) > poll.Limit {
			fmt.Fprintf(os.Stderr, "waited %v until all goroutines of the tests end; these are left:\n", poll.Limit)
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			return 1
		}
	}
	return code
}
