package core

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

// forkOf returns a fork, on a clock that the test moves.
func forkOf(t testing.TB, c *Cluster, seed byte) (*Cluster, *clock.Manual) {
	t.Helper()
	manual := clock.NewManual(start)
	f, err := c.Fork(Options{Clock: manual, Rand: rand.NewChaCha8([32]byte{seed, 1})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, manual
}

// dumped are the types that dump lists.
var dumped = []string{
	"/api/v1/configmaps", services, "/api/v1/namespaces", tabs, definitions, "/apis/networking.k8s.io/v1/ipaddresses",
	"/api/v1/configmaps?labelSelector=app%3D1",
}

// dump returns all that a cluster has of some types at present, as its clients see it.
func dump(h http.Handler) string {
	var all strings.Builder
	for _, path := range dumped {
		w := apitest.Do(h, "GET", path, "")
		fmt.Fprintf(&all, "%s: %d %s\n", path, w.Code, w.Body)
	}
	return all.String()
}

// TestForkIsACopy compares a fork with the cluster at each of its revisions, and its watches with those.
func TestForkIsACopy(t *testing.T) {
	c, hours := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 201, "POST", services, nodePort("a"))
	must(t, c, 201, "POST", configMaps, configMap("gone", "1"))
	horizon := revision(t, c)
	must(t, c, 201, "POST", plane+"/compact", "{}")
	hours.Advance(time.Hour)
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	must(t, c, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`)
	must(t, c, 200, "DELETE", configMaps+"/gone", "")
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	setSpec(t, c, `{"watch":{"bookmarkSeconds":7}}`)
	head := revision(t, c)
	f, _ := forkOf(t, c, 2)
	again, _ := forkOf(t, f, 3)
	must(t, c, 201, "POST", configMaps, configMap("later", "1"))
	if identity(t, f) == identity(t, c) {
		t.Error("the fork passes for the cluster itself")
	}
	for n, f := range []*Cluster{f, again} {
		if got := revision(t, f); got != head {
			t.Fatalf("fork %d begins at %d, want %d", n, got, head)
		}
		for _, path := range dumped {
			for m := horizon - 1; m <= head; m++ {
				exactly := strings.Replace(exact(path, m), "?labelSelector=app%3D1?", "?labelSelector=app%3D1&", 1)
				code, want := call(t, c, "GET", exactly, "")
				if gotCode, got := call(t, f, "GET", exactly, ""); gotCode != code || got != want {
					t.Errorf("fork %d: %s at %d: %d\n%s\nwant %d\n%s", n, path, m, gotCode, got, code, want)
				}
			}
		}
		made := must(t, f, 201, "POST", configMaps, configMap("new", "1"))
		if got := at(made, "metadata.resourceVersion"); got != fmt.Sprint(head+1) {
			t.Errorf("the first write after %d has revision %v", head, got)
		}
		if got := at(made, "metadata.creationTimestamp"); got != start.Add(time.Hour).Format(time.RFC3339) {
			t.Errorf("it is of %v, and the fork of an hour after %v", got, start)
		}
		got, want := eventsUpTo(t, f, configMaps, horizon, head), eventsUpTo(t, c, configMaps, horizon, head)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("a watch from %d to %d: %v, want %v", horizon, head, got, want)
		}
		if got := at(must(t, f, 200, "GET", plane, ""), "spec.watch.bookmarkSeconds"); got != 7. {
			t.Errorf("bookmarks come every %v s", got)
		}
	}
	must(t, c, 404, "GET", configMaps+"/new", "")
}

// TestForkHasItsOwnDefinitions changes and deletes a definition in a cluster: watches and objects in the fork stay.
func TestForkHasItsOwnDefinitions(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	must(t, c, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`)
	f, _ := forkOf(t, c, 2)
	s := follow(t, f, tabs+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, f)))
	gone := follow(t, c, definitions+"?watch=1")
	must(t, c, 200, "DELETE", definitions+"/crontabs.stable.example.com", "")
	for e := gone.Next(); e["type"] != "DELETED"; {
		e = gone.Next()
	}
	if code, _ := call(t, c, "GET", tabs, ""); code != 404 {
		t.Errorf("where the definition is deleted its objects are %d", code)
	}
	must(t, f, 200, "GET", tabs+"/a", "")
	must(t, f, 200, "PATCH", tabs+"/a", `{"spec":{"a":9}}`)
	if e := s.Next(); e["type"] != "MODIFIED" || at(e, "object.spec.a") != 9. {
		t.Errorf("the fork's watch has %v", e)
	}
	must(t, f, 200, "DELETE", definitions+"/crontabs.stable.example.com", "")
	if e := s.Next(); e["type"] != "DELETED" {
		t.Errorf("after the definition is deleted in the fork: %v", e)
	}
	for e := s.Next(); e != nil; e = s.Next() { // the watch ends
	}
}

