// Package waits runs the tests of packages whose parallel tests mostly wait.
package waits

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"

	"colosseum/internal/test/poll"
)

// Together lets four parallel tests for each core run at the same time, unless the command line
// says another number. By default go test runs one for each core, which does nothing while the
// test waits for a time or for another process. TestMain calls it before the tests.
func Together() {
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err) // not in a test
	}
}

// RunToEnd runs the tests, which must leave no goroutine: parallel tests cannot count their own.
// When some are left after [poll.Limit], it prints them and returns 1.
func RunToEnd(m *testing.M) (code int) {
	before := runtime.NumGoroutine()
	code = m.Run()
	for begun := time.Now(); code == 0 && runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begun) > poll.Limit {
			fmt.Fprintf(os.Stderr, "waited %v until all goroutines of the tests end; these are left:\n", poll.Limit)
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			return 1
		}
	}
	return code
}
