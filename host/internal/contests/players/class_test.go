package players

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/records/store"
)

// importList imports a CSV file.
func (f *setup) importList(t testing.TB, file string, update bool) (issued []Issued, updated int, err error) {
	t.Helper()
	list, err := ReadList([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return f.Import(t.Context(), list, update)
}

func (f *setup) wantPupils(t testing.TB, want map[string]Pupil) {
	t.Helper()
	if got, err := f.Pupils(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestClassListIsImportedUpdatedAndForgotten(t *testing.T) {
	f := open(t, Settings{})
	defer f.file.Close()
	issued, updated, err := f.importList(t, "name,real_name,class\nAna,Ana Žák,4b\nbob,Bob Hill,4B\ncid,,\n", false)
	if err != nil || len(issued) != 3 || updated != 0 {
		t.Fatalf("got %d tokens, %d updates, %v, want 3 tokens", len(issued), updated, err)
	}
	f.wantLogin(t, "a", issued[0].Token, "Ana", nil)
	f.wantPupils(t, map[string]Pupil{"ana": {"Ana Žák", "4b"}, "bob": {"Bob Hill", "4B"}})
	if got, err := f.Members(t.Context(), "4b"); err != nil || !slices.Equal(got, []string{"Ana", "bob"}) {
		t.Errorf("got %q, %v, want both of the class, in any case", got, err)
	}
	if got, err := f.Members(t.Context(), ""); err != nil || got != nil {
		t.Errorf("got %q, %v, want no class for those without", got, err)
	}

	var problems ProblemsError
	if _, _, err := f.importList(t, "name,class\neve,4b\nana,4c\n", false); !errors.As(err, &problems) || len(problems) != 1 || problems[0].Index != 1 || !strings.Contains(problems[0].Text, "exists") {
		t.Errorf("without update: got %v, want that ana exists", err)
	}
	issued, updated, err = f.importList(t, "name,class\nANA,4c\neve,4b\n", true)
	if err != nil || len(issued) != 1 || issued[0].Name != "eve" || updated != 1 {
		t.Fatalf("got %v, %d updates, %v, want a token for eve and one update", issued, updated, err)
	}
	f.wantPupils(t, map[string]Pupil{"ana": {"Ana Žák", "4c"}, "bob": {"Bob Hill", "4B"}, "eve": {"", "4b"}})

	if err := f.Describe(t.Context(), []string{"bob", "cid"}, nil, new("5a")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Remove(t.Context(), []string{"ana", "eve"}); err != nil {
		t.Fatal(err)
	}
	f.wantPupils(t, map[string]Pupil{"bob": {"Bob Hill", "5a"}, "cid": {"", "5a"}})
	if _, err := f.Reset(t.Context(), []string{"ana"}); err != nil { // it comes back without them
		t.Fatal(err)
	}
	f.wantPupils(t, map[string]Pupil{"bob": {"Bob Hill", "5a"}, "cid": {"", "5a"}})
	if err := f.RenameBy(t.Context(), "bob", "rob"); err != nil {
		t.Fatal(err)
	}
	f.wantPupils(t, map[string]Pupil{"bob": {"Bob Hill", "5a"}, "rob": {"Bob Hill", "5a"}, "cid": {"", "5a"}}) // its old results are under bob
	if _, updated, err := f.importList(t, "name,class\nBob,6a\n", true); err != nil || updated != 1 {          // the list of before
		t.Errorf("got %d updates, %v, want one of rob", updated, err)
	}
	f.wantPupils(t, map[string]Pupil{"bob": {"Bob Hill", "6a"}, "rob": {"Bob Hill", "6a"}, "cid": {"", "5a"}})
	if _, _, err := f.importList(t, "name,class\nbob,6a\nrob,6a\n", true); !errors.As(err, &problems) || !strings.Contains(problems[0].Text, "twice") {
		t.Errorf("got %v, want that bob and rob are one", err)
	}
	if text := f.log.String(); strings.Contains(text, "Bob") || strings.Contains(text, "5a") {
		t.Errorf("got the log %s, want no real name and no class", text)
	}
}

func TestImportDoesAllOrNothing(t *testing.T) {
	f := open(t, Settings{Reserved: []string{"admin"}})
	defer f.file.Close()
	if _, _, err := f.importList(t, "name,class\nana,4b\ngone,4b\n", false); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Remove(t.Context(), []string{"gone"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file string
		want       []int // entries with a problem
	}{
		{"long class", "name,class\nbob," + strings.Repeat("x", maxClass+1) + "\n", []int{0}},
		{"real name of two lines", "name,real_name\nbob,\"a\nb\"\n", []int{0}},
		{"wrong names and details", "name,class\nbob,1\na b,2\ncid," + strings.Repeat("x", maxClass+1) + "\nadmin,3\n", []int{1, 2, 3}},
		{"the same new name twice", "name,class\nbob,1\nBOB,2\n", []int{1}},
		{"the same known name twice", "name,class\nana,1\nANA,2\n", []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := f.importList(t, tt.file, true)
			var problems ProblemsError
			if !errors.As(err, &problems) {
				t.Fatalf("got %v, want problems", err)
			}
			var at []int
			for _, p := range problems {
				at = append(at, p.Index)
			}
			if !slices.Equal(at, tt.want) {
				t.Errorf("got problems of %v (%v), want of %v", at, err, tt.want)
			}
			f.wantPupils(t, map[string]Pupil{"ana": {"", "4b"}})
		})
	}
	var unknown *store.UnknownError
	if _, _, err := f.importList(t, "name,class\nbob,4b\ngone,4b\n", true); !errors.As(err, &unknown) || !slices.Equal(unknown.Names, []string{"gone"}) {
		t.Errorf("a removed player: got %v, want that it is not registered", err)
	}
	if err := f.Describe(t.Context(), []string{"ana", "zoe"}, new("Ana"), nil); !errors.As(err, &unknown) {
		t.Errorf("an unknown player: got %v, want that it is not registered", err)
	}
	if err := f.Describe(t.Context(), []string{"ana"}, new("a\nb"), nil); err == nil || !strings.Contains(err.Error(), "real_name: it must be one line") {
		t.Errorf("got %v, want a refusal", err)
	}
	f.wantPupils(t, map[string]Pupil{"ana": {"", "4b"}})
}
