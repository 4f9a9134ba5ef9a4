package conversions

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/random"
)

const recordings = "testdata/answers.jsonl"

// A server is one that is asked, with the webhook that it calls.
type server struct {
	t       *testing.T
	url     string
	client  *http.Client
	token   string
	hook    *hook
	config  string // the clientConfig of the webhook
	answers []answer
}

// An answer is what a server has answered to a step.
type answer struct {
	Step string `json:"step"`
	Code int    `json:"code"`
	Body string `json:"body"`
}

// changing are the parts of answers that no two servers have in common.
var changing = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`"resourceVersion":"\d+"`), `"resourceVersion":"RV"`},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`https://[\w.]+:\d+/convert`), "https://HOOK/convert"},
	{regexp.MustCompile(`"retryAfterSeconds":\d+`), `"retryAfterSeconds":N`},
	{regexp.MustCompile(`"continue":"[\w-]+"`), `"continue":"TOKEN"`},
	{regexp.MustCompile(`"caBundle":"[^"]*"`), `"caBundle":"CA"`},
}

func normal(body string) string {
	body = strings.TrimSpace(body)
	for _, c := range changing {
		body = c.pattern.ReplaceAllString(body, c.replacement)
	}
	return sortManagers(body)
}

// sortManagers sorts the managers of the objects in an answer: servers sort them by their times, in seconds, and by
// their names only when those are equal, so their order depends on whether a second passed between two writes.
func sortManagers(body string) string {
	const field = `"managedFields":`
	before, after, found := strings.Cut(body, field)
	if !found {
		return body
	}
	var managers []json.RawMessage
	d := json.NewDecoder(strings.NewReader(after))
	if err := d.Decode(&managers); err != nil {
		return body
	}
	slices.SortFunc(managers, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	sorted, err := json.Marshal(managers)
	if err != nil {
		return body
	}
	return before + field + string(sorted) + sortManagers(after[d.InputOffset():])
}

// request returns a request.
func (s *server) request(method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "test/1")
	r.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// do makes a request and returns the answer.
func (s *server) do(method, path, body string, headers ...string) (int, string) {
	s.t.Helper()
	res, err := s.client.Do(s.request(method, path, body, headers...))
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// step makes a request whose answer is compared.
func (s *server) step(name, method, path, body string, headers ...string) string {
	s.t.Helper()
	code, text := s.do(method, path, body, headers...)
	s.answers = append(s.answers, answer{name + ": " + method + " " + path, code, normal(text)})
	return text
}

// native starts a cluster that calls its webhook without a network.
func native(t *testing.T) *server {
	h := &hook{}
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: random.NewSeeded(1), Controllers: true,
		Webhooks: func(_ context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, c.URL, strings.NewReader(string(c.Body))))
			return &webhooks.Reply{Code: w.Code, ContentType: w.Header().Get("Content-Type"), Body: w.Body.Bytes()}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	tls := httptest.NewTLSServer(h) // whose certificate the definition has
	tls.Close()
	http := httptest.NewServer(c)
	t.Cleanup(func() {
		_ = c.Close()
		http.Close()
	})
	return &server{t: t, url: http.URL, client: http.Client(), hook: h, config: clientConfig(tls)}
}

// original is a kube-apiserver at an address, which calls a webhook on loopback.
func original(t *testing.T, url string) *server {
	h := &hook{}
	hooks := httptest.NewTLSServer(h)
	t.Cleanup(hooks.Close)
	return &server{t: t, url: url, hook: h, token: os.Getenv("TABERNETES_TOKEN"),
		client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}},
		config: clientConfig(hooks)}
}

func clientConfig(s *httptest.Server) string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return fmt.Sprintf(`{"url":"%s/convert","caBundle":"%s"}`, s.URL, base64.StdEncoding.EncodeToString(ca))
}

// until repeats a request until its answer is as wanted: servers follow a definition with some delay.
func (s *server) until(method, path string, want func(code int, text string) bool) {
	s.t.Helper()
	var code int
	var text string
	err := conformance.Until(s.t.Context(), s.client, s.request("GET", definitions+"?watch=1&timeoutSeconds=1", ""),
		func() bool {
			code, text = s.do(method, path, "")
			return want(code, text)
		})
	if err != nil {
		s.t.Fatalf("%s %s is answered %d %s: %v", method, path, code, text, err)
	}
}

// TestAnswers replays the history, and compares with what kube-apiserver has answered.
func TestAnswers(t *testing.T) {
	if url := os.Getenv("TABERNETES_CONVERSIONS_RECORD"); url != "" {
		s := original(t, url)
		history(s)
		var text strings.Builder
		for _, a := range s.answers {
			line, _ := json.Marshal(a)
			text.Write(append(line, '\n'))
		}
		if err := os.WriteFile(recordings, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	s := native(t)
	history(s)
	f, err := os.Open(recordings)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var want answer
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		want.Body = normal(want.Body)
		if n >= len(s.answers) {
			t.Fatalf("%s was not asked", want.Step)
		}
		if got := s.answers[n]; got != want {
			t.Errorf("%s\n got %d %s\nwant %d %s", got.Step, got.Code, got.Body, want.Code, want.Body)
		}
	}
	if n != len(s.answers) {
		t.Errorf("%d answers, %d recorded", len(s.answers), n)
	}
}
