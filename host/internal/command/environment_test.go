package command

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
)

func TestEmptyVariableOfTheEnvironmentOverridesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "host.yaml")
	if err := os.WriteFile(file, []byte("store: postgres://file/x\nverification_password: file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, store, password string
		args                  []string
		want, wantPassword    string
	}{
		{"empty", "", "", nil, "postgres://file/x", "file"},
		{"set", "postgres://environment/x", "environment", nil, "postgres://environment/x", "environment"},
		{"flag", "postgres://environment/x", "", []string{"--store", "postgres://flag/x"}, "postgres://flag/x", "file"},
		{"empty flag", "postgres://environment/x", "", []string{"--store", ""}, "", "file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("COLOSSEUM_STORE", c.store)
			t.Setenv("COLOSSEUM_VERIFICATION_PASSWORD", c.password)
			var got *config.Config
			root := root(nil)
			root.Action = func(_ context.Context, cmd *cli.Command) (err error) {
				got, err = source(cmd).Load()
				return err
			}
			if err := root.Run(t.Context(), append([]string{"host", "--config", file}, c.args...)); err != nil {
				t.Fatal(err)
			}
			if got.Store != c.want || got.VerificationPassword != c.wantPassword {
				t.Errorf("got store %q and password %q, want %q and %q", got.Store, got.VerificationPassword, c.want, c.wantPassword)
			}
		})
	}
}
