package apitest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Patience is how long tests wait for what has to come, however slow the machine is.
const Patience = 3 * time.Minute

// Start is the time at which the clusters of tests begin, on clocks that the tests move.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Randomness returns a repeatable source for a cluster.
func Randomness() io.Reader { return rand.NewChaCha8([32]byte{1}) }

// SetSpec merges a spec into the ControlPlane's.
func SetSpec(t testing.TB, h http.Handler, spec string) {
	t.Helper()
	Must(t, h, 200, "PATCH", wellknown.ControlPlane, `{"spec":`+spec+`}`)
}

// ConfigMaps is the path of the ConfigMaps that most tests write.
const ConfigMaps = "/api/v1/namespaces/default/configmaps"

// ConfigMap returns a ConfigMap with a value, as JSON.
func ConfigMap(name, value string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"data":{"v":%q}}`, name, value)
}

// Exact returns the path of a list as of a revision.
func Exact(path string, rev int64) string {
	return fmt.Sprintf("%s?resourceVersionMatch=Exact&resourceVersion=%d", path, rev)
}

// Definitions is the path of the CustomResourceDefinitions.
const Definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// CronTabs returns a definition of the resource plural.stable.example.com, as JSON. Its versions are
// v1, which is stored, and the deprecated v1beta1.
func CronTabs(plural, kind, short string) string {
	const schema = `"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",` +
		`"properties":{"a":{"type":"integer","default":7}}}}}}`
	return fmt.Sprintf(`{"metadata":{"name":"%[1]s.stable.example.com"},
		"spec":{"group":"stable.example.com","scope":"Namespaced",
		"names":{"plural":%[1]q,"singular":"one-%[1]s","kind":%[2]q,"shortNames":[%[3]q]},
		"versions":[{"name":"v1","served":true,"storage":true,%[4]s},
		{"name":"v1beta1","served":true,"storage":false,"deprecated":true,%[4]s}]}}`,
		plural, kind, short, schema)
}

// Condition waits until a condition of a definition in the group stable.example.com has the given status, and
// returns it. name is the resource's.
func Condition(t testing.TB, h http.Handler, name, kind, value string) map[string]any {
	t.Helper()
	s := Follow(t, h, Definitions+"?watch=1&fieldSelector=metadata.name="+name+".stable.example.com")
	defer s.Stop()
	for e := s.Next(); e != nil; e = s.Next() {
		definition, _ := e["object"].(map[string]any)
		status, _ := definition["status"].(map[string]any)
		conditions, _ := status["conditions"].([]any)
		for _, c := range conditions {
			if c := c.(map[string]any); c["type"] == kind && c["status"] == value {
				return c
			}
		}
	}
	t.Fatalf("%s of %s does not become %s", kind, name, value)
	return nil
}

// Held returns a ConfigMap with so many finalizers and bytes of data.
func Held(name string, finalizers, bytes int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"finalizers":[%s]},"data":{"v":%q}}`, name, Finalizers(finalizers),
		strings.Repeat("x", bytes))
}

// Finalizers returns so many finalizers, as the items of a JSON list.
func Finalizers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"e.com/%04d"`, i)
	}
	return strings.Join(list, ",")
}
