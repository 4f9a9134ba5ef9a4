package objects

import (
	"testing"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

func TestThousandths(t *testing.T) {
	for text, want := range map[string]int64{
		"100m": 100, "2": 2000, "0.1": 100, "1500m": 1500, "1e3": 1000_000, "2k": 2000_000, "1Ki": 1024_000, "1n": 1, "1u": 1,
		"2.3": 2300, "": 0, "m": 0, "x": 0, "-1": 0, "0": 0, "1mm": 0,
	} {
		if got := thousandths(text); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

// TestCPU wants the sums that k8s.io/component-helpers/resource makes (PodRequests).
func TestCPU(t *testing.T) {
	asks := func(cpu string) string {
		return `"resources":{"limits":{"cpu":"9"},"requests":{"memory":"1Gi","cpu":"` + cpu + `"}}`
	}
	for _, test := range []struct {
		name, text string
		want       int64
	}{
		{"a node", `{"status":{"capacity":{"cpu":"5"},"allocatable":{"memory":"1Gi","cpu":"4"}}}`, 4000},
		{"a Pod", `{"spec":{"containers":[{"name":"a",` + asks("100m") + `},{` + asks("1") + `},{"name":"none"}]},` +
			`"status":{"phase":"Running"}}`, 1100},
		{"one that has ended", `{"spec":{"containers":[{` + asks("100m") + `}]},"status":{"phase":"Succeeded"}}`, 0},
		{"with an init container that asks for more", `{"spec":{"initContainers":[{` + asks("2") + `},{` + asks("1") +
			`}],"containers":[{` + asks("500m") + `}]}}`, 2000},
		{"with a sidecar", `{"spec":{"initContainers":[{` + asks("1") + `,"restartPolicy":"Always"},{` + asks("2") +
			`}],"containers":[{` + asks("500m") + `}]}}`, 3000},
		{"with a sidecar that counts", `{"spec":{"initContainers":[{` + asks("2") + `},{` + asks("1") +
			`,"restartPolicy":"Always"}],"containers":[{` + asks("1500m") + `}]}}`, 2500},
		{"with resources of the Pod, and overhead", `{"spec":{"overhead":{"cpu":"250m"},` + asks("3") +
			`,"containers":[{` + asks("1") + `}]}}`, 3250},
		{"something else", `{"metadata":{"name":"a"}}`, 0},
	} {
		got, err := cpu(scan.New(test.text))
		if got != test.want || err != nil {
			t.Errorf("%s: %d, %v; want %d", test.name, got, err, test.want)
		}
	}
}
