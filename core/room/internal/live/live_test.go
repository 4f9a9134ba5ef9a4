package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

var (
	teacher = Member{Name: "teacher", DisplayName: "Teacher", Role: "teacher", Teacher: true}
	ada     = Member{Name: "ada", DisplayName: "Ada", Role: "learner"}
	grace   = Member{Name: "grace", DisplayName: "Grace", Role: "learner"}
)

// newHub has a clock that the test moves.
func newHub(members ...Member) (*Hub, *clock.Manual) {
	manual := clock.NewManual(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	h := New(manual, "e1")
	for _, m := range members {
		h.Set(m)
	}
	return h, manual
}

// follow opens a follower with the token t.
func follow(t testing.TB, h *Hub, m Member) *Follower {
	t.Helper()
	f, err := h.Follow(m.Name, "t", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// read returns what a follower gets at once.
func read(t testing.TB, f *Follower) string {
	t.Helper()
	b, err := f.take(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

const nothingShown = `{"type":"SHOW","show":null}`

func memberLine(m Member, here int) string {
	return fmt.Sprintf(`{"type":"MEMBER","member":{"name":%q,"displayName":%q,"role":%q,"here":%d}}`,
		m.Name, m.DisplayName, m.Role, here)
}

// TestFrames follows what a teacher and a learner get.
func TestFrames(t *testing.T) {
	h, _ := newHub(teacher, ada, grace)
	h.Report("grace", &Progress{Lesson: "watch", Step: 3, Steps: 8, Right: 2, Wrong: 1})
	const graces = `{"type":"PROGRESS","member":"grace",` +
		`"progress":{"lesson":"watch","step":3,"steps":8,"right":2,"wrong":1}}`
	asTeacher := follow(t, h, teacher)
	got := read(t, asTeacher)
	want := lines(`{"type":"HELLO","epoch":"e1","you":"teacher","role":"teacher"}`, nothingShown,
		memberLine(ada, 0), memberLine(grace, 0), graces, memberLine(teacher, 1), `{"type":"SYNCED"}`)
	if got != want {
		t.Errorf("at first the teacher gets\n%swant\n%s", got, want)
	}
	asAda := follow(t, h, ada)
	want = lines(`{"type":"HELLO","epoch":"e1","you":"ada","role":"learner"}`, nothingShown,
		memberLine(grace, 0), memberLine(teacher, 1), memberLine(ada, 1), `{"type":"SYNCED"}`)
	if got := read(t, asAda); got != want {
		t.Errorf("at first ada gets\n%swant\n%s", got, want)
	}
	second := follow(t, h, ada)
	for _, step := range []struct {
		name         string
		do           func()
		teacher, ada string
	}{
		{"ada is here twice", func() {}, lines(memberLine(ada, 2)), lines(memberLine(ada, 2))},
		{"a view", func() { h.Show("teacher", []byte(`{"revision":57}`)) },
			lines(`{"type":"SHOW","show":{"by":"teacher","view":{"revision":57}}}`),
			lines(`{"type":"SHOW","show":{"by":"teacher","view":{"revision":57}}}`)},
		{"no view", func() { h.Show("teacher", nil); h.Show("teacher", nil) }, lines(nothingShown), lines(nothingShown)},
		{"progress of another", func() { h.Report("grace", nil) },
			lines(`{"type":"PROGRESS","member":"grace","progress":null}`), ""},
		{"progress withdrawn twice", func() { h.Report("grace", nil) }, "", ""},
		{"own progress", func() { h.Report("ada", &Progress{Lesson: "list"}) },
			lines(`{"type":"PROGRESS","member":"ada","progress":{"lesson":"list","step":0,"steps":0,"right":0,"wrong":0}}`),
			lines(`{"type":"PROGRESS","member":"ada","progress":{"lesson":"list","step":0,"steps":0,"right":0,"wrong":0}}`)},
		{"a name that does not change", func() { h.Set(grace) }, "", ""},
		{"another name", func() { h.Set(Member{"grace", "G. H.", "learner", false}) },
			lines(memberLine(Member{Name: "grace", DisplayName: "G. H.", Role: "learner"}, 0)),
			lines(memberLine(Member{Name: "grace", DisplayName: "G. H.", Role: "learner"}, 0))},
		{"a member that is gone", func() { h.Remove("grace", false); h.Remove("grace", false) },
			lines(`{"type":"MEMBER","member":{"name":"grace","gone":true}}`),
			lines(`{"type":"MEMBER","member":{"name":"grace","gone":true}}`)},
		{"ada leaves once", func() { second.Close(); second.Close() }, lines(memberLine(ada, 1)), lines(memberLine(ada, 1))},
	} {
		step.do()
		if got := read(t, asTeacher); got != step.teacher {
			t.Errorf("%s: the teacher gets %q, want %q", step.name, got, step.teacher)
		}
		if got := read(t, asAda); got != step.ada {
			t.Errorf("%s: ada gets %q, want %q", step.name, got, step.ada)
		}
	}
	if late := read(t, follow(t, h, teacher)); strings.Contains(late, "grace") {
		t.Errorf("who comes later learns of a member that is gone: %s", late)
	}
	if h.Report("grace", nil) {
		t.Error("a member that is gone reports")
	}
}

// TestWaiting checks what wakes a follower that has read everything.
func TestWaiting(t *testing.T) {
	h, manual := newHub(teacher, ada)
	f := follow(t, h, ada)
	read(t, f)
	manual.Advance(Beat)
	for range 2 {
		if b, err := f.Next(context.Background(), nil, nil); string(b) != lines(`{"type":"BEAT"}`) || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		manual.Advance(Beat)
	}
	silent, err := h.Follow("ada", "t", Options{Silent: true})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	read(t, silent)
	manual.Advance(Beat)
	h.Set(Member{Name: "grace"})
	if b, err := silent.Next(context.Background(), nil, nil); !strings.HasPrefix(string(b), `{"type":"MEMBER"`) ||
		strings.Contains(string(b), "BEAT") || err != nil {
		t.Errorf("without beats: %q, %v", b, err)
	}
	closing := make(chan struct{})
	close(closing)
	read(t, f)
	<-f.beat.C()
	if _, err := f.Next(context.Background(), closing, nil); err != io.EOF {
		t.Errorf("the cluster ends: %v", err)
	}
	gone := errors.New("the client is gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	if _, err := f.Next(ctx, nil, nil); err != gone {
		t.Errorf("the client leaves: %v", err)
	}
}

// TestPause checks that what changes again shortly after a reading is read together.
func TestPause(t *testing.T) {
	h, manual := newHub(teacher, ada)
	f := follow(t, h, teacher)
	if _, err := f.Next(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	h.Report("ada", &Progress{Step: 1})
	got := make(chan string)
	go func() {
		b, err := f.Next(context.Background(), nil, nil)
		got <- fmt.Sprint(string(b), err)
	}()
	manual.AwaitTimers(2) // the beat, and the pause
	h.Report("ada", &Progress{Step: 2})
	manual.Advance(Pause)
	if text := <-got; strings.Count(text, "\n") != 1 || !strings.Contains(text, `"step":2`) {
		t.Error(text)
	}
	// A follower that ends is not made to wait.
	h.Report("ada", &Progress{Step: 3})
	go func() {
		_, err := f.Next(context.Background(), nil, nil)
		got <- fmt.Sprint(err)
	}()
	manual.AwaitTimers(2)
	h.Remove("teacher", false)
	if text := <-got; text != "EOF" {
		t.Error(text)
	}
}

// TestSlowReaders checks that a follower who does not read costs nothing, whatever happens, and then
// gets each thing once.
func TestSlowReaders(t *testing.T) {
	h, _ := newHub(teacher, ada)
	slow := follow(t, h, teacher)
	read(t, slow)
	for n := range int64(10_000) {
		h.Report("ada", &Progress{Step: n})
		h.Show("teacher", fmt.Appendf(nil, `{"revision":%d}`, n))
		h.Set(Member{"ada", fmt.Sprint("Ada ", n), "learner", false})
	}
	if n := h.changes.Len(); n != 4 {
		t.Errorf("%d things are kept", n)
	}
	if got := read(t, slow); strings.Count(got, "\n") != 3 || strings.Count(got, "9999") != 3 {
		t.Error(got)
	}
}

// TestForgottenMembers checks that a follower who is so far behind that it would miss a deletion ends,
// and others do not.
func TestForgottenMembers(t *testing.T) {
	h, _ := newHub(teacher)
	behind, reads := follow(t, h, teacher), follow(t, h, teacher)
	read(t, behind)
	var came *Follower
	for n := range maxGone + 1 {
		m := Member{Name: fmt.Sprint("m", n), Role: "learner"}
		h.Set(m)
		if h.Remove(m.Name, false); n == 0 {
			came = follow(t, h, teacher)
		}
		read(t, reads)
	}
	if _, err := behind.take(nil); err != io.EOF {
		t.Errorf("who is behind reads on: %v", err)
	}
	if n := h.changes.Len(); n != maxGone+2 {
		t.Errorf("%d things are kept", n)
	}
	if got := read(t, came); strings.Contains(got, `"m0"`) || !strings.Contains(got, `"m1"`) {
		t.Error("who came later reads something else than what happened since")
	}
	read(t, reads)
}

// TestLeaders lists who may show a view, and when it is withdrawn.
func TestLeaders(t *testing.T) {
	second := Member{Name: "second", Role: "teacher", Teacher: true}
	for _, test := range []struct {
		name   string
		leader string
		member string
		may    bool
		then   func(*Hub)
		stays  bool
	}{
		{"a learner", "", "ada", false, nil, false},
		{"nobody", "", "nobody", false, nil, false},
		{"a teacher", "", "second", true, func(h *Hub) { h.Set(grace) }, true},
		{"a leader", "ada", "ada", true, func(h *Hub) { h.Set(grace) }, true},
		{"a teacher who does not lead", "ada", "teacher", false, nil, false},
		{"a leader who is gone leads no more", "gone", "teacher", true, func(h *Hub) { h.SetLeader("") }, true},
		{"hand over", "ada", "ada", true, func(h *Hub) { h.SetLeader("teacher") }, false},
		{"the leader leaves", "ada", "ada", true, func(h *Hub) { h.Remove("ada", false) }, false},
		{"no teacher any more", "", "second", true, func(h *Hub) { h.Set(Member{"second", "", "learner", false}) }, false},
		{"replaced", "", "second", true, func(h *Hub) {
			h.Replace([]Member{teacher}, func(string) bool { return true })
		}, false},
	} {
		h, _ := newHub(teacher, second, ada)
		h.SetLeader(test.leader)
		if may := h.Leads(test.member); may != test.may || h.Show(test.member, []byte(`{}`)) != test.may {
			t.Errorf("%s: may show: %v", test.name, may)
		}
		if test.then != nil {
			test.then(h)
		}
		if got := read(t, follow(t, h, teacher)); strings.Contains(got, nothingShown) == test.stays {
			t.Errorf("%s: then\n%s", test.name, got)
		}
	}
}

func TestTooManyFollowers(t *testing.T) {
	h, _ := newHub(teacher, ada)
	first := follow(t, h, ada)
	for range MaxStreams - 1 {
		follow(t, h, ada)
	}
	if _, err := h.Follow("ada", "t", Options{}); err != ErrTooMany {
		t.Error(err)
	}
	first.Close()
	follow(t, h, ada)
	if _, err := h.Follow("grace", "t", Options{}); err != ErrNoMember {
		t.Error(err)
	}
}

// TestManyJoin has a class of 300 join one after another: what each gets is bounded by a small frame
// for each change.
func TestManyJoin(t *testing.T) {
	const class = 300
	h, _ := newHub(teacher)
	var all []*Follower
	size := 0
	for n := range class {
		m := Member{Name: fmt.Sprint("member-", n), DisplayName: "A Learner", Role: "learner"}
		h.Set(m)
		all = append(all, follow(t, h, m))
		for _, f := range all { // the worst: each reads after each change
			size += len(read(t, f))
		}
	}
	if each := size / class; each > class*120 {
		t.Errorf("each reads %d bytes", each)
	}
	slow := follow(t, h, teacher)
	before := len(read(t, slow))
	for _, f := range all {
		f.Close()
	}
	if got := len(read(t, slow)); got > before {
		t.Errorf("%d bytes when all leave, %d bytes when all are here", got, before)
	}
}

// TestUse has members take something, and checks who learns it, and when.
func TestUse(t *testing.T) {
	h := New(clock.NewManual(time.Unix(0, 0)), "epoch")
	for _, m := range []Member{teacher, ada, grace} {
		h.Set(m)
	}
	u := Usage{Amount: Amount{Objects: 1, Bytes: 10}, RequestsPerSecond: 2, Watches: 3, Share: Amount{500, 1 << 20}}
	h.Use("ada", u)
	h.Use("nobody", u)
	const frame = `{"type":"USAGE","member":"ada","usage":{"objects":1,"bytes":10,"requestsPerSecond":2,"watches":3,` +
		`"share":{"objects":500,"bytes":1048576}}}`
	for name, sees := range map[string]bool{"teacher": true, "ada": true, "grace": false} {
		f, err := h.Follow(name, name, Options{Silent: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Next(t.Context(), nil, nil)
		before, after, found := strings.Cut(string(b), `{"type":"SYNCED"}`+"\n")
		if err != nil || !found || strings.Contains(before, "USAGE") || (after == frame+"\n") != sees {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
		f.Close()
	}
	last := h.last
	if h.Use("ada", u); h.last != last {
		t.Error("what is as before is told again")
	}
	h.Remove("ada", false)
	for e := h.changes.Front(); e != nil; e = e.Next() {
		if strings.Contains(string(e.Value.(*item).frame), "USAGE") {
			t.Error("what a member took outlives it")
		}
	}
}
