package core

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/gates"
)

// asCBOR makes a request with a JSON body converted to CBOR, and returns its answer.
func asCBOR(t *testing.T, c *Cluster, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	document, err := cbor.FromJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Do(c, method, path, string(document), "Accept", "application/cbor", "Content-Type", "application/cbor")
}

func TestCBORIsBehindItsGate(t *testing.T) {
	c, _ := newCluster(t, Options{})
	create := func(code int) *httptest.ResponseRecorder {
		t.Helper()
		w := asCBOR(t, c, "POST", configMaps+"?dryRun=All", configMap("a", "1"))
		if w.Code != code {
			t.Fatalf("%d %s, want %d", w.Code, w.Body, code)
		}
		return w
	}
	if gates := at(must(t, c, 200, "GET", plane, ""), "spec.featureGates.CBORServingAndStorage"); gates != false {
		t.Errorf("the gate is %v in a new cluster", gates)
	}
	create(406)
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":true}}`)
	if got := create(201).Header().Get("Content-Type"); got != "application/cbor" {
		t.Errorf("answered in %s", got)
	}
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":null}}`)
	create(406)
	for bad, want := range map[string]string{
		`{"CBORServing":true}`: `spec.featureGates.CBORServing: Invalid value: true: unrecognized feature gate: CBORServing`,
		`{"RetryGenerateName":false}`: `spec.featureGates.RetryGenerateName: Invalid value: false: ` +
			`cannot set feature gate RetryGenerateName to false, feature is locked to true`,
		`{"OpenAPIEnums":false}`: `feature gate OpenAPIEnums has no effect here`,
		`{"CBORServingAndStorage":"on"}`: `spec.featureGates.CBORServingAndStorage: ` +
			`Invalid value: \"on\": must be true or false`,
		`["CBORServingAndStorage"]`: `spec.featureGates: Invalid value`,
	} {
		code, body := call(t, c, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"featureGates":`+bad+`}}`)
		if code != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %s", bad, code, body, want)
		}
	}
}

// Custom resources have no Go types: bytes in them are text, and floats stay floats.
func TestCBOROfCustomResources(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"featureGates":{"CBORServingAndStorage":true}}`)
	must(t, c, 201, "POST", definitions, `{"metadata":{"name":"things.stable.example.com"},"spec":{
		"group":"stable.example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{"b":{"type":"string"},"n":{"type":"number"}}}}}}}]}}`)
	const things = "/apis/stable.example.com/v1/namespaces/default/things"
	condition(t, c, "things", "Established", "True")
	w := asCBOR(t, c, "POST", things,
		`{"apiVersion":"stable.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"b":"AQI=","n":1.5,`+
			`"unknown":1}}`)
	if w.Code != http.StatusCreated || !strings.Contains(w.Body.String(), "\x44spec\xa2\x41b\x44AQI=\x41n\xf9\x3e\x00") {
		t.Fatalf("%d %q", w.Code, w.Body)
	}
	if got := w.Header().Get("Warning"); got != `299 - "unknown field \"spec.unknown\""` {
		t.Errorf("warning %s", got)
	}
	if w := asCBOR(t, c, "GET", things, "{}"); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "\x49ThingList") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

