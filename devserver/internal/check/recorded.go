package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/status"
)

// RecordedOptions say what to try with policies.
type RecordedOptions struct {
	// File is a recording of a cluster, or a snapshot.
	File string
	// Since is how long before the end of the file the writes are that are tried; 0: all.
	Since time.Duration
	// Policies name, as paths of Options do, the policies with all that they need besides what the file has.
	Policies []string
}

// Recorded makes the writes of a recording again, with policies, and reports those that they would have refused. The
// cluster has the definitions, namespaces and parameters that the end of the recording has, and for an update or a
// deletion the object as it was. An update of the status alone is one of the subresource.
func Recorded(ctx context.Context, o RecordedOptions) (*Report, error) {
	policies, err := needed(ctx, o.Policies)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(policies, isPolicy) {
		return nil, fmt.Errorf("%s: no admission policy is there", strings.Join(o.Policies, ", "))
	}
	writes, end, problem, err := readWrites(o.File, o.Since)
	if err != nil {
		return nil, err
	}
	r := newRunner(TestOptions{Fork: forkNew, Token: testToken}, &Report{Results: []Result{}, Findings: []Finding{},
		Coverage: []Covered{}, what: "write"})
	if problem != nil {
		r.report.Notes = append(r.report.Notes,
			fmt.Sprintf("%s is damaged, and only what is before that was tried: %v", o.File, problem))
	}
	r.given = policies
	var given []*manifest
	kinds := paramKinds(policies)
	for _, key := range slices.Sorted(maps.Keys(end)) {
		m := recorded(o.File, end[key])
		if m != nil && (m.definition != nil || m.is("", "Namespace") || kinds[m.kind()]) {
			given = append(given, m)
		}
	}
	t := &table{}
	base, err := r.start(ctx, t, nil, nil)
	if err != nil {
		return nil, err
	}
	defer base.cluster.Close() // which keeps nothing, as the others
	if err := base.prepare(ctx, given, true); err != nil {
		return nil, err
	}
	r.report.Notes = append(r.report.Notes, base.report.Notes...)
	with, err := r.start(ctx, t, base.cluster, policies)
	if err != nil {
		return nil, err
	}
	defer with.cluster.Close()
	for _, w := range writes {
		if err := r.try(ctx, t, w, base, with, policies); err != nil {
			return nil, err
		}
	}
	r.cover()
	return r.report, nil
}

// A recordedWrite is a version of an object and the one before it.
type recordedWrite struct {
	file     string
	verb     string
	old, new []byte
	resource string // its plural
	mvcc.Record
}

// readWrites returns the writes of a recording in their order, and the objects at its end, by bucket and key. If the
// file is damaged, problem says how, and these are what is before the damage.
func readWrites(file string, since time.Duration) (writes []recordedWrite, end map[string][]byte, problem,
	err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, nil, plain(err)
	}
	defer f.Close() // which was only read
	var all []mvcc.Record
	found, err := journal.Read(f, journal.Visitor{
		Header: func(meta []byte) (bool, error) {
			var h struct{ Recording *struct{} }
			err := json.Unmarshal(meta, &h)
			return h.Recording != nil, err
		},
		Record: func(r mvcc.Record) error {
			r.Value = bytes.Clone(r.Value)
			all = append(all, r)
			return nil
		},
		Position: func(int64, int64) error { return nil },
	})
	if err == nil && len(all) == 0 {
		err = found.Problem
		if err == nil {
			err = errors.New("it has no objects")
		}
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: it is no recording of a cluster: %w", file, err)
	}
	slices.SortStableFunc(all, func(a, b mvcc.Record) int { return cmp.Compare(a.Revision, b.Revision) })
	begin := time.Time{}
	if since > 0 {
		begin = all[len(all)-1].Time.Add(-since)
	}
	end = map[string][]byte{}
	for _, r := range all {
		w := recordedWrite{file: file, verb: "create", new: r.Value, resource: path.Base(r.Bucket), Record: r}
		key := r.Bucket + "\x00" + r.Key
		if old, there := end[key]; there {
			w.old, w.verb = old, "update"
		}
		if end[key] = r.Value; r.Deleted {
			w.verb, w.new = "delete", nil
			delete(end, key)
		}
		// The first version of an object that was there when the recording began is no write of its time.
		if !r.Time.Before(begin) && (w.old != nil || w.verb == "create" && r.Created == r.Revision) {
			writes = append(writes, w)
		}
	}
	return writes, end, found.Problem, nil
}

// recorded returns the manifest of an object that was stored, without what the server has set; nil if it cannot be
// read.
func recorded(file string, body []byte) *manifest {
	var o map[string]any
	if json.Unmarshal(body, &o) != nil {
		return nil
	}
	meta, _ := o["metadata"].(map[string]any)
	for _, name := range []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation",
		"managedFields", "resourceVersion", "selfLink", "uid"} {
		delete(meta, name)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	p := parser{source: source{name: file}}
	p.object(&document{file: file, begin: 1, text: text}, "", text)
	if len(p.manifests) != 1 {
		return nil
	}
	return p.manifests[0]
}

