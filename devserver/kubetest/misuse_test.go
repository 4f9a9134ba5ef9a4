package kubetest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/protobuf"
)

// TestMisuse calls methods with what they cannot mean: each fails at once, with a sentence that names the method.
func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		misuse func(f *fake, s *Server)
	}{
		{`Block: no resource is called "ConfigMap"; ConfigMap is "configmaps"`,
			func(_ *fake, s *Server) { s.Block("update", "ConfigMap", "a") }},
		{`Block: no resource is called "deployments"; Deployment is "deployments.apps"`,
			func(_ *fake, s *Server) { s.Block("update", "deployments", "a") }},
		{`Block: no resource is called "deploy/status"; Deployment is "deployments.apps/status"`,
			func(_ *fake, s *Server) { s.Block("update", "deploy/status", "a") }},
		{`Block: no resource is called "pods/state": `, func(_ *fake, s *Server) { s.Block("update", "pods/state", "a") }},
		{`Block: no resource is called "pods.v1": `, func(_ *fake, s *Server) { s.Block("", "pods.v1", "") }},
		{`Block: no resource is called "Orders.example.com": `,
			func(_ *fake, s *Server) { s.Block("", "Orders.example.com", "") }},
		{`Block: no request for a resource has the verb "PUT": verbs are get, list, `,
			func(_ *fake, s *Server) { s.Block("PUT", "configmaps", "a") }},
		{`Block: no request for a resource has the verb "post": `,
			func(_ *fake, s *Server) { s.Block("post", "configmaps", "a") }},
		{`Block: no request has the verb "PUT": `, func(_ *fake, s *Server) { s.Block("PUT", "", "") }},
		{`Fail: no request has the verb "apply": `, func(_ *fake, s *Server) { s.Fail("apply", "*", "", Failure{}) }},
		{`Fail: no resource is called "none": `, func(_ *fake, s *Server) { s.Fail("get", "none", "", Failure{}) }},
		{`Fail: a request does not fail with the code 200`,
			func(_ *fake, s *Server) { s.Fail("", "", "", Failure{Code: 200}) }},
		{`Fail: Times -1 and `, func(_ *fake, s *Server) { s.Fail("", "", "", Failure{Times: -1}) }},
		{`Fail: Times 0 and RetryAfter -1s `,
			func(_ *fake, s *Server) { s.Fail("", "", "", Failure{RetryAfter: -time.Second}) }},
		{`Faults: a share of requests is from 0 to 1, not 10`, func(_ *fake, s *Server) { s.Faults(1, 10) }},
		{`Faults: a share of requests is from 0 to 1, not -1`, func(_ *fake, s *Server) { s.Faults(1, -1) }},
		{`Set: spec: Unsupported value: "nonsense": `, func(_ *fake, s *Server) { s.Set(`{"nonsense": 1}`) }},
		{`Set: spec.cache: Unsupported value: "lag": `, func(_ *fake, s *Server) { s.Set(`{"cache":{"lag":1}}`) }},
		{`: 422 `,
			func(_ *fake, s *Server) { s.Set(`{"cache":{"replicas":[{"lag":1}]}}`) }},
		{`: 422 `, func(_ *fake, s *Server) { s.Set(`{"watch":{"bookmarkSeconds":-1}}`) }},
		{`Set: "{" is no JSON object`, func(_ *fake, s *Server) { s.Set(`{`) }},
		{`Set: "null" is no JSON object`, func(_ *fake, s *Server) { s.Set(`null`) }},
		{`Set: "{}, 1" is no JSON object`, func(_ *fake, s *Server) { s.Set(`{}, 1`) }},
		{`Lag: a delay is not negative, as -1s is`, func(_ *fake, s *Server) { s.Lag(-time.Second) }},
		{`Advance: time moves forward only, not by -1s`, func(_ *fake, s *Server) { s.Advance(-time.Second) }},
		{`Chaos: a time between `, func(_ *fake, s *Server) { s.Chaos(1, -time.Second) }},
		{`As: it needs a user`, func(_ *fake, s *Server) { s.As("", "dev") }},
		{`Webhook: it needs `, func(_ *fake, s *Server) { s.Webhook("", "hooks", http.NotFoundHandler()) }},
		{`Webhook: it needs `, func(_ *fake, s *Server) { s.Webhook("system", "hooks", nil) }},
		{`Latency: -1s and `, func(f *fake, _ *Server) { New(f, Latency(-time.Second, 0)) }},
		{`FeatureGates: None: `, func(f *fake, _ *Server) { New(f, FeatureGates(map[string]bool{"None": true})) }},
	} {
		f := &fake{}
		f.run(func() { c.misuse(f, New(f)) })
		f.end()
		if len(f.fatal) != 1 || !strings.Contains(f.fatal[0], c.want) || len(f.failed) != 0 {
			t.Errorf("%s: fails with %q and %q", c.want, f.fatal, f.failed)
		}
	}
	for name, misuse := range map[string]func(){
		"New": func() { New(nil) }, "Fork": func() { New(t).Fork(nil) }, "Fork ": func() { Fork(nil) },
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "kubetest: "+strings.TrimSpace(name)+": there is no TB") {
					t.Errorf("%s: %q", name, p)
				}
			}()
			misuse()
		}()
	}
}

