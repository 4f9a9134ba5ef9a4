package bootstrap

import (
	"context"
	_ "embed" // for objects.jsonl
	"iter"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/network"
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

// place creates the placed objects that are missing, of the types that are served. The uids of all but the first are
// derived from that of the first, so that what is shared of a cluster need not hold them.
func place(ctx context.Context, r *registry.Registry, services netip.Prefix) error {
	first := ""
	for p := range all(r.Table) {
		if p.Resource == nil || !describesServed(r.Table, p) || r.StoredValue(p.Target) != nil {
			continue
		}
		if p.Resource.Kind == "ServiceCIDR" {
			p.Text = strings.Replace(p.Text, network.ServiceRange, services.String(), 1)
		}
		p.After = first
		e, err := r.Place(ctx, p)
		if err != nil {
			return err
		}
		if first == "" {
			first = between(string(e.Value), `"uid":"`)
		}
	}
	return nil
}

// describesServed reports whether an object is no APIService of a group version that is not served.
func describesServed(table *schema.Table, p *registry.Placed) bool {
	if p.Resource.Kind != "APIService" {
		return true
	}
	version, group, _ := strings.Cut(p.Name, ".")
	return table.GroupVersion(group, version) != nil
}

// all returns the placed objects. Those that follow each other and have the same labels share them.
func all(table *schema.Table) iter.Seq[*registry.Placed] {
	return func(yield func(*registry.Placed) bool) {
		var last string
		var labels registry.LabelList
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
func labelsOf(text string) registry.LabelList {
	labels := map[string]string{}
	for label := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(label, ":")
		labels[strings.Trim(name, `"`)] = strings.Trim(value, `"`)
	}
	return registry.Labels(labels)
}

// between returns what is in a text between another one, the first that there is, and a quotation mark.
func between(text, before string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, `"`)
	return found
}

// service returns the Service of the API servers, which takes the first address of the range.
func service(services netip.Prefix) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{
			"name": "kubernetes", "namespace": "default",
			"labels": map[string]any{"component": "apiserver", "provider": "kubernetes"},
		},
		"spec": map[string]any{
			"clusterIP":      services.Masked().Addr().Next().String(),
			"ipFamilyPolicy": "SingleStack",
			"ports": []any{map[string]any{
				"name": "https", "protocol": "TCP", "port": int64(443), "targetPort": int64(6443),
			}},
		},
	}
}
