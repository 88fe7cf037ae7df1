package browser

import (
	"testing"

	"colosseum/internal/test/long"
)

// TestModulesOfThePages calls functions of the pages with data of the tests.
func TestModulesOfThePages(t *testing.T) {
	long.Only(t, "one more detail of a page")
	h := start(t, "roshambo")
	shared := open(t, 1000, 800)
	for _, tt := range []struct {
		name string
		test func(t *testing.T, b *browser)
	}{
		{"each request for files has its answer", eachRequestForFilesHasItsAnswer},
		{"results name bots and shared first places", resultsNameBotsAndSharedFirstPlaces},
		{"a seat gets and sends each line once", seatGetsAndSendsEachLineOnce},
		{"the last seconds of a bank have tenths", lastSecondsOfABankHaveTenths},
		{"verdicts are sentences for people", verdictsAreSentencesForPeople},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := *shared
			b.t = t
			b.visit(h.url + "/api") // a test can replace functions of the page before
			tt.test(t, &b)
		})
	}
}
