package store

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"colosseum/internal/test/poll"
)

func TestDamagedPagesAreFoundWithoutReadingThem(t *testing.T) {
	s, path, log := openTemp(t)
	for i := range 50 {
		r := sample(fmt.Sprint("ID", i))
		r.Stream = noise(1 << 14)
		finish(t, s, r)
	}
	s.Check(t.Context())
	// A check of more than a second also logs its progress.
	if s.Stats().Damaged || strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "stopped checking") {
		t.Errorf("a file without damage: got log\n%s", log)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := info.Size() / 2 &^ 4095; at < info.Size(); at += 4096 { // page headers and overflow chains
		if _, err := f.WriteAt([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := reopen(t, path, log)
	damaged.Check(t.Context())
	if !damaged.Stats().Damaged || !strings.Contains(log.String(), "the file of the records is damaged: stop the host") {
		t.Errorf("got log\n%s\nwant it to report the damage", log)
	}
}

func TestStoreKnowsThatItCannotWriteAndWhenItCan(t *testing.T) {
	s, path, _ := openTemp(t)
	if fault := s.Stats().Fault; fault != "" {
		t.Errorf("at the beginning: got the fault %q, want none", fault)
	}
	tt := faults[0] // a full disk
	repair := tt.breakIt(t, s, path)
	begun := sample("BEGUN")
	begun.Name = strings.Repeat("long enough to need pages ", 10_000)
	s.Begin(begun) // not tried again, unlike an end
	poll.Until(t, "the fault is noticed", func() bool { return strings.Contains(s.Stats().Fault, tt.want) })
	repair()
	poll.Until(t, "the fault is over, without another match", func() bool { return s.Stats().Fault == "" })
	if err := s.Finish(context.Background(), sample("AFTER")); err != nil {
		t.Error(err)
	}
}
