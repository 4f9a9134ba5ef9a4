//go:build !js

package stage

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// TestPartsOnScreen wants rows for those parts of an opened program that wrote something on screen, the others named,
// rows that are low enough for all, and those of the program that was opened in sight.
func TestPartsOnScreen(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		p.sized(sizes{width: 800, ruler: 120, height: 300, unit: 1})
		for rev := int64(11); rev <= 40; rev++ {
			part := []string{"deployment", "replicaset", "endpoint"}[(rev-1)/10-1]
			app.Emit(p.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: revisions.Modified, Version: "v1",
				Resource: "pods", Namespace: "default", Name: "a", Request: "kube-controller-manager/" + part + "~0"}})
		}
		rows := func() (ids string) {
			p.later()
			p.Page.Shows("st-rows")
			p.later()
			for _, r := range p.shown() {
				if r.written != nil {
					ids += r.id + " "
				}
			}
			return ids
		}
		revealed := func() []string {
			return slices.DeleteFunc(p.Page.Take(), func(call string) bool { return !strings.HasPrefix(call, "reveal ") })
		}
		const all = "by-page by-kube-controller-manager "
		if got := rows(); got != all {
			t.Errorf("folded: %q", got)
		}
		revealed()
		p.parts["kube-controller-manager"], p.opens = true, "kube-controller-manager"
		p.lists.Do()
		p.cam.ShowRange(12, 18)
		p.steered()
		if got, want := rows(), all+"by-kube-controller-manager-deployment "; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := s.plots["plot-by-kube-controller-manager"]; !strings.Contains(got, "not on screen: replicaset, endpoint") {
			t.Error(got)
		}
		want := []string{"reveal st-head-by-kube-controller-manager-deployment", "reveal st-head-by-kube-controller-manager"}
		if got := revealed(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		p.cam.ShowRange(12, 38)
		p.steered()
		parts := all + "by-kube-controller-manager-deployment by-kube-controller-manager-replicaset " +
			"by-kube-controller-manager-endpoint "
		if got := rows(); got != parts {
			t.Errorf("%q, want %q", got, parts)
		}
		if got := revealed(); len(got) > 0 {
			t.Errorf("it is brought into sight once: %q", got)
		}
		if p.layout.program != ProgramUnits {
			t.Errorf("with room they are %g high", p.layout.program)
		}
		for height, want := range map[float64]float64{48 + 5*36: 36, 100: LowProgramUnits, 900: ProgramUnits} {
			if p.sized(sizes{width: 800, ruler: 120, height: height, unit: 1}); p.layout.program != want {
				t.Errorf("in %g they are %g high, want %g", height, p.layout.program, want)
			}
		}
	})
}
