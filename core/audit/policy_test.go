package audit

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
)

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, users: ["system:apiserver"]}
- {level: None, nonResourceURLs: ["/healthz*", "/version"]}
- {level: Metadata, resources: [{group: "", resources: [secrets, "serviceaccounts/token"]}]}
- {level: RequestResponse, resources: [{group: apps, resources: ["*/scale"]}], omitManagedFields: true}
- {level: Request, verbs: [create, update], namespaces: [a], userGroups: [dev]}
- {level: Metadata, resources: [{group: batch}], omitStages: [ResponseComplete]}
`

func TestPolicy(t *testing.T) {
	p, err := ParsePolicy([]byte(policy))
	if err != nil {
		t.Fatal(err)
	}
	dev := &auth.User{Name: "jane", Groups: []string{"dev"}}
	attributes := func(verb, group, resource, sub, namespace string) auth.Attributes {
		return auth.Attributes{User: dev, Verb: verb, IsResource: true, Group: group, Resource: resource, Subresource: sub,
			Namespace: namespace}
	}
	for name, c := range map[string]struct {
		a     auth.Attributes
		level Level
		omit  int
	}{
		"the server":     {auth.Attributes{User: &auth.User{Name: auth.Server}, Verb: "get", IsResource: true}, None, 1},
		"health":         {auth.Attributes{Verb: "get", Path: "/healthz/etcd"}, None, 1},
		"another path":   {auth.Attributes{Verb: "get", Path: "/versions"}, None, 1},
		"secrets":        {attributes("create", "", "secrets", "", "a"), Metadata, 1},
		"tokens":         {attributes("create", "", "serviceaccounts", "token", "a"), Metadata, 1},
		"accounts":       {attributes("create", "", "serviceaccounts", "", "a"), RequestLevel, 1},
		"another verb":   {attributes("get", "", "serviceaccounts", "", "a"), None, 1},
		"another space":  {attributes("create", "", "serviceaccounts", "", "b"), None, 1},
		"scales":         {attributes("update", "apps", "deployments", "scale", "b"), RequestResponse, 1},
		"a whole group":  {attributes("get", "batch", "jobs", "status", "b"), Metadata, 2},
		"another groups": {attributes("get", "apps", "deployments", "", "b"), None, 1},
	} {
		level, omit, _ := p.For(c.a)
		if level != c.level || level != None && len(omit) != c.omit {
			t.Errorf("%s: %s without %v, want %s", name, level, omit, c.level)
		}
	}
	if _, _, managed := p.For(attributes("update", "apps", "deployments", "scale", "b")); managed {
		t.Error("managed fields are written")
	}
}

func TestPoliciesThatAreNone(t *testing.T) {
	const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
	for text, want := range map[string]string{
		"a: b":                          `unknown field "a"`,
		head:                            "illegal policy with 0 rules",
		"kind: Policy\nrules: []":       `it is a "Policy" of ""`,
		head + "rules: [{}]":            "rules[0].level: Required value",
		head + "rules: [{level: Much}]": `rules[0].level: Unsupported value: "Much"`,
		head + "rules: [{level: None, omitStages: [Late]}]":                       "rules[0].omitStages[0]: Invalid value",
		head + "rules: [{level: None, nonResourceURLs: [x]}]":                     "must begin with a '/'",
		head + "rules: [{level: None, nonResourceURLs: ['/a*b']}]":                "must be the final character",
		head + "rules: [{level: None, namespaces: [a], nonResourceURLs: ['/a']}]": "both regular resources",
		head + "rules: [{level: None, resources: [{resourceNames: [a]}]}]":        "requires at least one resource",
	} {
		if _, err := ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestEvents follows a request from its begin to its end.
func TestEvents(t *testing.T) {
	p, err := ParsePolicy([]byte("apiVersion: audit.k8s.io/v1\nkind: Policy\n" +
		"rules: [{level: RequestResponse, users: [jane], omitManagedFields: true}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	l := &Log{Policy: p, Write: func(e []byte) { events = append(events, string(e)) },
		Now:   func() time.Time { return time.Date(2026, 11, 27, 1, 2, 3, 4000, time.UTC) },
		NewID: func() string { return "id" }}
	r := httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/a/pods?x=y", nil)
	r.Header.Set("User-Agent", "test")
	asked := auth.Attributes{Verb: "create", IsResource: true, Resource: "pods", Namespace: "a"}
	q := l.Begin(r, asked, "v1", []string{"127.0.0.1"})
	record := q.Record()
	record.By(&auth.User{Name: "jane"})
	record.By(&auth.User{Name: "joe"}) // too late
	record.Decided(true, "")
	record.Asked([]byte(`{"metadata":{"name":"p","managedFields":[1]}}`))
	record.Append("p/k", "1")
	record.Append("p/k", "2")
	record.Failed([]byte(`{"status":"Failure","message":"no","reason":"Conflict","code":409}`))
	q.At(Complete, 409)
	var got []map[string]any
	for _, e := range events {
		var one map[string]any
		if err := json.Unmarshal([]byte(e), &one); err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if len(got) != 2 || got[0]["stage"] != "RequestReceived" {
		t.Fatalf("%v", events)
	}
	want := `{"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"","p/k":"1, 2"},` +
		`"apiVersion":"audit.k8s.io/v1","auditID":"id","kind":"Event","level":"RequestResponse",` +
		`"objectRef":{"apiVersion":"v1","name":"p","namespace":"a","resource":"pods"},` +
		`"requestObject":{"metadata":{"name":"p"}},"requestReceivedTimestamp":"2026-11-27T01:02:03.000004Z",` +
		`"requestURI":"/api/v1/namespaces/a/pods?x=y","responseStatus":{"code":409,"message":"no","metadata":{},` +
		`"reason":"Conflict","status":"Failure"},"sourceIPs":["127.0.0.1"],"stage":"ResponseComplete",` +
		`"stageTimestamp":"2026-11-27T01:02:03.000004Z","user":{"username":"jane"},"userAgent":"test","verb":"create"}`
	if text, _ := json.Marshal(got[1]); string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	events = nil
	q = l.Begin(r, asked, "v1", nil)
	q.Record().By(&auth.User{Name: "joe"})
	if q.At(Complete, 200); len(events) != 0 {
		t.Errorf("of another user: %v", events)
	}
	var none *Record
	none.By(nil)
	none.Decided(true, "")
	none.Asked(nil)
}
