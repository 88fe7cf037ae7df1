package web

import (
	"crypto/sha256"
	"testing"
)

func TestTicketIsHeldInItsMatchOnly(t *testing.T) {
	srv := startServer(t, withResume)
	id, ticket := srv.connect().startResumable()
	other, _ := srv.connect().startResumable()
	for _, tt := range []struct {
		name, id, ticket string
		want             bool
	}{
		{"its match", id, ticket, true},
		{"another match", other, ticket, false},
		{"no ticket", id, "", false},
	} {
		if got := srv.Holds(tt.id, sha256.Sum256([]byte(tt.ticket))); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
