package config

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"gopkg.in/yaml.v3"
)

const top = "../../../.." // of the source

// compose is what compose.yaml can have.
type compose struct {
	Name     string             `yaml:"name"`
	Host     yaml.Node          `yaml:"x-host"`
	Services map[string]service `yaml:"services"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
		IPAM     struct {
			Config []struct {
				Subnet  string `yaml:"subnet"`
				IPRange string `yaml:"ip_range"`
			} `yaml:"config"`
		} `yaml:"ipam"`
	} `yaml:"networks"`
	Secrets map[string]struct {
		Environment string `yaml:"environment"`
	} `yaml:"secrets"`
	Volumes map[string]struct{} `yaml:"volumes"`
}

type service struct {
	Build       string                                `yaml:"build"`
	Image       string                                `yaml:"image"`
	Restart     string                                `yaml:"restart"`
	Command     []string                              `yaml:"command"`
	Environment map[string]string                     `yaml:"environment"`
	Secrets     []string                              `yaml:"secrets"`
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Networks    networks                              `yaml:"networks"`
	Ports       []string                              `yaml:"ports"`
	Volumes     []string                              `yaml:"volumes"`
	CapDrop     []string                              `yaml:"cap_drop"`
	Ulimits     struct{ Nofile int }                  `yaml:"ulimits"`
	StopGrace   time.Duration                         `yaml:"stop_grace_period"`
	Healthcheck struct {
		Test     []string      `yaml:"test"`
		Interval time.Duration `yaml:"interval"`
		Timeout  time.Duration `yaml:"timeout"`
		Retries  int           `yaml:"retries"`
		Start    time.Duration `yaml:"start_period"`
	} `yaml:"healthcheck"`
}

// networks are the addresses by the names of networks; empty: any.
type networks map[string]string

func (n *networks) UnmarshalYAML(node *yaml.Node) error {
	*n = networks{}
	var names []string
	if node.Decode(&names) == nil {
		for _, name := range names {
			(*n)[name] = ""
		}
		return nil
	}
	var all map[string]struct {
		Address string `yaml:"ipv4_address"`
	}
	err := node.Decode(&all)
	for name, x := range all {
		(*n)[name] = x.Address
	}
	return err
}

var variable = regexp.MustCompile(`\$\{([A-Z_]+)(:\?[^}]*)?\}`)

// readCompose reads compose.yaml as Compose does, with passwords named after their
// variables.
func readCompose(t *testing.T) *compose {
	b, err := os.ReadFile(filepath.Join(top, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range variable.FindAllSubmatch(b, -1) {
		if len(m[2]) == 0 {
			t.Errorf("%s can be empty, want it to be required", m[0])
		}
	}
	b = variable.ReplaceAll(b, []byte("the-$1"))
	if i := bytes.Index(b, []byte("${")); i >= 0 {
		t.Errorf("got the variable %.40q, want no default for a secret", b[i:])
	}
	c := &compose{}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// mount returns what is mounted at a path of a container.
func (s service) mount(at string) string {
	for _, v := range s.Volumes {
		if parts := strings.Split(v, ":"); parts[1] == at {
			return parts[0]
		}
	}
	return ""
}

func (s service) isHost() bool { return s.Build != "" }

func TestComposeNamesOnlyWhatExists(t *testing.T) {
	c := readCompose(t)
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if file, ok := strings.CutPrefix(from, "./"); ok {
				if info, err := os.Stat(filepath.Join(top, file)); err != nil || !info.Mode().IsRegular() {
					t.Errorf("%s mounts %s: got %v, want a file", name, from, err)
				}
			} else if _, ok := c.Volumes[from]; !ok {
				t.Errorf("%s mounts %s, want one of the volumes %q", name, from, slices.Collect(maps.Keys(c.Volumes)))
			}
		}
		for network := range s.Networks {
			if _, ok := c.Networks[network]; !ok {
				t.Errorf("%s is in the network %s, want one of %q", name, network, slices.Collect(maps.Keys(c.Networks)))
			}
		}
		for _, secret := range s.Secrets {
			if c.Secrets[secret].Environment == "" {
				t.Errorf("%s has the secret %s, want one from the environment", name, secret)
			}
		}
		for other := range s.DependsOn {
			if _, ok := c.Services[other]; !ok {
				t.Errorf("%s depends on %s, want a service", name, other)
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s, want only 127.0.0.1 as long as nothing is encrypted", name, port)
			}
		}
		if name != "balancer" && (len(s.Ports) > 0 || !reflect.DeepEqual(s.Networks, networks{"inside": ""})) {
			t.Errorf("%s has the ports %q and the networks %v, want it to be inside", name, s.Ports, s.Networks)
		}
	}
	if !c.Networks["inside"].Internal {
		t.Error("the network of the hosts reaches others, want it internal")
	}
}

func TestHostsOfComposeAgreeWithTheirConfigurations(t *testing.T) {
	c := readCompose(t)
	var first *Config
	hosts := 0
	for name, s := range c.Services {
		if !s.isHost() {
			continue
		}
		hosts++
		const configuration = "/colosseum/configs/container.yaml"
		dockerfile, err := os.ReadFile(filepath.Join(top, "Dockerfile"))
		for _, line := range []string{`ENTRYPOINT ["/colosseum/host", "--config", "` + configuration + `"]`, `CMD ["/colosseum/host", "health", "--config", "` + configuration + `"]`} {
			if err != nil || !bytes.Contains(dockerfile, []byte(line)) {
				t.Fatalf("got a Dockerfile (%v) without %s", err, line)
			}
		}
		if want := []string{"CMD", "/colosseum/host", "health", "--ready", "--config", configuration}; !slices.Equal(s.Healthcheck.Test, want) {
			t.Errorf("%s: got the health check %q, want %q", name, s.Healthcheck.Test, want)
		}
		conf, err := Source{Path: filepath.Join(top, s.mount(configuration)), Override: func(c *Config) {
			c.Store, c.Cluster.NATS = s.Environment["COLOSSEUM_STORE"], s.Environment["COLOSSEUM_NATS"]
		}}.Load()
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(conf.Listen)
		for what, pair := range map[string][2]string{
			"cluster.name":               {conf.Cluster.Name, name},
			"cluster.advertise":          {conf.Cluster.Advertise, "ws://" + name + ":" + port},
			"cluster.secret_file":        {conf.Cluster.SecretFile, "/run/secrets/" + s.Secrets[0]},
			"verification_password_file": {conf.VerificationPasswordFile, "/run/secrets/" + s.Secrets[1]},
			"trusted_proxies":            {fmt.Sprint(conf.TrustedProxies), "[" + c.Services["balancer"].Networks["inside"] + "]"},
			"the volume at data":         {s.mount(conf.Data), name},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is %q, want %q", name, what, pair[0], pair[1])
			}
		}
		if conf.Drain >= s.StopGrace {
			t.Errorf("%s: it is killed after %v, want later than drain, %v", name, s.StopGrace, conf.Drain)
		}

		db, err := pgx.ParseConfig(conf.Store)
		if err != nil {
			t.Fatal(err)
		}
		postgres := c.Services["postgres"].Environment
		want := []string{"postgres", postgres["POSTGRES_USER"], postgres["POSTGRES_PASSWORD"], postgres["POSTGRES_DB"]}
		if got := []string{db.Host, db.User, db.Password, db.Database}; !slices.Equal(got, want) {
			t.Errorf("%s: got the database %q, want %q", name, got, want)
		}
		u, err := url.Parse(conf.Cluster.NATS)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := u.User.Password(); u.Hostname() != "nats" || got != c.Services["nats"].Environment["NATS_PASSWORD"] {
			t.Errorf("%s: got NATS at %s with %q, want nats with the password of the service", name, u.Host, got)
		}

		conf.Cluster.Name, conf.Cluster.Advertise = "", ""
		if first == nil {
			first = conf
		} else if !reflect.DeepEqual(conf, first) {
			t.Errorf("%s: got %+v, want the same as the others, %+v", name, conf, first)
		}
	}
	if hosts != 3 {
		t.Errorf("got %d hosts, want 3", hosts)
	}
}

var backend = regexp.MustCompile(`(?m)^\tserver (\S+) (\S+)$`)

func TestBalancerOfComposeReachesAllHosts(t *testing.T) {
	c := readCompose(t)
	file := filepath.Join(top, c.Services["balancer"].mount("/usr/local/etc/haproxy/haproxy.cfg"))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]string{}, map[string]string{}
	for _, m := range backend.FindAllSubmatch(b, -1) {
		got[string(m[1])] = string(m[2])
	}
	for name, s := range c.Services {
		if !s.isHost() {
			continue
		}
		conf, err := Source{Path: filepath.Join(top, "configs/cluster", name+".yaml"), Override: func(c *Config) { c.Cluster = Cluster{} }}.Load()
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(conf.Listen)
		want[name] = name + ":" + port
		_, operations, _ := net.SplitHostPort(conf.Operations.Listen)
		if line := "check port " + operations + " "; !bytes.Contains(b, []byte(line)) {
			t.Errorf("%s: got no %q in %s, want where /readyz is", name, line, file)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got the servers %v, want %v", got, want)
	}

	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("HAProxy is not installed: install the package haproxy to check its configuration")
	}
	if out, err := exec.Command(program, "-c", "-f", file).CombinedOutput(); err != nil {
		t.Errorf("haproxy -c: got %v, want nil\n%s", err, out)
	}
}

func TestNATSOfComposeTakesOnlyItsPassword(t *testing.T) {
	c := readCompose(t)
	const password = "c1234e5678" // as the first step makes them
	t.Setenv("NATS_PASSWORD", password)
	o, err := server.ProcessConfigFile(filepath.Join(top, c.Services["nats"].mount(c.Services["nats"].Command[1])))
	if err != nil {
		t.Fatal(err)
	}
	if o.StoreDir != "/data" || c.Services["nats"].mount(o.StoreDir) != "nats" || o.Port != 4222 {
		t.Errorf("got the folder %s and the port %d, want the volume and 4222", o.StoreDir, o.Port)
	}
	o.Host, o.Port, o.StoreDir, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, t.TempDir(), true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("NATS did not start")
	}
	conn, err := nats.Connect("nats://colosseum:" + password + "@" + s.Addr().String())
	if err != nil {
		t.Fatalf("with the password: got %v, want nil", err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err == nil {
		_, err = js.CreateKeyValue(&nats.KeyValueConfig{Bucket: "hosts", Storage: nats.MemoryStorage})
	}
	if err != nil {
		t.Errorf("a bucket: got %v, want nil", err)
	}
	if other, err := nats.Connect(s.ClientURL()); err == nil {
		other.Close()
		t.Error("without a password: got a connection, want none")
	}
}