// TestGates shows each gate off and on, as recorded at a kube-apiserver with these gates. A row's answers, if they
// differ, are of the same request.
func TestGates(t *testing.T) {
	const (
		initial = configMaps + "?watch=1&fieldSelector=metadata.name%3Da"
		added   = `"type":"ADDED"`
		unsafe  = "ignoreStoreReadErrorWithClusterBreakingPotential"
		shard   = "?shardSelector=shardRange%28object.metadata.uid%2C%20%270x0000000000000000%27%2C%20%27"
		none    = shard + "0x0000000000000001%27%29"
		all     = shard + "0x10000000000000000%27%29"
	)
	for _, row := range []struct {
		gate, method, path string
		off, on            []string // the code, and texts of the answer; with - before it, one that it does not have
	}{
		{"WatchList", "GET", initial + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
			[]string{"422", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList " +
				"feature gate is enabled"},
			[]string{"200", added, `"k8s.io/initial-events-end":"true"`}},
		{"WatchList", "GET", initial + "&allowWatchBookmarks=true",
			[]string{"200", added, "-BOOKMARK"}, []string{"200", added, `"k8s.io/initial-events-end":"true"`}},
		{"WatchList", "GET", initial + "&sendInitialEvents=true",
			[]string{"422", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
				"is forbidden for watch unless"},
			[]string{"422", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
				"-is forbidden for watch unless"}},
		{"ShardedListAndWatch", "GET", configMaps + none,
			[]string{"200", `"name":"a"`, "-shardInfo"},
			[]string{"200", `"items":[]`, `"shardInfo":{"selector":"shardRange(object.metadata.uid, '0x0000000000000000', ` +
				`'0x0000000000000001')"}}`}},
		{"ShardedListAndWatch", "GET", configMaps + all,
			[]string{"200", `"name":"a"`, "-shardInfo"}, []string{"200", `"name":"a"`, "shardInfo"}},
		{"ShardedListAndWatch", "GET", initial + "&" + none[1:], []string{"200", added}, []string{"200", "-ADDED"}},
		{"ShardedListAndWatch", "GET", initial + "&" + all[1:], []string{"200", added}, []string{"200", added}},
		{"ShardedListAndWatch", "DELETE", configMaps + none + "&dryRun=All",
			[]string{"200", `"name":"a"`}, []string{"200", `"items":[]`, "shardInfo"}},
		{"ShardedListAndWatch", "GET", configMaps + "?shardSelector=object", []string{"200", `"name":"a"`},
			[]string{"500", `"message":"invalid shard selector: unexpected expression kind 3; expected shardRange() call or ` +
				`|| operator","code":500`}},
		{"AllowUnsafeMalformedObjectDeletion", "DELETE", configMaps + "/nope?" + unsafe + "=true",
			[]string{"404", `configmaps \"nope\" not found`},
			[]string{"422", `configmaps \"nope\" is invalid: ` + unsafe + `: Invalid value: true: is exclusively used to ` +
				`delete corrupt object(s), try again by removing this option`}},
		{"AllowUnsafeMalformedObjectDeletion", "DELETE", configMaps + "/nope?" + unsafe + "=true&dryRun=All&uid=1",
			[]string{"404"},
			[]string{"422", "cannot be set together with .dryRun", "cannot be set together with .preconditions"}},
		{"AllowUnsafeMalformedObjectDeletion", "DELETE", configMaps + "?labelSelector=none&" + unsafe + "=true",
			[]string{"200"}, []string{"422", "is not allowed with DELETECOLLECTION, try again after removing the option"}},
		{"CBORServingAndStorage", "GET", configMaps + "#Accept: application/cbor", []string{"406"}, []string{"200"}},
	} {
		c, _ := newCluster(t, Options{})
		must(t, c, 201, "POST", configMaps, configMap("a", "1"))
		for state, want := range map[string][]string{"false": row.off, "true": row.on} {
			setSpec(t, c, `{"featureGates":{"`+row.gate+`":`+state+`}}`)
			path, header, _ := strings.Cut(row.path, "#")
			name, value, _ := strings.Cut(header, ": ")
			code, body := want[0], ""
			if strings.Contains(path, "watch=1") && code == "200" {
				body = initialEvents(t, c, path)
			} else {
				w := apitest.Do(c, row.method, path, "", name, value)
				code, body = strconv.Itoa(w.Code), w.Body.String()
			}
			if code != want[0] {
				t.Errorf("%s=%s %s: %s %s, want %s", row.gate, state, path, code, body, want[0])
			}
			for _, text := range want[1:] {
				text, absent := strings.CutPrefix(text, "-")
				if strings.Contains(body, text) == absent {
					t.Errorf("%s=%s %s %s: %s\nwant %v", row.gate, state, row.method, path, body, want)
				}
			}
		}
	}
}

// initialEvents returns what a watch sends before it waits: it is cut then.
func initialEvents(t *testing.T, c *Cluster, path string) string {
	t.Helper()
	stream := follow(t, c, path)
	must(t, c, 201, "POST", plane+"/disconnect", "{}")
	var all []any
	for e := stream.Next(); e != nil; e = stream.Next() {
		all = append(all, e)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestInitialGates checks that a host's gates are those of a new cluster, and that taking one out of the object gives
// it back its initial value.
func TestInitialGates(t *testing.T) {
	set, err := gates.Parse("WatchList=false,CBORServingAndStorage=true")
	if err != nil {
		t.Fatal(err)
	}
	c, _ := newCluster(t, Options{FeatureGates: set})
	setSpec(t, c, `{"featureGates":{"WatchList":true,"CBORServingAndStorage":null}}`)
	shown := at(must(t, c, 200, "GET", plane, ""), "spec.featureGates").(map[string]any)
	if shown["WatchList"] != true || shown["ListFromCacheSnapshot"] != true || shown["ShardedListAndWatch"] != false {
		t.Errorf("shown: %v", shown)
	}
	if w := asCBOR(t, c, "POST", configMaps, configMap("a", "1")); w.Code != http.StatusCreated {
		t.Errorf("CBOR: %d %s", w.Code, w.Body)
	}
}
