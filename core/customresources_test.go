package core

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

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
		if e := objects.Next(); e["type"] != want && (want != nil || e != nil) {
			t.Fatalf("event %v, want %v", e, want)
		}
	}
	for e := definition.Next(); e["type"] != "DELETED"; e = definition.Next() {
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

// TestApprovalOfDefinitions checks the condition of definitions in the groups of Kubernetes itself.
func TestApprovalOfDefinitions(t *testing.T) {
	c, _ := newCluster(t, Options{})
	const name = "crontabs.stable.example.k8s.io"
	approved := func(approver string) string { return `"annotations":{"api-approved.kubernetes.io":"` + approver + `"}` }
	definition := strings.ReplaceAll(crontabs("crontabs", "CronTab", "ct"), "stable.example.com", "stable.example.k8s.io")
	must(t, c, 422, "POST", definitions, definition)
	changes := follow(t, c, definitions+"?watch=1&fieldSelector=metadata.name="+name)
	must(t, c, 201, "POST", definitions, strings.Replace(definition, `"metadata":{`,
		`"metadata":{`+approved("https://github.com/kubernetes/enhancements/pull/1111")+`,`, 1))
	wait := func(status, reason, message string) {
		t.Helper()
		for e := changes.Next(); e != nil; e = changes.Next() {
			conditions, _ := at(e, "object.status.conditions").([]any)
			for _, c := range conditions {
				c := c.(map[string]any)
				if c["type"] == "KubernetesAPIApprovalPolicyConformant" && c["status"] == status && c["reason"] == reason &&
					c["message"] == message {
					return
				}
			}
		}
		t.Fatalf("it does not become %s %s", status, reason)
	}
	wait("True", "ApprovedAnnotation", "approved in https://github.com/kubernetes/enhancements/pull/1111")
	must(t, c, 200, "PATCH", definitions+"/"+name, `{"metadata":{`+approved("unapproved, a test")+`}}`)
	wait("False", "UnapprovedAnnotation", `not approved: "unapproved, a test"`)
	must(t, c, 201, "POST", definitions, crontabs("others", "Other", "o"))
	condition(t, c, "others", "Established", "True")
	if _, text := call(t, c, "GET", definitions+"/others.stable.example.com", ""); strings.Contains(text, "Approval") {
		t.Error("a definition of another group has the condition")
	}
}
