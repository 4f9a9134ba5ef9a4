package webhooks_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Mutating webhooks are called by the names of their configurations, then as listed; each sees the
// changes of those before it.
func TestOrder(t *testing.T) {
	c := newCluster(t)
	c.configure("Mutating", "z", config("z1", nil), config("z2", nil))
	c.configure("Mutating", "a", config("a1", nil))
	for _, name := range []string{"z1", "z2", "a1"} {
		c.answer(name, patches(fmt.Sprintf(`[{"op":"add","path":"/data/%s","value":"x"}]`, name)))
	}
	got := c.must(201, "POST", configMaps, configMap("a", tree{"k": "v"}))
	calls := c.taken()
	if paths(calls) != "a1 z1 z2" {
		t.Fatal(paths(calls))
	}
	for i, want := range []int{1, 2, 3} {
		if data := at(calls[i].request, "object.data").(tree); len(data) != want {
			t.Errorf("%s saw %v", calls[i].path, data)
		}
	}
	if data := got["data"].(tree); len(data) != 4 {
		t.Error(data)
	}
}

// The first denial ends the request.
func TestDenialEndsTheRound(t *testing.T) {
	c := newCluster(t)
	c.configure("Mutating", "m", config("a", nil), config("b", nil), config("c", nil))
	c.configure("Validating", "v", config("v", nil))
	c.answer("a", allowed)
	c.answer("b", denies(nil))
	c.must(400, "POST", configMaps, configMap("x", nil))
	if got := paths(c.taken()); got != "a b" {
		t.Error(got)
	}
}

// Webhooks that ask for it are called again after others changed the object.
func TestReinvocation(t *testing.T) {
	for name, test := range map[string]struct{ patching, want string }{
		"all":    {"abc", "a b c a"},
		"last":   {"c", "a b c a"},
		"first":  {"a", "a b c"},
		"nobody": {"", "a b c"},
	} {
		c := newCluster(t)
		again := tree{"reinvocationPolicy": "IfNeeded"}
		c.configure("Mutating", "m", config("a", again), config("b", nil), config("c", again))
		for _, hook := range []string{"a", "b", "c"} {
			c.answer(hook, allowed)
		}
		for _, hook := range test.patching {
			c.answer(string(hook), patches(fmt.Sprintf(`[{"op":"add","path":"/data/%c","value":"x"}]`, hook)))
		}
		c.must(201, "POST", configMaps, configMap("x", tree{"k": "v"}))
		calls := c.taken()
		if got := paths(calls); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		uids := map[any]bool{}
		for _, call := range calls {
			uids[call.request["uid"]] = true
		}
		if len(uids) != len(calls) {
			t.Errorf("%s: %d uids of %d calls", name, len(uids), len(calls))
		}
	}
}

// Validating webhooks are called at once; of several denials the first to come counts.
func TestValidatingAtOnce(t *testing.T) {
	c := newCluster(t)
	c.configure("Validating", "v", config("a", nil), config("b", nil))
	second := make(chan struct{})
	c.answer("a", func(r tree) any { <-second; return denies(tree{"message": "late"})(r) })
	c.answer("b", func(r tree) any {
		defer func() { go func() { second <- struct{}{} }() }()
		return denies(tree{"message": "early"})(r)
	})
	got := c.must(400, "POST", configMaps, configMap("x", nil))
	if len(c.taken()) != 2 || got["status"] != "Failure" {
		t.Error(got)
	}
}

// Patched objects are defaulted, validated and stored.
func TestPatches(t *testing.T) {
	for name, test := range map[string]struct {
		patch string
		code  int
		want  string // path=value of the object, or the message
	}{
		"none":           {`[]`, 201, "data.k=v"},
		"adds":           {`[{"op":"add","path":"/data/new","value":"x"}]`, 201, "data.new=x"},
		"another name":   {`[{"op":"replace","path":"/metadata/name","value":"other"}]`, 201, "metadata.name=other"},
		"unknown fields": {`[{"op":"add","path":"/spec","value":"x"}]`, 201, "spec=<nil>"},
		"no apiVersion":  {`[{"op":"remove","path":"/apiVersion"}]`, 201, "apiVersion=v1"},
		"no kind":        {`[{"op":"remove","path":"/kind"}]`, 201, "kind=ConfigMap"},
		"labels":         {`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`, 201, "metadata.labels.a=b"},
		"invalid":        {`[{"op":"add","path":"/data/a b","value":"x"}]`, 422, ""},
		"namespace": {`[{"op":"replace","path":"/metadata/namespace","value":"kube-system"}]`, 400,
			"message=the namespace of the provided object does not match the namespace sent on the request"},
		"too deep": {
			`[{"op":"add","path":"/data/new","value":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}]`, 500,
			`message=Internal error occurred: failed calling webhook "m.example.com": received undecodable patch in ` +
				`webhook response: exceeded max depth: what is sent may nest 200 levels deep here`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.configure("Mutating", "m", config("m", nil))
			c.configure("Validating", "v", config("v", nil))
			c.answer("m", patches(test.patch))
			c.answer("v", allowed)
			got := c.must(test.code, "POST", configMaps, configMap("a", tree{"k": "v"}))
			if test.want != "" {
				var path, value string
				for i := range test.want {
					if test.want[i] == '=' {
						path, value = test.want[:i], test.want[i+1:]
						break
					}
				}
				if fmt.Sprint(at(got, path)) != value {
					t.Errorf("%s: %v, want %s", path, at(got, path), value)
				}
			}
			for _, call := range c.taken() {
				if call.request["name"] != "a" {
					t.Errorf("%s was asked about %v", call.path, call.request["name"])
				}
			}
		})
	}
}

