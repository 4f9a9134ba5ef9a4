package room

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/status"
)

// member returns the user of a member.
func member(name, role string) *auth.User { return userOf(storedMember(name, role)) }

// storedMember returns a stored Member.
func storedMember(name, role string) map[string]any { return MemberObject(name, name, role) }

var (
	ada, grace = member("ada", "learner"), member("grace", "learner")
	chalk      = member("chalk", Teacher)
)

// A desk makes requests of members against shares.
type desk struct {
	*testing.T
	*Shares
	*clock.Manual
}

func newDesk(t *testing.T, limits apiserver.Limits) desk {
	manual := clock.NewManual(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	return desk{t, newShares(manual, limits, &meter{moved: map[string]bool{}, wake: make(chan struct{}, 1)}), manual}
}

// try makes a request and returns how it ends, or its 429.
func (d desk) try(u *auth.User, use apiserver.Use) (context.Context, func(int64), *status.Error) {
	ctx, leave, err := d.Enter(d.Context(), u, use)
	if err == nil {
		return ctx, leave, nil
	}
	e := status.From(err)
	if !status.Is(err, status.TooManyRequests) || e.Status.Code != 429 || e.RetryAfter() < 1 {
		d.Fatalf("refused by %d %v, Retry-After %d", e.Status.Code, err, e.RetryAfter())
	}
	return ctx, nil, e
}

// rush makes requests one after another until one is refused, and returns how many were not and what
// the answers to them and its Retry-After are.
func (d desk) rush(u *auth.User, use apiserver.Use, answered int64) (n, retryAfter int) {
	for ; n < 100_000; n++ {
		_, leave, refused := d.try(u, use)
		if refused != nil {
			return n, refused.RetryAfter()
		}
		leave(answered)
	}
	d.Fatal("no request is refused")
	return 0, 0
}

func TestRequestsPerSecond(t *testing.T) {
	d := newDesk(t, apiserver.Limits{})
	read := apiserver.Use{Kind: apiserver.Reads}
	rushes := func(step string, u *auth.User, want, wantRetry int) {
		t.Helper()
		if n, retry := d.rush(u, read, 100); n != want || retry != wantRetry {
			t.Errorf("%s: %s made %d requests, Retry-After %d; want %d, %d", step, u.Name, n, retry, want, wantRetry)
		}
	}
	rushes("at first", ada, 200, 1)
	rushes("while another waits", grace, 200, 1)
	rushes("a teacher", chalk, 800, 1)
	d.Advance(time.Second)
	rushes("a second later", ada, 20, 1)
	d.Advance(time.Hour)
	rushes("an hour later", ada, 200, 1)

	q := quotasOf(map[string]any{"spec": map[string]any{"quotas": map[string]any{"requestsPerSecond": int64(1)}}})
	d.set(q)
	rushes("with another quota", grace, 10, 1)
	d.forget(grace.Name)
	rushes("as a new member", grace, 10, 1)
}

// TestTimeGoesBack checks that a host's clock that was set back gives and takes nothing.
func TestTimeGoesBack(t *testing.T) {
	own := &share{tokens: 5, at: time.Unix(100, 0)}
	if own.earn(time.Unix(50, 0), 20); own.tokens != 5 {
		t.Errorf("%v tokens", own.tokens)
	}
	if own.earn(time.Unix(51, 0), 20); own.tokens != 25 {
		t.Errorf("a second later %v tokens", own.tokens)
	}
}

// TestBytesCount has requests that count more because of their bytes.
func TestBytesCount(t *testing.T) {
	for _, c := range []struct {
		name        string
		use         apiserver.Use
		answered    int64
		want, retry int
	}{
		{"of 64 KiB", apiserver.Use{Kind: apiserver.Writes, Body: 64 << 10}, 0, 100, 1},
		{"of 3 MiB", apiserver.Use{Kind: apiserver.Writes, Body: 3 << 20}, 0, 5, 3},
		{"of a length that is not known", apiserver.Use{Kind: apiserver.Writes, Body: -1}, 0, 5, 3},
		{"of a gigabyte", apiserver.Use{Kind: apiserver.Writes, Body: 1 << 30}, 0, 5, 3},
		{"with a long answer", apiserver.Use{Kind: apiserver.Reads}, 256 << 10, 100, 1},
		{"of streams that gave much", apiserver.Use{Kind: apiserver.Streams}, 1 << 30, 5, 3},
	} {
		if n, retry := newDesk(t, apiserver.Limits{}).rush(ada, c.use, c.answered); n != c.want || retry != c.retry {
			t.Errorf("requests %s: %d, Retry-After %d; want %d, %d", c.name, n, retry, c.want, c.retry)
		}
	}
}

// TestAtTheSameTime fills the seats of a server.
func TestAtTheSameTime(t *testing.T) {
	for _, c := range []struct {
		name                         string
		limits                       apiserver.Limits
		own, learners, teachersAfter int
	}{
		{"without limits", apiserver.Limits{}, 32, 320, 128},
		{"a devserver", apiserver.DefaultLimits(), 32, 150, 128},
		{"few seats", apiserver.Limits{Reads: 8, Writes: 8}, 4, 6, 16},
		{"one seat, and others wait", apiserver.Limits{Reads: 1, Writes: 1, Queue: true}, 1, 10, 4},
	} {
		d := newDesk(t, c.limits)
		fill := func(u *auth.User) (leave []func(int64)) {
			for {
				_, end, refused := d.try(u, apiserver.Use{Kind: apiserver.Writes})
				if refused != nil {
					return leave
				}
				leave = append(leave, end)
			}
		}
		first := fill(ada)
		all := len(first)
		for i := range 9 {
			all += len(fill(member(fmt.Sprint("other-", i), "learner")))
		}
		if teachers := len(fill(chalk)); len(first) != c.own || all != c.learners || teachers != c.teachersAfter {
			t.Errorf("%s: one learner %d at the same time, ten %d, then a teacher %d; want %d, %d, %d", c.name, len(first), all,
				teachers, c.own, c.learners, c.teachersAfter)
		}
		first[0](0)
		if n := len(fill(ada)); n != 1 {
			t.Errorf("%s: after the end of one, %d more", c.name, n)
		}
		if _, leave, refused := d.try(ada, apiserver.Use{Kind: apiserver.Reads}); refused != nil {
			t.Errorf("%s: writes keep a member from reading: %v", c.name, refused)
		} else {
			leave(0)
		}
	}
}

// TestStreams opens streams until they are refused.
func TestStreams(t *testing.T) {
	d := newDesk(t, apiserver.DefaultLimits())
	d.set(quotas{RequestsPerSecond: 1000, WatchesPerMember: 3, Watches: 4})
	stream := apiserver.Use{Kind: apiserver.Streams}
	fill := func(u *auth.User) (contexts []context.Context, leave []func(int64), message string) {
		for {
			ctx, end, refused := d.try(u, stream)
			if refused != nil {
				return contexts, leave, refused.Error()
			}
			contexts, leave = append(contexts, ctx), append(leave, end)
		}
	}
	contexts, leave, message := fill(ada)
	if len(leave) != 3 || message != "you have 3 watches open, which is your share of this room "+
		"(spec.quotas.watchesPerMember): close some" {
		t.Errorf("%d streams, then %s", len(leave), message)
	}
	_, others, message := fill(grace)
	if len(others) != 1 || message != "the members of this room have 4 watches open, which is all that it takes "+
		"(spec.quotas.watches)" {
		t.Errorf("%d streams of another, then %s", len(others), message)
	}
	if _, teachers, _ := fill(chalk); len(teachers) != 12 {
		t.Errorf("%d streams of a teacher", len(teachers))
	}
	leave[0](0)
	if contexts[0].Err() == nil {
		t.Error("a stream that has ended keeps its context")
	}
	if _, more, _ := fill(grace); len(more) != 1 {
		t.Errorf("%d more streams after the end of one", len(more))
	}

	// A token that goes takes its streams along, and a member all of them.
	d.set(quotas{RequestsPerSecond: 1000, WatchesPerMember: 3, Watches: 5})
	second := auth.Credentials{Authorization: "Bearer second"}
	ctx, other, refused := d.try(ada, apiserver.Use{Kind: apiserver.Streams, Credentials: second})
	if refused != nil {
		t.Fatal(refused)
	}
	d.revoke(ada.Name, auth.HashOf("second"))
	if <-ctx.Done(); contexts[1].Err() != nil {
		t.Error("the stream of another token ends too")
	}
	other(0)
	d.forget(ada.Name)
	<-contexts[1].Done()
	if err := context.Cause(contexts[1]); err != errGone {
		t.Errorf("it ended because of %v", err)
	}
	leave[1](0)
	leave[2](0)
	if _, again, _ := fill(ada); len(again) != 3 {
		t.Errorf("%d streams of a member of the same name", len(again))
	}
}

// TestWhoShares checks that nobody gets its own share by making service accounts, and that
// invitations do not take from members.
func TestWhoShares(t *testing.T) {
	d := newDesk(t, apiserver.Limits{})
	read := apiserver.Use{Kind: apiserver.Reads}
	robot := func(name string) *auth.User { return &auth.User{Name: "system:serviceaccount:default:" + name} }
	invited := &auth.User{Name: "invitation:learner", Extra: map[string][]string{invitesKey: {"learner"}}}
	d.rush(robot("a"), read, 0)
	if n, _ := d.rush(robot("b"), read, 0); n != 0 {
		t.Errorf("another service account makes %d requests more", n)
	}
	for _, u := range []*auth.User{ada, invited} {
		if n, _ := d.rush(u, read, 0); n != 200 {
			t.Errorf("%s makes %d requests", u.Name, n)
		}
	}
	if len(d.users) != 3 {
		t.Errorf("%d shares", len(d.users))
	}
}

func TestValidateQuotas(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"objects", int64(1), ""}, {"bytes", int64(1 << 30), ""}, {"requestsPerSecond", int64(5), ""},
		{"watches", int64(1), ""}, {"watchesPerMember", int64(1), ""},
		{"watches", int64(0), "spec.quotas.watches: Invalid value: 0: must be a number from 1 to 100000"},
		{"bytes", int64(1<<30 + 1), "spec.quotas.bytes: Invalid value: 1073741825: must be a number from 1 to 1073741824"},
		{"objects", "5", `spec.quotas.objects: Invalid value: "5": must be a number from 1 to 1000000`},
		{"pods", int64(5), `spec.quotas: Unsupported value: "pods": supported values: "bytes", ` +
			`"bytesPerMember", "membersPerAddress", "objects", "objectsPerMember", "requestsPerAddress", ` +
			`"requestsPerSecond", "watches", "watchesPerAddress", "watchesPerMember"`},
	} {
		quotas := map[string]any{c.name: c.value}
		errs := validateRoom(t.Context(), map[string]any{"spec": map[string]any{"quotas": quotas}})
		if got := errs.Message(); len(errs) > 0 && got != c.want || (len(errs) > 0) != (c.want != "") {
			t.Errorf("%v: %q, want %q", quotas, got, c.want)
		}
	}
	errs := validateRoom(t.Context(), map[string]any{"spec": map[string]any{"quotas": int64(5)}})
	if got := errs.Message(); got != "spec.quotas: Invalid value: 5: must be an object" {
		t.Error(got)
	}
}

