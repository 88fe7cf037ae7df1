package colosseum

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// wings are the folders of host/internal, from the top. A package imports those of the
// wings below its own.
var wings = []string{"command", "server", "clients", "cluster", "submissions", "contests", "play", "games", "records", "base"}

// beside is what packages of host/internal import of their own wing.
var beside = map[string]string{
	"server":               "server/doctor server/metrics",
	"clients/web":          "clients/forward clients/gate clients/hostname clients/inbox clients/outbox clients/rendered clients/seat",
	"clients/forward":      "clients/outbox",
	"clients/seat":         "clients/outbox",
	"clients/site":         "clients/downloads clients/exported clients/gamefiles clients/markdown clients/provider clients/rendered",
	"submissions/build":    "submissions/archive submissions/language",
	"submissions/hosted":   "submissions/archive",
	"submissions/language": "submissions/archive",
	"submissions/queue":    "submissions/archive submissions/build submissions/language",
	"submissions/registry": "submissions/archive submissions/language",
	"contests/series":      "contests/contest",
	"contests/director":    "contests/contest contests/ladder contests/pairing",
	"contests/contest":     "contests/pairing contests/rating contests/standings",
	"contests/standings":   "contests/pairing",
	"contests/pairing":     "contests/matching",
	"play/serving":         "play/lobby",
	"play/lobby":           "play/match play/verify",
	"play/analysis":        "play/verify",
	"games/catalog":        "games/engine games/sandbox games/source",
	"games/engine":         "games/sandbox",
	"games/program":        "games/sandbox",
	"games/source":         "games/sandbox",
	"records/migrate":      "records/postgres records/sqlite records/store",
	"records/export":       "records/dialect records/record records/store",
	"records/store":        "records/dialect records/postgres records/record records/sqlite",
	"records/postgres":     "records/dialect records/record",
	"records/sqlite":       "records/dialect",
	"base/config":          "base/disk base/strict",
}

// layer is what packages can import. A pattern ending in /... means a folder and
// everything below it.
type layer struct {
	packages string
	allowed  []string
}

