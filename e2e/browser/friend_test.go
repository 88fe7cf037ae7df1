package browser

import (
	"testing"

	"colosseum/internal/test/long"
)

// TestAFriendJoinsLeavesThePageAndComesBack: a browser can keep a page that a person has
// left; the opponent must see at once that nobody is there.
func TestAFriendJoinsLeavesThePageAndComesBack(t *testing.T) {
	long.Only(t, "one more way into a match")
	h := shared(t)
	ann, bob := open(t, 375, 667), open(t, 1280, 800)
	ann.visit(h.url + "/games/slow")
	ann.click("#friend")
	ann.await("document.querySelector('#notice code')")
	bob.visit(ann.text("document.querySelector('#notice code').textContent"))
	bob.click("#join button")
	for _, b := range []*browser{ann, bob} {
		b.await("document.querySelector('#caption').textContent && document.querySelector('#notice').textContent === ''")
	}

	bob.visit(h.url + "/hosts")
	ann.await("document.querySelector('#away').textContent.includes('is away')")
	bob.call("POST", "/back", nil, nil)
	ann.await("document.querySelector('#away').textContent === ''")
	bob.await("document.querySelector('[data-key=leave]')")
}
