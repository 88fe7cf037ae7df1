package players

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAListOfNamesIsRead(t *testing.T) {
	tests := []struct {
		name, file string
		want       []Entry
	}{
		{"one column", "Ana\nbob\n", []Entry{{Name: "Ana", Line: 1}, {Name: "bob", Line: 2}}},
		{"without a line feed at the end", "Ana\nbob", []Entry{{Name: "Ana", Line: 1}, {Name: "bob", Line: 2}}},
		{"of Windows, with a byte order mark", "\ufeffname\r\nAna\r\n\r\nbob\r\n", []Entry{{Name: "Ana", Line: 2}, {Name: "bob", Line: 4}}},
		{"first column", "Ana,7a\nbob,7b,x\n", []Entry{{Name: "Ana", Line: 1}, {Name: "bob", Line: 2}}},
		{"column name", "class,Name\n7a,Ana\n7b, bob \n", []Entry{{Name: "Ana", Line: 2, Class: "7a"}, {Name: "bob", Line: 3, Class: "7b"}}},
		{"quotes", "\"class, year\",\"NAME\"\n\"7a\n\",\"Ana\"\n7b,bob\n", []Entry{{Name: "Ana", Line: 3}, {Name: "bob", Line: 4}}},
		{"semicolons", "class;name\n7a, 2026;Ana\n", []Entry{{Name: "Ana", Line: 2, Class: "7a, 2026"}}},
		{"spaces", "  Ana\t\n", []Entry{{Name: "Ana", Line: 1}}},
		{"a missing column", "class,name\n7a\n7b,bob\n", []Entry{{Name: "", Line: 2, Class: "7a"}, {Name: "bob", Line: 3, Class: "7b"}}},
		{"real names and classes", "Class;E-Mail;name;REAL_NAME\n4b;a@x;ana; Ana Žák \n4c;;bob\n", []Entry{{Name: "ana", Line: 2, RealName: "Ana Žák", Class: "4b"}, {Name: "bob", Line: 3, Class: "4c"}}},
		{"names are not checked here", "a b\n\"Žofie\"\n", []Entry{{Name: "a b", Line: 1}, {Name: "Žofie", Line: 2}}},
		{"the word name below the first line", "Ana\nname\n", []Entry{{Name: "Ana", Line: 1}, {Name: "name", Line: 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadList([]byte(tt.file))
			if err != nil || !slices.Equal(got.Entries, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestAListThatIsNotOneOfNamesIsRefused(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", "", "it has no names"},
		{"empty lines", "\n\r\n\n", "it has no names"},
		{"only a heading", "name\n", "it has no names"},
		{"an open quote", "Ana\n\"bob\n", "line 2"},
		{"a stray quote", "Ana\nb\"ob\n", "line 2"},
		{"UTF-16", "\xff\xfeA\x00n\x00", "UTF-8"},
		{"UTF-16 without a mark", "A\x00n\x00", "UTF-8"},
		{"no column name", "real_name,class\nAna Žák,4b\n", "none with the heading name"},
		{"Latin-1", "Zo\xeb\n", "UTF-8"},
		{"too long", strings.Repeat("a,", MaxList/2+1), "longer than 1024 KiB"},
		{"too many names", strings.Repeat("a\n", maxNames+1), "more than 10000 names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadList([]byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}

func TestWhatIsNotReadOfAListIsSaid(t *testing.T) {
	for file, want := range map[string]string{
		"Ana\nbob\n":                         "",
		"name,Class,real_name\nana,4b,Ana\n": "",
		"name;Klasse;E-Mail;\nana;4b;a@x\n":  `and not "Klasse", "E-Mail"`,
		"Schüler,Klasse\nana,4b\n":           "only the first column is read",
	} {
		list, err := ReadList([]byte(file))
		if err != nil || !strings.Contains(list.Unread, want) || want == "" && list.Unread != "" {
			t.Errorf("%q: got %+v, %v, want that %q is said", file, list, err, want)
		}
	}
}

func FuzzReadList(f *testing.F) {
	for _, seed := range []string{"Ana\nbob\n", "class,name\n7a,Ana\n", "a;name\n\"x\n\";b", "\ufeffname\r\n\r\nAna", "\"", "name", ",\n;", "\n\nname;x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := ReadList(file)
		if (list == nil) != (err != nil) || err == nil && len(list.Entries) == 0 {
			t.Fatalf("got %+v and %v, want names or an error", list, err)
		}
		if err != nil {
			return
		}
		line := 0
		for _, e := range list.Entries {
			if e.Line <= line || e.Line > strings.Count(string(file), "\n")+1 {
				t.Fatalf("got line %d after line %d, want rising lines of the file", e.Line, line)
			}
			line = e.Line
			if !utf8.ValidString(e.Name) || e.Name != strings.TrimSpace(e.Name) || !strings.Contains(string(file), firstLine(e.Name)) {
				t.Fatalf("got the name %q, want text of the file without spaces around it", e.Name)
			}
		}
		again := new(strings.Builder)
		for _, e := range list.Entries {
			if ValidName(e.Name) && !strings.EqualFold(e.Name, "name") {
				fmt.Fprintln(again, e.Name)
			}
		}
		if back, err := ReadList([]byte(again.String())); again.Len() > 0 && (err != nil || len(back.Entries) != strings.Count(again.String(), "\n")) {
			t.Fatalf("the names alone: got %+v, %v, want all of them", back, err)
		}
	})
}

// firstLine returns the part of a field that is in the file as it is: without
// doubled quotes and changed line ends.
func firstLine(field string) string {
	if i := strings.IndexAny(field, "\"\r\n"); i >= 0 {
		return field[:i]
	}
	return field
}
