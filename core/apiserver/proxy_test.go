package apiserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const (
	servicesPath = "/api/v1/namespaces/default/services"
	containerTwo = `"containers":[{"name":"a","image":"x:1","ports":[{"name":"web","containerPort":8000}]},` +
		`{"name":"b","image":"x:1"}]`
	anEcho = `"annotations":{"sandbox.tabernetes.dev/proxy":"echo"}`
)

// proxyServer has pods, services and nodes with and without an echo.
func proxyServer(t *testing.T) *Server {
	s := newServer(t)
	create := func(path, body string) exchange { return exchange{method: "POST", path: path, body: body} }
	patch := func(path, status string) exchange {
		return exchange{method: "PATCH", path: path + "/status", header: mergePatch, body: `{"status":` + status + `}`}
	}
	const endpoints = "/api/v1/namespaces/default/endpoints"
	address := func(pod, ip string) string {
		return `{"ip":"` + ip + `","targetRef":{"kind":"Pod","namespace":"default","name":"` + pod + `"}}`
	}
	setUp(t, s,
		create(podsPath, `{"metadata":{"name":"p"},"spec":{`+containerTwo+`}}`),
		create(podsPath, `{"metadata":{"name":"two"},"spec":{`+containerTwo+`}}`),
		patch(podsPath+"/two", `{"podIP":"10.0.0.7"}`),
		create(podsPath, `{"metadata":{"name":"local"},"spec":{`+containerTwo+`}}`),
		patch(podsPath+"/local", `{"podIP":"127.0.0.1"}`),
		create(podsPath, `{"metadata":{"name":"e1","labels":{"app":"e"},`+anEcho+`},"spec":{`+containerTwo+`}}`),
		create(podsPath, `{"metadata":{"name":"e2","labels":{"app":"e"},`+anEcho+`},"spec":{`+containerTwo+`}}`),
		patch(podsPath+"/e2", `{"conditions":[{"type":"Ready","status":"True"}]}`),
		create(podsPath, `{"metadata":{"name":"a-mute","labels":{"app":"e"}},"spec":{`+containerTwo+`}}`),
		create("/api/v1/nodes", `{"metadata":{"name":"bare"}}`),
		create("/api/v1/nodes", `{"metadata":{"name":"n"}}`),
		patch("/api/v1/nodes/n", `{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}`),
		create("/api/v1/nodes", `{"metadata":{"name":"ne",`+anEcho+`}}`),
		create(servicesPath, `{"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"name":"web","port":80}]}}`),
		create(endpoints, `{"metadata":{"name":"s"},"subsets":[{"addresses":[`+address("p", "10.0.0.7")+`,`+
			address("two", "10.0.0.7")+`],"ports":[{"name":"web","port":8000}]}]}`),
		create(endpoints, `{"metadata":{"name":"stray"},"subsets":[{"addresses":[{"ip":"10.0.0.7"},`+
			address("absent", "10.0.0.7")+`],"ports":[{"port":8000}]}]}`),
		create(endpoints, `{"metadata":{"name":"none"}}`),
		create(servicesPath, `{"metadata":{"name":"es"},"spec":{"clusterIP":"None","selector":{"app":"e"},`+
			`"ports":[{"name":"http","port":80,"targetPort":"web"},{"name":"admin","port":81,"targetPort":9000}]}}`),
		create(servicesPath, `{"metadata":{"name":"mute"},"spec":{"clusterIP":"None","selector":{"app":"none"},`+
			`"ports":[{"port":80}]}}`),
	)
	return s
}

func TestProxyWithoutListener(t *testing.T) {
	get := func(path string, code int, want string) exchange {
		return exchange{method: "GET", path: path, code: code, want: want}
	}
	run(t, proxyServer(t), []exchange{
		get(podsPath+"/p/proxy", 400, "address not allowed"),
		get(podsPath+"/local/proxy/", 400, "address not allowed"),
		get(podsPath+"/absent/proxy/", 404, `pods \"absent\" not found`),
		get(podsPath+"/two/proxy/", 503,
			"error trying to reach service: dial tcp 10.0.0.7:8000: connect: connection refused"),
		{method: "POST", path: podsPath + "/two/proxy", code: 503, want: "dial tcp 10.0.0.7:8000: connect"},
		{method: "OPTIONS", path: podsPath + "/two/proxy", code: 503, want: "dial tcp 10.0.0.7:8000: connect"},
		{method: "TRACE", path: podsPath + "/two/proxy", code: 405},
		{method: "HEAD", path: podsPath + "/two/exec", code: 405},
		{method: "GET", path: podsPath + "/two/proxy", header: "Connection: Upgrade", code: 500,
			want: "error dialing backend: dial tcp 10.0.0.7:8000"},
		get(podsPath+"/two/proxy/some/path/", 503, "dial tcp 10.0.0.7:8000: connect"),
		get(podsPath+"/two/log/some/path", 404, "the server could not find the requested resource"),
		get(podsPath+"/two:9/proxy/", 503, "dial tcp 10.0.0.7:9: connect"),
		get(podsPath+"/two/proxy/?dryRun=All", 400, "dryRun is not supported"),
		get(podsPath+"/ftp:two:9/proxy/", 400, `invalid pod request \"ftp:two:9\"`),
		get(servicesPath+"/s:web/proxy/", 503, "dial tcp 10.0.0.7:8000: connect"),
		get(servicesPath+"/https:s:80/proxy/", 503, "dial tcp 10.0.0.7:8000: connect"),
		get(servicesPath+"/s:81/proxy/", 503, `no service port 81 found for service \"s\"`),
		get(servicesPath+"/s:other/proxy", 503, `no endpoints available for service \"s:other\"`),
		get(servicesPath+"/stray/proxy", 503, `no endpoints available for service \"stray\"`),
		get(servicesPath+"/none/proxy", 503, `no endpoints available for service \"none\"`),
		get(servicesPath+"/absent/proxy", 404, `endpoints \"absent\" not found`),
		get(servicesPath+"/mute/proxy/", 404, `endpoints \"mute\" not found`),
		get(servicesPath+"/es/proxy/", 404, `endpoints \"es\" not found`),
		get(servicesPath+"/es:82/proxy/", 503, `no service port 82 found for service \"es\"`),
		get(servicesPath+"/a:b:c:d/proxy", 400, `invalid service request \"a:b:c:d\"`),
		get("/api/v1/nodes/n/proxy/", 503, "dial tcp 10.0.0.1:10250: connect"),
		get("/api/v1/nodes/https:n:99/proxy/", 503, "dial tcp 10.0.0.1:99: connect"),
		get("/api/v1/nodes/absent/proxy/", 404, `nodes \"absent\" not found`),
		get("/api/v1/nodes/bare/proxy/", 500, "no preferred addresses found"),
	})
}

