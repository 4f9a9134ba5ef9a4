package nodes

import (
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

// mostPlays is how many Stages are played for one object within a period, so that Stages that select what they have
// made do not write without a pause.
const (
	mostPlays = 10
	period    = time.Second
)

// player chooses the Stages of one object.
type player struct {
	// chosen is the Stage that the object is in, for a version of it with a status; it is played when it is due.
	chosen  *stage.Stage
	version string
	status  any
	due     time.Time
	// plays is how many Stages were played since the time begun, a period ago at most.
	plays int
	begun time.Time
	// idle is a version, with facts, for which a Stage was played that has changed nothing: there is nothing more to do
	// for it.
	idle string
}

// choose returns the Stage to play now; or nil, and when one is due, if any is. facts stands for what Stages see of an
// object besides what the API has of it.
func (p *player) choose(k *Kubelets, stages []*stage.Stage, o metav1.Object, tree map[string]any, facts string) (
	*stage.Stage, time.Time, error) {
	version, now := o.GetResourceVersion(), k.clock.Now()
	chosen := p.chosen
	if chosen != nil {
		ok, err := chosen.Matches(tree)
		if err != nil {
			return nil, time.Time{}, err
		}
		if !ok || p.version != version || !slices.Contains(stages, chosen) {
			chosen = nil
		}
	}
	if chosen == nil {
		if p.idle == version+facts {
			return nil, time.Time{}, nil
		}
		var err error
		if chosen, err = stage.Choose(stages, tree, k.below); chosen == nil || err != nil {
			p.chosen = nil
			return nil, time.Time{}, err
		}
		// Changes of labels and the like do not begin the delay again.
		if chosen != p.chosen || !reflect.DeepEqual(p.status, tree["status"]) {
			if p.due, err = p.dueAt(k, chosen, tree, now); err != nil {
				return nil, time.Time{}, err
			}
		}
		p.chosen, p.version, p.status = chosen, version, tree["status"]
	}
	if now.Sub(p.begun) >= period {
		p.begun, p.plays = now, 0
	}
	if p.plays >= mostPlays && p.due.Before(p.begun.Add(period)) {
		p.due = p.begun.Add(period)
	}
	if p.due.After(now) {
		return nil, p.due, nil
	}
	p.plays++
	p.chosen, p.status = nil, nil
	return chosen, time.Time{}, nil
}

func (p *player) dueAt(k *Kubelets, s *stage.Stage, tree map[string]any, now time.Time) (time.Time, error) {
	low, high, _, err := s.Delay(tree, now)
	if err != nil {
		return now, err
	}
	if high > low {
		low += time.Duration(k.below(int64(high - low)))
	}
	return now.Add(max(low, 0)), nil
}

// played notes that a Stage has changed nothing. It returns when to look again; zero: when something changes.
func (p *player) played(k *Kubelets, s *stage.Stage, o metav1.Object, facts string, err error) time.Time {
	switch {
	case err != nil:
		return time.Time{}
	case s.Immediate:
		return k.clock.Now().Add(period)
	}
	p.idle = o.GetResourceVersion() + facts
	return time.Time{}
}
