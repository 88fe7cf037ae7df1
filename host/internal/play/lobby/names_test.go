package lobby

import (
	"testing"

	"colosseum/host/internal/records/record"
)

func TestNewIDsAreValidAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := record.NewID()
		if !ValidID(id) || seen[id] {
			t.Fatalf("got the ID %q, want a valid new one", id)
		}
		seen[id] = true
	}
	for _, bad := range []string{"", "8gj5mqqjtokl", "8gj5mqqjtoklo0", "8gj5mqqjtoklw", "8GJ5MQQJTOKLO", "8gj5mqqjtokl ", "../../../../x"} {
		if ValidID(bad) {
			t.Errorf("ValidID(%q) is true, want false", bad)
		}
	}
}
