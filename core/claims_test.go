package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

const ipAddresses = networking + "/ipaddresses"

// claims returns the claimed addresses but that of the Service kubernetes, with the Services.
func claims(t *testing.T, c *Cluster) string {
	t.Helper()
	var all []string
	for _, item := range must(t, c, 200, "GET", ipAddresses, "")["items"].([]any) {
		if name := at(item, "metadata.name"); name != "10.96.0.1" {
			all = append(all, fmt.Sprint(name, " ", at(item, "spec.parentRef.name")))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func serviceAt(name, ip string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":{"clusterIP":"` + ip + `","ports":[{"port":80}]}}`
}

// TestClaims follows the addresses of Services, as recorded at a kube-apiserver.
func TestClaims(t *testing.T) {
	const taken = "provided IP is already allocated"
	c, _ := newCluster(t, Options{})
	for i, step := range []struct {
		code               int
		method, path, body string
		text, claims       string
	}{
		{201, "POST", services, serviceAt("a", "10.96.0.50"), "", "10.96.0.50 a"},
		{422, "POST", services, serviceAt("b", "10.96.0.50"), taken, "10.96.0.50 a"},
		{201, "POST", services + "?dryRun=All", serviceAt("b", "10.96.0.51"), "", "10.96.0.50 a"},
		{409, "POST", services, serviceAt("a", "10.96.0.52"), "already exists", "10.96.0.50 a"},
		{201, "POST", services, serviceAt("c", "10.96.0.52"), "", "10.96.0.50 a, 10.96.0.52 c"},
		{200, "DELETE", services + "/c", "", "", "10.96.0.50 a"},
		{201, "POST", ipAddresses, `{"metadata":{"name":"10.96.0.60"},"spec":{"parentRef":{"resource":"services",` +
			`"namespace":"default","name":"x"}}}`, "", "10.96.0.50 a, 10.96.0.60 x"},
		{422, "POST", services, serviceAt("b", "10.96.0.60"), taken, "10.96.0.50 a, 10.96.0.60 x"},
		{200, "DELETE", ipAddresses + "/10.96.0.60", "", "", "10.96.0.50 a"},
		{201, "POST", services, serviceAt("b", "10.96.0.60"), "", "10.96.0.50 a, 10.96.0.60 b"},
		{200, "PATCH", services + "/a", `{"spec":{"type":"ExternalName","externalName":"a.b","clusterIP":null,` +
			`"clusterIPs":null}}`, "", "10.96.0.60 b"},
		{200, "PATCH", services + "/a", `{"spec":{"type":"ClusterIP","externalName":null,"clusterIP":"10.96.0.53"}}`, "",
			"10.96.0.53 a, 10.96.0.60 b"},
		{201, "POST", services, serviceAt("headless", "None"), "", "10.96.0.53 a, 10.96.0.60 b"},
		{422, "POST", services, serviceAt("d", "10.0.0.1"), "the provided network does not match the current range",
			"10.96.0.53 a, 10.96.0.60 b"},
		{422, "POST", services, serviceAt("d", "10.96.0.53"), taken, "10.96.0.53 a, 10.96.0.60 b"},
		{200, "DELETE", services, "", "", ""},
	} {
		code, text := call(t, c, step.method, step.path, step.body)
		if code != step.code || !strings.Contains(text, step.text) {
			t.Errorf("%d: %s %s: %d %s, want %d %s", i, step.method, step.path, code, text, step.code, step.text)
		}
		if got := claims(t, c); got != step.claims {
			t.Errorf("%d: after %s %s the claims are %s, want %s", i, step.method, step.path, got, step.claims)
		}
	}
}

// TestClaimsHaveRevisions checks that a claim is written before its Service, and removed after it.
func TestClaimsHaveRevisions(t *testing.T) {
	c, _ := newCluster(t, Options{})
	made := must(t, c, 201, "POST", services, serviceAt("a", ""))
	ip := at(made, "spec.clusterIP").(string)
	claim := must(t, c, 200, "GET", ipAddresses+"/"+ip, "")
	version, own := at(made, "metadata.resourceVersion"), at(claim, "metadata.resourceVersion")
	if next(own) != version {
		t.Errorf("the claim is at %v and the Service at %v", own, version)
	}
	seen := follow(t, c, ipAddresses+"?watch=1&resourceVersion="+version.(string))
	gone := follow(t, c, services+"?watch=1&resourceVersion="+version.(string))
	must(t, c, 200, "DELETE", services+"/a", "")
	end, service := seen.Next(), gone.Next()
	if end["type"] != "DELETED" || at(end, "object.metadata.resourceVersion") !=
		next(at(service, "object.metadata.resourceVersion")) {
		t.Errorf("%v after %v", end, service)
	}
}

func next(version any) any {
	var n int64
	fmt.Sscan(version.(string), &n)
	return fmt.Sprint(n + 1)
}

// TestClaimsAfterAPurge and a reload: what was claimed is free, or claimed, as before.
func TestClaimsAfterAPurge(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"n"}}`)
	in := strings.Replace(services, "default", "n", 1)
	must(t, c, 201, "POST", in, serviceAt("a", "10.96.0.50"))
	must(t, c, 201, "POST", services, serviceAt("b", "10.96.0.51"))
	must(t, c, 201, "POST", plane+"/purge", `{"namespaces":["n"]}`)
	if got := claims(t, c); got != "10.96.0.51 b" {
		t.Errorf("after a purge: %s", got)
	}
	storage = journal.NewMemory(storage.Bytes())
	c, _ = newCluster(t, Options{Storage: storage})
	if got := claims(t, c); got != "10.96.0.51 b" {
		t.Errorf("after a reload: %s", got)
	}
	must(t, c, 422, "POST", services, serviceAt("c", "10.96.0.51"))
	must(t, c, 201, "POST", services, serviceAt("c", "10.96.0.50"))
	must(t, c, 200, "DELETE", ipAddresses+"/10.96.0.51", "")
	if c = reopen(t, storage); claims(t, c) != "10.96.0.50 c, 10.96.0.51 b" {
		t.Errorf("a lost claim is not made again: %s", claims(t, c))
	}
}
