package room

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
)

// inCustomer returns an address of IPv6: all are in one network of 48 bits, which has many of 56, and those many of 64.
func inCustomer(household, network int) string {
	return fmt.Sprintf("[2001:db8:1:%02x%02x::1]:1000", household, network)
}

// TestAround has networks that others are in.
func TestAround(t *testing.T) {
	own := networkOf(inCustomer(1, 1))
	all := around(own)
	if len(own) != digits+2*(1+digitsWithin) || len(all) != 3 || all[0] != own || widest(own) != all[2] {
		t.Errorf("%q is in %q, and at most in %q", own, all, widest(own))
	}
	for _, c := range []struct {
		address string
		common  int // how many networks it is in that the first one is in, too
	}{
		{inCustomer(1, 1), 3}, {inCustomer(1, 2), 2}, {inCustomer(2, 1), 1}, {"[2001:db8:2:0101::1]:1000", 0},
		{"192.0.2.1:1", 0}, {"", 0},
	} {
		other := networkOf(c.address)
		common := 0
		for _, wide := range all {
			if isIn(other, wide) {
				common++
			}
			if isIn(other, wide) != slices.Contains(around(other), wide) {
				t.Errorf("%q in %q: %v", other, wide, isIn(other, wide))
			}
		}
		if common != c.common {
			t.Errorf("%s and the first are in %d networks, want %d", c.address, common, c.common)
		}
	}
	if four := networkOf("192.0.2.1"); widest(four) != four || len(around("")) != 1 {
		t.Errorf("%q is in %q", four, around(four))
	}
}

// TestWider bounds what wider networks may take: more than narrower ones, and never all that others have.
func TestWider(t *testing.T) {
	for _, c := range []struct {
		own, all int64
		want     [3]int64
	}{
		{50, 100, [3]int64{50, 62, 75}}, {5, 100, [3]int64{5, 10, 20}}, {100, 100, [3]int64{100, 100, 100}},
		{200, 100, [3]int64{200, 200, 200}}, {200, 0, [3]int64{200, 400, 800}},
		{1 << 62, 0, [3]int64{1 << 62, 1 << 62, 1 << 62}},
	} {
		for steps, want := range c.want {
			if got := wider(c.own, c.all, steps); got != want {
				t.Errorf("%d of %d, %d steps wider: %d, want %d", c.own, c.all, steps, got, want)
			}
		}
	}
}

// spread calls f for one person who has a network of 48 bits, with an address in another network of 64 each time: first
// in one of 56, then in all. It returns how often f reports success in each, and for a network of somebody else.
func spread(f func(n int, network string) bool) (household, customer, other int) {
	n := 0
	try := func(count *int, address string) {
		if n++; f(n, networkOf(address)) {
			*count++
		}
	}
	for i := range 200 {
		try(&household, inCustomer(0, i))
	}
	for i := range 200 {
		try(&customer, inCustomer(i, 7))
	}
	for range 200 {
		try(&other, "[2001:db8:2::1]:1000")
	}
	return household, customer, other
}

// TestOneCustomer has one person who has all networks of 64 bits within one of 48 take what it can.
func TestOneCustomer(t *testing.T) {
	now, j := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), joins{}
	expect := func(what string, want [3]int, f func(n int, network string) bool) {
		t.Helper()
		household, customer, other := spread(f)
		if got := [3]int{household, customer, other}; got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	expect("joins", [3]int{62, 13, 50}, func(n int, network string) bool {
		return j.allow(now, network, fmt.Sprint("link ", n), 50, 100) == 0
	})
	if j.allow(now.Add(time.Hour), "later", "link", 50, 100) != 0 || len(j.networks) != 1 || len(j.invitations) != 1 {
		t.Errorf("%d networks and %d invitations are remembered", len(j.networks), len(j.invitations))
	}

	use := func(d desk, kind apiserver.UseKind) func(n int, network string) bool {
		return func(n int, network string) bool {
			one := member(fmt.Sprint("one-", n), "learner")
			d.place(one.Name, network)
			_, _, refused := d.try(one, apiserver.Use{Kind: kind})
			return refused == nil
		}
	}
	d := newDesk(t, apiserver.Limits{Writes: 100})
	d.set(quotas{RequestsPerSecond: 10, RequestsPerAddress: 1_000_000})
	expect("requests at the same time", [3]int{46, 10, 19}, use(d, apiserver.Writes))
	d = newDesk(t, apiserver.Limits{})
	d.set(quotas{RequestsPerSecond: 10, RequestsPerAddress: 1_000_000, Watches: 200, WatchesPerMember: 5,
		WatchesPerAddress: 100})
	expect("watches", [3]int{125, 25, 50}, use(d, apiserver.Streams))
	d = newDesk(t, apiserver.Limits{})
	d.set(quotas{RequestsPerSecond: 10, RequestsPerAddress: 5})
	expect("requests", [3]int{100, 100, 50}, use(d, apiserver.Reads))

	// Who leaves gives it back, and nothing is left of networks without members.
	for name := range d.networks {
		d.leave(name)
	}
	if len(d.groups) != 0 || len(d.networks) != 0 {
		t.Errorf("%d networks and %d members are left", len(d.groups), len(d.networks))
	}
}

// TestPartOfARoom says which part of a room the members of one network may fill.
func TestPartOfARoom(t *testing.T) {
	for _, c := range []struct {
		name    string
		members map[string]int // by network
		network string
		want    []float64
	}{
		{"a class behind one router, and its teacher elsewhere", map[string]int{"": 1, "school": 30}, "school",
			[]float64{30.0 / 31}},
		{"one person is many, the others are two", map[string]int{"a": 1, "b": 1, "many": 98}, "many",
			[]float64{1.0/2 + 1.0/3}},
		{"one person is many, the others are nine",
			map[string]int{"1": 1, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1, "7": 1, "8": 1, "9": 1, "many": 91}, "many",
			[]float64{0.6}},
		{"few", map[string]int{"a": 3, "b": 3, "c": 3}, "a", []float64{0.5}},
		{"all", map[string]int{"a": 3}, "a", []float64{1}},
		{"nobody is known", map[string]int{"": 5}, "", []float64{1}},
		{"IPv6", map[string]int{"f-1-a": 2, "f-1-b": 2, "f-2-a": 46, "a": 1, "b": 1, "c": 1, "d": 1}, "f-2-a",
			[]float64{1.0/2 + 1.0/5, 5.0/8 + 1.0/5, 50.0 / 54}},
	} {
		r := &Room{members: map[string]*auth.User{}, networks: map[string]string{}}
		for network, count := range c.members {
			for i := range count {
				r.networks[fmt.Sprint(network, "/", i)] = network
			}
		}
		var got []float64
		for _, near := range r.nearby(memberPrefix+c.network+"/0", nil) {
			got = append(got, near.part)
		}
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
