package webhooks_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

type tree = map[string]any

// at returns the value at a dotted path of an object.
var at = objecttest.At

// A cluster whose webhooks are functions of the test, by their paths.
type cluster struct {
	*core.Cluster
	t     *testing.T
	clock *clock.Manual

	mu    sync.Mutex
	calls []call
	hooks map[string]hook
}

// A hook answers an AdmissionReview: with the whole reply, or with a review whose
// uid may be left out.
type hook func(request tree) any

// A call is what a webhook was sent.
type call struct {
	*webhooks.Call
	path            string
	review, request tree
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{t: t, clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), hooks: map[string]hook{}}
	var err error
	c.Cluster, err = core.New(core.Options{Clock: c.clock, Rand: rand.NewChaCha8([32]byte{1}), Webhooks: c.call})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func (c *cluster) call(ctx context.Context, sent *webhooks.Call) (*webhooks.Reply, error) {
	u, err := url.Parse(sent.URL)
	if err != nil {
		return nil, err
	}
	got := call{Call: sent, path: strings.TrimPrefix(u.Path, "/")}
	if err := json.Unmarshal(sent.Body, &got.review); err != nil {
		return nil, err
	}
	got.request = got.review["request"].(tree)
	c.mu.Lock()
	c.calls = append(c.calls, got)
	answer := c.hooks[got.path]
	c.mu.Unlock()
	if answer == nil {
		return nil, fmt.Errorf("dial tcp 127.0.0.1:9444: connect: connection refused")
	}
	switch said := answer(got.request).(type) {
	case nil:
		<-ctx.Done()
		return nil, ctx.Err()
	case error:
		return nil, said
	case *webhooks.Reply:
		return said, nil
	case tree:
		if r, ok := said["response"].(tree); ok && r["uid"] == nil {
			r["uid"] = got.request["uid"]
		}
		if said["kind"] == nil {
			said["kind"], said["apiVersion"] = "AdmissionReview", got.review["apiVersion"]
		}
		body, _ := json.Marshal(said)
		return &webhooks.Reply{Code: 200, ContentType: "application/json", Body: body}, nil
	default:
		panic(said)
	}
}

// taken returns the calls since it was last called.
func (c *cluster) taken() []call {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

// paths returns the paths of calls, in order.
func paths(calls []call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.path)
	}
	return strings.Join(out, " ")
}

// one returns the only call since then.
func (c *cluster) one() call {
	c.t.Helper()
	calls := c.taken()
	if len(calls) != 1 {
		c.t.Fatalf("%d calls, want one: %s", len(calls), paths(calls))
	}
	return calls[0]
}

// do makes a request; the body is text or a tree.
func (c *cluster) do(method, path string, body any, media ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	text, ok := body.(string)
	if !ok && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		text = string(b)
	}
	return apitest.Do(c, method, path, text, "Content-Type", strings.Join(media, ""))
}

// must does what do does, for a request that has to be answered with a code.
func (c *cluster) must(code int, method, path string, body any, media ...string) tree {
	c.t.Helper()
	w := c.do(method, path, body, media...)
	if w.Code != code {
		c.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, code, w.Body)
	}
	var obj tree
	if err := json.Unmarshal(w.Body.Bytes(), &obj); err != nil {
		c.t.Fatal(err)
	}
	return obj
}

const (
	registration = "/apis/admissionregistration.k8s.io/v1/"
	configMaps   = "/api/v1/namespaces/default/configmaps"
	mergePatch   = "application/merge-patch+json"
)

// A config is a webhook of a configuration, with what differs from the usual one:
// v1, all writes of ConfigMaps, no side effects.
func config(name string, change tree) tree {
	hook := tree{
		"name":                    name + ".example.com",
		"admissionReviewVersions": []any{"v1"},
		"sideEffects":             "None",
		"clientConfig":            tree{"url": "https://127.0.0.1:9443/" + name},
		"rules":                   []any{rule("", "v1", "configmaps", "*")},
	}
	maps.Copy(hook, change)
	return hook
}

func rule(group, version, resource string, operations ...any) tree {
	return tree{"apiGroups": []any{group}, "apiVersions": []any{version}, "resources": []any{resource},
		"operations": operations}
}

// configure creates a configuration; kind is Mutating or Validating.
func (c *cluster) configure(kind, name string, hooks ...tree) {
	c.t.Helper()
	c.must(201, "POST", registration+strings.ToLower(kind)+"webhookconfigurations", tree{
		"metadata": tree{"name": name}, "webhooks": hooks,
	})
}

// answer sets the answer of a path.
func (c *cluster) answer(path string, h hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks[path] = h
}

// allowed and the others are answers of webhooks.
func allowed(tree) any { return response(tree{"allowed": true}) }

func response(fields tree) tree { return tree{"response": maps.Clone(fields)} }

func warns(texts ...any) hook {
	return func(tree) any { return response(tree{"allowed": true, "warnings": texts}) }
}

func denies(status tree) hook {
	return func(tree) any {
		if status == nil {
			return response(tree{"allowed": false})
		}
		return response(tree{"allowed": false, "status": status})
	}
}

func patches(operations string) hook {
	return func(tree) any {
		return response(tree{"allowed": true, "patchType": "JSONPatch",
			"patch": base64.StdEncoding.EncodeToString([]byte(operations))})
	}
}

func reply(code int, contentType, body string) hook {
	return func(tree) any {
		return &webhooks.Reply{Code: code, ContentType: contentType, Body: []byte(body)}
	}
}

func configMap(name string, data tree) tree {
	return tree{"metadata": tree{"name": name}, "data": data}
}

var _ http.Handler = (*cluster)(nil)
