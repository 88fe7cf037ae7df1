package catalog

import (
	"context"
	"testing"
)

func TestGamesThatCanNotBeLoadedAreCounted(t *testing.T) {
	c, err := Open(context.Background(), configOf(brokenGames(t, "dama", "kamisado")), t.TempDir(), unheard())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got := c.Counts()
	if want := (Counts{Failed: 1}); len(got) != 2 || got["dama"] != want || got["kamisado"] != want {
		t.Errorf("got %+v", got)
	}
}