func TestProxyToEcho(t *testing.T) {
	s := proxyServer(t)
	for _, c := range []struct {
		exchange
		want echoed
	}{
		{exchange{method: "GET", path: podsPath + "/e1/proxy/a/b/?q=1&q=2",
			header: "Accept: text/html\nX-Mine: yes\nAuthorization: Bearer t"},
			echoed{Kind: "Pod", Namespace: "default", Name: "e1", Port: "8000", Path: "/a/b/"}},
		{exchange{method: "POST", path: podsPath + "/http:e1:99/proxy", header: "Content-Type: text/plain", body: "hello"},
			echoed{Kind: "Pod", Namespace: "default", Name: "e1", Port: "99", Path: "/", Body: "hello"}},
		{exchange{method: "DELETE", path: podsPath + "/e1/proxy/x//../y"},
			echoed{Kind: "Pod", Namespace: "default", Name: "e1", Port: "8000", Path: "/y"}},
		{exchange{method: "OPTIONS", path: podsPath + "/e1/proxy/"},
			echoed{Kind: "Pod", Namespace: "default", Name: "e1", Port: "8000", Path: "/"}},
		{exchange{method: "PUT", path: servicesPath + "/es:http/proxy/p"},
			echoed{Kind: "Pod", Namespace: "default", Name: "e2", Port: "8000", Path: "/p"}},
		{exchange{method: "PATCH", path: servicesPath + "/es:81/proxy/p"},
			echoed{Kind: "Pod", Namespace: "default", Name: "e2", Port: "9000", Path: "/p"}},
		{exchange{method: "GET", path: "/api/v1/nodes/ne/proxy/metrics"},
			echoed{Kind: "Node", Name: "ne", Port: "10250", Path: "/metrics"}},
	} {
		w := c.do(s)
		var got echoed
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK ||
			w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %v %s, %v", c.method, c.path, w.Code, w.Header(), w.Body, err)
			continue
		}
		path, query, _ := strings.Cut(c.path, "?")
		h := got.Headers
		if got.Query.Encode() != query || h.Get("X-Forwarded-Uri") != path || h.Get("X-Forwarded-For") == "" ||
			h.Get("Authorization") != "" || got.Method != c.method {
			t.Errorf("%s %s: %s", c.method, c.path, w.Body)
		}
		if c.header != "" && h.Get("Content-Type") == "" && h.Get("X-Mine") != "yes" {
			t.Errorf("%s %s: %v", c.method, c.path, h)
		}
		got.Method, got.Query, got.Headers = "", nil, nil
		if !equalEcho(got, c.want) {
			t.Errorf("%s %s: %+v, want %+v", c.method, c.path, got, c.want)
		}
	}
}

func equalEcho(a, b echoed) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// TestProxyRedirects checks the redirect of browsers to a path where relative links work.
func TestProxyRedirects(t *testing.T) {
	s := proxyServer(t)
	for _, c := range []struct{ method, path, want string }{
		{"GET", podsPath + "/e1/proxy?a=b", podsPath + "/e1/proxy/?a=b"},
		{"HEAD", podsPath + "/two/proxy", podsPath + "/two/proxy/"},
		{"GET", servicesPath + "/es:80/proxy", servicesPath + "/es:80/proxy/"},
	} {
		w := exchange{method: c.method, path: c.path}.do(s)
		if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != c.want || w.Body.Len() > 0 {
			t.Errorf("%s %s: %d %v %s", c.method, c.path, w.Code, w.Header(), w.Body)
		}
	}
	w := exchange{method: "GET", path: podsPath + "/e1/proxy/", header: "Connection: Upgrade\nUpgrade: websocket"}.do(s)
	if w.Code != 500 || !strings.Contains(w.Body.String(), "invalid upgrade response: status code 200") {
		t.Errorf("an upgrade: %d %s", w.Code, w.Body)
	}
}
