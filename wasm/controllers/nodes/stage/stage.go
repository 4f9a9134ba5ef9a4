package stage

import (
	"errors"
	"fmt"
	"text/template"
	"time"
)

// errCEL is the error of what is written in CEL.
var errCEL = errors.New("cel: only jq is understood here")

// A Stage is a Stage that can be played.
type Stage struct {
	Name string
	// APIVersion and Kind are the type of its objects.
	APIVersion, Kind string
	// Immediate is whether the next Stage is chosen at once, even if this one has changed nothing.
	Immediate bool

	labels, annotations map[string]string
	expressions         []*requirement
	weight              source
	delayed             bool
	delay, jitter       source
	steps               []step
}

// Parse makes a Stage of what is written. funcs are template functions besides those of this package; they win over
// them. It returns nil for a Stage without a selector, which is never played.
func Parse(o *Object, funcs template.FuncMap) (*Stage, error) {
	s, err := parse(o, funcs)
	if err != nil {
		return nil, fmt.Errorf("Stage %s: %w", o.Name, err)
	}
	return s, nil
}

func parse(o *Object, funcs template.FuncMap) (*Stage, error) {
	spec := &o.Spec
	s := &Stage{Name: o.Name, APIVersion: spec.ResourceRef.APIGroup, Kind: spec.ResourceRef.Kind,
		Immediate: spec.ImmediateNextStage}
	if s.Kind == "" {
		return nil, errors.New("resourceRef.kind is missing")
	}
	if s.APIVersion == "" {
		s.APIVersion = "v1"
	}
	if spec.Weight < 0 {
		return nil, errors.New("weight is negative")
	}
	var err error
	if s.weight, err = newSource(&spec.Weight, spec.WeightFrom); err != nil {
		return nil, err
	}
	if err := s.parseDelay(spec.Delay); err != nil {
		return nil, err
	}
	for i, given := range spec.steps() {
		step, err := parseStep(&given, funcs)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		s.steps = append(s.steps, step)
	}
	if spec.Selector == nil {
		return nil, nil
	}
	s.labels, s.annotations = spec.Selector.MatchLabels, spec.Selector.MatchAnnotations
	for _, m := range spec.Selector.MatchExpressions {
		r, err := newRequirement(m)
		if err != nil {
			return nil, err
		}
		s.expressions = append(s.expressions, r)
	}
	return s, nil
}

func (s *Stage) parseDelay(d *Delay) error {
	if d == nil {
		return nil
	}
	s.delayed = true
	var zero int64
	low, high := &zero, d.JitterDurationMilliseconds
	for _, ms := range []*int64{d.DurationMilliseconds, high} {
		if ms != nil && *ms < 0 {
			return errors.New("delay is negative")
		}
	}
	if d.DurationMilliseconds != nil {
		low = nanoseconds(*d.DurationMilliseconds)
	}
	if high != nil {
		high = nanoseconds(*high)
	}
	var err error
	if s.delay, err = newSource(low, d.DurationFrom); err != nil {
		return err
	}
	s.jitter, err = newSource(high, d.JitterDurationFrom)
	return err
}

func nanoseconds(ms int64) *int64 {
	n := ms * int64(time.Millisecond)
	return &n
}

// Matches reports whether the Stage selects an object.
func (s *Stage) Matches(object map[string]any) (bool, error) {
	metadata, _ := object["metadata"].(map[string]any)
	if !contains(metadata["labels"], s.labels) || !contains(metadata["annotations"], s.annotations) {
		return false, nil
	}
	for _, r := range s.expressions {
		if ok, err := r.matches(object); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// contains reports whether a map has all the values that are wanted.
func contains(v any, wanted map[string]string) bool {
	m, _ := v.(map[string]any)
	for k, v := range wanted {
		if has, ok := m[k].(string); !ok || has != v {
			return false
		}
	}
	return true
}

// Weight returns the Stage's weight for an object; false: it has none, since its expression's output is no number.
func (s *Stage) Weight(object map[string]any) (int64, bool, error) { return s.weight.number(object) }

// Delay returns the least and the most time before the Stage is played. They may be negative: then it is due. Without a
// delay, or if its expression's output is empty, both are 0 and delayed is false.
func (s *Stage) Delay(object map[string]any, now time.Time) (low, high time.Duration, delayed bool, err error) {
	if !s.delayed {
		return 0, 0, false, nil
	}
	low, ok, err := s.delay.duration(object, now)
	if !ok || err != nil {
		return 0, 0, false, err
	}
	high, ok, err = s.jitter.duration(object, now)
	switch {
	case err != nil:
		return 0, 0, false, err
	case !ok:
		high = low
	case high < low:
		low = high
	}
	return low, high, true, nil
}

// Possible returns those of the Stages that may be chosen for an object: those that select it, and of these the ones
// with a weight, if any has one.
func Possible(stages []*Stage, object map[string]any) ([]*Stage, error) {
	all, _, err := weighted(stages, object)
	return all, err
}

// Choose chooses the Stage that an object is in, by their weights; nil if it is in no Stage. below returns a random
// number that is at least 0 and below n.
func Choose(stages []*Stage, object map[string]any, below func(n int64) int64) (*Stage, error) {
	all, weights, err := weighted(stages, object)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	var total int64
	for _, w := range weights {
		total += w
	}
	if total <= 0 {
		return all[below(int64(len(all)))], nil
	}
	n := below(total)
	for i, w := range weights {
		if n -= w; n < 0 {
			return all[i], nil
		}
	}
	return all[len(all)-1], nil
}

func weighted(stages []*Stage, object map[string]any) (all []*Stage, weights []int64, err error) {
	for _, s := range stages {
		ok, err := s.Matches(object)
		if err != nil {
			return nil, nil, fmt.Errorf("Stage %s: %w", s.Name, err)
		}
		if ok {
			all = append(all, s)
		}
	}
	if len(all) < 2 {
		return all, make([]int64, len(all)), nil
	}
	// least is the lowest weight that can be chosen: -1 stands for no number.
	least := int64(-1)
	weights = make([]int64, len(all))
	for i, s := range all {
		w, ok, err := s.Weight(object)
		if err != nil {
			return nil, nil, fmt.Errorf("Stage %s: %w", s.Name, err)
		}
		if !ok {
			w = -1
		}
		weights[i] = w
		if w > 0 {
			least = 1
		} else if w == 0 && least < 0 {
			least = 0
		}
	}
	n := 0
	for i, w := range weights {
		if w >= least {
			all[n], weights[n] = all[i], max(w, 0)
			n++
		}
	}
	return all[:n], weights[:n], nil
}
