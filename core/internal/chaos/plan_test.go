package chaos

import (
	"fmt"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var all = [3]bool{true, true, true}

// TestPlansAreStable pins the acts of some seeds: a seed that somebody has written down must not
// change its meaning.
func TestPlansAreStable(t *testing.T) {
	p := Plan{Seed: 42, Start: noon, Interval: 10 * time.Second, Allowed: all}
	for n, want := range []string{
		"Lag 2.533s 0 2s 0.75", "Compact 18.198s 2 3s 0.10", "Lag 24.523s 0 8s 0.23", "Lag 31.862s 1 5s 0.57",
		"Lag 40.387s 2 8s 0.88",
	} {
		a := p.At(int64(n))
		got := fmt.Sprintf("%s %v %d %v %.2f", a.Kind, a.Time.Sub(noon).Truncate(time.Millisecond), a.Server%3, a.Late,
			a.share)
		if got != want {
			t.Errorf("act %d: %s, want %s", n, got, want)
		}
	}
}

// TestPlans looks at many acts of several plans.
func TestPlans(t *testing.T) {
	for _, allowed := range [][3]bool{all, {true}, {false, true, true}, {false, false, true}} {
		for seed := range int64(5) {
			p := Plan{Seed: seed, Start: noon, Interval: 7 * time.Second, Allowed: allowed}
			seen, before := map[Kind]int{}, noon
			late, compacted, ends := map[time.Duration]bool{}, map[int64]bool{}, 0
			const acts = 400
			for n := range int64(acts) {
				a := p.At(n)
				if a != p.At(n) {
					t.Fatalf("act %d is not the same twice", n)
				}
				seen[a.Kind]++
				from := noon.Add(time.Duration(n) * p.Interval)
				if a.Time.Before(from) || !a.Time.Before(from.Add(p.Interval)) || a.Time.Before(before) {
					t.Fatalf("act %d is at %v", n, a.Time)
				}
				before = a.Time
				if got := p.Due(a.Time); got != n+1 {
					t.Fatalf("when act %d is due there have been %d", n, got)
				}
				if got := p.Due(a.Time.Add(-1)); got != n {
					t.Fatalf("just before act %d there have been %d", n, got)
				}
				if a.Late < time.Second || a.Late > maxLate*time.Second || a.Server < 0 {
					t.Fatalf("act %d: %+v", n, a)
				}
				late[a.Late] = true
				at := a.Horizon(100, 120)
				if at < 100 || at > 120 {
					t.Fatalf("act %d compacts 100 to 120 to %d", n, at)
				}
				if compacted[at] = true; at == 120 {
					ends++
				}
			}
			for i, kind := range Kinds {
				if (seen[kind] > 0) != allowed[i] {
					t.Errorf("of %v there are %d %s", allowed, seen[kind], kind)
				}
			}
			if len(late) != maxLate || len(compacted) < 10 || ends < acts/3 || ends > acts*2/3 {
				t.Errorf("lags %v, horizons %v, of which %d at the end", late, compacted, ends)
			}
		}
	}
	if n := (Plan{Start: noon, Interval: time.Second, Allowed: all}).Due(noon.Add(-time.Hour)); n != 0 {
		t.Errorf("before the start there were %d acts", n)
	}
	one, other := Plan{Seed: 1, Interval: time.Hour, Allowed: all}, Plan{Seed: 2, Interval: time.Hour, Allowed: all}
	if one.At(0).Time.Equal(other.At(0).Time) {
		t.Error("two seeds have the same plan")
	}
}
