package colosseum

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// layer is what packages can import of this module and of the libraries below. A
// pattern ending in /... means a folder and everything below it.
type layer struct {
	packages string
	allowed  []string
}

// layers is the architecture. The first one that matches a package counts.
var layers = []layer{
	{"colosseum", nil},
	{"colosseum/internal/locale", nil},
	{"colosseum/internal/gamedir", nil},
	{"colosseum/internal/filelock", nil},
	{"colosseum/internal/spelling", nil},
	{"colosseum/internal/buildinfo", nil},
	{"colosseum/internal/group", nil},
	{"colosseum/internal/help", nil},
	{"colosseum/sdk", []string{"colosseum/sdk/driver"}},
	{"colosseum/sdk/driver", nil},
	{"colosseum/internal/playerprocess", []string{"colosseum/sdk"}},
	{"colosseum/internal/gamefixture", []string{"colosseum/internal/playerprocess", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/gametest", "colosseum/sdk/script"}},
	{"colosseum/sdk/gametest", []string{"colosseum/internal/gamedir", "colosseum/internal/playerprocess", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/script"}},
	{"colosseum/sdk/wire", []string{"colosseum/sdk", "colosseum/sdk/driver"}},
	{"colosseum/sdk/wire/gen", nil},
	{"colosseum/sdk/plugin", []string{"colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/wire", goPlugin}},
	{"colosseum/sdk/script", []string{"colosseum/sdk", "colosseum/sdk/script/internal/..."}},
	{"colosseum/sdk/script/internal/source", []string{"colosseum/internal/gamedir", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/internal/rules", []string{"colosseum/sdk/script/internal/source", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/internal/aliases", []string{"colosseum/sdk/script/internal/source", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/internal/interpreter", []string{"colosseum/sdk", "colosseum/sdk/script/internal/source", "colosseum/sdk/script/symbols", yaegi}},
	{"colosseum/sdk/script/symbols", []string{"colosseum/sdk"}},
	{"colosseum/plugins/chess", []string{"colosseum/sdk", "colosseum/sdk/plugin", chessRules}},
	{"colosseum/plugins/...", []string{"colosseum/sdk", "colosseum/sdk/plugin"}},
	{"colosseum/protocol", nil},
	{"colosseum/internal/terminal", nil},
	{"colosseum/internal/refeed", []string{"colosseum/internal/terminal"}},
	{"colosseum/internal/testclock", nil},
	{"colosseum/internal/poll", nil},
	{"colosseum/internal/long", nil},
	{"colosseum/internal/cutproxy", nil},
	{"colosseum/internal/testpostgres", []string{postgres}},
	{"colosseum/internal/testnats", []string{nats}},
	{"colosseum/internal/testfolder", nil},
	{"colosseum/internal/oldkernel", []string{seccomp}},
	{"colosseum/coco/...", []string{"colosseum/protocol", "colosseum/internal/buildinfo", "colosseum/internal/locale", "colosseum/internal/group", "colosseum/internal/help", "colosseum/internal/refeed", "colosseum/internal/terminal", "colosseum/coco/...", webSocket}},
	{"colosseum/host", []string{"colosseum/host/internal/command"}},
	{"colosseum/host/internal/command", []string{"colosseum/internal/buildinfo", "colosseum/internal/help", "colosseum/host/internal/sandbox", "colosseum/internal/filelock", "colosseum/internal/refeed", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/plugin", "colosseum/sdk/script", "colosseum/internal/terminal", "colosseum/protocol", "colosseum/host/internal/..."}},
	{"colosseum/host/internal/server", []string{"colosseum/host/internal/...", webSocket}},
	{"colosseum/host/internal/strict", []string{"colosseum/internal/spelling", yaml}},
	{"colosseum/host/internal/config", []string{"colosseum/host/internal/disk", "colosseum/host/internal/strict", yaml}},
	{"colosseum/host/internal/histogram", nil},
	{"colosseum/host/internal/guess", nil},
	{"colosseum/host/internal/disk", nil},
	{"colosseum/host/internal/rendered", nil},
	{"colosseum/host/internal/downloads", []string{"colosseum/internal/gamedir"}},
	{"colosseum/host/internal/doctor", []string{"colosseum/host/internal/config", "colosseum/host/internal/sandbox", postgres, nats}},
	{"colosseum/host/internal/arrival", nil},
	{"colosseum/host/internal/certificate", []string{cryptography}},
	{"colosseum/host/internal/metrics", []string{"colosseum/host/internal/catalog", "colosseum/host/internal/cluster", "colosseum/host/internal/director", "colosseum/host/internal/lobby", "colosseum/host/internal/store", "colosseum/host/internal/histogram", "colosseum/host/internal/players", "colosseum/host/internal/serving", "colosseum/host/internal/web", prometheus}},
	{"colosseum/host/internal/record", []string{"colosseum/sdk/driver"}},
	{"colosseum/host/internal/store", []string{"colosseum/internal/filelock", "colosseum/host/internal/config", "colosseum/host/internal/disk", "colosseum/host/internal/histogram", "colosseum/host/internal/record", "colosseum/sdk/driver", sqlite, postgres}},
	{"colosseum/host/internal/migrate", []string{"colosseum/host/internal/store", postgres, sqlite}},
	{"colosseum/host/internal/players", []string{"colosseum/host/internal/guess", "colosseum/host/internal/store"}},
	{"colosseum/host/internal/matching", nil},
	{"colosseum/host/internal/pairing", []string{"colosseum/host/internal/matching"}},
	{"colosseum/host/internal/ladder", nil},
	{"colosseum/host/internal/standings", []string{"colosseum/host/internal/pairing"}},
	{"colosseum/host/internal/rating", []string{gonum}},
	{"colosseum/host/internal/contest", []string{"colosseum/host/internal/pairing", "colosseum/host/internal/standings", "colosseum/host/internal/rating", "colosseum/host/internal/record", "colosseum/host/internal/store", "colosseum/host/internal/strict", "colosseum/protocol", "colosseum/sdk", yaml}},
	{"colosseum/host/internal/director", []string{"colosseum/host/internal/contest", "colosseum/host/internal/ladder", "colosseum/host/internal/pairing", "colosseum/host/internal/serving", "colosseum/host/internal/store"}},
	{"colosseum/host/internal/cluster", []string{"colosseum/host/internal/config", "colosseum/host/internal/limit", "colosseum/host/internal/lobby", "colosseum/host/internal/match", "colosseum/host/internal/record", "colosseum/host/internal/serving", "colosseum/host/internal/store", "colosseum/host/internal/trace", "colosseum/protocol", "colosseum/sdk", nats, postgres, cryptography}},
	{"colosseum/host/internal/relay", []string{"colosseum/host/internal/trace", webSocket}},
	{"colosseum/host/internal/trace", nil},
	{"colosseum/host/internal/sandbox", []string{landlock, seccomp}},
	{"colosseum/host/internal/engine", []string{"colosseum/internal/group", "colosseum/host/internal/sandbox", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/wire", goPlugin}},
	{"colosseum/host/internal/conformance", nil},
	{"colosseum/host/internal/source", []string{"colosseum", "colosseum/internal/filelock", "colosseum/internal/gamedir", "colosseum/internal/group", "colosseum/sdk/script/symbols", "colosseum/host/internal/config", "colosseum/host/internal/sandbox"}},
	{"colosseum/host/internal/catalog", []string{"colosseum/host/internal/sandbox", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/wire", "colosseum/host/internal/config", "colosseum/host/internal/engine", "colosseum/host/internal/source"}},
	{"colosseum/host/internal/match", []string{"colosseum/internal/terminal", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/wire", "colosseum/protocol", "colosseum/host/internal/engine", "colosseum/host/internal/record", "colosseum/host/internal/histogram"}},
	{"colosseum/host/internal/program", []string{"colosseum/internal/group", "colosseum/host/internal/sandbox", "colosseum/host/internal/arrival", "colosseum/protocol"}},
	{"colosseum/host/internal/scaffold", []string{"colosseum/internal/gamedir"}},
	{"colosseum/host/internal/series", []string{"colosseum/host/internal/catalog", "colosseum/host/internal/contest", "colosseum/protocol", "colosseum/host/internal/match", "colosseum/host/internal/program", "colosseum/host/internal/record", "colosseum/internal/terminal", "colosseum/sdk/driver"}},
	{"colosseum/host/internal/verify", []string{"colosseum/host/internal/engine", "colosseum/host/internal/record", "colosseum/sdk/driver", "colosseum/sdk/wire"}},
	{"colosseum/host/internal/analysis", []string{"colosseum/host/internal/record", "colosseum/host/internal/verify", "colosseum/sdk/driver", "colosseum/sdk/wire"}},
	{"colosseum/host/internal/lobby", []string{"colosseum/host/internal/catalog", "colosseum/host/internal/guess", "colosseum/host/internal/match", "colosseum/host/internal/record", "colosseum/protocol", "colosseum/sdk", "colosseum/sdk/driver"}},
	{"colosseum/host/internal/serving", []string{"colosseum/host/internal/catalog", "colosseum/host/internal/lobby", "colosseum/host/internal/record", "colosseum/protocol", "colosseum/sdk/driver"}},
	{"colosseum/host/internal/hostname", []string{webSocket}},
	{"colosseum/host/internal/limit", nil},
	{"colosseum/host/internal/outbox", []string{"colosseum/host/internal/match", "colosseum/protocol", webSocket}},
	{"colosseum/host/internal/web", []string{"colosseum/host/internal/arrival", "colosseum/host/internal/catalog", "colosseum/host/internal/guess", "colosseum/host/internal/hostname", "colosseum/host/internal/limit", "colosseum/host/internal/lobby", "colosseum/host/internal/match", "colosseum/host/internal/outbox", "colosseum/host/internal/players", "colosseum/host/internal/relay", "colosseum/host/internal/rendered", "colosseum/host/internal/record", "colosseum/host/internal/serving", "colosseum/host/internal/store", "colosseum/host/internal/trace", "colosseum/internal/spelling", "colosseum/protocol", webSocket}},
	{"colosseum/host/internal/site", []string{"colosseum/host/internal/analysis", "colosseum/host/internal/catalog", "colosseum/host/internal/cluster", "colosseum/host/internal/contest", "colosseum/host/internal/downloads", "colosseum/host/internal/lobby", "colosseum/host/internal/match", "colosseum/host/internal/players", "colosseum/host/internal/rendered", "colosseum/host/internal/record", "colosseum/host/internal/serving", "colosseum/host/internal/store", "colosseum/internal/gamedir", "colosseum/internal/locale", "colosseum/protocol", "colosseum/sdk", "colosseum/sdk/driver", markdown}},
	{"colosseum/release", nil},
	{"colosseum/e2e/internal/programs", []string{"colosseum/internal/poll", "colosseum/protocol", webSocket}},
	{"colosseum/e2e/internal/clusters", []string{"colosseum/e2e/internal/programs", "colosseum/internal/group", "colosseum/internal/testpostgres", nats}},
	{"colosseum/e2e/cluster", []string{"colosseum/e2e/internal/clusters"}},
	{"colosseum/e2e/...", nil},
}

// Libraries that only some packages can import.
const (
	prometheus   = "github.com/prometheus/..."
	cryptography = "golang.org/x/crypto/..."
	goPlugin     = "github.com/hashicorp/go-plugin/..."
	webSocket    = "github.com/gorilla/websocket"
	sqlite       = "modernc.org/sqlite/..."
	postgres     = "github.com/jackc/pgx/..."
	nats         = "github.com/nats-io/..."
	tracing      = "go.opentelemetry.io/..."
	yaml         = "gopkg.in/yaml.v3"
	gonum        = "gonum.org/v1/gonum/..."
	markdown     = "github.com/yuin/goldmark/..."
	landlock     = "github.com/landlock-lsm/go-landlock/..."
	seccomp      = "github.com/elastic/go-seccomp-bpf/..."
	chessRules   = "github.com/corentings/chess/..."
	yaegi        = "github.com/traefik/yaegi/..."
)

// TestPackagesImportWhatTheArchitectureAllows ignores the imports of test files.
func TestPackagesImportWhatTheArchitectureAllows(t *testing.T) {
	guarded := []string{"colosseum/...", goPlugin, webSocket, sqlite, postgres, nats, tracing, yaml, gonum, landlock, seccomp, yaegi, chessRules, markdown, prometheus, cryptography}
	for _, p := range list(t) {
		layer := slices.IndexFunc(layers, func(l layer) bool { return matches(l.packages, p.ImportPath) })
		if layer < 0 {
			t.Errorf("got no line for %s in layers, want one with what it can import", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if matchesAny(guarded, imported) && !matchesAny(layers[layer].allowed, imported) {
				t.Errorf("%s imports %s, want only %q", p.ImportPath, imported, layers[layer].allowed)
			}
		}
	}
}

func TestSDKAndProtocolImportNoOtherModule(t *testing.T) {
	for _, p := range list(t) {
		if p.ImportPath != "colosseum/sdk" && p.ImportPath != "colosseum/sdk/driver" && p.ImportPath != "colosseum/protocol" && p.ImportPath != "colosseum/sdk/gametest" {
			continue
		}
		for _, imported := range p.Imports {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				t.Errorf("%s imports %s, want only the standard library and this module", p.ImportPath, imported)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T) []goPackage {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func matchesAny(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, p) })
}

func matches(pattern, p string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/..."); ok {
		return p == folder || strings.HasPrefix(p, folder+"/")
	}
	return path.Clean(p) == pattern
}
