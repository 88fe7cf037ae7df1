package sandbox

import "testing"

func TestPathIsWithinItsFolder(t *testing.T) {
	for path, want := range map[string]bool{
		"/a/b": true, "/a/b/c": true, "/a/b/..c": true, "/d": true, "/d/e": true,
		"/": false, "/a": false, "/a/bc": false, "/a/c": false, "/de": false,
	} {
		if got := Within(path, "/a/b", "/d"); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if Within("/a") {
		t.Error("got true without folders, want false")
	}
}