// paramKinds returns the kinds of the parameters of policies.
func paramKinds(policies []*manifest) map[kind]bool {
	all := map[kind]bool{}
	for _, m := range policies {
		var p struct{ Spec struct{ ParamKind *Object } }
		if json.Unmarshal(m.body, &p) == nil && p.Spec.ParamKind != nil {
			all[(&manifest{Object: *p.Spec.ParamKind}).kind()] = true
		}
	}
	return all
}

// matches reports whether a policy has a rule for a resource, as far as group and name tell.
func matches(policies []*manifest, group, resource string) bool {
	return slices.ContainsFunc(policies, func(m *manifest) bool {
		var p struct {
			Spec struct {
				MatchConstraints struct {
					ResourceRules []struct{ APIGroups, Resources []string }
				}
			}
		}
		has := func(list []string, name string) bool {
			any := "*"
			if _, sub, ok := strings.Cut(name, "/"); ok {
				any = "*/" + sub
			}
			return slices.Contains(list, name) || slices.Contains(list, any) || slices.Contains(list, "*/*") ||
				slices.Contains(list, strings.Split(name, "/")[0]+"/*")
		}
		if !isPolicy(m) || json.Unmarshal(m.body, &p) != nil {
			return false
		}
		for _, r := range p.Spec.MatchConstraints.ResourceRules {
			if (slices.Contains(r.APIGroups, "*") || slices.Contains(r.APIGroups, group)) && has(r.Resources, resource) {
				return true
			}
		}
		return false
	})
}

// onlyStatus reports whether two versions differ in nothing that a client writes but their status.
func onlyStatus(a, b *manifest) bool {
	var trees [2]map[string]any
	for i, m := range []*manifest{a, b} {
		if json.Unmarshal(m.body, &trees[i]) != nil {
			return false
		}
		delete(trees[i], "status")
	}
	return reflect.DeepEqual(trees[0], trees[1]) && !bytes.Equal(a.body, b.body)
}

// denial finds the policy in a message, which is the first one that denies.
var denial = regexp.MustCompile(`olicy '([^']+)' with binding '[^']+' denied request`)

// try makes a write again: base has no policies, and with has them.
func (r *runner) try(ctx context.Context, t *table, w recordedWrite, base, with *checker, policies []*manifest) error {
	m, sub := recorded(w.file, w.new), ""
	old := recorded(w.file, w.old)
	if m == nil {
		m = old
	}
	if m == nil {
		return nil
	}
	resource := w.resource
	if w.verb == "update" && old != nil && onlyStatus(old, m) {
		sub, resource = "status", resource+"/status"
	}
	if !matches(policies, m.group(), resource) {
		return nil
	}
	k := with
	skipped := func(why string) error {
		r.report.Results = append(r.report.Results, Result{m.Object, w.file, 1, Skipped})
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("%s of %s, revision %d: it cannot be tried: %s", w.verb, m.Object,
			w.Revision, why))
		return nil
	}
	if w.verb != "create" {
		if old == nil {
			return skipped("the object before is unknown")
		}
		var err error
		if k, err = r.start(ctx, t, base.cluster, nil); err != nil {
			return err
		}
		defer k.cluster.Close() // which keeps nothing
		outcome, findings, err := k.apply(ctx, old)
		if err != nil {
			return err
		}
		if outcome != Accepted {
			return skipped(findings[len(findings)-1].said())
		}
		if err := k.prepare(ctx, policies, false); err != nil {
			return err
		}
	}
	type_, err := k.Find(ctx, m.APIVersion, m.Kind)
	if err != nil {
		return err
	}
	if type_ == nil {
		return skipped("its type is not served")
	}
	if err := k.assume(ctx, [][]*manifest{{m}, nil}); err != nil {
		return err
	}
	var as *identity
	if w.Author != nil && w.Author.User != "" {
		as = &identity{User: w.Author.User}
	}
	k.dry = true
	a, err := k.send(ctx, w.verb, type_, m, nil, &when{Subresource: sub}, as)
	k.dry = false
	if err != nil {
		return err
	}
	var answer status.Status
	at := m.in.file
	add := func(severity Severity, policy, message string) {
		f := Finding{File: at, Line: 1, Severity: severity, Object: &m.Object, Reason: string(answer.Reason)}
		for _, p := range policies {
			if isPolicy(p) && p.Name == policy && strings.HasSuffix(p.Kind, "Policy") {
				f.File, f.Line = p.in.file, p.line("")
			}
		}
		f.Message = fmt.Sprintf("%s at %s, revision %d: %s", strings.TrimSuffix(w.verb+" of "+sub, " of "),
			w.Time.UTC().Format(time.RFC3339), w.Revision, message)
		r.report.Findings = append(r.report.Findings, f)
	}
	for _, warning := range warnings(m, a) {
		if named := warned.FindStringSubmatch(warning.said()); named != nil {
			add(Warning, named[1], warning.said())
		}
	}
	outcome := Accepted
	if a.Code >= http.StatusBadRequest {
		if err := json.Unmarshal(a.Body.Bytes(), &answer); err != nil {
			return err
		}
		named := denial.FindStringSubmatch(answer.Message)
		if named == nil {
			return skipped(answer.Message)
		}
		outcome = Refused
		add(Error, named[1], answer.Message)
	}
	r.report.Results = append(r.report.Results, Result{m.Object, w.file, 1, outcome})
	return nil
}

// warned finds the policy in a warning.
var warned = regexp.MustCompile(`olicy '([^']+)' with binding`)
