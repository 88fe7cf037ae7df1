package contest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestExamplesAreContests(t *testing.T) {
	files, err := filepath.Glob("../../../../configs/contests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d examples, %v, want some", len(files), err)
	}
	names, used := map[string]string{}, map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := ReadSpec(text)
		if err != nil {
			t.Errorf("%s: got %v, want no error", file, err)
			continue
		}
		if other := names[spec.Name]; other != "" {
			t.Errorf("%s: got the name %s of %s, want another one", file, spec.Name, other)
		}
		names[spec.Name] = file
		used[string(spec.Format)] = true
	}
	for _, format := range formats {
		if !used[string(format)] {
			t.Errorf("got no example of a %s, want one", format)
		}
	}
}

// TestFileOfTheTeacherIsAContest reads the file that docs/contests.md begins with.
func TestFileOfTheTeacherIsAContest(t *testing.T) {
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(examples) != 1 {
		t.Fatalf("got %d examples, want 1", len(examples))
	}
	spec, err := ReadSpec([]byte(examples[0][1]))
	if err != nil {
		t.Fatalf("got %v, want a contest", err)
	}
	if spec.Name != "friday" || spec.Rounds != 7 || !spec.Entries.Open {
		t.Errorf("got %+v, want the contest friday of 7 rounds for everybody", spec)
	}
}

func TestKeysAreDocumented(t *testing.T) {
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.\\[\\]]+)` \\| ").FindAllStringSubmatch(section(t, "## The file"), -1) {
		documented = append(documented, row[1])
	}
	want := keys(reflect.TypeFor[Spec](), "")
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("got the keys\n%q, want\n%q", documented, want)
	}
}

// keys returns the keys of YAML that a type has.
func keys(t reflect.Type, prefix string) (list []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch f.Type {
		case reflect.TypeFor[Entries]():
			list = append(list, prefix+name, prefix+name+"[].open")
			list = append(list, keys(reflect.TypeFor[Entry](), name+"[].")...)
		case reflect.TypeFor[Programs]():
			list = append(list, keys(f.Type, name+".")...)
		case reflect.TypeFor[*PassMark]():
			list = append(list, keys(f.Type.Elem(), name+".")...)
		default:
			list = append(list, prefix+name)
		}
	}
	return list
}

// section returns the text of docs/contests.md from a heading up to the next one.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(page(t), "\n"+heading+"\n")
	if !found {
		t.Fatalf("got no %q in docs/contests.md, want it", heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/contests.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
