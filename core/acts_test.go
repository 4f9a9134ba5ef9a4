package core

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

func TestActsValidateParameters(t *testing.T) {
	c, _ := newCluster(t, Options{})
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	for _, test := range []struct {
		method, act, body string
		code              int
		want              string // what the message contains
	}{
		{"POST", "compact", `{"rev":5}`, 400, `unknown field "rev"`},
		{"POST", "compact", `{"Revision":5}`, 400, `unknown field "Revision"`},
		{"POST", "compact", `{"revision":1.5}`, 400, "1.5 is not a revision"},
		{"POST", "compact", `{"revision":1,"revision":2}`, 400, `duplicate field "revision"`},
		{"POST", "compact", `[]`, 400, "not what this act takes"},
		{"POST", "compact", `{"revision":-1}`, 400, "revisions begin at 1"},
		{"POST", "reset", `{"sure":true}`, 400, `unknown field "sure"`},
		{"POST", "disconnect", `{"now":true}`, 400, `unknown field "now"`},
		{"POST", "reset?dryRun=Some", "", 422, "dryRun: Unsupported value"},
		{"PUT", "snapshot?dryRun=x", saved, 422, "UpdateOptions"},

		{"POST", "compact?dryRun=All", "{}", 201, ""},
		{"POST", "compact?dryRun=All", `{"revision":1000000}`, 400, "in the future"},
		{"POST", "disconnect?dryRun=All", "", 201, ""},
		{"POST", "reset?dryRun=All", "", 201, ""},
		{"PUT", "snapshot?dryRun=All", saved, 201, ""},
		{"PUT", "snapshot?dryRun=All", saved[:len(saved)-1], 400, "cannot be read"},
	} {
		before := c.current.Load()
		answer := must(t, c, test.code, test.method, plane+"/"+test.act, test.body)
		if message, _ := answer["message"].(string); !strings.Contains(message, test.want) {
			t.Errorf("%s %s: %q, want %q", test.act, test.body, message, test.want)
		}
		if c.current.Load() != before {
			t.Fatalf("%s %s made another cluster", test.act, test.body)
		}
		// Nothing is forgotten.
		must(t, c, 200, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+first, "")
	}
}

func TestSnapshotOfManyObjectsCanBeRestored(t *testing.T) {
	c, _ := newCluster(t, Options{})
	value := strings.Repeat("v", 900_000)
	for _, name := range []string{"a", "b", "c", "d"} {
		must(t, c, 201, "POST", configMaps, configMap(name, value))
	}
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	if len(saved) < 3<<20 {
		t.Fatalf("a snapshot of %d bytes", len(saved))
	}
	must(t, c, 201, "POST", plane+"/reset", "")
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	if got := at(must(t, c, 200, "GET", configMaps+"/d", ""), "data.v"); got != value {
		t.Error("the object is not what it was")
	}
	must(t, c, 413, "POST", plane+"/compact", saved)
}

func TestActsAreNegotiated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for _, test := range []struct {
		method, act, accept string
		code                int
		contentType         string
	}{
		{"GET", "snapshot", "application/octet-stream", 200, "application/octet-stream"},
		{"GET", "snapshot", "*/*", 200, "application/octet-stream"},
		{"GET", "snapshot", "application/json", 406, "application/json"},
		{"GET", "revisions", "application/yaml", 406, "application/json"},
		{"POST", "compact", "application/yaml", 201, "application/yaml"},
		{"POST", "disconnect", "application/octet-stream", 406, "application/json"},
	} {
		w := apitest.Do(c, test.method, plane+"/"+test.act, "", "Accept", test.accept)
		if w.Code != test.code || w.Header().Get("Content-Type") != test.contentType {
			t.Errorf("%s Accept: %s: %d %s", test.act, test.accept, w.Code, w.Header().Get("Content-Type"))
		}
	}
}
