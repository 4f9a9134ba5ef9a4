package edge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/edgetest"
)

const root = "../../../.."

// start runs an engine on a data directory, and returns its URL and what ends it.
func start(t *testing.T, data string) (url string, end func()) {
	t.Helper()
	return edgetest.Start(t, root, data, nil, nil)
}

// A room is one that was opened.
type room struct{ ID, Path, Token string }

func open(t *testing.T, url string) room {
	t.Helper()
	code, body := ask(t, "POST", url+"/rooms", "", "")
	var r room
	if err := json.Unmarshal(body, &r); err != nil || code != http.StatusCreated {
		t.Fatalf("%d %s %v", code, body, err)
	}
	return r
}

// client makes a connection for each request: the engine closes one that was idle for some seconds, and a write that
// meets that is not sent again.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func request(t *testing.T, method, url, token, body string) *http.Response {
	t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, content)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func ask(t *testing.T, method, url, token, body string) (code int, answer []byte) {
	t.Helper()
	res := request(t, method, url, token, body)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, answer
}

// TestRooms asks a room, the site and what there is not; then the engine ends, with an open watch, and the room comes
// back.
func TestRooms(t *testing.T) {
	data := t.TempDir()
	url, end := start(t, data)
	one, other := open(t, url), open(t, url)
	const configMaps = "api/v1/namespaces/default/configmaps"
	at := url + one.Path
	for _, c := range []struct {
		method, url, token, body string
		code                     int
		says                     string
	}{
		{"GET", at + "version", one.Token, "", 200, `"gitVersion"`},
		{"HEAD", at + "version", one.Token, "", 405, ""},
		{"POST", at + configMaps, one.Token, `{"metadata":{"name":"a"}}`, 201, `"name":"a"`},
		{"POST", at + configMaps, one.Token, `{"metadata":{"name":"a"}}`, 409, "AlreadyExists"},
		{"POST", at + configMaps, one.Token, `{"metadata":{"name":"b"}}`, 201, ""},
		{"DELETE", at + configMaps + "/b", one.Token, "", 200, "Success"},
		{"GET", at + configMaps, "", "", 401, `"message":"Unauthorized"`},
		{"GET", at + configMaps, other.Token, "", 401, `"message":"Unauthorized"`},
		{"GET", url + other.Path + configMaps + "/a", other.Token, "", 404, "NotFound"},
		{"GET", url + "/rooms/0123456789/api", one.Token, "", 404, "there is no such room"},
		{"GET", url + "/rooms/x/api", one.Token, "", 404, "there is no such room"},
		{"GET", url + "/rooms", "", "", 405, "MethodNotAllowed"},
		{"GET", url + "/nothing", "", "", 404, ""},
	} {
		code, body := ask(t, c.method, c.url, c.token, c.body)
		if code != c.code || !bytes.Contains(body, []byte(c.says)) {
			t.Errorf("%s %s: %d %.300s, want %d %s", c.method, c.url, code, body, c.code, c.says)
		}
	}

	watch := request(t, "GET", at+configMaps+"?watch=1", one.Token, "")
	defer watch.Body.Close()
	events := bufio.NewReader(watch.Body)
	if line, err := events.ReadString('\n'); err != nil || !strings.Contains(line, `"type":"ADDED"`) {
		t.Fatalf("%q %v", line, err)
	}
	if got := watch.Header.Get("Content-Encoding"); got != "identity" {
		t.Errorf("the stream has the encoding %q", got)
	}
	ended := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, events); ended <- err }()
	end()
	if err := <-ended; err != nil {
		t.Errorf("the stream does not end cleanly: %v", err)
	}

	url, _ = start(t, data)
	if code, body := ask(t, "GET", url+one.Path+configMaps+"/a", one.Token, ""); code != 200 {
		t.Errorf("after a restart: %d %s", code, body)
	}
}

// areas are those of the recordings that rooms at the edge have to answer as they were recorded. Without streams and
// tokens they show what those over HTTP show elsewhere: make test-edge-long replays them.
func areas() []string {
	some := []string{"paging", "watch"}
	if os.Getenv(all) == "" {
		return some
	}
	return append(some, "crud", "list", "selectors")
}

// known are steps that cannot be as they were recorded: the engine refuses methods that it does not know.
var known = map[string]string{"crud-methods": "foo"}

// TestRecordings replays recordings against rooms, with the token of the teacher.
func TestRecordings(t *testing.T) {
	url, _ := start(t, t.TempDir())
	scenarios, err := conformance.Load(os.DirFS(filepath.Join(root, "core", "conformance")), "testdata/recordings/*.json")
	if err != nil {
		t.Fatal(err)
	}
	const rooms = 4
	free := make(chan room, rooms)
	for range rooms {
		one := open(t, url)
		one.Path = strings.TrimSuffix(one.Path, "/")
		act(t, "PATCH", url+one.Path+wellknown.ControlPlane, one.Token, `{"spec":{"controllers":{"enabled":false}}}`)
		act(t, "PATCH", url+one.Path+"/apis/sandbox.tabernetes.dev/v1/rooms/default", one.Token,
			`{"spec":{"quotas":{"requestsPerSecond":10000,"objectsPerMember":100000,"bytesPerMember":16777216}}}`)
		free <- one
	}
	t.Run("with a token", func(t *testing.T) {
		for _, s := range scenarios {
			area, _, _ := strings.Cut(s.Name, "-")
			if !slices.Contains(areas(), area) {
				continue
			}
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				one := <-free
				defer func() { free <- one }()
				server := conformance.Server{URL: url + one.Path, Token: one.Token, Compact: compact(url+one.Path, one.Token)}
				for _, d := range conformance.Replay(t.Context(), s, server) {
					if d.Step != known[s.Name] {
						t.Error(d)
					}
				}
			})
		}
	})
}

func act(t *testing.T, method, url, token, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := do(client, r, "application/merge-patch+json", token); err != nil {
		t.Fatal(err)
	}
}

func compact(url, token string) func(context.Context, *http.Client) error {
	return func(ctx context.Context, client *http.Client) error {
		r, err := http.NewRequestWithContext(ctx, "POST", url+wellknown.ControlPlane+"/compact", strings.NewReader("{}"))
		if err != nil {
			return err
		}
		return do(client, r, "application/json", token)
	}
}

func do(client *http.Client, r *http.Request, contentType, token string) error {
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", r.Method, r.URL, res.Status, answer)
	}
	return err
}
