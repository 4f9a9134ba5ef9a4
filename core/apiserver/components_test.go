package apiserver

import (
	"errors"
	"strings"
	"testing"
)

func TestComponentStatuses(t *testing.T) {
	s := newServer(t)
	const path = "/api/v1/componentstatuses"
	healthy := func(name string) string {
		return `{"metadata":{"name":"` + name + `"},"conditions":[{"type":"Healthy","status":"True","message":"ok"}]}`
	}
	refused := func(name, port string) string {
		return `{"metadata":{"name":"` + name + `"},"conditions":[{"type":"Healthy","status":"False",` +
			`"message":"Get \"https://127.0.0.1:` + port + `/healthz\": dial tcp 127.0.0.1:` + port +
			`: connect: connection refused"}]}`
	}
	all := func(items ...string) string {
		return `{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[` + strings.Join(items, ",") + `]}`
	}
	get := func(path string, code int, want string) exchange {
		return exchange{method: "GET", path: path, code: code, want: want}
	}
	run(t, s, []exchange{
		get(path, 200, all(refused("controller-manager", "10257"), healthy("etcd-0"), refused("scheduler", "10259"))),
		get(path+"?fieldSelector=metadata.name%3Detcd-0", 200, all(healthy("etcd-0"))),
		get(path+"?labelSelector=a", 200, all()),
		get(path+"?fieldSelector=spec.x%3D1", 400, `\"spec.x\" is not a known field selector`),
		get(path+"/etcd-0", 200, `"apiVersion":"v1",`+healthy("etcd-0")[1:]),
		get(path+"/other", 404, `componentstatus \"other\" not found`),
		{method: "GET", path: path, header: "Accept: application/json;as=Table;g=meta.k8s.io;v=v1", code: 200,
			want: `"cells":["etcd-0","Healthy","ok",""]`},
		{method: "POST", path: path, body: "{}", code: 405},
		get(path+"?watch=1", 405, `watch is not supported on resources of kind \"componentstatuses\"`),
	})
	s.Controllers = func() bool { return true }
	s.Trouble = func() error { return errors.New("full") }
	run(t, s, []exchange{
		get(path+"/controller-manager", 200, healthy("controller-manager")[1:]),
		get(path+"/etcd-0", 200, `{"type":"Healthy","status":"False","error":"full"}`),
	})
}

func TestHealthchecksAsMetrics(t *testing.T) {
	s := newServer(t)
	const path = "/metrics/slis"
	get := func(path string, code int, want string) exchange {
		return exchange{method: "GET", path: path, code: code, want: want}
	}
	if _, body := ask(s, "GET", path); body != "" {
		t.Errorf("before any check: %s", body)
	}
	run(t, s, []exchange{
		get("/livez?exclude=log", 200, "ok"),
		get("/livez", 200, "ok"),
		get("/livez/ping", 200, "ok"), // a single one is not counted
		get(path, 200, "\nkubernetes_healthcheck{name=\"etcd\",type=\"livez\"} 1\n"),
		get(path, 200, "\nkubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} 2\n"),
		get(path, 200, "\nkubernetes_healthchecks_total{name=\"log\",status=\"success\",type=\"livez\"} 1\n"),
	})
	s.Trouble = func() error { return errors.New("full") }
	run(t, s, []exchange{
		get("/livez", 500, "livez check failed"),
		get(path, 200, "\nkubernetes_healthcheck{name=\"etcd\",type=\"livez\"} 0\n"),
		get(path, 200, "\nkubernetes_healthchecks_total{name=\"etcd\",status=\"error\",type=\"livez\"} 1\n"+
			"kubernetes_healthchecks_total{name=\"etcd\",status=\"success\",type=\"livez\"} 2\n"),
		{method: "DELETE", path: path, code: 200, want: "metrics reset\n"},
	})
	if _, body := ask(s, "GET", path); body != "" {
		t.Errorf("after a reset: %s", body)
	}
}
