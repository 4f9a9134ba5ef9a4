package room

import (
	"fmt"
	"strings"
	"testing"
)

func member(name string) string {
	return `{"type":"MEMBER","member":{"name":"` + name + `","displayName":"` + strings.ToUpper(name) +
		`","role":"learner","here":1}}`
}

// order returns the names of the members.
func order(s *State) string {
	var names []string
	for _, m := range s.Members {
		names = append(names, m.Name)
	}
	return strings.Join(names, " ")
}

func TestOrderOfJoining(t *testing.T) {
	var s State
	take(t, &s, `{"type":"HELLO","epoch":"1","you":"a"}`, member("d"), member("c"), member("a"), member("b"),
		`{"type":"SYNCED"}`)
	if err := s.TakeMembers(`{"items":[
		{"metadata":{"name":"a","creationTimestamp":"2026-01-01T10:00:01Z"},"spec":{"invitation":"i"}},
		{"metadata":{"name":"b","creationTimestamp":"2026-01-01T10:00:00Z"}},
		{"metadata":{"name":"d","creationTimestamp":"2026-01-01T10:00:01Z"}},
		{"metadata":{"name":"c","creationTimestamp":"2026-01-01T10:00:01Z"},"spec":{"invitation":"i"}},
		{"metadata":{"name":"gone","creationTimestamp":"2026-01-01T10:00:01Z"}}]}`); err != nil {
		t.Fatal(err)
	}
	if got := order(&s); got != "b d a c" || s.Find("a").Invitation != "i" || s.Find("b").Invitation != "" {
		t.Errorf("order %s, %+v", got, s.Members)
	}
	// Who comes later is last, and nobody's place changes: not with another name, nor with another stream.
	take(t, &s, member("aa"), `{"type":"MEMBER","member":{"name":"b","displayName":"Zoe","role":"learner"}}`)
	if got := order(&s); got != "b d a c aa" {
		t.Errorf("order %s", got)
	}
	take(t, &s, `{"type":"HELLO","epoch":"1","you":"a"}`, member("aa"), member("d"), member("c"), member("a"),
		member("b"), `{"type":"SYNCED"}`)
	if got := order(&s); got != "b d a c aa" || s.Find("a").Invitation != "i" {
		t.Errorf("order %s, %+v", got, s.Members)
	}
	if s.TakeMembers("<html>") == nil {
		t.Error("what is no list is taken")
	}
}

func TestPart(t *testing.T) {
	for _, c := range []struct {
		u    Usage
		want float64
	}{
		{Usage{}, 0},
		{Usage{Objects: 10, Bytes: 20}, 0},
		{Usage{Objects: 250, Bytes: 20, Share: Share{500, 1000}}, 0.5},
		{Usage{Objects: 5, Bytes: 900, Share: Share{500, 1000}}, 0.9},
		{Usage{Objects: 600, Bytes: 1, Share: Share{500, 0}}, 1},
		{Usage{Objects: -1, Share: Share{500, 0}}, 0},
	} {
		if got := c.u.Part(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.u, got, c.want)
		}
	}
}

