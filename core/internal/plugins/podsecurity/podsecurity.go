// Package podsecurity is the admission plugin PodSecurity: labels of a namespace say which of the Pod
// Security Standards its pods have to keep, of which ones clients are warned, and which ones the audit
// log mentions.
//
// A write of a pod, or of what has a template of pods, costs a lookup of its namespace, and more if that
// has such labels.
package podsecurity

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// Plugin is the plugin. Set its fields before use.
type Plugin struct {
	// Store has the namespaces and their pods, and Table their types.
	Store *mvcc.Store
	Table *schema.Table
}

var _ admission.Validator = Plugin{}

// templateOf returns where a resource type has its template of pods, empty for pods; it reports false for other types.
func templateOf(group, plural string) (path string, ok bool) {
	switch group {
	case "":
		switch plural {
		case "pods":
			return "", true
		case "podtemplates":
			return "template", true
		case "replicationcontrollers":
			return "spec.template", true
		}
	case "apps":
		switch plural {
		case "replicasets", "deployments", "statefulsets", "daemonsets":
			return "spec.template", true
		}
	case "batch":
		switch plural {
		case "jobs":
			return "spec.template", true
		case "cronjobs":
			return "spec.jobTemplate.spec.template", true
		}
	}
	return "", false
}

// ignored are the subresources of pods by which nothing changes that matters.
var ignored = []string{"binding", "eviction", "status"}

// Validate refuses pods that violate what their namespace enforces, and labels of namespaces that cannot be read.
func (p Plugin) Validate(ctx context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create && a.Operation != admission.Update {
		return nil
	}
	if a.Is("", "namespaces") && a.Subresource == "" {
		return p.namespace(a)
	}
	template, ok := templateOf(a.Group, a.Plural)
	isPod := ok && template == ""
	switch {
	case !ok, isPod && slices.Contains(ignored, a.Subresource), !isPod && a.Subresource != "":
		return nil
	}
	labels, err := p.labels(a.Namespace)
	if labels == nil || err != nil {
		if isPod && err == nil {
			audit.Of(ctx).Annotate(labelPrefix+"enforce-policy", "privileged:latest")
		}
		return err
	}
	wants, errs := policyOf(labels)
	loose := wants.warn.level == privileged && wants.audit.level == privileged && len(errs) == 0
	switch {
	case isPod && loose && wants.enforce.level == privileged:
		audit.Of(ctx).Annotate(labelPrefix+"enforce-policy", standard{privileged, latest}.String())
		return nil
	case !isPod && loose, isPod && a.Operation == admission.Update && !significant(a.Object, a.Old):
		return nil
	}
	pod := a.Object
	if !isPod {
		if pod = tree.At(pod, template); pod == nil {
			return nil
		}
	}
	if len(errs) > 0 {
		audit.Of(ctx).Annotate(labelPrefix+"error", "Failed to parse policy: "+errs.Message())
	}
	checked := map[standard]string{} // most namespaces name one standard more than once
	violations := func(s standard) string {
		why, done := checked[s]
		if !done {
			_, details := s.violations(tree.Object(pod, "metadata"), tree.Object(pod, "spec"))
			why = strings.Join(details, ", ")
			checked[s] = why
		}
		return why
	}
	var refused error
	if isPod {
		audit.Of(ctx).Annotate(labelPrefix+"enforce-policy", wants.enforce.String())
		if why := violations(wants.enforce); why != "" {
			refused = status.NewForbidden(a.GroupResource(), a.Name,
				fmt.Sprintf("violates PodSecurity %q: %s", wants.enforce, why))
		}
	}
	if why := violations(wants.audit); why != "" {
		audit.Of(ctx).Annotate(labelPrefix+"audit-violations",
			fmt.Sprintf("would violate PodSecurity %q: %s", wants.audit, why))
	}
	if refused != nil {
		return refused
	}
	if why := violations(wants.warn); why != "" {
		a.Warn(fmt.Sprintf("would violate PodSecurity %q: %s", wants.warn, why))
	}
	return nil
}

// labels returns the labels of a namespace if one of them may matter, or nil.
func (p Plugin) labels(namespace string) (map[string]string, error) {
	t := p.Table.Resource("", "v1", "namespaces")
	v, _, err := p.Store.Get(t.Bucket(), namespace, 0)
	if err != nil || v == nil || !bytes.Contains(v.Value, []byte(labelPrefix)) {
		return nil, err
	}
	obj, _, err := object.Decode(v.Value, t.Type())
	return object.Labels(obj), err
}

// significant reports whether a change of a pod is more than one of what no check looks at.
func significant(pod, old map[string]any) bool {
	images := func(pod map[string]any, kind string) (names []string) {
		for _, c := range tree.Objects(tree.Object(pod, "spec"), kind) {
			names = append(names, tree.Text(c, "image"))
			if kind == "ephemeralContainers" {
				names[len(names)-1] += " " + tree.Text(c, "name")
			}
		}
		return names
	}
	for _, kind := range []string{"containers", "initContainers"} {
		if !slices.Equal(images(pod, kind), images(old, kind)) {
			return true
		}
	}
	had := images(old, "ephemeralContainers")
	return slices.ContainsFunc(images(pod, "ephemeralContainers"), func(c string) bool { return !slices.Contains(had, c) })
}

// namespace refuses labels that cannot be read, unless they were so before, and warns of pods that violate what is
// enforced from now on.
func (p Plugin) namespace(a *admission.Attributes) error {
	wants, errs := policyOf(object.Labels(a.Object))
	was, before := policyOf(object.Labels(a.Old))
	if len(errs) > 0 && !slices.Equal(errs.Texts(), before.Texts()) {
		return status.NewInvalid(status.GroupKind{Group: a.Group, Kind: a.Kind}, a.Name, errs)
	}
	now := wants.enforce
	if a.Operation == admission.Create || now.level == privileged ||
		now.version == was.enforce.version && now.level <= was.enforce.level {
		return nil
	}
	return p.warn(a, now)
}

// most is how many pods of a namespace are looked at.
const most = 3000

// warn warns of the pods of a namespace that violate a standard, once for the same reasons.
func (p Plugin) warn(a *admission.Attributes, s standard) error {
	t := p.Table.Resource("", "v1", "pods")
	page, err := p.Store.Range(t.Bucket(), mvcc.Query{Group: a.Name + "/", Limit: most})
	if err != nil {
		return err
	}
	named := map[string][]string{} // the pods by their reasons, in the order of their names
	for _, item := range page.Items {
		pod, _, err := object.Decode(item.Value, t.Type())
		if err != nil {
			return err
		}
		reasons, _ := s.violations(tree.Object(pod, "metadata"), tree.Object(pod, "spec"))
		if why := strings.Join(reasons, ", "); why != "" {
			named[why] = append(named[why], object.Name(pod))
		}
	}
	if page.More {
		a.Warn(fmt.Sprintf("new PodSecurity enforce level only checked against the first %d of %d existing pods", most,
			most+page.Remaining))
	}
	if len(named) > 0 {
		a.Warn(fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", a.Name, s))
	}
	var texts []string
	for why, pods := range named {
		others := ""
		if n := len(pods) - 1; n > 0 {
			others = fmt.Sprintf(" (and %d other %s)", n, count("pod", n))
		}
		texts = append(texts, pods[0]+others+": "+why)
	}
	slices.Sort(texts)
	for _, text := range texts {
		a.Warn(text)
	}
	return nil
}
