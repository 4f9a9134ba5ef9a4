package room

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

// TestTokensStaySecret makes requests of all kinds with tokens, of which neither the log nor an answer may
// show any.
func TestTokensStaySecret(t *testing.T) {
	var log strings.Builder
	f := newFront(t, front.Options{Log: &log})
	a, b := newRoom(t, f), newRoom(t, f)
	secrets := []string{a.Token, b.Token}
	protocol := wellknown.BearerProtocol + base64.RawURLEncoding.EncodeToString([]byte(a.Token))
	for _, c := range []struct {
		method, path, authorization, body string
		code                              int
	}{
		{"GET", a.Path + roomMaps, "Bearer " + a.Token, "", 200},
		{"GET", a.Path + roomMaps, "Bearer " + b.Token, "", 401},
		{"GET", a.Path + roomMaps, "Bearer  " + a.Token, "", 401},
		{"GET", a.Path + roomMaps, "Basic " + a.Token, "", 401},
		{"GET", a.Path + "no/such/path", "Bearer " + a.Token, "", 404},
		{"GET", a.Path + roomMaps + "/none", "Bearer " + a.Token, "", 404},
		{"POST", a.Path + roomMaps, "Bearer " + a.Token, "no object", 400},
		{"POST", a.Path + roomMaps, "Bearer " + a.Token, `{"metadata":{"name":"A"}}`, 422},
		{"PUT", a.Path + "apis/sandbox.tabernetes.dev/v1/rooms/default", "Bearer " + a.Token, `{"spec":{"frozen":1}}`, 400},
		{"GET", "/rooms/0123456789/api", "Bearer " + a.Token, "", 404},
		{"PUT", "/rooms", "Bearer " + a.Token, "", 405},
	} {
		w := apitest.Do(f, c.method, "http://127.0.0.1:8080"+c.path, c.body, "Authorization", c.authorization,
			"Content-Type", "application/json", "Sec-Websocket-Protocol", protocol)
		if w.Code != c.code {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, w.Code, w.Body, c.code)
		}
		shown := fmt.Sprint(w.Header(), w.Body)
		for _, secret := range append(secrets, protocol) {
			if strings.Contains(shown, secret) {
				t.Errorf("%s %s shows a token: %s", c.method, c.path, shown)
			}
		}
	}
	inQuery := a.Path + roomMaps + "?token=" + a.Token + "&access_token=" + a.Token
	if w := get(f, "GET", "http://127.0.0.1:8080"+inQuery); w.Code != 401 {
		t.Errorf("a token in the query string: %d", w.Code)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 14 {
		t.Errorf("%d lines are logged", len(lines))
	}
	for _, line := range lines[:13] {
		for _, secret := range append(secrets, protocol) {
			if strings.Contains(line, secret) {
				t.Errorf("the log shows a token: %s", line)
			}
		}
	}
	for _, path := range []string{"/", "/index.html"} {
		if got := get(f, "GET", "http://127.0.0.1:8080"+path).Header().Get("Referrer-Policy"); got != "no-referrer" {
			t.Errorf("the Referrer-Policy of %s is %q", path, got)
		}
	}
}

