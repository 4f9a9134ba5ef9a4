package bootstrap

import (
	"context"
	_ "embed" // for objects.jsonl
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// placed are initial objects of the real server as it has them, one a line: the namespaces, the classes of system pods,
// the range of Services' addresses, an APIService for each group version, and what priority and fairness begins with.
// They are written as registry.Place expects.
//
//go:embed objects.jsonl
var placed string

// place creates the placed objects that are missing.
func place(ctx context.Context, r *registry.Registry) error {
	for line := range strings.Lines(placed) {
		line = strings.TrimSpace(line)
		group, version := object.SplitGroupVersion(between(line, `"apiVersion":"`))
		t := registry.Target{Resource: r.Table.ByKind(group, version, between(line, `"kind":"`))}
		t.Name = between(line, `"name":"`)
		if r.StoredValue(t) != nil {
			continue
		}
		selected, err := selectedOf(line)
		if err == nil {
			_, err = r.Place(ctx, t, t.Name, selected, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// selectedOf returns what selectors see of an object in a text: its name, its labels, and the phase of a namespace.
func selectedOf(text string) (map[string]any, error) {
	meta := map[string]any{"name": between(text, `"name":"`)}
	selected := map[string]any{"metadata": meta}
	if phase := between(text, `"phase":"`); phase != "" {
		selected["status"] = map[string]any{"phase": phase}
	}
	_, rest, _ := strings.Cut(text, `"labels":`)
	labels, _, found := strings.Cut(rest, `}`)
	if !found {
		return selected, nil
	}
	var err error
	meta["labels"], _, err = object.Decode([]byte(labels+"}"), nil)
	return selected, err
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
