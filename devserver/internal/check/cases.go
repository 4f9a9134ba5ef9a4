package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/trial"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/coverage"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// TestOptions say what to test.
type TestOptions struct {
	// Paths are files with tables, or directories, of which those with tests are taken.
	Paths []string
	// Covered makes it an error, and not a note, that an expression was never evaluated, or a condition of one never
	// true or never false.
	Covered bool
	// Fork starts a cluster with an authorization mode: a copy of one that it has started, or a new one for nil. If Fork
	// is nil, new ones are empty. They have to have core/trial, for tables with an expression. Token is what the requests
	// of its administrator have.
	Fork  func(from *core.Cluster, authorization string, cel expression.Evaluator) (*core.Cluster, error)
	Token string

	// around wraps the servers, for tests; it may be nil.
	around func(http.Handler) http.Handler
}

// Test runs tables. An error says why they could not be run. How tests fail is in the report.
func Test(ctx context.Context, o TestOptions) (*Report, error) {
	texts, err := sources(ctx, o.Paths, nil)
	if err != nil {
		return nil, err
	}
	tables, err := readTables(texts)
	if err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, errors.New("no tests are there")
	}
	if o.Fork == nil {
		o.Fork, o.Token = forkNew, testToken
	}
	r := newRunner(o, &Report{Results: []Result{}, Findings: []Finding{}, Coverage: []Covered{}})
	for _, t := range tables {
		if err := r.table(ctx, t); err != nil {
			return nil, err
		}
	}
	r.cover()
	return r.report, nil
}

// testToken is the bearer token of the administrator of new clusters.
const testToken = "test"

func forkNew(from *core.Cluster, authorization string, cel expression.Evaluator) (*core.Cluster, error) {
	o := cluster.Options{Controllers: true, Build: "test", Authorization: authorization, CEL: cel,
		Extensions: []extension.Extension{trial.Trials{}},
		Tokens:     []core.Token{{Token: testToken, User: "kubernetes-admin", Groups: []string{"system:masters"}}}}
	if from != nil {
		return from.Fork(o.Core())
	}
	return cluster.Open(o)
}

// A runner runs tables one after another.
type runner struct {
	o       TestOptions
	report  *Report
	counter coverage.Counter
	cel     *remembering
	given   []*manifest
}

func newRunner(o TestOptions, report *Report) *runner {
	r := &runner{o: o, report: report}
	r.cel = &remembering{Evaluator: evaluator.Evaluator{Watch: r.counter.Watch}}
	return r
}

// remembering is an evaluator that compiles each unit once, whatever the number of clusters that have it.
type remembering struct {
	evaluator.Evaluator
	mu    sync.Mutex
	units map[string]unit
}

type unit struct {
	compiled expression.Compiled
	problems []expression.Problem
}

// CompileUnit implements expression.Evaluator.
func (r *remembering) CompileUnit(ctx context.Context, u *expression.Unit) (expression.Compiled, []expression.Problem,
	error) {
	key, err := json.Marshal(u)
	if err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	known, ok := r.units[string(key)]
	r.mu.Unlock()
	if ok {
		return known.compiled, known.problems, nil
	}
	if known.compiled, known.problems, err = r.Evaluator.CompileUnit(ctx, u); err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.units == nil {
		r.units = map[string]unit{}
	}
	r.units[string(key)] = known
	return known.compiled, known.problems, nil
}

