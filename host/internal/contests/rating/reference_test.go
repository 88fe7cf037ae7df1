package rating

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// vanished is a prior that no published estimate can notice.
var vanished = Options{Prior: 1e5}

// nats returns the strengths of a table, in nats above the mean, and their standard errors.
func nats(t *Table) (strength, deviation []float64) {
	for _, e := range t.Estimates {
		strength = append(strength, (e.Rating-Center)/pointsPerNat)
		deviation = append(deviation, (e.High-e.Low)/(2*z95*pointsPerNat))
	}
	return strength, deviation
}

func closeTo(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %.6f, want %.6f", what, got, want)
	}
}

func lines(t *testing.T, text []byte) (list [][]string) {
	t.Helper()
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) > 0 && fields[0] != "#" {
			list = append(list, fields)
		}
	}
	return list
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// reference is a data set with estimates of R.
type reference struct {
	matches             []Match
	strength, deviation []float64
	ties                map[int]float64
}

func references(t *testing.T, text []byte) map[string]*reference {
	t.Helper()
	all := map[string]*reference{}
	for _, f := range lines(t, text) {
		r := all[f[0]]
		if r == nil {
			r = &reference{ties: map[int]float64{}}
			all[f[0]] = r
		}
		switch f[1] {
		case "match":
			for range int(number(t, f[4])) {
				r.matches = append(r.matches, Match{Players: []int{int(number(t, f[2])), int(number(t, f[3]))}, Ranks: []int{1, 2}})
			}
		case "rank":
			var m Match
			for p, rank := range f[2:] {
				if rank != "0" {
					m.Players, m.Ranks = append(m.Players, p), append(m.Ranks, int(number(t, rank)))
				}
			}
			r.matches = append(r.matches, m)
		case "estimate":
			r.strength, r.deviation = append(r.strength, number(t, f[3])), append(r.deviation, number(t, f[4]))
		case "tie":
			r.ties[int(number(t, f[2]))] = number(t, f[3])
		default:
			t.Fatalf("got the line %v", f)
		}
	}
	return all
}

func TestEstimatesAreThoseOfR(t *testing.T) {
	compareWithR(t, read(t, "reference.txt"))
}

func compareWithR(t *testing.T, text []byte) {
	for name, r := range references(t, text) {
		t.Run(name, func(t *testing.T) {
			table, err := Fit(len(r.strength), r.matches, vanished)
			if err != nil {
				t.Fatal(err)
			}
			strength, deviation := nats(table)
			for p := range strength {
				closeTo(t, "strength", strength[p], r.strength[p], 1e-5)
				closeTo(t, "standard error", deviation[p], r.deviation[p], 1e-5)
			}
			for n, want := range r.ties {
				closeTo(t, "tie", math.Log(table.Ties[n]), want, 1e-5)
			}
		})
	}
}

func TestEstimatesAreThoseOfRToday(t *testing.T) {
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("R is not installed: install r-base-core and r-cran-bradleyterry2 to compare with it")
	}
	if err := exec.Command("Rscript", "-e", "library(BradleyTerry2)").Run(); err != nil {
		t.Skip("R's package BradleyTerry2 is not installed: install r-cran-bradleyterry2")
	}
	out, err := exec.Command("Rscript", "testdata/reference.R").Output()
	if err != nil {
		t.Fatal(err)
	}
	compareWithR(t, out)
}

// The estimates are those of the vignette of R's package PlackettLuce 0.4 (Turner, van
// Etten, Firth and Kosmidis), which stops after 7 iterations to get the ones of Davidson
// (1970).
func TestEstimatesOfPuddingsAreThoseOfDavidson(t *testing.T) {
	var matches []Match
	for _, f := range lines(t, read(t, "pudding.txt")) {
		players := []int{int(number(t, f[0])) - 1, int(number(t, f[1])) - 1}
		for i, ranks := range [][]int{{1, 2}, {2, 1}, {1, 1}} {
			for range int(number(t, f[3+i])) {
				matches = append(matches, Match{Players: players, Ranks: ranks})
			}
		}
	}
	table, err := Fit(6, matches, vanished)
	if err != nil {
		t.Fatal(err)
	}
	strength, deviation := nats(table)
	wantStrength := []float64{-0.176581, 0.043664, -0.023617, -0.001295, -0.042726, 0.200555}
	wantDeviation := []float64{0.121949, 0.121818, 0.126823, 0.122003, 0.127054, 0.126594}
	for p := range strength {
		closeTo(t, "strength", strength[p], wantStrength[p], 2e-4)
		closeTo(t, "standard error", deviation[p], wantDeviation[p], 2e-5)
	}
	closeTo(t, "nu", table.Draws, 0.7468147, 1e-3)
}

// The estimates are worths that add up to 1, as Hunter's algorithm computes them (Hunter
// 2004; github.com/erdman/plackett-luce), in four digits.
func TestEstimatesOfNascarAreThoseOfHunter(t *testing.T) {
	var matches []Match
	for i, f := range lines(t, read(t, "nascar.txt")) {
		m := Match{}
		for place, driver := range f {
			m.Players, m.Ranks = append(m.Players, int(number(t, driver))-1), append(m.Ranks, place)
		}
		if len(f) < 42 || len(f) > 43 {
			t.Errorf("got %d drivers in race %d, want 42 or 43", len(f), i)
		}
		matches = append(matches, m)
	}
	table, err := Fit(83, matches, vanished)
	if err != nil {
		t.Fatal(err)
	}
	strength, _ := nats(table)
	sum := 0.0
	for _, s := range strength {
		sum += math.Exp(s)
	}
	for driver, want := range map[int]float64{
		58: 0.1864, 68: 0.1096, 54: 0.0274, 51: 0.0235, 66: 0.0230, 37: 0.0205, 82: 0.0184, 32: 0.0168, 72: 0.0167, 61: 0.0161,
		50: 0.0080, 41: 0.0076, 26: 0.0062, 83: 0.0059, 1: 0.0029, 46: 0.0019, 30: 0.0017, 29: 0.0017, 75: 0.0015, 24: 0.0014,
	} {
		closeTo(t, "worth of driver "+strconv.Itoa(driver), math.Exp(strength[driver-1])/sum, want, 0.00005001)
	}
}
