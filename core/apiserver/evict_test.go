package apiserver

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

const (
	podsPath    = "/api/v1/namespaces/default/pods"
	budgetsPath = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
	mergePatch  = "Content-Type: application/merge-patch+json"
)

// setUp makes requests that prepare a test.
func setUp(t *testing.T, s *Server, exchanges ...exchange) {
	t.Helper()
	for _, e := range exchanges {
		if w := e.do(s); w.Code != http.StatusOK && w.Code != http.StatusCreated {
			t.Fatalf("%s %s: %d %s", e.method, e.path, w.Code, w.Body)
		}
	}
}

// runningPod returns the requests that create a running pod with the label app=a.
func runningPod(name string, ready string) []exchange {
	return []exchange{
		{method: "POST", path: podsPath, body: `{"metadata":{"name":"` + name +
			`","labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"x:1"}]}}`},
		{method: "PATCH", path: podsPath + "/" + name + "/status", header: mergePatch,
			body: `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"` + ready + `"}]}}`},
	}
}

// budget returns the requests that create a PodDisruptionBudget for app=a.
func budget(name, spec, state string) []exchange {
	return []exchange{
		{method: "POST", path: budgetsPath, body: `{"metadata":{"name":"` + name +
			`"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"a"}}` + spec + `}}`},
		{method: "PATCH", path: budgetsPath + "/" + name + "/status", header: mergePatch, body: `{"status":` + state + `}`},
	}
}

func eviction(pod, more string) exchange {
	return exchange{method: "POST", path: podsPath + "/" + pod + "/eviction",
		body: `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"` + pod + `"}` + more + `}`}
}