// TestNobodyLeavesARoom asks a room by all paths that might lead out of it, over a connection, where
// nothing tidies them up.
func TestNobodyLeavesARoom(t *testing.T) {
	f := newFront(t, front.Options{APIOnly: true, Addr: "127.0.0.1:0"})
	server := httptest.NewServer(f)
	defer server.Close()
	a, b := newRoom(t, f), newRoom(t, f)
	const hidden = "of-the-other-room"
	w := apitest.Do(f, "POST", "http://127.0.0.1:8080"+b.Path+roomMaps,
		`{"metadata":{"name":"m"},"data":{"v":"`+hidden+`"}}`,
		"Authorization", "Bearer "+b.Token, "Content-Type", "application/json")
	if w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	raw := func(target, token string) (code int, body string) {
		t.Helper()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n",
			target, token)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	if code, body := raw(b.Path+roomMaps+"/m", b.Token); code != 200 || !strings.Contains(body, hidden) {
		t.Fatalf("with the room's own token: %d %s", code, body)
	}
	host := "http://" + server.Listener.Addr().String()
	own := "api/v1/namespaces"
	for target, want := range map[string]int{
		b.Path + roomMaps + "/m":                                  401,
		host + b.Path + roomMaps + "/m":                           401,
		"http://evil.example" + b.Path + roomMaps + "/m":          421,
		a.Path + ".." + b.Path[len("/rooms"):] + roomMaps + "/m":  404,
		a.Path + "../../rooms/" + b.ID + "/" + roomMaps + "/m":    404,
		a.Path + "%2e%2e/" + b.ID + "/" + roomMaps + "/m":         404,
		a.Path + "..%2f" + b.ID + "%2f" + roomMaps + "/m":         404,
		a.Path + "%2e%2e%2f%2e%2e/rooms/" + b.ID + "/" + roomMaps: 404,
		a.Path + "rooms/" + b.ID + "/" + roomMaps + "/m":          404,
		a.Path + "/rooms/" + b.ID + "/" + roomMaps + "/m":         404,
		a.Path + host + b.Path + roomMaps + "/m":                  404,
		a.Path + "../../" + own:                                   404,
		a.Path + "%2e%2e/%2e%2e/" + own:                           404,
		a.Path + `..\..\` + own:                                   404,
		"/rooms/../" + own:                                        404,
		"/rooms/" + a.ID + "%2f..%2f" + b.ID + "/" + roomMaps:     404,
		"/rooms/%2e%2e/" + own:                                    404,
		"/rooms//" + own:                                          405,
		a.Path + "api/v1/namespaces/default/services/x/proxy/../../../../../../rooms/" + b.ID + "/" + roomMaps: 404,
	} {
		code, body := raw(target, a.Token)
		if code != want || strings.Contains(body, hidden) {
			t.Errorf("%s: %d %.200s, want %d", target, code, body, want)
		}
	}
}

// TestRoomsAndPagesFromElsewhere has pages of other origins and hosts open and use rooms.
func TestRoomsAndPagesFromElsewhere(t *testing.T) {
	const friend, evil = "https://friend.example", "https://evil.example"
	f := newFront(t, front.Options{Origins: []string{friend}})
	a := newRoom(t, f)
	token := "Bearer " + a.Token
	for _, c := range []struct {
		name, method, target string
		headers              []string
		want                 int
	}{
		{"no browser opens a room", "POST", "/rooms", nil, 201},
		{"the own page opens one", "POST", "/rooms", []string{"Origin", "http://127.0.0.1:8080"}, 201},
		{"a page elsewhere opens one", "POST", "/rooms", []string{"Origin", evil, "Sec-Fetch-Site", "cross-site"}, 403},
		{"a page of this machine opens one", "POST", "/rooms", []string{"Origin", "http://127.0.0.1:3000"}, 403},
		{"a file opens one", "POST", "/rooms", []string{"Origin", "null"}, 403},
		{"an allowed page opens one", "POST", "/rooms", []string{"Origin", friend}, 201},
		{"an allowed page asks whether it may", "OPTIONS", "/rooms",
			[]string{"Origin", friend, "Access-Control-Request-Headers", "authorization"}, 204},
		{"a page elsewhere asks whether it may", "OPTIONS", a.Path + roomMaps, []string{"Origin", evil}, 401},
		{"a page elsewhere writes", "POST", a.Path + roomMaps, []string{"Origin", evil, "Authorization", token}, 403},
		{"an allowed page reads", "GET", a.Path + roomMaps, []string{"Origin", friend, "Authorization", token}, 200},
		{"an allowed page reads without a token", "GET", a.Path + roomMaps,
			[]string{"Origin", friend, "Cookie", "t=" + a.Token}, 401},
		{"a page elsewhere opens a WebSocket", "GET", a.Path + roomMaps + "?watch=1",
			append([]string{"Origin", evil, "Authorization", token}, socketHeaders...), 403},
		{"another name of the server", "POST", "http://evil.example/rooms", nil, 421},
		{"another name of the server", "GET", "http://evil.example" + a.Path + roomMaps, []string{"Authorization", token},
			421},
	} {
		if strings.HasPrefix(c.target, "/") {
			c.target = "http://127.0.0.1:8080" + c.target
		}
		w := get(f, c.method, c.target, c.headers...)
		if w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.want)
		}
		allowed := ""
		if strings.HasPrefix(c.name, "an allowed page") {
			allowed = friend
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("%s: Access-Control-Allow-Origin is %q", c.name, got)
		}
		if allowed != "" && !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") {
			t.Errorf("%s: %v", c.name, w.Header())
		}
	}
}

// TestRoomsCallNoWebhooks checks that who opens a room cannot let the server make requests.
func TestRoomsCallNoWebhooks(t *testing.T) {
	called := false
	hook := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer hook.Close()
	f := newFront(t, front.Options{})
	a := newRoom(t, f)
	do := func(path, body string) *httptest.ResponseRecorder {
		return apitest.Do(f, "POST", "http://127.0.0.1:8080"+a.Path+path, body, "Authorization", "Bearer "+a.Token,
			"Content-Type", "application/json")
	}
	w := do("apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", `{"metadata":{"name":"w"},"webhooks":[{
		"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],
		"clientConfig":{"url":"`+hook.URL+`"},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["*"]}]}]}`)
	if w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := do(roomMaps, `{"metadata":{"name":"a"}}`); w.Code != 500 || called {
		t.Errorf("%d %s; called: %v", w.Code, w.Body, called)
	}
}

// TestStrangersOnTheNetwork checks what others than this machine reach on a server with rooms.
func TestStrangersOnTheNetwork(t *testing.T) {
	f := newFront(t, front.Options{Addr: "0.0.0.0:8080", TLS: true, Allowed: []string{"lab.example"}})
	const here, there = "127.0.0.1:5000", "192.168.1.7:5000"
	for _, c := range []struct {
		name, from, method, target string
		want                       int
	}{
		{"this machine", here, "GET", "http://127.0.0.1:8080/api/v1/secrets", 201},
		{"this machine", here, "GET", "https://localhost:8080/api/v1/secrets", 201},
		{"this machine", here, "GET", "http://127.0.0.1:8080/", 200},
		{"this machine by its address", "192.168.1.2:5000", "GET", "https://192.168.1.2:8080/api/v1/secrets", 201},
		{"a proxy on this machine", here, "GET", "https://lab.example/api/v1/secrets", 403},
		{"a stranger", there, "GET", "https://192.168.1.2:8080/api/v1/secrets", 403},
		{"a stranger", there, "GET", "https://127.0.0.1:8080/api/v1/secrets", 403},
		{"a stranger", there, "POST", "https://192.168.1.2:8080/apis/rbac.authorization.k8s.io/v1/clusterroles", 403},
		{"a stranger", there, "GET", "https://192.168.1.2:8080/version", 403},
		{"a stranger", there, "GET", "https://192.168.1.2:8080/", 200},
		{"a stranger", there, "POST", "https://192.168.1.2:8080/rooms", 201},
		{"a stranger", there, "POST", "https://lab.example/rooms", 201},
		{"a stranger under another name", there, "POST", "https://evil.example/rooms", 421},
		{"a stranger without TLS", there, "POST", "http://192.168.1.2:8080/rooms", 403},
		{"a stranger without TLS", there, "GET", "http://192.168.1.2:8080/rooms/0123456789/api", 403},
		{"a stranger without TLS", there, "GET", "http://192.168.1.2:8080/lessons/?a=b", 307},
		{"a stranger without TLS", there, "GET", "http://192.168.1.2:8080/api/v1/secrets", 403},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.RemoteAddr = c.from
		if r.TLS = nil; strings.HasPrefix(c.target, "https:") {
			r.TLS = &tls.ConnectionState{}
		}
		at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.168.1.2:8080"))
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %s %s: %d %s, want %d", c.name, c.method, c.target, w.Code, w.Body, c.want)
		}
		if at := w.Header().Get("Location"); c.want == 307 && at != "https://192.168.1.2:8080/lessons/?a=b" {
			t.Errorf("%s is sent to %s", c.target, at)
		}
	}
}
