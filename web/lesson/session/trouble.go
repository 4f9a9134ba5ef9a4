package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Trouble is why a step cannot pass as it is: what happened is not what it is about, or something is not there any
// more that it needs. The way out is to set the step up again.
type Trouble struct {
	// Title says what is so, in one sentence.
	Title string
	// Differences are between what the step expects and what was found, the most telling ones first.
	Differences []Difference
	// Asked says that a prediction waits for its verdict: the run was complete, and none of the answers, or more than
	// one, is what happened.
	Asked bool
}

// A Difference is one thing that is not as a step expects it. In its texts, ` marks code and ** what is emphasized.
type Difference struct {
	Expected, Found string
	// Revision is that of the write that made the difference, By who made it; 0 and empty: unknown.
	Revision int64
	By       string
}

// maxDifferences bounds how many differences are shown, of what was done, and as many of its outcome.
const maxDifferences = 2

// NotAsked is the title of a run that shows no answer.
const NotAsked = "This run is not the situation that was asked about."

var endedWatch = Difference{Expected: "a watch that is open", Found: "**it has ended**"}

// trouble returns what is wrong with step i, the one that is next; nil if nothing is.
func (s *Session) trouble(i, base int, sr *search) *Trouble {
	if sr.unjudged != nil {
		return &Trouble{Title: NotAsked, Asked: true,
			Differences: s.differences(base, sr.unjudged, s.outcomes(i, sr.unjudged))}
	}
	if a := s.refused(i, base, sr.best); a != nil {
		return &Trouble{Title: fmt.Sprintf("%d: this step expects another answer.", a.Status),
			Differences: s.differences(base, sr.best, []Difference{s.refusal(i, a)})}
	}
	if ref, step := s.missing(i); ref != nil {
		title := "What was set up first is not known any more."
		if step >= 0 {
			title = fmt.Sprintf("A value of step %d is not known any more.", step+1)
		}
		if step == i {
			title = "A value of this step is not known any more."
		}
		return &Trouble{Title: title, Differences: []Difference{{Expected: "`" + ref.Key() + "`", Found: "**no value**"}}}
	}
	if step, ended := s.ended(i); ended {
		title := "The watch of this step is no longer open."
		if step != i {
			title = fmt.Sprintf("This step needs the watch of step %d, which is no longer open.", step+1)
		}
		return &Trouble{Title: title, Differences: s.differences(base, sr.best,
			[]Difference{endedWatch})}
	}
	if s.steps[i].miss == watchEnded {
		return &Trouble{Title: "That watch has ended, and a later one comes too late.",
			Differences: s.differences(base, sr.best, []Difference{endedWatch})}
	}
	return nil
}

// refused returns the latest request of step i that was refused in a way that the step does not expect, and was not
// made again with another answer.
func (s *Session) refused(i, base int, bound map[string]found) *tap.Exchange {
	disturbed := -1 // not known yet
	for k := len(s.acts) - 1; k >= 0 && s.acts[k].When.Made > base; k-- {
		a := s.acts[k]
		if a.Status < 400 || a.Origin == string(FromSample) || !s.belongs(i, a) || s.expects(i, a) ||
			slices.ContainsFunc(s.acts[k+1:], func(b *tap.Exchange) bool {
				return b.Method == a.Method && b.Info.Path == a.Info.Path && b.Status > 0 && b.Status < 400
			}) {
			continue
		}
		if slices.Contains([]int{403, 404, 409, 410}, a.Status) {
			return a
		}
		if disturbed < 0 {
			disturbed = len(s.differences(base, bound, nil))
		}
		if disturbed > 0 { // what is wrong with the request itself is said by the check
			return a
		}
	}
	return nil
}

// belongs reports whether an act is a request of step i: one that it gives, or that a row looks for.
func (s *Session) belongs(i int, a *tap.Exchange) bool {
	step := &s.Lesson.Steps[i]
	return step.Has(a) || slices.ContainsFunc(step.Check.Rows, func(r format.Row) bool { return r.FitsRequest(a) })
}

// expects reports whether a row of step i takes the act's answer; or none looks for the act, and it is no request that
// the step gives for its effect.
func (s *Session) expects(i int, a *tap.Exchange) bool {
	found := false
	for j := range s.Lesson.Steps[i].Check.Rows {
		r := &s.Lesson.Steps[i].Check.Rows[j]
		if !r.FitsRequest(a) {
			continue
		}
		if found = true; r.FitsStatus(a) {
			return true
		}
	}
	return !found && a.Method == "GET"
}

// refusal says with which status an act was refused, instead of which.
func (s *Session) refusal(i int, a *tap.Exchange) Difference {
	expected := "an answer that is not refused"
	for _, r := range s.Lesson.Steps[i].Check.Rows {
		if r.FitsRequest(a) && len(r.Statuses) > 0 {
			expected = joinInts(r.Statuses)
			break
		}
	}
	found := fmt.Sprintf("**%d**", a.Status)
	if why := failure(a, "message"); why != "" {
		found += ": " + why
	}
	return Difference{Expected: expected, Found: found}
}