// start starts a cluster that has what is given besides what another one has. Policies come last: they do not keep
// out what was there before them.
func (r *runner) start(ctx context.Context, t *table, from *core.Cluster, all []*manifest) (*checker, error) {
	c, err := r.o.Fork(from, t.Given.Authorization, r.cel)
	if err != nil {
		return nil, err
	}
	k := &checker{&server{Client: seed.Client{API: c, Token: r.o.Token}, cluster: c}, &Report{}}
	if r.o.around != nil {
		k.API = r.o.around(c)
	}
	var groups [2][]*manifest
	for _, m := range all {
		group := 0
		if isPolicy(m) {
			group = 1
		}
		groups[group] = append(groups[group], m)
	}
	if err = k.assume(ctx, [][]*manifest{all, nil}); err == nil {
		for _, group := range groups {
			if err == nil {
				err = k.prepare(ctx, group, false)
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return k, nil
}

// isPolicy reports whether a manifest is an admission policy or a binding of one.
func isPolicy(m *manifest) bool {
	return m.group() == registration && strings.Contains(m.Kind, "AdmissionPolicy")
}

// table runs the tests of a table, each with a copy of what they are given together, but for policies, which do not
// keep out what a test is given.
func (r *runner) table(ctx context.Context, t *table) error {
	all, err := t.has(ctx, t.Given, "")
	if err != nil {
		return err
	}
	r.given = append(r.given, all...)
	policies := slices.DeleteFunc(slices.Clone(all), func(m *manifest) bool { return !isPolicy(m) })
	base, err := r.start(ctx, t, nil, slices.DeleteFunc(all, isPolicy))
	if err != nil {
		return err
	}
	defer base.cluster.Close() // which keeps nothing, as the other
	with, err := r.start(ctx, t, base.cluster, policies)
	if err != nil {
		return err
	}
	defer with.cluster.Close()
	for n := range t.Tests {
		c, err := t.test(n)
		if err != nil {
			return err
		}
		findings, err := r.test(ctx, t, c, base.cluster, with.cluster, policies)
		if err != nil {
			return err
		}
		is, outcome := Object{Name: c.Name}, Passed
		for _, f := range findings {
			f.File, f.Severity, f.Object, outcome = t.in.file, Error, &is, Failed
			r.report.Findings = append(r.report.Findings, f)
		}
		r.report.Results = append(r.report.Results, Result{is, t.in.file, t.in.lineOf(c.at, ""), outcome})
	}
	return nil
}

// test runs one test; with is base with the policies. The findings have lines and messages only.
func (r *runner) test(ctx context.Context, t *table, c *test, base, with *core.Cluster, policies []*manifest) (
	[]Finding, error) {
	verb, m, written, err := t.request(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := t.has(ctx, c.Given, c.at)
	if err != nil {
		return nil, err
	}
	r.given = append(r.given, all...)
	from, more := with, []*manifest(nil)
	if len(all) > 0 { // which is there before the policies
		from, more = base, append(slices.Clip(policies), all...)
	}
	k, err := r.start(ctx, t, from, more)
	if err != nil {
		return nil, err
	}
	defer k.cluster.Close() // which keeps nothing
	as := cmp.Or(c.When.As, t.Given.As)
	if verb == evaluate {
		return t.evaluate(ctx, c, k.server, written, as)
	}
	if err := k.assume(ctx, [][]*manifest{{m}, nil}); err != nil {
		return nil, err
	}
	resource, err := k.Find(ctx, m.APIVersion, m.Kind)
	if err != nil {
		return nil, err
	}
	if resource == nil {
		return nil, t.wrong(c.at+".when."+verb, fmt.Sprintf("no matches for kind %q in version %q", m.Kind, m.APIVersion))
	}
	record := &audit.Record{}
	a, err := k.send(audit.WithRecord(ctx, record), verb, resource, m, written, &c.When, as)
	if err != nil {
		return nil, err
	}
	return t.judge(c, m, a, record.Annotations()), nil
}

// send makes the request of a test.
func (s *server) send(ctx context.Context, verb string, t *seed.ResourceType, m *manifest, written []byte, w *when,
	as *identity) (*cluster.Answer, error) {
	sub := w.Subresource
	path := t.Path(m.APIVersion, cmp.Or(m.Namespace, "default"), m.Name)
	method, content, body := http.MethodPatch, "application/merge-patch+json", written
	switch verb {
	case "create":
		method, content, body = http.MethodPost, "application/json", m.body
		if sub == "" {
			path = t.Path(m.APIVersion, cmp.Or(m.Namespace, "default"), "")
		}
	case "update":
		method, content = http.MethodPut, "application/json"
		stored, err := s.Do(ctx, http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		if body, err = withVersion(m.body, stored); err != nil {
			return nil, err
		}
	case "apply":
		content, body = "application/apply-patch+yaml", m.body
	case "delete":
		method, content, body = http.MethodDelete, "application/json", nil
	}
	if sub != "" {
		path += "/" + sub
	}
	if path += "?"; verb != "delete" {
		path += queryOf(w.Manager)
	}
	if w.Force {
		path += "&force=true"
	}
	if s.dry {
		path += "&dryRun=All"
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return s.ask(r, content, as), nil
}

// ask makes a request as a user, or as the administrator for nil.
func (s *server) ask(r *http.Request, content string, as *identity) *cluster.Answer {
	r.Header.Set("Content-Type", content)
	r.Header.Set("Authorization", "Bearer "+s.Token)
	if as != nil {
		r.Header.Set("Impersonate-User", as.User)
		if as.UID != "" {
			r.Header.Set("Impersonate-Uid", as.UID)
		}
		for _, group := range as.Groups {
			r.Header.Add("Impersonate-Group", group)
		}
		for key, values := range as.Extra {
			for _, v := range values {
				r.Header.Add("Impersonate-Extra-"+key, v)
			}
		}
	}
	return cluster.Ask(s.API, r)
}

// withVersion returns an object with the resourceVersion that is stored, unless it has one: custom resources are not
// updated without.
func withVersion(body []byte, stored *cluster.Answer) ([]byte, error) {
	var o struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion,omitempty"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(stored.Body.Bytes(), &o); err != nil || stored.Code != http.StatusOK {
		return body, err
	}
	version, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	merged, _, err := patch.Merge(version, body, false)
	return merged, err
}
