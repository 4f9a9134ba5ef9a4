package core

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// runRequests makes the same requests each time, with the controllers running, and returns the random
// values in the answers. If others is set, other requests are made in between.
func runRequests(t *testing.T, c *Cluster) (drawn []string) {
	t.Helper()
	take := func(what string, obj any, paths ...string) {
		for _, path := range paths {
			drawn = append(drawn, fmt.Sprintf("%s %s %v", what, path, at(obj, path)))
		}
	}
	take("kube-system", must(t, c, 200, "GET", "/api/v1/namespaces/kube-system", ""), "metadata.uid")
	for _, name := range []string{"one", "two"} {
		take(name, must(t, c, 201, "POST", "/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":%q}}`, name)),
			"metadata.uid")
		for range 2 {
			obj := must(t, c, 201, "POST", "/api/v1/namespaces/"+name+"/configmaps", `{"metadata":{"generateName":"c-"}}`)
			take(name, obj, "metadata.uid", "metadata.name")
		}
		services := "/api/v1/namespaces/" + name + "/services"
		obj := must(t, c, 201, "POST", services, `{"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80}]}}`)
		take(name, obj, "metadata.uid", "spec.clusterIP")
		take(name, at(obj, "spec.ports").([]any)[0], "nodePort")
		account := "/api/v1/namespaces/" + name + "/serviceaccounts/default"
		s := follow(t, c, strings.TrimSuffix(account, "/default")+"?watch=1")
		take(name, s.Next(), "object.metadata.uid") // which a controller creates
		s.Stop()
	}
	setSpec(t, c, `{"chaos":{"enabled":true}}`)
	take("chaos", must(t, c, 200, "GET", plane, ""), "spec.chaos.seed")
	return drawn
}

// TestResetWithASeed does the same in clusters with the same seed and with others.
func TestResetWithASeed(t *testing.T) {
	told := func(body string, disturb bool) []string {
		c, _ := newCluster(t, Options{Controllers: true, Rand: randomness()})
		_ = must(t, c, 201, "POST", configMaps, configMap("before", "1")) // which is gone, and draws
		must(t, c, 201, "POST", plane+"/reset", body)
		if disturb {
			var others sync.WaitGroup
			defer others.Wait()
			for n := range 4 {
				others.Go(func() {
					for range 20 {
						call(t, c, "POST", configMaps, fmt.Sprintf(`{"metadata":{"generateName":"other-%d-"}}`, n))
						call(t, c, "GET", configMaps+"?watch=1&resourceVersion=1000000&timeoutSeconds=-1", "")
					}
				})
			}
		}
		return runRequests(t, c)
	}
	first := told(`{"seed":42}`, false)
	if again := told(`{"seed":42}`, true); !slices.Equal(again, first) {
		t.Errorf("the same seed: %q\nat first: %q", again, first)
	}
	for _, other := range []string{`{"seed":43}`, `{"seed":0}`, `{}`} {
		same := 0
		for i, drawn := range told(other, false) {
			if drawn == first[i] {
				same++
			}
		}
		if same > 1 { // the smallest choice is one of 2768 ports
			t.Errorf("%s draws %d times what another seed does", other, same)
		}
	}
}

// TestResetWithASeedIsAnotherCluster checks that versions and uids from the cluster before are not
// valid.
func TestResetWithASeedIsAnotherCluster(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", plane+"/reset", `{"seed":9007199254740991}`)
	before, w := identity(t, c), follow(t, c, configMaps+"?watch=1&resourceVersion=1000000")
	must(t, c, 201, "POST", plane+"/reset", `{"seed":9007199254740991}`)
	if e := w.Next(); at(e, "object.code") != 410.0 {
		t.Errorf("the watch is told %v", e)
	}
	if now := identity(t, c); now == before {
		t.Error("the cluster is called as the one before")
	}
}

func TestResetChecksItsSeed(t *testing.T) {
	c, _ := newCluster(t, Options{})
	was := identity(t, c)
	for _, seed := range []string{"-1", "9007199254740992", "1.5", `"42"`, "true", "[]"} {
		got := must(t, c, 400, "POST", plane+"/reset", `{"seed":`+seed+`}`)
		if got["message"] != "seed: has to be a whole number from 0 to 9007199254740991" {
			t.Errorf("%s: %v", seed, got["message"])
		}
	}
	must(t, c, 201, "POST", plane+"/reset?dryRun=All", `{"seed":1}`)
	if now := identity(t, c); now != was {
		t.Error("what was refused made another cluster")
	}
	must(t, c, 201, "POST", plane+"/reset", `{"seed":null}`)
}
