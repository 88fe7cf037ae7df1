package engine

import "testing"

func TestEachGameGetsHalfOfTheCoresAndTheHostAtLeastTwo(t *testing.T) {
	tests := []struct {
		name, setting string
		cores         int
		game, host    int
	}{
		{"one core", "", 1, 1, 1}, {"two", "", 2, 1, 2}, {"three", "", 3, 2, 2}, {"eight", "", 8, 4, 4},
		{"set to one", "1", 8, 1, 1}, {"set to three", "3", 8, 3, 3},
		{"set to nonsense", "many", 8, 4, 4}, {"set to none", "0", 8, 4, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := coresOf(tt.setting, tt.cores, 1); got != tt.game {
				t.Errorf("a game gets %d, want %d", got, tt.game)
			}
			if got := coresOf(tt.setting, tt.cores, 2); got != tt.host {
				t.Errorf("the host gets %d, want %d", got, tt.host)
			}
		})
	}
}
