package queue

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestOutputIsGatheredAndStoredInItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stored []string
		o := &output{store: func(text []byte) { stored = append(stored, string(text)) }}
		want := ""
		for i := range 100 {
			line := fmt.Sprintf("line %d\n", i)
			want += line
			if n, err := o.Write([]byte(line)); n != len(line) || err != nil {
				t.Fatalf("got %d, %v, want %d", n, err, len(line))
			}
			time.Sleep(40 * time.Millisecond)
		}
		o.flush()
		if got := strings.Join(stored, ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if n := len(stored); n < 10 || n > 15 {
			t.Errorf("got %d writes to the store within 4 s, want one each 0.3 s", n)
		}
		if o.flush(); strings.Join(stored, "") != want {
			t.Errorf("got %q after a flush of nothing, want what was there", stored)
		}
	})
}

func TestMuchOutputIsStoredBeforeMoreIsTaken(t *testing.T) {
	var mu sync.Mutex
	var stored bytes.Buffer
	o := &output{store: func(text []byte) {
		mu.Lock()
		defer mu.Unlock()
		stored.Write(text)
	}}
	block := bytes.Repeat([]byte("x"), 1000)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 200 {
				_, _ = o.Write(block)
				o.mu.Lock()
				gathered := len(o.gathered)
				o.mu.Unlock()
				if gathered > maxGathered+4*len(block) {
					t.Errorf("got %d bytes gathered, want about %d at most", gathered, maxGathered)
				}
			}
		})
	}
	writers.Wait()
	o.flush()
	if want := 4 * 200 * len(block); stored.Len() != want {
		t.Errorf("got %d bytes, want %d", stored.Len(), want)
	}
}
