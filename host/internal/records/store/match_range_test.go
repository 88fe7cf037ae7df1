package store

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
)

func TestRangeHasTheWholeRecordsOfEndedMatchesInOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, noon := pastMatches(t, on)
		far := noon.AddDate(1, 0, 0)
		for _, tt := range []struct {
			name string
			of   Range
			want []string
		}{
			{"all", Range{Since: noon, Until: far}, []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"}},
			{"of a game", Range{Game: "dama", Since: noon, Until: far}, []string{"m1", "m3", "m5", "m7", "m9"}},
			{"from one end and before another", Range{Since: noon.Add(4 * time.Minute), Until: noon.Add(7 * time.Minute)}, []string{"m4", "m5", "m6"}},
			{"none", Range{Since: far, Until: far.Add(time.Hour)}, []string{}},
		} {
			for limit := 1; limit <= 11; limit++ {
				got, q := []string{}, tt.of
				for {
					next, err := s.Ended(t.Context(), q, limit, func(m *record.Match) error {
						same, err := s.Get(context.Background(), m.ID)
						if err != nil || !reflect.DeepEqual(m, same) {
							t.Errorf("%s: got %+v, want what Get returns: %+v, %v", tt.name, m, same, err)
						}
						got = append(got, m.ID)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					if q.After = next; next == "" {
						break
					}
				}
				if !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%s, %d at once: got %v, want %v", tt.name, limit, got, tt.want)
				}
			}
		}
		stop := errors.New("enough")
		if _, err := s.Ended(t.Context(), Range{Since: noon, Until: far}, 5, func(*record.Match) error { return stop }); err != stop {
			t.Errorf("after an error of visit: got %v, want it", err)
		}
		if _, err := s.Ended(t.Context(), Range{Since: noon, Until: far, After: "1"}, 5, nil); !errors.Is(err, ErrCursor) {
			t.Errorf("with a wrong cursor: got %v, want ErrCursor", err)
		}
	})
}