// TestNoMisuse makes rules that requests can fit, some of them later.
func TestNoMisuse(t *testing.T) {
	t.Parallel()
	f := &fake{}
	f.run(func() {
		s := New(f)
		for _, r := range []struct{ verb, resource string }{
			{"", ""}, {"*", "*"}, {"post", ""}, {"get", "*"}, {"", "pods"}, {"create", "pods/eviction"},
			{"update", "deployments.apps/scale"}, {"list", "events"}, {"list", "events.events.k8s.io"},
			{"create", "orders.example.com"}, {"patch", "orders.example.com/status"}, {"create", "pods/exec"},
			{"create", "leases.coordination.k8s.io"}, {"update", "namespaces/finalize"},
		} {
			s.Fail(r.verb, r.resource, "", Failure{Code: 503})()
		}
		s.Lag(0)
		s.Chaos(0, 0)
		s.Set(`{}`)
		s.Faults(0, 0)()
	})
	if f.end(); len(f.fatal)+len(f.failed) != 0 {
		t.Errorf("%q, %q", f.fatal, f.failed)
	}
}

// TestUnusedRules reports rules at the end of a test that no request has met, with where they were made.
func TestUnusedRules(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		f := &fake{}
		var options []Option
		if fails {
			options = append(options, FailOnUnusedRules())
		}
		f.run(func() {
			s := New(f, options...)
			s.Fail("get", "configmaps", "a", Failure{Times: 2})
			s.Block("create", "configmaps", "late").Release()
			if code, _, err := s.Do("GET", configMaps+"/a", ""); code != 500 || err != nil {
				t.Errorf("%d %v", code, err)
			}
		})
		f.end()
		reported, other := f.logged, f.failed
		if fails {
			reported, other = other, reported
		}
		if len(other)+len(f.fatal) != 0 || len(reported) != 1 ||
			!strings.Contains(reported[0], `no request has met Block("create", "configmaps", "late"), made at `) ||
			!strings.Contains(reported[0], "misuse_test.go:") {
			t.Errorf("fails: %t: reported %q, and %q, %q", fails, reported, other, f.fatal)
		}
	}
}

// TestNameOf finds the name of a new object in each encoding that clients send.
func TestNameOf(t *testing.T) {
	t.Parallel()
	asProtobuf, err := protobuf.FromJSON([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"metadata":{"name":"a"}}`:            "a",
		"metadata:\n  name: a\n":               "a",
		`{"metadata":{"generateName":"a-"}}`:   "",
		string(asProtobuf):                     "a",
		"\xd9\xd9\xf7\xa1Hmetadata\xa1DnameAa": "a",
		``:                                     "", `[]`: "", `{"metadata":`: "", `{"metadata":{"name":1}}`: "",
		"k8s\x00\xff":      "",
		"\xd9\xd9\xf7\xff": "", "\t": "",
	} {
		if got := nameOf([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
