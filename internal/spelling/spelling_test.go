package spelling

import "testing"

func TestNearestWordIsSuggested(t *testing.T) {
	known := []string{"matches", "parallel", "rounds"}
	for word, want := range map[string]string{
		"round":    `did you mean "rounds"?`,
		"paralell": `did you mean "parallel"?`,
		"x":        "have matches, parallel, rounds",
		"":         "have matches, parallel, rounds",
		"Stürme":   "have matches, parallel, rounds",
	} {
		if got := Suggest(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("got %q without known words, want none", got)
	}
}
