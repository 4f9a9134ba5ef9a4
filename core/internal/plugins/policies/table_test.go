package policies_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/object"
)

// record writes testdata/answers.json with the answers of a kube-apiserver, which needs some seconds for new policies.
var (
	record = flag.String("record", "", "the URL of a kube-apiserver to record answers of")
	token  = flag.String("token", "", "its bearer token")
)

const (
	base        = "/apis/admissionregistration.k8s.io/v1/"
	webhookBody = `{"metadata":{"name":"p-NAME"},"webhooks":[{"name":"NAME.example.com","admissionReviewVersion` +
		`s":["v1"],` +
		`"sideEffects":"None","clientConfig":{"url":"https://127.0.0.1:1/x"},"rules":[{"apiGroups":[""],"apiVersio` +
		`ns":` +
		`["v1"],"resources":["configmaps"],"operations":["*"]}],"namespaceSelector":{"matchLabels":{` +
		`"kubernetes.io/metadata.name":"NS"}},"matchConditions":CONDITIONS}]}`
)

const (
	answersFile = "testdata/answers.json"
	// exchangesFile has a case a line, with all its requests and answers, for tests that are not in Go.
	exchangesFile = "testdata/exchanges.jsonl"
)

var update = flag.Bool("update", false, "write "+exchangesFile)