// missing returns a value that a request of step i needs of an earlier step, and that is not known; and that step, -1
// for the setup.
func (s *Session) missing(i int) (*format.Ref, int) {
	for _, b := range s.Lesson.Steps[i].Blocks {
		for j := range b.Requests {
			for _, r := range b.Requests[j].Refs() {
				if step, lost := s.lost(r, i); lost {
					return &r, step
				}
			}
		}
	}
	return nil, 0
}

// lost reports whether a value that step i needs was there and is not known any more, and the step that has it, -1 for
// the setup: that of an earlier step, or of what an earlier visit has done of this one.
func (s *Session) lost(r format.Ref, i int) (step int, lost bool) {
	if _, known := s.valueLocked(r); known {
		return 0, false
	}
	if s.kept[r.Name] && s.live[r.Name] == nil {
		return i, true
	}
	return s.stepOf(r.Name, i)
}

// stepOf returns the step before i that a name belongs to, -1 for the setup; false if step i gives the name itself.
func (s *Session) stepOf(name string, i int) (int, bool) {
	for k := i; k >= 0; k-- {
		step := &s.Lesson.Steps[k]
		given := slices.ContainsFunc(step.Check.Rows, func(r format.Row) bool { return r.Name == name }) ||
			slices.ContainsFunc(step.Blocks, func(b format.Block) bool {
				return slices.ContainsFunc(b.Requests, func(r format.Request) bool { return r.Name == name })
			})
		if given {
			return k, k < i
		}
	}
	return -1, s.made && slices.ContainsFunc(s.Lesson.Setup, func(r *format.Request) bool { return r.Name == name })
}

// differences returns what was done that the lesson does not do, the latest first, and what it has led to.
func (s *Session) differences(base int, bound map[string]found, led []Difference) []Difference {
	var out []Difference
	for k := len(s.acts) - 1; k >= 0 && len(out) < maxDifferences; k-- {
		if a := s.acts[k]; a.When.Made > s.begun && s.foreign(base, k, bound) {
			out = append(out, difference(a))
		}
	}
	return append(out, led...)
}

// foreign reports whether the kth act changed something, and is not the lesson's: made by something else than the
// lesson, or again in this step, and not what a row has found.
func (s *Session) foreign(base, k int, bound map[string]found) bool {
	a := s.acts[k]
	if !wrote(a) {
		return false
	}
	is := func(v format.Fielder) bool { x, ok := v.(exchange); return ok && x.ID == a.ID }
	for _, f := range bound {
		if f.x != nil && f.x.ID == a.ID {
			return false
		}
	}
	for _, values := range []map[string]format.Fielder{s.live, s.noted} {
		for _, v := range values {
			if is(v) {
				return false
			}
		}
	}
	if a.Origin != string(FromLesson) {
		return a.Origin != string(FromSample)
	}
	again := func(b *tap.Exchange) bool { return b.When.Made > base && wrote(b) && same(b, a) }
	return !strings.HasPrefix(a.Info.Path, wellknown.ControlPlane) && slices.ContainsFunc(s.acts[:k], again)
}

// outcomes says what the requests have brought that the answers of step i's question speak of.
func (s *Session) outcomes(i int, bound map[string]found) []Difference {
	q, _ := s.Lesson.Steps[i].Prediction()
	var out []Difference
	var seen []string
	for _, r := range q.Refs() {
		f, ok := bound[r.Name]
		if !ok || f.x == nil || f.event != nil || slices.Contains(seen, r.Name) || len(out) == maxDifferences {
			continue
		}
		seen = append(seen, r.Name)
		out = append(out, Difference{Expected: "`" + r.Name + "` as the answers say", Found: outcome(f.x)})
	}
	return out
}

// outcome says in a few words what an exchange has brought.
func outcome(x *tap.Exchange) string {
	if !x.Streams() {
		words := []string{fmt.Sprintf("**%d**", x.Status), summary(x).Text}
		if x.Status >= 400 {
			words = []string{fmt.Sprintf("**%d**", x.Status), failure(x, "message")}
		}
		return strings.TrimSpace(strings.Join(words, " "))
	}
	if len(x.Lines) == 0 {
		return "**no event**"
	}
	var words []string
	for _, e := range x.Lines {
		w := e.Type
		if code := (event{e}).failure(); code != "" {
			w += " " + code
		} else if name, ok := nameOfEvent.Of(event{e}); ok {
			w += " " + format.TextOf(name)
		}
		if words = append(words, w); len(words) == 4 && len(x.Lines) > 4 {
			words = append(words, fmt.Sprintf("%d more", len(x.Lines)-4))
			break
		}
	}
	return "**" + strings.Join(words, ", ") + "**"
}

var nameOfEvent = format.PathOf("object", "metadata", "name")

// Words returns the trouble in one sentence after another, or empty.
func (t *Trouble) Words() string {
	if t == nil {
		return ""
	}
	out := t.Title
	for _, d := range t.Differences {
		out += " Expected: " + plain(d.Expected) + ". Found: " + plain(d.Found) + "."
	}
	return out + " This step can be set up again"
}

// plain returns a text without its marks.
func plain(text string) string { return strings.NewReplacer("`", "", "**", "").Replace(text) }