// TestJoins has joins by two invitations from three networks.
func TestJoins(t *testing.T) {
	now, j := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), joins{}
	rush := func(network, invitation string) (n, wait int) {
		for ; n < 1000; n++ {
			if wait = j.allow(now, network, invitation, 50, 100); wait > 0 {
				return n, wait
			}
		}
		return n, 0
	}
	for _, step := range []struct {
		network, invitation string
		want, wait          int
	}{
		{"a", "first", 50, 2}, {"a", "second", 0, 2}, {"b", "first", 50, 2}, {"c", "first", 0, 1}, {"c", "second", 50, 2},
	} {
		if n, wait := rush(step.network, step.invitation); n != step.want || wait != step.wait {
			t.Errorf("from %s by %s: %d, wait %d; want %d, %d", step.network, step.invitation, n, wait, step.want, step.wait)
		}
	}
	now = now.Add(30 * time.Second)
	if n, _ := rush("a", "first"); n != 25 {
		t.Errorf("half a minute later %d", n)
	}
	now = now.Add(time.Hour)
	if rush("d", "third"); len(j.networks) != 1 || len(j.invitations) != 1 {
		t.Errorf("%d networks and %d invitations are remembered", len(j.networks), len(j.invitations))
	}
}

// TestNetworkOf has addresses of the same network, and others.
func TestNetworkOf(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true}, {"192.0.2.1:1", "192.0.2.2:1", false}, {"192.0.2.1", "192.0.2.1:1", true},
		{"[2001:db8::1]:1", "2001:db8::ffff", true}, {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"", "unknown", true}, {"", "192.0.2.1", false}, {"[::ffff:192.0.2.1]:1", "192.0.2.1:1", true},
	} {
		if (networkOf(c.a) == networkOf(c.b)) != c.same {
			t.Errorf("%s is in %q, %s in %q", c.a, networkOf(c.a), c.b, networkOf(c.b))
		}
	}
	if len(networkOf("192.0.2.1:1")) != 6 || networkOf("x") != "" {
		t.Error("it tells too much, or too little")
	}
}

// TestSeatsOfANetwork fills the seats of a server from one network: some are left for others.
func TestSeatsOfANetwork(t *testing.T) {
	for _, c := range []struct {
		limits apiserver.Limits
		near   int
		others int
	}{
		{apiserver.Limits{}, 320, 32}, {apiserver.DefaultLimits(), 75, 32}, {apiserver.Limits{Writes: 8}, 5, 1},
		{apiserver.Limits{Writes: 32, Queue: true}, 128, 16},
	} {
		d := newDesk(t, c.limits)
		fill := func(u *auth.User) (n int) {
			for {
				if _, _, refused := d.try(u, apiserver.Use{Kind: apiserver.Writes}); refused != nil {
					return n
				}
				n++
			}
		}
		d.place(grace.Name, "elsewhere")
		all := 0
		for i := range 10 {
			one := member(fmt.Sprint("near-", i), "learner")
			d.place(one.Name, "here")
			all += fill(one)
		}
		if others := fill(grace); all != c.near || others != c.others {
			t.Errorf("%+v: %d from one network, then %d from another; want %d, %d", c.limits, all, others, c.near, c.others)
		}
	}
}
