//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// TestKilledHostHasRenamedAPlayerWholeOrNotAtAll kills a host some time after a player has asked
// for another name. After the next start, the player has the old or the new name everywhere:
// for its token, in the list of players, and in contests, which follow.
func TestKilledHostHasRenamedAPlayerWholeOrNotAtAll(t *testing.T) {
	long.Only(t, "it kills a host many times")
	// Moments, in milliseconds. On a busy machine they come earlier in what the host does.
	moments := []int{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 80}
	h := programs.StartHost(t, t.TempDir())
	c := programs.Enroll(t, h, len(moments))
	var entries []string
	for i := range moments {
		entries = append(entries, "{player: "+programs.StudentName(i)+"}")
	}
	contests := []string{"open", "ladder", "teams"}
	for name, spec := range map[string]string{
		"open":   "format: swiss\nentries: [" + strings.Join(entries, ", ") + "]\n",
		"ladder": "format: ladder\nentries: [" + strings.Join(entries, ", ") + "]\n",
		"teams": fmt.Sprintf("format: round-robin\nteams: {size: 2, reserves: %d}\nentries: [{name: all, team: {captain: s01, players: [%s]}}]\n",
			len(moments)-2, names(len(moments))),
	} {
		c.Create("name: " + name + "\ngame: roshambo\n" + spec)
	}
	renamed := 0
	for i, moment := range moments {
		old, name := programs.StudentName(i), fmt.Sprintf("renamed%d", i)
		done := make(chan bool, 1)
		go func() { done <- rename(c.Host, c.Tokens[old], name) }() // ends when the host has answered or is killed
		time.Sleep(time.Duration(moment) * time.Millisecond)
		c.Restart()
		answered := <-done

		var session struct{ Player string }
		get(t, c.Host, c.Tokens[old], "api/session", &session)
		now, other := session.Player, old
		if now == old {
			other = name
		}
		switch {
		case now != old && now != name:
			t.Fatalf("after %d ms: got the player %q, want %s or %s", moment, now, old, name)
		case answered && now != name:
			t.Errorf("after %d ms: got the player %q, want %s, as the host has said", moment, now, name)
		}
		if now == name {
			renamed++
		}
		var list []struct{ Name string }
		if err := json.Unmarshal([]byte(c.Run("players", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		if has := func(name string) bool {
			return slices.ContainsFunc(list, func(p struct{ Name string }) bool { return p.Name == name })
		}; !has(now) || has(other) || len(list) != len(moments) {
			t.Errorf("after %d ms: got the players %v, want %s and not %s", moment, list, now, other)
		}
		for _, contest := range contests {
			c.Until(contest, "its entry is "+now, func(*programs.Contest) bool {
				_, page := programs.Get(t, c.Host.Page("api/contests/"+contest))
				return strings.Contains(page, `"`+now+`"`) && !strings.Contains(page, `"`+other+`"`)
			})
			c.Run("contest", "verify", contest)
		}
	}
	t.Logf("%d of %d players have another name", renamed, len(moments))
}

// names returns the names of students, with commas between them.
func names(students int) string {
	var list []string
	for i := range students {
		list = append(list, programs.StudentName(i))
	}
	return strings.Join(list, ", ")
}

// rename asks a host for another name, and reports whether the host says that the player has it.
func rename(h *programs.Host, token, name string) bool {
	r, err := http.NewRequest(http.MethodPost, h.Page("api/account/name"), strings.NewReader(`{"name":"`+name+`"}`))
	if err != nil {
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = reply.Body.Close()
	return reply.StatusCode == http.StatusOK
}

// get reads JSON from a host as a player.
func get(t *testing.T, h *programs.Host, token, path string, v any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.Page(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", "colosseum_token="+token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if err := json.NewDecoder(reply.Body).Decode(v); err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: got status %d, %v, want JSON", path, reply.StatusCode, err)
	}
}