// An answer is what clients see of one, without what differs between servers.
type answer struct {
	Code     int      `json:"code"`
	Reason   string   `json:"reason,omitempty"`
	Message  string   `json:"message,omitempty"`
	Causes   []any    `json:"causes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Object is what is left of the object, if a mutating policy may have changed it.
	Object map[string]any `json:"object,omitempty"`
}

func allCases() []policyCase {
	return slices.Concat(expressionCases(), validatingCases, mutatingCases, conditionCases())
}

// TestRecorded makes the requests of all cases and compares the answers with those of kube-apiserver.
func TestRecorded(t *testing.T) {
	server := &tape{Handler: newCluster(t)}
	if *record != "" {
		server.Handler = remote(*record)
	}
	cases, got := allCases(), map[string][]answer{}
	lines := make([]exchanges, len(cases))
	for i, c := range cases {
		got[c.name] = []answer{prepare(t, server, c)}
		lines[i] = exchanges{Name: c.name, Whole: c.kind == mutates, Before: server.take()}
	}
	if *record != "" {
		time.Sleep(5 * time.Second)
	}
	for i, c := range cases {
		for _, r := range c.requests {
			got[c.name] = append(got[c.name], send(server, strings.ReplaceAll(r, "NS", "ns-"+c.name), c.kind == mutates))
		}
		lines[i].Requests = server.take()
	}
	if *record != "" {
		text, err := json.MarshalIndent(got, "", " ")
		if err == nil {
			err = os.WriteFile(answersFile, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]answer{}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		compare(t, c, got[c.name], want[c.name])
	}
	checkExchanges(t, lines)
}

// exchanges are the requests of a case: those before the policy is in force, and those that it is about.
type exchanges struct {
	Name string `json:"name"`
	// Whole reports that the answers have the objects.
	Whole    bool       `json:"whole,omitempty"`
	Before   []exchange `json:"before"`
	Requests []exchange `json:"requests"`
}

type exchange struct {
	Request string `json:"request"`
	Answer  answer `json:"answer"`
}

// A tape is a server that notes what it is asked, and what it answers.
type tape struct {
	http.Handler
	noted []exchange
}

// take returns what was noted since the last time.
func (t *tape) take() []exchange {
	noted := t.noted
	t.noted = nil
	return noted
}

// checkExchanges makes sure that the file of exchanges is up to date.
func checkExchanges(t *testing.T, lines []exchanges) {
	t.Helper()
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	for _, line := range lines {
		if err := to.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(exchangesFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(exchangesFile); err != nil || !bytes.Equal(is, text.Bytes()) {
		t.Errorf("%s is not up to date: go test -run Recorded -update", exchangesFile)
	}
}

func compare(t *testing.T, c policyCase, got, want []answer) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d answers, want %d", c.name, len(got), len(want))
		return
	}
	for i := range got {
		if text := asText(got[i]); text != asText(want[i]) {
			what := "the policy"
			if i > 0 {
				what = c.requests[i-1]
			}
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, what, text, asText(want[i]))
		}
	}
}

func asText(a answer) string {
	text, _ := json.Marshal(a)
	return string(text)
}

func newCluster(t testing.TB) *core.Cluster {
	c, err := core.New(core.Options{
		Clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), Rand: rand.NewChaCha8([32]byte{1}),
		CEL: evaluator.Evaluator{},
		Webhooks: func(context.Context, *webhooks.Call) (*webhooks.Reply, error) {
			return nil, errors.New("dial tcp 127.0.0.1:1: connect: connection refused")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// prepare creates the namespace of a case and what it has, and returns the answer to the policy.
func prepare(t *testing.T, server http.Handler, c policyCase) answer {
	t.Helper()
	ns := "ns-" + c.name
	must := func(request string) {
		if a := send(server, "POST "+strings.ReplaceAll(request, "NS", ns), false); a.Code != http.StatusCreated {
			t.Fatalf("%s: %s: %s", c.name, request, asText(a))
		}
	}
	must(`/api/v1/namespaces {"metadata":{"name":"` + ns + `"}}`)
	for _, request := range c.before {
		must(request)
	}
	if c.kind == webhook {
		return send(server, "POST "+base+"validatingwebhookconfigurations "+strings.NewReplacer("NAME", c.name, "NS", ns,
			"CONDITIONS", c.spec).Replace(webhookBody), false)
	}
	kind := cmp.Or(string(c.kind), "validating")
	var spec map[string]any
	if err := json.Unmarshal([]byte(c.spec), &spec); err != nil {
		t.Fatalf("%s: %v: %s", c.name, err, c.spec)
	}
	if spec["matchConstraints"] == nil {
		var rules map[string]any
		if err := json.Unmarshal([]byte(`{`+on("", "v1", "configmaps", `"*"`)+`}`), &rules); err != nil {
			t.Fatal(err)
		}
		if c.kind == mutates {
			object.SetNested(rules, []any{}, "matchConstraints", "x")
			rule := object.GetList(rules, "matchConstraints", "resourceRules")[0].(map[string]any)
			rule["operations"] = []any{"CREATE", "UPDATE"}
			object.RemoveNested(rules, "matchConstraints", "x")
		}
		spec["matchConstraints"] = rules["matchConstraints"]
	}
	object.SetNested(spec, map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": ns}},
		"matchConstraints", "namespaceSelector")
	body, _ := json.Marshal(map[string]any{"metadata": map[string]any{"name": "p-" + c.name}, "spec": spec})
	a := send(server, "POST "+base+kind+"admissionpolicies "+string(body), false)
	bindings := c.bindings
	if bindings == nil && c.kind == mutates {
		bindings = []string{"{}"}
	} else if bindings == nil {
		bindings = []string{`{"validationActions":["Deny"]}`}
	}
	for i, b := range bindings {
		var spec map[string]any
		if err := json.Unmarshal([]byte(b), &spec); err != nil {
			t.Fatal(err)
		}
		spec["policyName"] = "p-" + c.name
		name := "b-" + c.name + string(rune('0'+i))
		body, _ := json.Marshal(map[string]any{"metadata": map[string]any{"name": name}, "spec": spec})
		must(base + kind + "admissionpolicybindings " + string(body))
	}
	return a
}

var generated = regexp.MustCompile(`g-[a-z0-9]{5}\b`)

// send makes a request: method, path, and body. A tape notes it.
func send(server http.Handler, request string, whole bool) answer {
	a := sendTo(server, request, whole)
	if tape, ok := server.(*tape); ok {
		tape.noted = append(tape.noted, exchange{request, a})
	}
	return a
}

func sendTo(server http.Handler, request string, whole bool) answer {
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	a := answer{Code: w.Code}
	for _, text := range w.Header()["Warning"] {
		a.Warnings = append(a.Warnings, strings.TrimSuffix(strings.TrimPrefix(text, `299 - "`), `"`))
	}
	var obj map[string]any
	_ = json.Unmarshal(generated.ReplaceAll(w.Body.Bytes(), []byte("g-xxxxx")), &obj)
	if obj["kind"] == "Status" {
		a.Reason, a.Message = object.GetString(obj, "reason"), object.GetString(obj, "message")
		a.Causes = object.GetList(obj, "details", "causes")
		return a
	}
	if whole {
		a.Object = obj
		for _, name := range []string{"uid", "creationTimestamp", "resourceVersion", "managedFields", "generation"} {
			object.RemoveNested(obj, "metadata", name)
		}
		for name := range object.GetMap(obj, "spec") {
			if strings.HasPrefix(name, "serviceAccount") {
				object.RemoveNested(obj, "spec", name)
			}
		}
	}
	return a
}

// remote is a server elsewhere.
type remote string

var client = http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

func (u remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	sent, err := http.NewRequest(r.Method, string(u)+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	sent.Header = r.Header.Clone()
	sent.Header.Set("Authorization", "Bearer "+*token)
	got, err := client.Do(sent)
	if err != nil { // its handler panicked
		w.WriteHeader(599)
		return
	}
	defer got.Body.Close()
	for name, values := range got.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(got.StatusCode)
	_, _ = io.Copy(w, got.Body)
}
