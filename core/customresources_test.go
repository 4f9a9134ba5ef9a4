package core

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// crontabs returns a definition of the resource plural.stable.example.com. Its versions are
// v1, which is stored, and the deprecated v1beta1.
func crontabs(plural, kind, short string) string {
	const schema = `"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",` +
		`"properties":{"a":{"type":"integer","default":7}}}}}}`
	return fmt.Sprintf(`{"metadata":{"name":"%[1]s.stable.example.com"},
		"spec":{"group":"stable.example.com","scope":"Namespaced",
		"names":{"plural":%[1]q,"singular":"one-%[1]s","kind":%[2]q,"shortNames":[%[3]q]},
		"versions":[{"name":"v1","served":true,"storage":true,%[4]s},
		{"name":"v1beta1","served":true,"storage":false,"deprecated":true,%[4]s}]}}`,
		plural, kind, short, schema)
}

// condition waits until a condition of a definition has the given status and returns it.
func condition(t *testing.T, h http.Handler, name, kind, value string) map[string]any {
	t.Helper()
	s := follow(t, h, definitions+"?watch=1&fieldSelector=metadata.name="+name+".stable.example.com")
	defer s.stop()
	for e := s.next(); e != nil; e = s.next() {
		conditions, _ := at(e, "object.status.conditions").([]any)
		for _, c := range conditions {
			if c := c.(map[string]any); c["type"] == kind && c["status"] == value {
				return c
			}
		}
	}
	t.Fatalf("%s of %s does not become %s", kind, name, value)
	return nil
}

const tabs = "/apis/stable.example.com/v1/namespaces/default/crontabs"

func TestReloadServesCustomResources(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	must(t, c, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},`+
		`"spec":{}}`)

	again := reopen(t, storage)
	for _, path := range []string{tabs + "/a", tabs, "/apis/stable.example.com/v1beta1/namespaces/default/crontabs/a",
		"/apis/stable.example.com/v1", definitions + "/crontabs.stable.example.com"} {
		_, want := call(t, c, "GET", path, "")
		if code, got := call(t, again, "GET", path, ""); code != 200 || got != want {
			t.Errorf("%s after the reload: %d\n%s\nbefore:\n%s", path, code, got, want)
		}
	}
	created := must(t, again, 201, "POST", tabs,
		`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"b"},"spec":{}}`)
	if at(created, "spec.a") != 7.0 {
		t.Errorf("created %v", created)
	}
	must(t, again, 422, "POST", tabs,
		`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"c"},"spec":{"a":"x"}}`)
}

func TestDeletedDefinitionDeletesItsObjects(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	must(t, c, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`)
	objects, definition := follow(t, c, tabs+"?watch=1"), follow(t, c, definitions+"?watch=1")
	must(t, c, 200, "DELETE", definitions+"/crontabs.stable.example.com", "")
	for _, want := range []any{"ADDED", "DELETED", nil} { // and the watch ends
		if e := objects.next(); e["type"] != want && (want != nil || e != nil) {
			t.Fatalf("event %v, want %v", e, want)
		}
	}
	for e := definition.next(); e["type"] != "DELETED"; e = definition.next() {
		if e == nil {
			t.Fatal("the definition stays")
		}
	}
	if code, text := call(t, c, "GET", tabs, ""); code != 404 || text != "404 page not found\n" {
		t.Errorf("its path answers %d %q", code, text)
	}
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	if list := must(t, c, 200, "GET", tabs, ""); len(list["items"].([]any)) != 0 {
		t.Errorf("the new definition begins with %v", list["items"])
	}
}

func TestNamesBelongToOneDefinition(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	must(t, c, 201, "POST", definitions, crontabs("others", "Other", "ct"))
	refused := condition(t, c, "others", "NamesAccepted", "False")
	if refused["reason"] != "ShortNamesConflict" || refused["message"] != `"ct" is already in use` {
		t.Errorf("refused: %v", refused)
	}
	if code, _ := call(t, c, "GET", "/apis/stable.example.com/v1/others", ""); code != 404 {
		t.Errorf("a definition without its names is served: %d", code)
	}
	must(t, c, 200, "DELETE", definitions+"/crontabs.stable.example.com", "")
	condition(t, c, "others", "Established", "True")
	must(t, c, 200, "GET", "/apis/stable.example.com/v1/others", "")
}