// TestForkHasTheSameUsers checks that tokens and roles are the same in a fork, and that a change of one cluster's does
// not change the other's.
func TestForkHasTheSameUsers(t *testing.T) {
	c, _ := newCluster(t, Options{Authorization: "RBAC", Tokens: []Token{{Token: "jane", User: "jane"}}})
	const jane = "Authorization: Bearer jane"
	allowed := func(c *Cluster, code int) {
		t.Helper()
		if got, body := requestAs(c, jane, "GET", configMaps, ""); got != code {
			t.Errorf("jane lists: %d, want %d: %s", got, code, body)
		}
	}
	must(t, c, 201, "POST", "/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"default"}}`)
	token := at(must(t, c, 201, "POST", "/api/v1/namespaces/default/serviceaccounts/default/token", `{}`),
		"status.token").(string)
	before, _ := forkOf(t, c, 2)
	must(t, c, 201, "POST", roles, `{"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["configmaps"],`+
		`"verbs":["list"]}]}`)
	must(t, c, 201, "POST", roleBindings, `{"metadata":{"name":"r"},"roleRef":{"kind":"Role","name":"r"},`+
		`"subjects":[{"kind":"User","name":"jane"}]}`)
	after, _ := forkOf(t, c, 3)
	allowed(before, 403)
	allowed(c, 200)
	allowed(after, 200)
	must(t, after, 200, "DELETE", roleBindings+"/r", "")
	allowed(after, 403)
	allowed(c, 200)
	for _, c := range []*Cluster{c, before, after} {
		if code, body := requestAs(c, "Authorization: Bearer "+token, "GET", "/api", ""); code != 200 {
			t.Errorf("a service account's token: %d %s", code, body)
		}
	}
}

// TestForkAllocatesByItself has Services in forks take addresses and ports that others do not know of.
func TestForkAllocatesByItself(t *testing.T) {
	c, _ := newCluster(t, Options{})
	old := must(t, c, 201, "POST", services, nodePort("old"))
	f, _ := forkOf(t, c, 2)
	made := must(t, f, 201, "POST", services, nodePort("new"))
	wanted := func(from map[string]any) string {
		port := at(from["spec"].(map[string]any)["ports"].([]any)[0], "nodePort")
		return fmt.Sprintf(`{"metadata":{"name":"wants"},"spec":{"type":"NodePort","clusterIP":%q,"ports":[{"port":80,`+
			`"nodePort":%v}]}}`, at(from, "spec.clusterIP"), port)
	}
	must(t, f, 422, "POST", services, wanted(old))
	must(t, f, 422, "POST", services, wanted(made))
	must(t, c, 201, "POST", services, wanted(made))
}

// TestForkKeepsTheCachesState forks a cluster whose cache is frozen behind the head: so is the fork's, until it is not.
func TestForkKeepsTheCachesState(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	setSpec(t, c, `{"cache":{"replicas":[{"frozen":true}]}}`)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	f, _ := forkOf(t, c, 2)
	value := func(c *Cluster) any {
		return at(must(t, c, 200, "GET", configMaps+"/a?resourceVersion=0", ""), "data.v")
	}
	if value(c) != "1" || value(f) != "1" {
		t.Errorf("the caches have %v and %v", value(c), value(f))
	}
	setSpec(t, f, `{"cache":{"replicas":[{"frozen":false}]}}`)
	if value(c) != "1" || value(f) != "2" {
		t.Errorf("the caches have %v, and %v when it is not frozen any more", value(c), value(f))
	}
}

// TestForkHasItsOwnControllers deletes a namespace in a fork of a cluster that runs controllers.
func TestForkHasItsOwnControllers(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/shop/configmaps", configMap("a", "1"))
	f, manual := forkOf(t, c, 2)
	s := follow(t, f, "/api/v1/namespaces?watch=1&resourceVersion="+fmt.Sprint(revision(t, f)))
	must(t, f, 200, "DELETE", "/api/v1/namespaces/shop", "")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for e := s.Next(); e != nil && e["type"] != "DELETED"; e = s.Next() {
		}
	}()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		case <-time.After(time.Millisecond):
			manual.Advance(time.Second) // the controllers wait between their steps
		}
	}
	must(t, f, 404, "GET", "/api/v1/namespaces/shop", "")
	must(t, c, 200, "GET", "/api/v1/namespaces/shop/configmaps/a", "")
}

// TestForkRefuses lists what cannot be forked.
func TestForkRefuses(t *testing.T) {
	c, err := New(Options{Clock: clock.NewManual(start), Rand: randomness()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Fork(Options{}); err == nil {
		t.Error("a fork without a clock")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Fork(Options{Clock: clock.NewManual(start), Rand: randomness()}); err != errClosed {
		t.Errorf("a fork of a closed cluster: %v", err)
	}
}
