package roomhost_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"/rooms":                            " /",
		"/rooms/":                           " /",
		"/rooms/0123456789":                 "0123456789 /",
		"/rooms/0123456789/":                "0123456789 /",
		"/rooms/0123456789/api/v1?watch=1":  "0123456789 /api/v1?watch=1",
		"/rooms/0123456789/api/":            "0123456789 /api/",
		"/rooms/0123456789/a%2Fb":           "0123456789 /a%2Fb",
		"/rooms/0123456789/../abcdef0123/x": "0123456789 /../abcdef0123/x",
		"/rooms/../api":                     "",
		"/rooms/%2e%2e/api":                 "",
		"/rooms/012345678/api":              "",
		"/rooms/01234567890/api":            "",
		"/rooms/012345678A/api":             "",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		id, inner, ok := roomhost.Split(u)
		got := ""
		if ok {
			got = id + " " + inner.RequestURI()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for path, want := range map[string]bool{"/rooms": true, "/rooms/x": true, "/roomservice": false, "/": false} {
		if roomhost.IsRooms(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func TestNames(t *testing.T) {
	id, token, err := roomhost.Names(strings.NewReader("\x01\x23\x45\x67\x89" + strings.Repeat("\xff", 16)))
	if err != nil || id != "0123456789" || !roomhost.ValidID(id) || token != strings.Repeat("_", 21)+"w" {
		t.Errorf("%q %q %v", id, token, err)
	}
	if _, _, err := roomhost.Names(bytes.NewReader(make([]byte, 20))); err == nil {
		t.Error("too little randomness is no failure")
	}
}

func TestHasToken(t *testing.T) {
	for header, want := range map[string]bool{
		"Bearer t": true, "bearer t and more": true, "": false, "Bearer": false, "Bearer ": false, "Bearer  t": false,
		"Basic dDp0": false,
	} {
		if got := roomhost.HasToken(http.Header{"Authorization": {header}}); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestTakeToken(t *testing.T) {
	const secret = wellknown.BearerProtocol + "c2VjcmV0"
	for offered, want := range map[string]string{
		"": " Basic x", "v1, v2": "v1 Basic x", secret: " Bearer secret", "v1, " + secret: "v1 Bearer secret",
		secret + ",v1,v2": "v1 Bearer secret", wellknown.BearerProtocol + "!, v1": "v1 Basic x",
	} {
		h := http.Header{"Authorization": {"Basic x"}, "Sec-Websocket-Protocol": {offered}}
		protocol := roomhost.TakeToken(h)
		if got := protocol + " " + h.Get("Authorization"); got != want || h.Get("Sec-Websocket-Protocol") != "" {
			t.Errorf("%q: %q, want %q; %v", offered, got, want, h)
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		err         error
		code        int
		retry, says string
	}{
		{roomhost.ErrNone, 404, "", "there is no such room"},
		{roomhost.ErrUnauthorized, 401, "", "Unauthorized"},
		{status.NewUnavailable("later", 7), 503, "7", "later"},
		{errors.New("a bug"), 500, "", "a bug"},
	} {
		w := httptest.NewRecorder()
		roomhost.Refuse(w, c.err)
		var s status.Status
		err := json.Unmarshal(w.Body.Bytes(), &s)
		if err != nil || w.Code != c.code || s.Code != c.code || s.Kind != "Status" || !strings.Contains(s.Message, c.says) ||
			w.Header().Get("Retry-After") != c.retry {
			t.Errorf("%v: %d %v %s, %v", c.err, w.Code, w.Header(), w.Body, err)
		}
	}
}

// TestReopens has requests with and without the host's key.
func TestReopens(t *testing.T) {
	const key, id = "the-key-of-the-host", "0123456789"
	for _, c := range []struct {
		key, authorization, body string
		id                       string
		code                     int
	}{
		{key, "", `{"id":"0123456789"}`, "", 0},
		{key, "Bearer " + key, `{"id":"0123456789"}`, id, 0},
		{key, "bearer " + key, `{"id":"0123456789","more":1}`, id, 0},
		{key, "Bearer other", `{"id":"0123456789"}`, "", 401},
		{key, "Bearer " + key + "x", `{"id":"0123456789"}`, "", 401},
		{"", "Bearer " + key, `{"id":"0123456789"}`, "", 401},
		{key, "Bearer " + key, ``, "", 400},
		{key, "Bearer " + key, `{"id":7}`, "", 400},
		{key, "Bearer " + key, `{"id":"` + strings.Repeat("x", 2000) + `"}`, "", 400},
		{key, "Bearer " + key, `{"id":"../secret"}`, "", 404},
		{key, "Bearer " + key, `{}`, "", 404},
	} {
		r := httptest.NewRequest("POST", "/rooms", strings.NewReader(c.body))
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		got, err := roomhost.Reopens(r, c.key)
		code := 0
		if e := new(status.Error); errors.As(err, &e) {
			code = e.Status.Code
		}
		if got != c.id || code != c.code {
			t.Errorf("%q %.40s: %q, %v", c.authorization, c.body, got, err)
		}
	}
	if a, err := roomhost.NewHostKey(rand.Reader); err != nil || len(a) != 22 {
		t.Error(a, err)
	}
}
