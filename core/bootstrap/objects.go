package bootstrap

import (
	"context"
	_ "embed" // for objects.jsonl
	"iter"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// placed are initial objects of the real server as it has them, one a line: the namespaces, the classes of system pods,
// the range of Services' addresses, an APIService for each group version, and what priority and fairness begins with.
// They are written as registry.Place expects.
//
//go:embed objects.jsonl
var placed string

// place creates the placed objects that are missing.
func place(ctx context.Context, r *registry.Registry) error {
	for p := range all(r.Table) {
		if r.StoredValue(p.Target) != nil {
			continue
		}
		if _, err := r.Place(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// all returns the placed objects. Those that follow each other and have the same labels share them.
func all(table *schema.Table) iter.Seq[*registry.Placed] {
	return func(yield func(*registry.Placed) bool) {
		var last string
		var labels map[string]string
		for line := range strings.Lines(placed) {
			head, _, _ := strings.Cut(line, `"managedFields":`)
			kind := between(head, `"kind":"`)
			group, version := object.SplitGroupVersion(between(head, `"apiVersion":"`))
			p := &registry.Placed{Text: strings.TrimSuffix(line, "\n")}
			p.Resource, p.Name = table.ByKind(group, version, kind), between(head, `"name":"`)
			if kind == "Namespace" {
				p.Phase = between(line, `"phase":"`)
			}
			if _, rest, labelled := strings.Cut(head, `"labels":{`); labelled {
				if text, _, _ := strings.Cut(rest, "}"); text != last {
					last, labels = text, labelsOf(text)
				}
				p.Labels = labels
			}
			if !yield(p) {
				return
			}
		}
	}
}

// labelsOf reads labels that need no escapes.
func labelsOf(text string) map[string]string {
	labels := map[string]string{}
	for label := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(label, ":")
		labels[strings.Trim(name, `"`)] = strings.Trim(value, `"`)
	}
	return labels
}

// between returns what is in a text between another one, the first that there is, and a quotation mark.
func between(text, before string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, `"`)
	return found
}

// service returns the Service of the API servers, which takes an address.
func service() map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{
			"name": "kubernetes", "namespace": "default",
			"labels": map[string]any{"component": "apiserver", "provider": "kubernetes"},
		},
		"spec": map[string]any{
			"clusterIP":      "10.96.0.1", // the first of the range
			"ipFamilyPolicy": "SingleStack",
			"ports": []any{map[string]any{
				"name": "https", "protocol": "TCP", "port": int64(443), "targetPort": int64(6443),
			}},
		},
	}
}
