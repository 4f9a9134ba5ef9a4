//go:build !js

package lessons_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// TestCures disturbs steps as learners have, and wants what is said to be true and to name the way out.
func TestCures(t *testing.T) {
	given := func(from, to int) func(*testing.T, *play.Player, int) {
		return func(t *testing.T, p *play.Player, i int) {
			for _, r := range p.Session.Lesson.Steps[i].Given()[from:to] {
				_, _ = p.Send(r) // what is missing is said
			}
		}
	}
	ask := func(method, target, body string) func(*testing.T, *play.Player, int) {
		return func(t *testing.T, p *play.Player, _ int) {
			if _, err := p.Console(method, target, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		lesson string
		step   string
		do     []func(*testing.T, *play.Player, int)
		reload bool
		rest   func(*testing.T, *play.Player, int)
		said   string
	}{
		"the deletion was too early": {lesson: "namespaces", step: "five-seconds",
			do: []func(*testing.T, *play.Player, int){given(2, 4)}, rest: given(0, 4),
			said: "It has not come yet. If nothing comes"},
		"the backup is not known any more": {lesson: "too-new", step: "yesterday-s-backup",
			do: []func(*testing.T, *play.Player, int){given(0, 3)}, reload: true, rest: given(3, 4),
			said: "A value of this step is not known any more."},
		"a Pot is there already": {lesson: "own-types", step: "three-pots",
			do: []func(*testing.T, *play.Player, int){ask("POST", "/apis/own-types.example/v1/namespaces/own-types/pots",
				`{"apiVersion": "own-types.example/v1", "kind": "Pot", "metadata": {"name": "a"}, "spec": {"plant": "fern"}}`)},
			rest: given(0, 1), reload: true, said: "409: this step expects another answer."},
		"the Role is gone": {lesson: "who-may", step: "the-log-of-a-pod",
			do: []func(*testing.T, *play.Player, int){
				ask("DELETE", "/apis/rbac.authorization.k8s.io/v1/namespaces/who-may/roles/trainee", "")},
			rest: given(0, 3), said: ": this step expects another answer."},
		"the change is not known any more": {lesson: "stale-reads", step: "not-older-than-what-you-have-seen",
			do: []func(*testing.T, *play.Player, int){func(_ *testing.T, p *play.Player, _ int) {
				p.Session.SetCluster("one")
				p.Session.SetCluster("another")
			}},
			rest: given(0, 2), said: "A value of step 1 is not known any more."},
		"the light is gone": {lesson: "stale-reads", step: "a-cache-that-is-stopped",
			do: []func(*testing.T, *play.Player, int){
				ask("DELETE", "/api/v1/namespaces/stale-reads/configmaps/light", "")},
			rest: given(0, 2), said: "404: this step expects another answer."},
	} {
		t.Run(name, func(t *testing.T) {
			if *only != "" && *only != test.lesson {
				t.Skip()
			}
			l := load(t)[test.lesson]
			i := slices.IndexFunc(l.Steps, func(s format.Step) bool { return s.ID == test.step })
			if i < 0 {
				t.Fatalf("%s has no step %s", l.File, test.step)
			}
			synctest.Test(t, func(t *testing.T) {
				p := begin(t, fresh(t, 10), l)
				for k := range i {
					must(t, l, p.Solve(k))
				}
				for _, do := range test.do {
					do(t, p, i)
				}
				p.Passed() // as the page looks after each request
				if test.reload {
					kept := session.ParseProgress(p.Session.Progress().String())
					p.Close()
					p = p.Reloaded(t.Context(), kept)
					p.AfterRequest(synctest.Wait)
					t.Cleanup(p.Close)
					p.Passed()
				}
				test.rest(t, p, i)
				if passed, _ := p.Try(i, nil); passed {
					if test.said != "" {
						t.Fatal("it passes")
					}
					return
				}
				st := p.Session.Step(i)
				said := st.Miss
				if st.Trouble != nil {
					said = st.Trouble.Title
				}
				if !strings.Contains(said, test.said) || said == "" {
					t.Errorf("said %q (%+v), want %q", said, st, test.said)
				}
				must(t, l, p.SetUp(i))
				must(t, l, p.Solve(i))
			})
		})
	}
}
