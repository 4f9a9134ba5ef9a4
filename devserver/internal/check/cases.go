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
	"reflect"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/status"
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
	// is nil, new ones are empty. Token is what its administrator's requests have.
	Fork  func(from *core.Cluster, authorization string, watch evaluator.Watch) (*core.Cluster, error)
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
	r := &runner{o: o, report: &Report{Results: []Result{}, Findings: []Finding{}, Coverage: []Covered{}}}
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

func forkNew(from *core.Cluster, authorization string, watch evaluator.Watch) (*core.Cluster, error) {
	o := cluster.Options{Controllers: true, Build: "test", Authorization: authorization, Watch: watch,
		Tokens: []core.Token{{Token: testToken, User: "kubernetes-admin", Groups: []string{"system:masters"}}}}
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
	given   []*manifest
}

// start starts a cluster that has what is given besides what another one has. Policies come last: they do not keep
// out what was there before them.
func (r *runner) start(ctx context.Context, t *table, from *core.Cluster, all []*manifest) (*checker, error) {
	c, err := r.o.Fork(from, t.Given.Authorization, r.counter.Watch)
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
	defer base.cluster.Close() // which keeps nothing
	for n := range t.Tests {
		c, err := t.test(n)
		if err != nil {
			return err
		}
		findings, err := r.test(ctx, t, c, base.cluster, policies)
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

// test runs one test. The findings have lines and messages only.
func (r *runner) test(ctx context.Context, t *table, c *test, base *core.Cluster, policies []*manifest) (
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
	k, err := r.start(ctx, t, base, append(slices.Clip(policies), all...))
	if err != nil {
		return nil, err
	}
	defer k.cluster.Close() // which keeps nothing
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
	as := c.When.As
	if as == nil {
		as = t.Given.As
	}
	record := &audit.Record{}
	a, err := k.send(audit.WithRecord(ctx, record), verb, resource, m, written, c.When.Subresource, as)
	if err != nil {
		return nil, err
	}
	return t.judge(c, m, a, record.Annotations()), nil
}

// send makes the request of a test.
func (s *server) send(ctx context.Context, verb string, t *seed.ResourceType, m *manifest, written []byte, sub string,
	as *identity) (*cluster.Answer, error) {
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
		path += query
	}
	if s.dry {
		path += "&dryRun=All"
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
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
	return cluster.Ask(s.API, r), nil
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

// judge returns how an answer differs from what is expected.
func (t *table) judge(c *test, m *manifest, a *cluster.Answer, annotations map[string]string) (all []Finding) {
	differs := func(field, format string, args ...any) {
		all = append(all, Finding{Line: t.in.lineOf(c.at+".then", field), Message: fmt.Sprintf(format, args...)})
	}
	var answer status.Status
	if a.Code >= http.StatusBadRequest {
		if json.Unmarshal(a.Body.Bytes(), &answer) != nil || answer.Message == "" {
			answer = status.Status{Message: strings.TrimSpace(a.Body.String())}
		}
	}
	is := fmt.Sprintf("it is refused with %d %s: %s", a.Code, answer.Reason, answer.Message)
	switch want := c.Then.Refused; {
	case want == nil && a.Code >= http.StatusBadRequest:
		differs("allowed", "%s", is)
	case want == nil:
	case a.Code < http.StatusBadRequest:
		differs("refused", "it is allowed")
	case !strings.Contains(answer.Message, want.Message):
		differs("refused", "%s; not with %q", is, want.Message)
	case want.Code != 0 && want.Code != a.Code, want.Reason != "" && want.Reason != string(answer.Reason):
		differs("refused", "%s; not with %d %s", is, cmp.Or(want.Code, a.Code), cmp.Or(want.Reason, string(answer.Reason)))
	}
	if want := c.Then.Warnings; want != nil {
		var texts []string
		for _, w := range warnings(m, a) {
			texts = append(texts, w.said())
		}
		fits := len(texts) == len(*want)
		for i := range min(len(texts), len(*want)) {
			fits = fits && strings.Contains(texts[i], (*want)[i])
		}
		if !fits {
			differs("warnings", "the warnings are %q, not %q", texts, *want)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Then.Audit)) {
		want, field := c.Then.Audit[key], fmt.Sprintf("audit[%q]", key)
		value, there := annotations[key]
		switch {
		case want == nil && there:
			differs(field, "the audit annotation %s is %q, and not absent", key, value)
		case want != nil && !there:
			differs(field, "there is no audit annotation %s", key)
		case want != nil && !strings.Contains(value, *want):
			differs(field, "the audit annotation %s is %q, not %q", key, value, *want)
		}
	}
	if c.Then.Object != nil && (c.Then.Refused != nil || a.Code < http.StatusBadRequest) {
		var want, got any
		if err := errors.Join(json.Unmarshal(c.Then.Object, &want), json.Unmarshal(a.Body.Bytes(), &got)); err != nil {
			differs("object", "%v", err)
			return all
		}
		if field, message := differ(want, got, ""); message != "" {
			differs("object"+field, "%s: %s", strings.TrimPrefix(field, "."), message)
		}
	}
	return all
}

// differ returns the first field of a value that is not as is wanted, and how.
func differ(want, got any, at string) (field, message string) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			below := at + "." + name
			if strings.ContainsAny(name, ".[/") {
				below = fmt.Sprintf("%s[%q]", at, name)
			}
			if field, message := differ(w[name], g[name], below); message != "" {
				return field, message
			}
		}
		return "", ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if field, message := differ(w[i], g[i], fmt.Sprintf("%s[%d]", at, i)); message != "" {
				return field, message
			}
		}
		return "", ""
	}
	if reflect.DeepEqual(want, got) {
		return "", ""
	}
	texts := make([]string, 2)
	for i, v := range []any{got, want} {
		text, _ := json.Marshal(v) // it has come from JSON
		texts[i] = string(text)
	}
	return at, fmt.Sprintf("it is %s, not %s", texts[0], texts[1])
}
