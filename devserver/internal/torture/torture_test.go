package torture

import (
	"flag"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

var (
	minutes = flag.Float64("minutes", 0, "torture for so many minutes instead of some seconds")
	slow    = flag.Int("slow", 60, "how many of 100 starts have slow syncs")
	gentle  = flag.Bool("gentle", false, "kill only while nothing is under way")
	seed    = flag.Uint64("seed", 0, "of the random choices; 0 takes another one each time")
)

// TestKills kills a real devserver, with a disk as it is and with a slow one.
func TestKills(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := Build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	slowness, err := Slow(binary, t.TempDir)
	if err != nil {
		t.Fatal(err)
	}
	if slowness == AsItIs {
		t.Log("syncs cannot be made slow here: only faults that a fast disk shows are found")
	}
	o := Options{
		Binary: binary, Data: t.TempDir(), For: 20 * time.Second,
		Slowness: slowness, Slow: *slow, Seed: *seed, Gentle: *gentle, Log: t.Logf,
	}
	if *minutes > 0 {
		o.For = time.Duration(*minutes * float64(time.Minute))
	}
	ledger, figures := report(t, "native", o)
	if ledger.Any() {
		t.Fail()
	}
	if figures.Kills == 0 || figures.Acknowledged == 0 || figures.Shown == 0 {
		t.Error("nothing was tried")
	}
}

// report runs the torture of a server, and logs the result.
func report(t *testing.T, server string, o Options) (*Ledger, Figures) {
	t.Helper()
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	t.Logf("seed %d", o.Seed)
	ledger, figures, err := Run(o)
	if err != nil {
		t.Error(err)
	}
	for _, text := range ledger.Texts() {
		t.Error(text)
	}
	t.Log(ledger.Summary(server, figures))
	return ledger, figures
}
