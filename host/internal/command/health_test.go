package command

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHealthAsksTheHostOfTheConfiguration(t *testing.T) {
	pages := http.NewServeMux()
	pages.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	pages.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "games are being loaded", http.StatusServiceUnavailable)
	})
	srv := httptest.NewServer(pages)
	defer srv.Close()
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	free := httptest.NewServer(nil)
	nobody := free.Listener.Addr().String()
	free.Close()
	for name, test := range map[string]struct {
		listen      string
		args        []string
		want, wrong string
	}{
		"healthy":         {listen: "127.0.0.1:" + port, want: "ok\n"},
		"all addresses":   {listen: "0.0.0.0:" + port, want: "ok\n"},
		"without address": {listen: ":" + port, want: "ok\n"},
		"not ready":       {listen: "127.0.0.1:" + port, args: []string{"--ready"}, wrong: "says: games are being loaded"},
		"not running":     {listen: nobody, wrong: "no host answers at " + nobody + ": does it run"},
		"nowhere":         {listen: "", wrong: "operations.listen is empty"},
		"any port":        {listen: "127.0.0.1:0", wrong: "port 0"},
		"an argument":     {listen: "127.0.0.1:" + port, args: []string{"x"}, wrong: "takes no arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "host.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, "operations: {listen: %q}\n", test.listen), 0o600); err != nil {
				t.Fatal(err)
			}
			root, out := root(nil), new(bytes.Buffer)
			root.Writer = out
			err := root.Run(t.Context(), append([]string{"host", "health", "--config", file}, test.args...))
			if out.String() != test.want || (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("got %q, %v, want %q and the error %q", out, err, test.want, test.wrong)
			}
		})
	}
}
