package testpostgres

import "testing"

func TestServerComesBackAfterAKill(t *testing.T) {
	s := Start(t, true)
	url := s.Database(t)
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
