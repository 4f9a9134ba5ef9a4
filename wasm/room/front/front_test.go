package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// rooms are the objects: what each was asked, and how it answers.
type rooms struct {
	asked  []string
	tokens map[string]string // of the rooms that were created, by id
	code   int               // of the answer to what clients ask; of a creation if it is above 201
	err    error
}

func (o *rooms) ask(id string, r *http.Request) (*http.Response, error) {
	o.asked = append(o.asked, fmt.Sprintf("%s %s %s %v", id, r.Method, r.URL, r.Header))
	code := o.code
	if r.URL.Host == createHost {
		var given struct{ Token string }
		if err := json.NewDecoder(r.Body).Decode(&given); err != nil {
			return nil, err
		}
		o.tokens[id] = given.Token
		code = max(code, http.StatusCreated)
	} else if r.Body != nil {
		return nil, errors.New("a body comes from the client")
	}
	return &http.Response{StatusCode: code, Body: http.NoBody}, o.err
}

func newFront() (*front, *rooms) {
	o := &rooms{tokens: map[string]string{}, code: http.StatusOK}
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "site "+r.URL.Path) })
	return &front{ask: o.ask, site: site, random: rand.NewChaCha8([32]byte{1})}, o
}

func get(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestCreate(t *testing.T) {
	f, o := newFront()
	w := get(f, "POST", "http://host/rooms")
	var got struct{ ID, Path, Token string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if got.Path != "/rooms/"+got.ID+"/" || got.Token == "" || o.tokens[got.ID] != got.Token {
		t.Errorf("%+v of %v", got, o.tokens)
	}
	if len(o.asked) != 1 || strings.Contains(o.asked[0], got.Token) {
		t.Errorf("the token is in a URL or a header: %v", o.asked)
	}
	for code, want := range map[int]int{http.StatusConflict: 503, http.StatusInternalServerError: 500} {
		f, o := newFront()
		o.code = code
		if w := get(f, "POST", "http://host/rooms/"); w.Code != want {
			t.Errorf("a room that answers %d: %d", code, w.Code)
		}
	}
	if w := get(f, "GET", "http://host/rooms"); w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// TestMayOpen has clients open rooms while the engine counts.
func TestMayOpen(t *testing.T) {
	asked, err := map[string]int{}, error(nil)
	for _, c := range []struct {
		address string
		want    int
	}{
		{"192.0.2.1", 201}, {"192.0.2.2", 201}, {"192.0.2.1", 429}, {"2001:db8::1", 201}, {"2001:db8::2", 429}, {"", 201},
		{"192.0.2.3", 503},
	} {
		f, o := newFront()
		if c.want == 503 {
			err = errors.New("out of order")
		}
		f.mayOpen = func(_ context.Context, network string) (bool, error) {
			asked[network]++
			return asked[network] < 2, err
		}
		w := get(f, "POST", "http://host/rooms", addressHeader, c.address)
		if retry := w.Header().Get("Retry-After"); w.Code != c.want || (retry == "") != (c.want == 201) {
			t.Errorf("%s: %d, Retry-After %q", c.address, w.Code, retry)
		}
		if created := len(o.tokens); (created == 1) != (c.want == 201) {
			t.Errorf("%s: %d rooms", c.address, created)
		}
	}
}

// TestReopen asks for a teacher's token of a room with the host's key and others, of a room that answers with a code.
func TestReopen(t *testing.T) {
	const id = "0123456789"
	for _, c := range []struct {
		host, key, body string
		room, want      int
	}{
		{"key", "key", id, 201, 201}, {"key", "other", id, 201, 401}, {"", "key", id, 201, 401},
		{"key", "key", "x", 201, 404},
		{"key", "key", id, 404, 404}, {"key", "key", id, 500, 503},
	} {
		f, asked := newFront()
		var hosts []string
		f.key = c.host
		f.ask = func(id string, r *http.Request) (*http.Response, error) {
			hosts = append(hosts, id+" "+r.URL.Host)
			return &http.Response{StatusCode: c.room, Header: http.Header{tokenHeader: {"token"}}}, nil
		}
		r := httptest.NewRequest("POST", "http://host/rooms", strings.NewReader(`{"id":"`+c.body+`"}`))
		r.Header.Set("Authorization", "Bearer "+c.key)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Code != c.want || len(asked.asked) > 0 {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
		if want := `{"id":"` + id + `","path":"/rooms/` + id + `/","token":"token"}` + "\n"; c.want == 201 &&
			w.Body.String() != want {
			t.Errorf("%s, want %s", w.Body, want)
		}
		if text := fmt.Sprint(hosts); (c.want == 401 || c.body == "x") != (text == "[]") || text != "[]" &&
			text != "["+id+" teacher.invalid]" {
			t.Errorf("%+v: %s is asked", c, text)
		}
	}
}

func TestServe(t *testing.T) {
	const id = "0123456789"
	asked := func(path, authorization string) string {
		return fmt.Sprintf("%s GET https://room.invalid%s map[Authorization:[%s] Tabernetes-Host:[host:80]]", id, path,
			authorization)
	}
	protocol := wellknown.BearerProtocol + base64.RawURLEncoding.EncodeToString([]byte("secret"))
	for _, c := range []struct {
		path, header, value string
		code                int
		want                string
	}{
		{"/api/v1/pods?watch=1", "Authorization", "Bearer secret", 200, asked("/api/v1/pods?watch=1", "Bearer secret")},
		{"", "Authorization", "bearer secret", 200, asked("/", "bearer secret")},
		{"/api/", "Sec-WebSocket-Protocol", "v1, " + protocol, 200, asked("/api/", "Bearer secret")},
		{"/a%2Fb", "Authorization", "Bearer secret", 200, asked("/a%2Fb", "Bearer secret")},
		{"/../../create", "Authorization", "Bearer secret", 200, asked("/../../create", "Bearer secret")},
		{"//create.invalid/", "Authorization", "Bearer secret", 200, asked("//create.invalid/", "Bearer secret")},
		{"/api", "Authorization", "Basic secret", 401, ""},
		{"/api", "Accept", "*/*", 401, ""},
		{"/api", "Sec-WebSocket-Protocol", wellknown.BearerProtocol + "!", 401, ""},
	} {
		f, o := newFront()
		w := get(f, "GET", "http://host:80/rooms/"+id+c.path, c.header, c.value)
		if w.Code != c.code || strings.Join(o.asked, "\n") != c.want {
			t.Errorf("%s %s: %d, asked %q", c.path, c.value, w.Code, o.asked)
		}
	}
}

func TestOthers(t *testing.T) {
	f, o := newFront()
	for target, want := range map[string]int{
		"http://host/": 200, "http://host/app.js": 200, "http://host/rooms/x/api": 404, "http://host/rooms/../api": 404,
	} {
		if w := get(f, "GET", target, "Authorization", "Bearer t"); w.Code != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if len(o.asked) > 0 {
		t.Errorf("rooms were asked: %v", o.asked)
	}
	hosts := roomhost.NewHosts("127.0.0.1:8787", nil)
	f.hosts = &hosts
	for host, want := range map[string]int{"localhost:8787": 200, "127.0.0.1": 200, "evil.example": 421} {
		if w := get(f, "GET", "http://"+host+"/"); w.Code != want {
			t.Errorf("%s: %d %s", host, w.Code, w.Body)
		}
	}
	f.hosts = nil
	o.err = errors.New("the engine fails")
	if w := get(f, "GET", "http://host/rooms/0123456789/api", "Authorization", "Bearer t"); w.Code != 503 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	f.ask = func(string, *http.Request) (*http.Response, error) { panic("a bug") }
	if w := get(f, "GET", "http://host/rooms/0123456789/api", "Authorization", "Bearer t"); w.Code != 500 ||
		!strings.Contains(w.Body.String(), `"kind":"Status"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
