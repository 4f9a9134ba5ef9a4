package record

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestChoose checks what is recorded of what clusters serve, and what is said of the rest.
func TestChoose(t *testing.T) {
	pods := served{"", "v1", "pods", "Pod", true, true}
	nodes := served{"", "v1", "nodes", "Node", false, true}
	namespaces := served{"", "v1", "namespaces", "Namespace", false, true}
	leases := served{"coordination.k8s.io", "v1", "leases", "Lease", true, true}
	hpa1 := served{"autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true, true}
	hpa2 := served{"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true, true}
	psp := served{"policy", "v1beta1", "podsecuritypolicies", "PodSecurityPolicy", false, true}
	metrics := served{"metrics.k8s.io", "v1beta1", "pods", "PodMetrics", true, false}
	packages := served{"packages.example.com", "v1", "packages", "Package", true, true}
	widgets := served{"example.com", "v1", "widgets", "Widget", true, true}
	statuses := served{"", "v1", "componentstatuses", "ComponentStatus", false, false}
	for name, test := range map[string]struct {
		all    []served
		o      Options
		silent map[string]error
		want   string   // the targets
		says   []string // among the notes
	}{
		"all but Leases": {all: []served{pods, nodes, leases, hpa1, hpa2},
			want: "pods nodes horizontalpodautoscalers.autoscaling",
			says: []string{"Leases are not recorded unless", "The cluster does not have"}},
		"Leases too": {all: []served{pods, leases}, o: Options{Types: []string{"*"}},
			want: "pods leases.coordination.k8s.io"},
		"some": {all: []served{pods, nodes, hpa2}, o: Options{Types: []string{"nodes"}}, want: "nodes"},
		"by group": {all: []served{pods, hpa2},
			o: Options{Types: []string{"horizontalpodautoscalers.autoscaling"}}, want: "horizontalpodautoscalers.autoscaling"},
		"a namespace": {all: []served{pods, nodes, namespaces}, o: Options{Namespace: "a"}, want: "pods namespaces"},
		"other version": {all: []served{pods, hpa1}, want: "pods",
			says: []string{"The cluster serves horizontalpodautoscalers.autoscaling only in version v1"}},
		"unknown": {all: []served{pods, psp}, want: "pods",
			says: []string{"Tabernetes does not serve podsecuritypolicies.policy"}},
		"aggregated": {all: []served{pods, packages}, want: "pods",
			says: []string{"Other API servers serve packages.packages.example.com"}},
		"custom": {all: []served{pods, widgets}, want: "pods"},
		"unwatched": {all: []served{pods, metrics, statuses}, want: "pods",
			says: []string{"pods.metrics.k8s.io cannot be watched"}},
		"silent": {all: []served{pods}, want: "pods",
			silent: map[string]error{"metrics.k8s.io/v1beta1": errors.New("503 away")},
			says:   []string{"Discovery of metrics.k8s.io/v1beta1 (of the cluster's own server) failed: 503 away"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := choose(test.all, test.silent, map[string]bool{"packages.example.com/v1": true},
				func(name string) bool { return name == "widgets.example.com" }, &test.o)
			var got []string
			for _, ty := range c.targets {
				got = append(got, ty.name())
			}
			want := strings.Fields(test.want)
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("recorded are %q, want %q", got, want)
			}
			for _, text := range test.says {
				if !slices.ContainsFunc(c.notes, func(n note) bool { return strings.Contains(n.Text, text) }) {
					t.Errorf("it does not say %q: %v", text, c.notes)
				}
			}
			for _, n := range c.notes {
				if strings.Contains(n.Text, "widgets") || n.Kind != "types" || len(n.Types) == 0 {
					t.Errorf("it says %+v", n)
				}
			}
		})
	}
	if c := choose([]served{pods}, nil, nil, nil, &Options{Types: []string{"pods", "cats"}}); !slices.Equal(c.unmatched,
		[]string{"cats"}) {
		t.Errorf("there are no %q", c.unmatched)
	}
}
