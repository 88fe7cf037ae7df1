package pgserver

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestServerComesBackAfterAKill(t *testing.T) {
	s := Start(t, true)
	url := s.Database(t)
	for range 5 { // their processes run on for a moment after Kill
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
	}
	if (&Server{dir: t.TempDir(), port: s.port}).ready() {
		t.Error("got that another server is ready, want that this one has its port")
	}
	s.Kill()
	if s.ready() {
		t.Fatal("got a server that takes connections after Kill, want none")
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if again := s.Database(t); again == url {
		t.Errorf("got the same database %s twice, want another one", url)
	}
}
