package catalog

import "testing"

func TestGamesThatCanNotBeLoadedAreCounted(t *testing.T) {
	c := opened(t, configOf(brokenGames(t, "dama", "kamisado")))
	defer c.Close()
	got := c.Counts()
	if want := (Counts{Failed: 1}); len(got) != 2 || got["dama"] != want || got["kamisado"] != want {
		t.Errorf("got %+v", got)
	}
}
