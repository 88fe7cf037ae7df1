package gamefixture_test

import (
	"testing"

	"colosseum/internal/test/gamefixture"
)

// The intervals are those of Wilson's formula, computed by hand.
func TestShareHasAnInterval(t *testing.T) {
	for _, tt := range []struct {
		name    string
		points  float64
		matches int
		want    string
	}{
		{"half", 50, 100, "50.0 % (40.4 to 59.6) of the points in 100 matches"},
		{"all", 20, 20, "100.0 % (83.9 to 100.0) of the points in 20 matches"},
		{"none", 0, 20, "0.0 % (0.0 to 16.1) of the points in 20 matches"},
		{"a draw", 0.5, 1, "50.0 % (5.5 to 94.5) of the points in 1 matches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := gamefixture.Share(tt.points, tt.matches); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
