//go:build !js

package play

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Disturber does to a lesson what its steps do not expect, at random.
type Disturber struct {
	rand *rand.Rand
	// objects are the paths of objects that were written, collections those into which.
	objects, collections []string
	pending              map[int]tap.Event
	// Leave are kinds of disturbances that are left out.
	Leave []string
	// Did is what was done, in words.
	Did []string
}

// NewDisturber returns one for a seed, which gets what the player receives.
func NewDisturber(seed uint64) *Disturber {
	return &Disturber{rand: rand.New(rand.NewPCG(seed, 28)), pending: map[int]tap.Event{}}
}

// Hear takes a tap event: what is written can be disturbed.
func (d *Disturber) Hear(ev tap.Event) {
	switch ev.Type {
	case tap.Request:
		if ev.Method == "POST" || ev.Method == "PUT" || ev.Method == "PATCH" {
			d.pending[ev.ID] = ev
		}
	case tap.Head:
		made, ok := d.pending[ev.ID]
		if delete(d.pending, ev.ID); ok && ev.Status < 300 {
			d.wrote(made)
		}
	}
}

func (d *Disturber) wrote(ev tap.Event) {
	u, err := url.Parse(ev.URL)
	if err != nil || strings.HasPrefix(u.Path, wellknown.ControlPlane) || u.RawQuery != "" ||
		strings.HasSuffix(u.Path, "reviews") {
		return
	}
	path := u.Path
	if ev.Method == "POST" {
		if !slices.Contains(d.collections, path) && strings.Contains(path, "/namespaces/") {
			d.collections = append(d.collections, path)
		}
		name := format.NameIn(ev.Body)
		if name == "" {
			return
		}
		path += "/" + name
	}
	if !slices.Contains(d.objects, path) {
		d.objects = append(d.objects, path)
	}
}

// Pick returns a number below n.
func (d *Disturber) Pick(n int) int { return d.rand.IntN(n) }

// kinds are what a Disturber can do to the cluster.
var kinds = []string{"delete", "delete", "change", "change", "create", "create again", "compact", "restart",
	"disconnect", "settings", "advance", "namespace"}

// settings are changes of the control plane that a learner can make with levers.
var settingChanges = []string{
	`{"spec": {"clock": {"paused": true}}}`,
	`{"spec": {"cache": {"replicas": [{"frozen": true}]}}}`,
	`{"spec": {"cache": {"replicas": [{"lagSeconds": 20}, {}]}}}`,
	`{"spec": {"controllers": {"enabled": false}}}`,
	`{"spec": {"authorization": {"mode": "RBAC"}}}`,
	`{"spec": {"watch": {"bookmarkSeconds": 86400}}}`,
}

// Disturb does one thing to the cluster, as a learner does in the console or with a lever.
func (d *Disturber) Disturb(p *Player) error {
	kind := kinds[d.Pick(len(kinds))]
	if slices.Contains(d.Leave, kind) {
		return nil
	}
	method, target, body := "POST", wellknown.ControlPlane+"/"+kind, "{}"
	switch kind {
	case "delete", "change", "create again":
		if len(d.objects) == 0 {
			return nil
		}
		target = d.objects[d.Pick(len(d.objects))]
		switch kind {
		case "delete":
			method, body = "DELETE", ""
		case "change":
			method, body = "PATCH", fmt.Sprintf(`{"metadata": {"labels": {"disturbed": "n%d"}}}`, d.Pick(1000))
		default: // the same name, another object
			if _, err := p.Console("DELETE", target, ""); err != nil {
				return err
			}
			name := target[strings.LastIndex(target, "/")+1:]
			target, body = target[:strings.LastIndex(target, "/")], fmt.Sprintf(`{"metadata": {"name": %q}}`, name)
		}
	case "create":
		if len(d.collections) == 0 {
			return nil
		}
		target = d.collections[d.Pick(len(d.collections))]
		body = fmt.Sprintf(`{"metadata": {"name": %q}, "spec": {"containers": [{"name": "app", "image": "x"}]}}`,
			[]string{"aa", "zz", "new", "b2"}[d.Pick(4)])
	case "settings":
		method, target, body = "PATCH", wellknown.ControlPlane, settingChanges[d.Pick(len(settingChanges))]
	case "advance":
		body = fmt.Sprintf(`{"seconds": %d}`, []int{10, 400, 4000}[d.Pick(3)])
	case "namespace":
		names := p.Session.Lesson.Namespaces
		if len(names) == 0 {
			return nil
		}
		method, target, body = "DELETE", "/api/v1/namespaces/"+names[d.Pick(len(names))], ""
	}
	status, err := p.Console(method, target, body)
	d.Did = append(d.Did, fmt.Sprintf("%s: %s %s %s -> %d", kind, method, target, body, status))
	return err
}

// A Way is how a learner got through a step who does only what the page offers.
type Way struct {
	// Offered counts how often the step offered by itself to be set up again, Asked how often that was needed, and was
	// not offered; Silent, how often not even a word was said.
	Offered, Asked, Silent int
	// Unoffered are what the step said instead of offering it.
	Unoffered []string
}

// maxSetUps is how often such a learner sets a step up again.
const maxSetUps = 4

// Overcome passes the step that comes next as a learner does who does what the page offers: sets the step up again when
// that is offered, presses Run, and then runs the solution. said is called after each of that.
func (p *Player) Overcome(step int, said func()) (way Way, err error) {
	l := p.Session.Lesson
	try := func(requests []*format.Request) bool {
		for _, r := range requests {
			if _, err := p.Send(r); err != nil {
				break // what is missing is said
			}
			if p.Passed() > step {
				break
			}
		}
		passed, _ := p.Try(step, nil)
		said()
		return passed
	}
	for range maxSetUps {
		if p.Passed() > step {
			return way, nil
		}
		if st := p.Session.Step(step); st.Trouble == nil {
			if try(l.Steps[step].Given()) || try(l.Steps[step].Solve()) {
				return way, nil
			}
		}
		switch st := p.Session.Step(step); {
		case st.Trouble != nil:
			way.Offered++
		default:
			way.Asked++
			if way.Unoffered = append(way.Unoffered, st.Miss); st.Miss == "" {
				way.Silent++
			}
		}
		if err := p.SetUp(step); err != nil {
			return way, fmt.Errorf("it cannot be set up again: %w", err)
		}
		said()
		if try(l.Steps[step].Solve()) {
			return way, nil
		}
	}
	return way, fmt.Errorf("it does not pass, set up again %d times: %+v", maxSetUps, p.Session.Step(step))
}
