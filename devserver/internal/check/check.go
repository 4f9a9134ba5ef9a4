package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
)

// Options say what to check.
type Options struct {
	// Paths are the manifests: files, directories, URLs, or - for In.
	Paths []string
	// Definitions, Policies and Context name, in the same way, what the cluster has: definitions, of which nothing else
	// is taken; policies with all that they need; any other objects.
	Definitions, Policies, Context []string
	// Old is a commit of git. What its files have is applied first, and the manifests are updates of it.
	Old string
	// SkipUnknown skips custom resources without a definition, which are errors otherwise.
	SkipUnknown bool
	// NamespacesMustExist refuses objects in a namespace that no manifest makes, as a new cluster does. Otherwise such
	// namespaces are assumed.
	NamespacesMustExist bool
	// In is the standard input.
	In io.Reader

	// around wraps the server, for tests; it may be nil.
	around func(http.Handler) http.Handler
}

// Run checks manifests. An error says why they could not be checked: what they need cannot be read, or is refused
// itself. What is wrong with the manifests is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	var groups [4][]*manifest // definitions, context, the older version, policies
	for i, paths := range [][]string{o.Definitions, o.Context, nil, o.Policies} {
		all, err := needed(ctx, paths)
		if err != nil {
			return nil, err
		}
		groups[i] = all
	}
	groups[0] = slices.DeleteFunc(groups[0], func(m *manifest) bool { return m.definition == nil })
	if len(o.Definitions) > 0 && len(groups[0]) == 0 {
		return nil, fmt.Errorf("%s: no CustomResourceDefinition is there", o.Definitions[0])
	}
	if o.Old != "" {
		all, err := older(ctx, o.Old, o.Paths)
		if err != nil {
			return nil, err
		}
		groups[2], _ = parse(all)
	}
	texts, err := sources(ctx, o.Paths, o.In)
	if err != nil {
		return nil, err
	}
	manifests, findings := parse(texts)
	if len(manifests) == 0 && len(findings) == 0 {
		return nil, errors.New("no manifests are there")
	}
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	defer s.cluster.Close() // which keeps nothing
	if o.around != nil {
		s.API = o.around(s.API)
	}
	c := &checker{server: s, report: &Report{Results: []Result{}, Findings: []Finding{}}}
	c.report.Findings = append(c.report.Findings, findings...)
	for _, t := range texts {
		if name := filepath.Base(t.name); t.found && (name == "kustomization.yaml" || name == "kustomization.yml") {
			c.report.Notes = append(c.report.Notes, t.name+` is for kustomize, and the files beside it may be parts of `+
				`objects: rather check what "kustomize build" prints`)
			break
		}
	}
	if !o.NamespacesMustExist {
		if err := c.assume(ctx, append(groups[:], manifests)); err != nil {
			return nil, err
		}
	}
	for i, group := range groups {
		if err := c.prepare(ctx, group, i == 2); err != nil {
			return nil, err
		}
	}
	s.skip = o.SkipUnknown
	if err := c.check(ctx, manifests); err != nil {
		return nil, err
	}
	files := map[string]int{}
	for i, t := range texts {
		files[t.name] = i
	}
	slices.SortStableFunc(c.report.Findings, func(a, b Finding) int {
		return cmp.Or(files[a.File]-files[b.File], a.Line-b.Line)
	})
	return c.report, nil
}

// needed reads the manifests of what the cluster has, which may have no errors.
func needed(ctx context.Context, paths []string) ([]*manifest, error) {
	all, err := sources(ctx, paths, nil)
	if err != nil {
		return nil, err
	}
	manifests, findings := parse(all)
	if len(findings) > 0 {
		return nil, errors.New(findings[0].String())
	}
	return manifests, nil
}

// A checker applies groups of manifests one after another.
type checker struct {
	*server
	report *Report
}

// assume creates the namespaces of objects that no manifest makes.
func (c *checker) assume(ctx context.Context, groups [][]*manifest) error {
	made := map[string]bool{}
	for i, group := range groups {
		for _, m := range group {
			if m.is("", "Namespace") {
				made[m.Name] = true
			}
		}
		for _, m := range group {
			if m.Namespace == "" || made[m.Namespace] {
				continue
			}
			made[m.Namespace] = true
			space := &manifest{Object: Object{"v1", "Namespace", "", m.Namespace},
				body: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, m.Namespace)}
			t, err := c.Find(ctx, space.APIVersion, space.Kind)
			if err != nil {
				return err
			}
			a, err := c.Do(ctx, http.MethodGet, t.Path("v1", "", m.Namespace), nil)
			if err != nil {
				return err
			}
			if a.Code == http.StatusOK {
				continue
			}
			// A name that is not valid is refused here, and with its object again.
			a, err = c.write(ctx, t, space, space.body, false)
			if err != nil {
				return err
			}
			if a.Code < http.StatusBadRequest && i == len(groups)-1 {
				c.report.Notes = append(c.report.Notes,
					fmt.Sprintf("namespace %s is not among the manifests; it was assumed to exist", m.Namespace))
			}
		}
	}
	return nil
}

// prepare applies what the cluster has. The older version may be refused: it is what there was before this server.
func (c *checker) prepare(ctx context.Context, group []*manifest, old bool) error {
	for _, m := range inOrder(group) {
		outcome, findings, err := c.apply(ctx, m)
		if err != nil {
			return err
		}
		if outcome == Accepted {
			continue
		}
		wrong := findings[slices.IndexFunc(findings, func(f Finding) bool { return f.Severity == Error })]
		if !old {
			return errors.New(wrong.String())
		}
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: nothing is compared with it", wrong))
	}
	c.refused = nil
	return nil
}

// check applies the manifests, and reports what happens.
func (c *checker) check(ctx context.Context, manifests []*manifest) error {
	type identity struct {
		kind
		namespace, name string
	}
	first := map[identity]*manifest{}
	outcomes := make(map[*manifest]Outcome, len(manifests))
	for _, m := range inOrder(manifests) {
		id := identity{m.kind(), m.Namespace, m.Name}
		other := first[id]
		if m.created || other == nil {
			first[id] = m
		} else {
			c.report.Findings = append(c.report.Findings, m.finding(Warning, "metadata.name",
				fmt.Sprintf("the name exists twice, also in %s:%d", other.in.file, other.line("metadata.name"))))
			if err := c.drop(ctx, m); err != nil {
				return err
			}
		}
		outcome, findings, err := c.apply(ctx, m)
		if err != nil {
			return err
		}
		outcomes[m] = outcome
		c.report.Findings = append(c.report.Findings, findings...)
	}
	for _, m := range manifests {
		c.report.Results = append(c.report.Results, Result{m.Object, m.in.file, m.line(""), outcomes[m]})
	}
	return nil
}