// outside is what packages outside host/internal import of this module. The first line
// that matches counts.
var outside = []layer{
	{"colosseum/host", []string{"colosseum/host/internal/command"}},
	{"colosseum/coco/...", []string{"colosseum/protocol", "colosseum/internal/buildinfo", "colosseum/internal/locale", "colosseum/internal/group", "colosseum/internal/help", "colosseum/internal/refeed", "colosseum/internal/terminal", "colosseum/coco/..."}},
	{"colosseum/plugins/...", []string{"colosseum/sdk", "colosseum/sdk/plugin"}},
	{"colosseum/examples/games/...", []string{"colosseum/sdk", "colosseum/sdk/plugin"}},
	{"colosseum/sdk", []string{"colosseum/sdk/driver"}},
	{"colosseum/sdk/gametest", []string{"colosseum/internal/gamedir", "colosseum/internal/playerprocess", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/script"}},
	{"colosseum/sdk/plugin", []string{"colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/wire"}},
	{"colosseum/sdk/wire", []string{"colosseum/sdk/driver", "colosseum/sdk/wire/pb"}},
	{"colosseum/sdk/script", []string{"colosseum/sdk", "colosseum/sdk/script/internal/..."}},
	{"colosseum/sdk/script/internal/source", []string{"colosseum/internal/gamedir", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/internal/rules", []string{"colosseum/sdk/script/internal/source", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/internal/aliases", []string{"colosseum/sdk/script/internal/source", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/internal/interpreter", []string{"colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/script/internal/source", "colosseum/sdk/script/symbols"}},
	{"colosseum/sdk/script/symbols", []string{"colosseum/sdk"}},
	{"colosseum/internal/playerprocess", []string{"colosseum/sdk"}},
	{"colosseum/internal/test/hinthost", []string{"colosseum/protocol"}},
	{"colosseum/internal/test/waits", []string{"colosseum/internal/test/poll"}},
	{"colosseum/internal/refeed", []string{"colosseum/internal/terminal"}},
	{"colosseum/internal/test/gamefixture", []string{"colosseum/internal/playerprocess", "colosseum/internal/test/long", "colosseum/sdk", "colosseum/sdk/driver", "colosseum/sdk/gametest", "colosseum/sdk/script"}},
	{"colosseum/e2e/internal/programs", []string{"colosseum/internal/filelock", "colosseum/internal/test/long", "colosseum/internal/test/poll", "colosseum/internal/test/race", "colosseum/protocol"}},
	{"colosseum/e2e/internal/clusters", []string{"colosseum/e2e/internal/programs", "colosseum/internal/group", "colosseum/internal/test/pgserver"}},
	{"colosseum/e2e/cluster", []string{"colosseum/e2e/internal/clusters"}},
	{"colosseum/...", nil}, // protocol, sdk/driver, release and the small packages of internal
}

// only lists, for libraries and for packages outside host/internal, all packages that
// import them. Packages outside host/internal need no line here to import this module.
var only = map[string]string{
	"gopkg.in/yaml.v3":                        "host/internal/base/config host/internal/base/strict host/internal/contests/contest",
	"modernc.org/sqlite/...":                  "host/internal/records/...",
	"github.com/jackc/pgx/...":                "host/internal/records/... host/internal/cluster host/internal/server/doctor internal/test/pgserver",
	"github.com/nats-io/...":                  "host/internal/cluster host/internal/server/doctor internal/test/natsserver e2e/internal/clusters",
	"github.com/hashicorp/go-plugin/...":      "host/internal/games/engine sdk/plugin",
	"google.golang.org/grpc/...":              "host/internal/games/engine sdk/plugin sdk/wire sdk/wire/pb sdk/wire/gen",
	"google.golang.org/protobuf/...":          "sdk/wire sdk/wire/pb sdk/wire/gen internal/test/otlpserver",
	"github.com/landlock-lsm/go-landlock/...": "host/internal/games/sandbox",
	"github.com/elastic/go-seccomp-bpf/...":   "host/internal/games/sandbox internal/test/oldkernel",
	"gonum.org/v1/gonum/...":                  "host/internal/contests/rating",
	"github.com/gorilla/websocket":            "host/internal/server host/internal/cluster/relay host/internal/clients/... coco/... e2e/internal/programs internal/test/hinthost",
	"github.com/modelcontextprotocol/...":     "coco/internal/mcp coco/internal/command",
	"go.opentelemetry.io/otel/...":            "host/internal/base/trace",
	"go.opentelemetry.io/proto/...":           "internal/test/otlpserver",
	"github.com/klauspost/compress/...":       "host/internal/records/export",
	"github.com/santhosh-tekuri/...":          "", // tests alone
	"github.com/prometheus/...":               "host/internal/server/metrics",
	"github.com/arran4/golang-ical":           "host/internal/clients/site",
	"github.com/yuin/goldmark/...":            "host/internal/clients/markdown",
	"github.com/standard-webhooks/...":        "host/internal/clients/webhook",
	"github.com/coreos/go-oidc/...":           "host/internal/clients/provider",
	"github.com/zitadel/...":                  "internal/test/oidcserver",
	"golang.org/x/oauth2/...":                 "host/internal/clients/provider",
	"golang.org/x/crypto/...":                 "host/internal/server host/internal/cluster",
	"github.com/traefik/yaegi/...":            "sdk/script/internal/interpreter",
	"github.com/corentings/chess/...":         "", // tests alone

	"colosseum":                    "host/internal/games/source host/internal/submissions/language",
	"colosseum/protocol":           "host/internal/games/program host/internal/play/... host/internal/contests/... host/internal/submissions/hosted host/internal/cluster host/internal/clients/... host/internal/command",
	"colosseum/sdk":                "",
	"colosseum/sdk/driver":         "host/internal/records/... host/internal/games/... host/internal/play/... host/internal/contests/contest host/internal/contests/series host/internal/submissions/hosted host/internal/cluster host/internal/clients/site host/internal/command",
	"colosseum/sdk/wire":           "host/internal/games/engine",
	"colosseum/sdk/wire/pb":        "", // sdk/wire and tests alone
	"colosseum/sdk/plugin":         "host/internal/command",
	"colosseum/sdk/script/...":     "host/internal/command host/internal/games/source",
	"colosseum/internal/buildinfo": "host/internal/command",
	"colosseum/internal/filelock":  "host/internal/records/sqlite host/internal/records/export host/internal/games/source host/internal/command",
	"colosseum/internal/gamedir":   "host/internal/games/... host/internal/clients/...",
	"colosseum/internal/group":     "host/internal/games/... host/internal/submissions/build",
	"colosseum/internal/help":      "host/internal/command",
	"colosseum/internal/locale":    "host/internal/clients/site",
	"colosseum/internal/refeed":    "host/internal/command",
	"colosseum/internal/spelling":  "host/internal/base/strict host/internal/clients/web",
	"colosseum/internal/terminal":  "host/internal/play/match host/internal/contests/series host/internal/command",
}

const hostPackages = "colosseum/host/internal/"

// TestPackagesImportWhatTheArchitectureAllows ignores the imports of test files.
func TestPackagesImportWhatTheArchitectureAllows(t *testing.T) {
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			if why := refused(p.ImportPath, imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

// refused returns why a package can't import another one, or "".
func refused(importer, imported string) string {
	inside, ofHost := strings.CutPrefix(importer, hostPackages)
	if target, ok := strings.CutPrefix(imported, hostPackages); ok && ofHost {
		own, other := slices.Index(wings, wing(inside)), slices.Index(wings, wing(target))
		switch {
		case own < 0 || other < 0:
			return fmt.Sprintf("want both in one of the wings %q", wings)
		case own == other && !slices.Contains(strings.Fields(beside[inside]), target):
			return "want a line in beside, since both are in one wing"
		case own > other:
			return fmt.Sprintf("want no import of a wing above, in the order %q", wings)
		}
		return ""
	}
	ofModule := imported == "colosseum" || strings.HasPrefix(imported, "colosseum/")
	if ofModule && !ofHost {
		i := slices.IndexFunc(outside, func(l layer) bool { return matches(l.packages, importer) })
		if !matchesAny(outside[i].allowed, imported) {
			return fmt.Sprintf("want only %q", outside[i].allowed)
		}
		return ""
	}
	for library, importers := range only {
		if matches(library, imported) && !matchesAny(strings.Fields(importers), strings.TrimPrefix(importer, "colosseum/")) {
			return "want only the imports by " + importers
		} else if matches(library, imported) {
			return ""
		}
	}
	if ofModule {
		return "want a line in only"
	}
	return ""
}

// wing returns the folder of host/internal that holds a package.
func wing(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
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
