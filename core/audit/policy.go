package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/auth"
)

// A Level says how much of a request is written. The levels are in order.
type Level string

// The levels.
const (
	None            Level = "None"
	Metadata        Level = "Metadata"
	RequestLevel    Level = "Request"
	RequestResponse Level = "RequestResponse"
)

// A Stage is a moment of a request.
type Stage string

// The stages of a request.
const (
	Received Stage = "RequestReceived"
	Started  Stage = "ResponseStarted"
	Complete Stage = "ResponseComplete"
	Panic    Stage = "Panic"
)

// A Policy says what is written: by the first of its rules that fits a request, and nothing if none does. It is a
// Policy of audit.k8s.io/v1.
type Policy struct {
	APIVersion        string         `json:"apiVersion"`
	Kind              string         `json:"kind"`
	Metadata          map[string]any `json:"metadata,omitempty"`
	Rules             []Rule         `json:"rules"`
	OmitStages        []Stage        `json:"omitStages,omitempty"`
	OmitManagedFields bool           `json:"omitManagedFields,omitempty"`
}

// A Rule fits requests by all that it names; what it does not name fits all.
type Rule struct {
	Level             Level       `json:"level"`
	Users             []string    `json:"users,omitempty"`
	UserGroups        []string    `json:"userGroups,omitempty"`
	Verbs             []string    `json:"verbs,omitempty"`
	Resources         []Resources `json:"resources,omitempty"`
	Namespaces        []string    `json:"namespaces,omitempty"`
	NonResourceURLs   []string    `json:"nonResourceURLs,omitempty"`
	OmitStages        []Stage     `json:"omitStages,omitempty"`
	OmitManagedFields *bool       `json:"omitManagedFields,omitempty"`
}

// Resources are resources of a group: "pods", "pods/log", "pods/*", "*/scale", "*"; without any, all of them.
type Resources struct {
	Group         string   `json:"group,omitempty"`
	Resources     []string `json:"resources,omitempty"`
	ResourceNames []string `json:"resourceNames,omitempty"`
}

// ParsePolicy reads a policy, in YAML or JSON. The error says all that is wrong with it.
func ParsePolicy(text []byte) (*Policy, error) {
	p := &Policy{}
	if err := yaml.UnmarshalStrict(text, p); err != nil {
		return nil, fmt.Errorf("failed decoding: %w", err)
	}
	if p.Kind != "Policy" || p.APIVersion != "audit.k8s.io/v1" {
		return nil, fmt.Errorf("it is a %q of %q, not a Policy of audit.k8s.io/v1", p.Kind, p.APIVersion)
	}
	if len(p.Rules) == 0 {
		return nil, errors.New("loaded illegal policy with 0 rules")
	}
	errs := stagesOf("omitStages", p.OmitStages)
	for i := range p.Rules {
		errs = append(errs, p.Rules[i].check(fmt.Sprintf("rules[%d]", i))...)
	}
	return p, errors.Join(errs...)
}

func stagesOf(at string, stages []Stage) (errs []error) {
	for i, s := range stages {
		if !slices.Contains([]Stage{Received, Started, Complete, Panic}, s) {
			errs = append(errs, fmt.Errorf("%s[%d]: Invalid value: %q: allowed stages are RequestReceived,ResponseStarted,"+
				"ResponseComplete,Panic", at, i, s))
		}
	}
	return errs
}

func (r *Rule) check(at string) (errs []error) {
	switch r.Level {
	case None, Metadata, RequestLevel, RequestResponse:
	case "":
		errs = append(errs, fmt.Errorf("%s.level: Required value", at))
	default:
		errs = append(errs, fmt.Errorf("%s.level: Unsupported value: %q: supported values: \"Metadata\", \"None\", "+
			"\"Request\", \"RequestResponse\"", at, r.Level))
	}
	if len(r.NonResourceURLs) > 0 && (len(r.Resources) > 0 || len(r.Namespaces) > 0) {
		errs = append(errs, fmt.Errorf("%s.nonResourceURLs: Invalid value: rules cannot apply to both regular resources and "+
			"non-resource URLs", at))
	}
	for i, url := range r.NonResourceURLs {
		at := fmt.Sprintf("%s.nonResourceURLs[%d]", at, i)
		if url != "*" && !strings.HasPrefix(url, "/") {
			errs = append(errs, fmt.Errorf("%s: Invalid value: %q: non-resource URL rules must begin with a '/' "+
				"character", at, url))
		}
		if url != "" && strings.Contains(url[:len(url)-1], "*") {
			errs = append(errs, fmt.Errorf("%s: Invalid value: %q: non-resource URL wildcards '*' must be the final "+
				"character of the rule", at, url))
		}
	}
	for i, resources := range r.Resources {
		if len(resources.ResourceNames) > 0 && len(resources.Resources) == 0 {
			errs = append(errs, fmt.Errorf("%s.resources[%d].resourceNames: Invalid value: using resourceNames requires "+
				"at least one resource", at, i))
		}
	}
	return append(errs, stagesOf(at+".omitStages", r.OmitStages)...)
}

// For returns what is written of a request, and at which stages nothing is.
func (p *Policy) For(a auth.Attributes) (level Level, omit []Stage, managedFields bool) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.fits(a) {
			continue
		}
		without := p.OmitManagedFields
		if r.OmitManagedFields != nil {
			without = *r.OmitManagedFields
		}
		return r.Level, slices.Concat(p.OmitStages, r.OmitStages), !without
	}
	return None, p.OmitStages, !p.OmitManagedFields
}

func (r *Rule) fits(a auth.Attributes) bool {
	user := a.User
	if user == nil {
		user = &auth.User{}
	}
	switch {
	case len(r.Users) > 0 && !slices.Contains(r.Users, user.Name),
		len(r.UserGroups) > 0 && !slices.ContainsFunc(r.UserGroups, func(g string) bool {
			return slices.Contains(user.Groups, g)
		}),
		len(r.Verbs) > 0 && !slices.Contains(r.Verbs, a.Verb):
		return false
	case len(r.Namespaces) > 0 || len(r.Resources) > 0:
		return r.fitsResource(a)
	case len(r.NonResourceURLs) > 0:
		return !a.IsResource && slices.ContainsFunc(r.NonResourceURLs, func(url string) bool {
			start, open := strings.CutSuffix(url, "*")
			return url == a.Path || open && strings.HasPrefix(a.Path, start)
		})
	}
	return true
}

func (r *Rule) fitsResource(a auth.Attributes) bool {
	if !a.IsResource || len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, a.Namespace) {
		return false
	}
	if len(r.Resources) == 0 {
		return true
	}
	whole := a.Resource
	if a.Subresource != "" {
		whole += "/" + a.Subresource
	}
	return slices.ContainsFunc(r.Resources, func(resources Resources) bool {
		if resources.Group != a.Group {
			return false
		}
		if len(resources.Resources) == 0 {
			return true
		}
		if len(resources.ResourceNames) > 0 && !slices.Contains(resources.ResourceNames, a.Name) {
			return false
		}
		return slices.ContainsFunc(resources.Resources, func(name string) bool {
			return name == whole || name == "*" || name == a.Resource+"/*" && a.Subresource != "" ||
				a.Subresource != "" && name == "*/"+a.Subresource
		})
	})
}
