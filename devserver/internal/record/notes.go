package record

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	// shortOutage is how long an outage has to last to be noted.
	shortOutage = time.Second
	// maxFields is how many unknown fields of a type are noted.
	maxFields = 20
)

// noteOnce notes something the first time that it happens.
func (r *Recorder) noteOnce(key string, n note) {
	r.mu.Lock()
	first := !r.noted[key]
	r.noted[key] = true
	r.mu.Unlock()
	if first {
		r.file.note(n)
	}
}

// unknownField notes a field that this version of Kubernetes does not have.
func (r *Recorder) unknownField(f *follower, field string, rev int64) {
	r.mu.Lock()
	key := f.name() + " " + field
	if r.noted[key] || r.fields[f.name()] > maxFields {
		r.mu.Unlock()
		return
	}
	r.fields[f.name()]++
	r.mu.Unlock()
	r.noteOnce(key, note{Kind: "fields", Types: []string{f.name()}, From: rev, Text: fmt.Sprintf(
		"%s: %s of this version. It is shown as the cluster has it, and lost when the object is written in a fork.",
		f.name(), cut(field))})
}

// refused notes that rights are missing.
func (r *Recorder) refused(f *follower, err error) {
	text := "%s is not recorded: it takes the right to list and watch it (%s)."
	if f.at > 0 {
		text = "The rights to %s were lost (%s). What changes from revision " + fmt.Sprint(f.at) + " on is not recorded."
	}
	r.file.note(note{Kind: "rights", Types: []string{f.name()}, From: f.at, Text: fmt.Sprintf(text, f.name(),
		cut(err.Error()))})
}

// answered is called when a list or a watch of a type was answered.
func (r *Recorder) answered(f *follower) {
	r.connectionBack()
	if f.refused {
		f.refused = false
		r.file.note(note{Kind: "rights", Types: []string{f.name()}, To: f.at, Text: fmt.Sprintf(
			"The rights to %s are there again.", f.name())})
	}
}

// opened returns what is called when a watch of a type was answered.
func (r *Recorder) opened(f *follower) func() {
	return func() {
		f.retry = 0
		r.answered(f)
	}
}

// busy notes an answer that asks to wait.
func (r *Recorder) busy(f *follower, err *statusError) {
	r.noteOnce(fmt.Sprint("busy ", f.name(), err.Code), note{Kind: "connection", Types: []string{f.name()}, From: f.at,
		Text: fmt.Sprintf("The server answered %s with %v, and is asked again.", f.name(), err)})
}

// connectionLost and connectionBack note outages.
func (r *Recorder) connectionLost(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lostSince.IsZero() {
		r.lostSince, r.lostBy = r.now(), err
	}
}

func (r *Recorder) connectionBack() {
	r.mu.Lock()
	since, why := r.lostSince, r.lostBy
	r.lostSince = time.Time{}
	r.mu.Unlock()
	if since.IsZero() || r.now().Sub(since) < shortOutage {
		return
	}
	r.file.note(note{Kind: "connection", Text: fmt.Sprintf("The server could not be reached from %s to %s (%v).",
		since.UTC().Format(time.TimeOnly), r.now().UTC().Format(time.TimeOnly), cut(why.Error()))})
}

// A definition is what is read of a CustomResourceDefinition.
type definition struct {
	Spec struct {
		Group, Scope string
		Names        struct{ Plural, Kind string }
		Conversion   struct{ Strategy string }
		Versions     []struct {
			Name            string
			Served, Storage bool
		}
	}
	Status struct {
		Conditions []struct{ Type, Status string }
	}
	target *target
}

// define takes a version of a definition: its type comes, changes, or goes.
func (r *Recorder) define(name string, value []byte, rev int64) {
	var d definition
	_ = json.Unmarshal(value, &d) // a missing or invalid value defines nothing
	established := false
	for _, c := range d.Status.Conditions {
		established = established || c.Type == "Established" && c.Status == "True"
	}
	r.mu.Lock()
	if _, was := r.defined[name]; !established {
		delete(r.defined, name)
		r.mu.Unlock()
		if was && value == nil {
			r.file.note(note{Kind: "types", Types: []string{name}, From: rev, Text: fmt.Sprintf(
				"The definition of %s was deleted.", name)})
		}
		return
	}
	t := &target{
		group: d.Spec.Group, plural: d.Spec.Names.Plural, kind: d.Spec.Names.Kind, namespaced: d.Spec.Scope == "Namespaced",
		bucket: customBucket(d.Spec.Group, d.Spec.Names.Plural),
	}
	for _, v := range d.Spec.Versions {
		if v.Storage && v.Served || t.version == "" && v.Served {
			t.version = v.Name
		}
	}
	d.target = t
	r.defined[name] = d
	old := r.followers[t.bucket]
	if old != nil {
		select {
		case <-old.stopped:
			delete(r.followers, t.bucket) // it ended with the definition from before
		default:
		}
	}
	r.mu.Unlock()
	if t.version == "" || !r.selects(t) || !t.namespaced && r.Namespace != "" {
		return
	}
	if d.Spec.Conversion.Strategy == "Webhook" {
		r.noteOnce("conversion "+name, note{Kind: "types", Types: []string{t.name()}, From: rev, Text: fmt.Sprintf(
			"A webhook converts versions of %s. It is recorded in %s; in the lab other versions have the same fields.",
			t.name(), t.version)})
	}
	r.follow(t)
}

// isDefined reports whether a definition makes a type.
func (r *Recorder) isDefined(t *target) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.defined {
		if d.target.bucket == t.bucket {
			return true
		}
	}
	return false
}

// aggregate notes that API servers come and go whose types are not recorded.
func (r *Recorder) aggregate(name string, value []byte, rev int64) {
	var s apiService
	_ = json.Unmarshal(value, &s) // without a value it has none
	is := s.Spec.Service != nil
	r.mu.Lock()
	was := r.noted["aggregated "+name]
	r.noted["aggregated "+name] = is
	begun := r.file.figures().horizon > 0
	r.mu.Unlock()
	switch {
	case is && !was && begun:
		r.file.note(note{Kind: "types", Types: []string{name}, From: rev, Text: fmt.Sprintf(
			"Another API server serves %s from now on (aggregation). What it has is not recorded.", name)})
	case was && !is && value == nil:
		r.file.note(note{Kind: "types", Types: []string{name}, From: rev, Text: fmt.Sprintf(
			"%s is not served any more; it was not recorded.", name)})
	}
}