func TestUsage(t *testing.T) {
	var s State
	take(t, &s, `{"type":"HELLO","epoch":"1","you":"t","role":"teacher"}`, member("a"), member("b"), `{"type":"SYNCED"}`,
		`{"type":"MEMBER","member":{"name":"b","gone":true}}`)
	if err := s.TakeUsage(`{"kind":"RoomUsage","members":[{"name":"a","role":"learner","objects":4,"bytes":100,
		"requestsPerSecond":0.5,"watches":3},{"name":"x","objects":1},{"name":"b","gone":true,"objects":7},
		{"name":"y","gone":true}],"share":{"objects":10,"bytes":1000}}`); err != nil {
		t.Fatal(err)
	}
	if got := *s.Find("a").Usage; got != (Usage{4, 100, 0.5, 3, Share{10, 1000}}) {
		t.Errorf("usage %+v", got)
	}
	if f := s.Former; len(f) != 1 || f[0].Name != "b" || f[0].Title != "B" || f[0].Usage.Objects != 7 {
		t.Errorf("gone, and have left objects: %+v", f)
	}
	// The answer comes before the frame that says who is gone.
	if err := s.TakeUsage(`{"members":[{"name":"a","gone":true,"objects":3}]}`); err != nil || len(s.Former) != 1 ||
		s.Former[0].Title != "A" || s.Find("a").Usage.Objects != 4 {
		t.Errorf("gone before it is told: %+v, %v", s.Former, err)
	}
	floods := func() string {
		begun, ended := s.Floods(20)
		return fmt.Sprint(begun, ended, len(s.Flooding()))
	}
	usage := func(objects int, perSecond float64) {
		take(t, &s, fmt.Sprintf(`{"type":"USAGE","member":"a","usage":{"objects":%d,"bytes":1,"requestsPerSecond":%v,
			"share":{"objects":100,"bytes":1000}}}`, objects, perSecond))
	}
	if got := floods(); got != "[] [] 0" {
		t.Errorf("at first: %s", got)
	}
	for _, step := range []struct {
		objects   int
		perSecond float64
		want      string
	}{
		{90, 0, "[A] [] 1"}, {91, 0, "[] [] 1"}, {85, 0, "[] [] 1"}, {79, 0, "[] [A] 0"},
		{1, 20, "[A] [] 1"}, {1, 11, "[] [] 1"}, {1, 9, "[] [A] 0"}, {85, 19, "[] [] 0"},
	} {
		usage(step.objects, step.perSecond)
		if got := floods(); got != step.want {
			t.Errorf("%d objects, %v/s: %s, want %s", step.objects, step.perSecond, got, step.want)
		}
	}
	// A member's frame keeps what it takes; a frame of nobody changes nothing.
	take(t, &s, member("a"), `{"type":"USAGE","member":"x","usage":{"objects":1}}`, `{"type":"USAGE","member":"a"}`)
	if s.Find("a").Usage.Objects != 85 {
		t.Errorf("%+v", s.Find("a").Usage)
	}
	if s.TakeUsage("[]") == nil {
		t.Error("what is no usage is taken")
	}
}

func TestLinks(t *testing.T) {
	var s State
	take(t, &s, `{"type":"HELLO","epoch":"1","you":"t"}`, member("a"), member("b"), member("c"), `{"type":"SYNCED"}`)
	if err := s.TakeMembers(`{"items":[
		{"metadata":{"name":"a","creationTimestamp":"2026-01-01T10:00:02Z"},"spec":{"invitation":"one"}},
		{"metadata":{"name":"b","creationTimestamp":"2026-01-01T10:00:03Z"},"spec":{"invitation":"one"}},
		{"metadata":{"name":"c","creationTimestamp":"2026-01-01T10:00:04Z"},"spec":{"invitation":"lost"}}]}`); err != nil {
		t.Fatal(err)
	}
	tokens := `{"items":[
		{"metadata":{"name":"two","creationTimestamp":"2026-01-01T10:00:01Z"},"spec":{"invites":"teacher"}},
		{"metadata":{"name":"mine","creationTimestamp":"2026-01-01T09:00:00Z"},"spec":{"member":"t"}},
		{"metadata":{"name":"going","creationTimestamp":"2026-01-01T09:00:00Z","deletionTimestamp":"2026-01-01T09:00:00Z"},
			"spec":{"invites":"learner"}},
		{"metadata":{"name":"one","creationTimestamp":"2026-01-01T10:00:00Z"},"spec":{"invites":"learner"}}]}`
	links, err := s.Links(tokens, []Link{{Name: "one", Role: "learner", Token: "secret"},
		{Name: "old", Role: "spectator", Token: "gone", Joined: 5}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range links {
		got = append(got, fmt.Sprint(l.Name, " ", l.Role, " ", l.Token, " ", l.Joined, " ", l.Ended))
	}
	want := "one learner secret 2 false; two teacher  0 false; old spectator gone 0 true; lost learner  1 true"
	if strings.Join(got, "; ") != want {
		t.Errorf("links %s", strings.Join(got, "; "))
	}
	if _, err := s.Links("", nil); err == nil {
		t.Error("what is no list is taken")
	}
}