// The server sets the uid, whatever a patch says; fields that a patch removes are defaulted.
func TestPatchedIdentityAndDefaults(t *testing.T) {
	c := newCluster(t)
	c.configure("Mutating", "m", config("m", tree{"rules": []any{rule("", "v1", "services", "CREATE")}}))
	c.answer("m", patches(`[{"op":"add","path":"/metadata/uid","value":"mine"},{"op":"replace","path":"/spec/ports/0",`+
		`"value":{"port":81}}]`))
	got := c.must(201, "POST", "/api/v1/namespaces/default/services",
		tree{"metadata": tree{"name": "s"}, "spec": tree{"ports": []any{tree{"port": 80}}}})
	port := at(got, "spec.ports").([]any)[0]
	if at(port, "port") != 81.0 || at(port, "protocol") != "TCP" || at(port, "targetPort") != 81.0 ||
		at(got, "metadata.uid") == "mine" {
		t.Error(got)
	}
}

// Violations show an empty map that a patch gives, and not the one that was sent before.
func TestPatchGivesEmptyValues(t *testing.T) {
	sets := func(labels tree) tree {
		return tree{"metadata": tree{"name": "d"}, "spec": tree{"selector": tree{"matchLabels": tree{"a": "b"}},
			"template": tree{"metadata": tree{"labels": labels},
				"spec": tree{"containers": []any{tree{"name": "c", "image": "i"}}}}}}
	}
	c := newCluster(t)
	c.configure("Mutating", "m", config("m", tree{"rules": []any{rule("apps", "v1", "daemonsets", "CREATE")}}))
	for _, test := range []struct {
		sent        tree
		patch, want string
	}{
		{tree{"a": "b"}, `[{"op":"replace","path":"/spec/template/metadata/labels","value":{}}]`, "{}"},
		{tree{}, `[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]`, "null"},
		{tree{}, `[]`, "{}"},
	} {
		c.answer("m", patches(test.patch))
		got := c.must(422, "POST", "/apis/apps/v1/namespaces/default/daemonsets", sets(test.sent))
		if message, _ := got["message"].(string); !strings.Contains(message, "Invalid value: "+test.want+": `selector`") {
			t.Errorf("%s: %s", test.patch, message)
		}
	}
}

// A DELETE has no object to change.
func TestPatchOfDeletion(t *testing.T) {
	c := newCluster(t)
	c.must(201, "POST", configMaps, configMap("a", nil))
	c.configure("Mutating", "m", config("m", nil))
	for patch, want := range map[string]string{
		`[{"op":"add","path":"/data","value":{}}]`: `admission webhook "m.example.com" attempted to modify the object, ` +
			`which is not supported for this operation`,
		`[1]`: `failed calling webhook "m.example.com": received undecodable patch in webhook response: json: cannot ` +
			`unmarshal number into Go value of type jsonpatch.Operation`,
	} {
		c.answer("m", patches(patch))
		if got := c.must(500, "DELETE", configMaps+"/a", nil); got["message"] != "Internal error occurred: "+want {
			t.Error(got)
		}
	}
}

// A dry run shows the result of patches and stores nothing. sideEffects say whether a webhook can
// be part of it; other requests ignore them.
func TestDryRun(t *testing.T) {
	for _, effects := range []string{"None", "NoneOnDryRun"} {
		for _, kind := range []string{"Mutating", "Validating"} {
			c := newCluster(t)
			c.configure(kind, "x", config("wh", tree{"sideEffects": effects}))
			c.answer("wh", allowed)
			if kind == "Mutating" {
				c.answer("wh", patches(`[{"op":"add","path":"/data/new","value":"x"}]`))
			}
			got := c.must(201, "POST", configMaps+"?dryRun=All", configMap("a", tree{"k": "v"}))
			if kind == "Mutating" && at(got, "data.new") != "x" {
				t.Error(got)
			}
			if call := c.one(); call.request["dryRun"] != true {
				t.Error(call.request)
			}
			c.must(404, "GET", configMaps+"/a", nil)
		}
	}
}

// Many writers, while configurations come and go.
func TestRace(t *testing.T) {
	c := newCluster(t)
	c.configure("Mutating", "m", config("m", nil))
	c.configure("Validating", "v", config("a", nil), config("b", nil))
	for _, name := range []string{"m", "a", "b", "c"} {
		c.answer(name, warns("x"))
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 5 {
				name := fmt.Sprintf("x-%d-%d", i, j)
				if w := c.do("POST", configMaps, configMap(name, nil)); w.Code != 201 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
	all.Go(func() {
		for range 5 {
			c.configure("Validating", "w", config("c", nil))
			c.must(200, "DELETE", registration+"validatingwebhookconfigurations/w", nil)
		}
	})
	all.Wait()
}
