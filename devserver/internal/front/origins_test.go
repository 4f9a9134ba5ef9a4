package front

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
)

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://box.example":          "https://box.example",
		"https://Box.Example:443":      "https://box.example",
		"http://box.example:443":       "http://box.example:443",
		"http://localhost:80":          "http://localhost",
		"http://[::1]:4466":            "http://[::1]:4466",
		"vscode-webview://abc":         "vscode-webview://abc",
		"box.example":                  "",
		"null":                         "",
		"*":                            "",
		"":                             "",
		"https://box.example/":         "",
		"https://box.example?":         "",
		"https://user@box.example":     "",
		"https://box.example/path#top": "",
		"://box.example":               "",
	} {
		got, err := roomhost.ParseOrigin(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if err == nil {
			roomhost.NewOrigins([]string{got})
		}
	}
}

// socketHeaders are those of a request for a WebSocket.
var socketHeaders = []string{
	"Upgrade", "websocket", "Connection", "keep-alive, Upgrade", "Sec-Websocket-Version", "13", "Sec-Websocket-Key",
	"dGhlIHNhbXBsZSBub25jZQ==",
}

// TestPagesFromElsewhere asks as pages of several origins would.
func TestPagesFromElsewhere(t *testing.T) {
	const friend = "https://friend.example"
	f := New(echo, Options{Addr: "127.0.0.1:8080", APIOnly: true, Origins: []string{friend}})
	socket := func(headers ...string) []string { return append(headers, socketHeaders...) }
	for _, c := range []struct {
		name, method, path string
		headers            []string
		want               int
	}{
		{"a client that is no browser", "GET", "/api/v1/pods?watch=1", socket(), 201},
		{"the own page", "GET", "/api/v1/pods?watch=1", socket("Origin", "http://127.0.0.1:8080"), 201},
		{"the own page, said so", "GET", "/api/v1/pods?watch=1",
			socket("Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"), 201},
		{"another port", "GET", "/api/v1/secrets?watch=1", socket("Origin", "http://127.0.0.1:4466"), 403},
		{"another port, said so", "GET", "/api/v1/secrets?watch=1",
			socket("Origin", "http://127.0.0.1:4466", "Sec-Fetch-Site", "same-site"), 403},
		{"another name of this machine", "GET", "/api/v1/secrets?watch=1", socket("Origin", "http://localhost:8080"), 403},
		{"no page at all", "GET", "/api/v1/secrets?watch=1", socket("Origin", "null"), 403},
		{"exec", "GET", "/api/v1/namespaces/default/pods/p/exec?command=id", socket("Origin", "http://localhost:3000"), 403},
		{"exec by another protocol", "GET", "/api/v1/namespaces/default/pods/p/exec",
			[]string{"Origin", "http://localhost:3000", "Connection", "Upgrade"}, 403},
		{"an upgrade without a connection", "GET", "/api/v1/pods?watch=1",
			[]string{"Origin", "http://localhost:3000", "Upgrade", "websocket"}, 403},
		{"proxy", "GET", "/api/v1/namespaces/default/pods/p/proxy/", socket("Origin", "http://localhost:3000"), 403},
		{"a path that is none of the API's", "GET", "/nothing", socket("Origin", "http://localhost:3000"), 403},
		{"an allowed page", "GET", "/api/v1/pods?watch=1", socket("Origin", friend, "Sec-Fetch-Site", "cross-site"), 201},
		{"an allowed page writes", "POST", "/api/v1/namespaces", []string{"Origin", friend, "Sec-Fetch-Site", "cross-site"},
			201},
		{"an allowed page asks whether it may", "OPTIONS", "/api/v1/namespaces",
			[]string{"Origin", friend, "Access-Control-Request-Method", "PUT"}, 204},
		{"another page writes", "POST", "/api/v1/namespaces", []string{"Origin", "https://friend.example:8443"}, 403},
		{"another page asks whether it may", "OPTIONS", "/api/v1/namespaces", []string{"Origin", "https://evil.example"},
			201},
	} {
		w := get(f, c.method, "http://127.0.0.1:8080"+c.path, c.headers...)
		if w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.want)
		}
		policy, allowed := "same-origin", ""
		if strings.HasPrefix(c.name, "an allowed page") {
			policy, allowed = "cross-origin", friend
		}
		h := w.Header()
		if h.Get("Cross-Origin-Resource-Policy") != policy || h.Get("Access-Control-Allow-Origin") != allowed ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Vary") != "Origin" {
			t.Errorf("%s: %v", c.name, h)
		}
	}
}

// TestRefusalsAreStatuses: clients of the API decode what refuses them.
func TestRefusalsAreStatuses(t *testing.T) {
	f := withSite(t, New(echo, Options{Addr: "127.0.0.1:8080"}))
	for _, c := range []struct {
		name, method, target string
		code                 int
		reason, message      string
	}{
		{"host", "GET", "http://evil.example/api/v1/pods", 421, "",
			`This server does not answer for the host "evil.example".`},
		{"origin", "POST", "http://127.0.0.1:8080/api/v1/namespaces", 403, "Forbidden",
			`forbidden: pages of the origin "https://evil.example" may not`},
	} {
		w := get(f, c.method, c.target, "Origin", "https://evil.example")
		var s struct{ Kind, APIVersion, Status, Reason, Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil {
			t.Errorf("%s: %v in %s", c.name, err, w.Body)
		}
		if w.Code != c.code || s.Kind != "Status" || s.APIVersion != "v1" || s.Status != "Failure" || s.Reason != c.reason ||
			!strings.HasPrefix(s.Message, c.message) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %s", c.name, w.Code, w.Header(), w.Body)
		}
	}
	if w := get(f, "GET", "http://evil.example/"); w.Code != 421 ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("the page: %d %v", w.Code, w.Header())
	}
}

// TestSocketOfAllowedPage opens a WebSocket as a page of an allowed origin, through all of the front.
func TestSocketOfAllowedPage(t *testing.T) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("an event\n"))
	})
	o := Options{Addr: "127.0.0.1:0", Origins: []string{"http://localhost:4466"}}
	server := httptest.NewServer(New(api, o))
	defer server.Close()
	for origin, want := range map[string]int{"http://localhost:4466": 101, "http://localhost:4467": 403} {
		conn, res, err := websocket.Dial(t.Context(), server.URL+"/api/v1/pods?watch=1",
			&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}})
		if res == nil || res.StatusCode != want || (err == nil) != (want == 101) {
			t.Errorf("%s: %v, %v", origin, res, err)
		}
		if err != nil {
			continue
		}
		defer conn.CloseNow()
		if _, payload, err := conn.Read(t.Context()); string(payload) != "an event\n" || err != nil {
			t.Errorf("%s: %q, %v", origin, payload, err)
		}
	}
}
