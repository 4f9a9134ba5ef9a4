package rules

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
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
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/random"
)

const (
	recordings  = "testdata/rules.jsonl"
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	objects     = "/apis/rules.example.com/v1/"
	together    = 40 // rules in one definition
)

// A server is one that is asked.
type server struct {
	url, token string
	client     *http.Client
}

func (s *server) request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	return r
}

func (s *server) do(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	res, err := s.client.Do(s.request(t, method, path, body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// definition is one of type n, with the rules as properties p0, p1 and so on.
func definition(n string, rules []rule) string {
	var fields []string
	for i, r := range rules {
		fields = append(fields, fmt.Sprintf(`"p%d":%s,"x-kubernetes-validations":[%s]}`, i,
			strings.TrimSuffix(r.Schema, "}"), r.Rule))
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"%[1]ss.rules.example.com"},"spec":{"group":"rules.example.com","scope":"Cluster",
		"names":{"plural":"%[1]ss","kind":"%[2]s"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{
		"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%[3]s}}}}}}]}}`,
		n, "K"+n, strings.Join(fields, ","))
}

// said is what an answer says: empty if it is a success.
func said(code int, text string) string {
	if code < 300 {
		return ""
	}
	var s struct {
		Message string
		Details struct {
			Causes []struct{ Reason, Message, Field string }
		}
	}
	_ = json.Unmarshal([]byte(text), &s)
	if len(s.Details.Causes) == 0 {
		return s.Message
	}
	var all []string
	for _, c := range s.Details.Causes {
		all = append(all, c.Reason+" "+property.ReplaceAllString(c.Field, "p")+": "+property.ReplaceAllString(c.Message, "p"))
	}
	slices.Sort(all)
	return selfType.ReplaceAllString(strings.Join(all, "; "), "selfType")
}

var (
	property = regexp.MustCompile(`\bp\d+\b`)
	selfType = regexp.MustCompile(`selfType\d*`)
)

// ask fills in the answers of a server: first which rules a definition may have, then, in definitions of many rules,
// about objects.
func (s *server) ask(t *testing.T, all []rule) {
	t.Helper()
	var valid []int
	for i := range all {
		r := &all[i]
		r.Answers = nil
		r.Definition = said(s.do(t, "POST", definitions+"?dryRun=All", definition("one", all[i:i+1])))
		if r.Definition == "" {
			valid = append(valid, i)
		}
	}
	for n, group := range slices.Collect(slices.Chunk(valid, together)) {
		var rules []rule
		for _, i := range group {
			rules = append(rules, all[i])
		}
		name := "r" + string(rune('a'+n))
		if code, text := s.do(t, "POST", definitions, definition(name, rules)); code != 201 {
			t.Fatal(code, text)
		}
		path := objects + name + "s"
		err := conformance.Until(t.Context(), s.client, s.request(t, "GET", definitions+"?watch=1&timeoutSeconds=1", ""),
			func() bool {
				code, _ := s.do(t, "GET", path, "")
				return code == 200
			})
		if err != nil {
			t.Fatalf("%s is not served: %v", path, err)
		}
		for at, i := range group {
			s.askOne(t, path, "K"+name, at, &all[i])
		}
	}
}

// askOne asks about the objects of a rule, which is the property at.
func (s *server) askOne(t *testing.T, path, kind string, at int, r *rule) {
	t.Helper()
	object := func(value string) string {
		return fmt.Sprintf(`{"apiVersion":"rules.example.com/v1","kind":"%s","metadata":{"name":"o%d"},"spec":{"p%d":%s}}`,
			kind, at, at, value)
	}
	for n, value := range r.Values {
		switch {
		case !r.Update:
			r.Answers = append(r.Answers, said(s.do(t, "POST", path+"?dryRun=All", object(value))))
		case n == 0:
			r.Answers = append(r.Answers, said(s.do(t, "POST", path, object(value))))
		default:
			r.Answers = append(r.Answers, said(s.do(t, "PATCH", fmt.Sprintf("%s/o%d", path, at),
				fmt.Sprintf(`{"spec":{"p%d":%s}}`, at, value))))
		}
	}
}

// TestRules compares with what kube-apiserver has answered.
func TestRules(t *testing.T) {
	if url := os.Getenv("TABERNETES_RULES_RECORD"); url != "" {
		s := &server{url, os.Getenv("TABERNETES_TOKEN"), &http.Client{
			Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
		all := rules()
		s.ask(t, all)
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		for _, r := range all {
			if err := e.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(recordings, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(recordings)
	if err != nil {
		t.Fatal(err)
	}
	var wanted []rule
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var r rule
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		wanted = append(wanted, r)
	}
	if len(wanted) < 300 {
		t.Errorf("%d rules", len(wanted))
	}
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: random.NewSeeded(1), Controllers: true,
		CEL: evaluator.Evaluator{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	web := httptest.NewServer(c)
	defer web.Close()
	got := slices.Clone(wanted)
	(&server{url: web.URL, client: web.Client()}).ask(t, got)
	for i, want := range wanted {
		if got[i].Definition != want.Definition || !slices.Equal(got[i].Answers, want.Answers) {
			t.Errorf("%s %s\n got %q %q\nwant %q %q", want.Name, want.Rule, got[i].Definition, got[i].Answers, want.Definition,
				want.Answers)
		}
	}
}