func TestEvictionObeysBudgets(t *testing.T) {
	const observed = `{"observedGeneration":1,`
	for name, c := range map[string]struct {
		budgets [][]exchange
		ready   string
		code    int
		want    string
	}{
		"no budget": {nil, "True", 201, `"Success"`},
		"allowed": {[][]exchange{budget("b", "", observed+
			`"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}`)}, "True", 201, `"Success"`},
		"not observed": {[][]exchange{budget("b", "",
			`{"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}`)}, "True", 429,
			"The disruption budget b is still being processed by the server."},
		"exhausted": {[][]exchange{budget("b", "", observed+
			`"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}`)}, "True", 429,
			"The disruption budget b needs 1 healthy pods and has 1 currently"},
		"says nothing": {[][]exchange{budget("b", "", observed+
			`"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":1,"expectedPods":1}`)}, "True", 429,
			"The disruption budget b does not allow evicting pods currently\""},
		"out of sync": {[][]exchange{budget("b", "", observed+
			`"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1,
			"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed","message":"no scale",
			"lastTransitionTime":"2026-01-01T00:00:00Z"}]}`)},
			"True", 429, "because it failed sync: no scale"},
		"several": {[][]exchange{
			budget("b", "", observed+`"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}`),
			budget("d", "", observed+`"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}`)}, "True",
			500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."},
		"unhealthy, the others are enough": {[][]exchange{budget("b", "", observed+
			`"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":2}`)}, "False", 201, `"Success"`},
		"unhealthy, too few": {[][]exchange{budget("b", "", observed+
			`"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":1,"expectedPods":2}`)}, "False", 429,
			"needs 1 healthy pods and has 0 currently"},
		"unhealthy, always allowed": {[][]exchange{budget("b", `,"unhealthyPodEvictionPolicy":"AlwaysAllow"`, observed+
			`"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":1,"expectedPods":2}`)}, "False", 201, `"Success"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			setUp(t, s, runningPod("p", c.ready)...)
			for _, b := range c.budgets {
				setUp(t, s, b...)
			}
			e := eviction("p", "")
			e.code, e.want = c.code, c.want
			after := exchange{method: "GET", path: podsPath + "/p", code: 404}
			if c.code != 201 {
				after = exchange{method: "GET", path: podsPath + "/p", code: 200, want: `"name":"p"`}
			}
			run(t, s, []exchange{e, after})
		})
	}
}

func TestEvictionsAreCounted(t *testing.T) {
	s := newServer(t)
	const pods, allowed = 12, 5
	for i := range pods {
		setUp(t, s, runningPod(fmt.Sprintf("p%d", i), "True")...)
	}
	setUp(t, s, budget("b", "", fmt.Sprintf(`{"observedGeneration":1,"disruptionsAllowed":%d,"currentHealthy":%d,`+
		`"desiredHealthy":%d,"expectedPods":%d}`, allowed, pods, pods-allowed, pods))...)
	var wg sync.WaitGroup
	codes := make([]int, pods)
	for i := range pods {
		wg.Go(func() { codes[i] = eviction(fmt.Sprintf("p%d", i), "").do(s).Code })
	}
	wg.Wait()
	evicted := 0
	for _, code := range codes {
		if code == http.StatusCreated {
			evicted++
		} else if code != http.StatusTooManyRequests {
			t.Errorf("an eviction answered %d", code)
		}
	}
	if evicted != allowed {
		t.Errorf("%d pods were evicted, the budget allowed %d", evicted, allowed)
	}
	w := exchange{method: "GET", path: budgetsPath + "/b"}.do(s)
	if body := w.Body.String(); !strings.Contains(body, `"disruptionsAllowed":0`) ||
		!strings.Contains(body, `"reason":"InsufficientPods"`) ||
		strings.Count(body, `"p`) < allowed {
		t.Errorf("the budget is %s", body)
	}
}

func TestEviction(t *testing.T) {
	s := newServer(t)
	setUp(t, s, runningPod("p", "True")...)
	setUp(t, s, runningPod("done", "True")...)
	setUp(t, s, exchange{method: "PATCH", path: podsPath + "/done/status", header: mergePatch,
		body: `{"status":{"phase":"Succeeded"}}`})
	setUp(t, s, budget("b", "", `{"observedGeneration":1,"disruptionsAllowed":2,"currentHealthy":1,"desiredHealthy":0,`+
		`"expectedPods":1}`)...)
	with := func(e exchange, code int, want string) exchange { e.code, e.want = code, want; return e }
	query := func(e exchange, q string) exchange { e.path += q; return e }
	other := eviction("p", "")
	other.body = strings.Replace(other.body, `"p"`, `"q"`, 1)
	elsewhere := eviction("p", "")
	elsewhere.path = strings.Replace(elsewhere.path, "default", "nowhere", 1)
	run(t, s, []exchange{
		with(other, 400, "name in URL does not match name in Eviction object"),
		with(elsewhere, 404, `namespaces \"nowhere\" not found`),
		with(eviction("none", ""), 404, `pods \"none\" not found`),
		with(eviction("p", `,"deleteOptions":{"preconditions":{"uid":"x"}}`), 409,
			`Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (x) does not match`),
		with(eviction("p", `,"deleteOptions":{"preconditions":{"resourceVersion":"1"}}`), 409,
			"the ResourceVersion in the precondition (1) does not match"),
		with(eviction("p", `,"deleteOptions":{"dryRun":["Some"]}`), 422, `dryRun: Unsupported value`),
	})
	// The conflicts above came after the budget had been counted; a dry run does not count.
	setUp(t, s, exchange{method: "PATCH", path: budgetsPath + "/b/status", header: mergePatch,
		body: `{"status":{"disruptionsAllowed":1,"disruptedPods":null}}`})
	run(t, s, []exchange{
		with(query(eviction("p", ""), "?dryRun=All"), 201, `"code":201`),
		with(eviction("p", `,"deleteOptions":{"dryRun":["All"]}`), 201, `"code":201`),
		{method: "GET", path: budgetsPath + "/b", code: 200, want: `"disruptionsAllowed":1`},
		{method: "GET", path: podsPath + "/p", code: 200, want: `"phase":"Running"`},
		with(eviction("done", ""), 201, `"code":201`),
		{method: "GET", path: podsPath + "/done", code: 404},
		{method: "GET", path: budgetsPath + "/b", code: 200, want: `"disruptionsAllowed":1`},
		with(eviction("p", ""), 201, `"code":201`),
		{method: "GET", path: budgetsPath + "/b", code: 200, want: `"disruptedPods":{"p":"2026-11-20T12:00:00Z"}`},
	})
}

func TestEvictionOfABoundPodShowsInItsStatus(t *testing.T) {
	s := newServer(t)
	setUp(t, s, exchange{method: "POST", path: podsPath,
		body: `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"x:1"}]}}`},
		eviction("p", ""))
	run(t, s, []exchange{
		{method: "GET", path: podsPath + "/p", code: 200, want: `"deletionGracePeriodSeconds":30`},
		{method: "GET", path: podsPath + "/p", code: 200, want: `"type":"DisruptionTarget"`},
	})
}
