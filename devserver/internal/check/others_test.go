package check

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// others are tables of policies and rules of other projects, with what kube-apiserver v1.36.3 answers.
const others = "testdata/others"

// TestOthers runs them; without TABERNETES_LONG, every eighth file.
func TestOthers(t *testing.T) {
	files, err := filepath.Glob(others + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if os.Getenv("TABERNETES_LONG") == "" {
		n := 0
		files = slices.DeleteFunc(files, func(string) bool { n++; return n%8 != 0 })
	}
	r, err := Test(t.Context(), TestOptions{Paths: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == Error {
			t.Error(f)
		}
	}
	policies, rules := map[string]bool{}, map[string]bool{}
	for _, c := range r.Coverage {
		switch {
		case c.Object.Kind == "ValidatingAdmissionPolicy":
			policies[c.File+c.Object.Name] = true
		case strings.HasSuffix(c.Field, "].rule"):
			rules[c.Text] = true
		}
	}
	t.Logf("%d policies, %d rules; %s", len(policies), len(rules), r.Summary())
}

// TestOthersAreReal makes the requests of these tables, or of those that TABERNETES_TABLES names, of a real
// kube-apiserver: its URL is TABERNETES_REAL_URL, and the bearer token of its administrator TABERNETES_REAL_TOKEN. It
// has to be new, with --allow-privileged, and without the admission plugin ServiceAccount. That takes some seconds for
// each table: the server takes up policies, and types of their parameters, in its own time. Once policies with
// parameters of a type were there and are gone, it may not find those of another one: such tables are for a server
// each.
func TestOthersAreReal(t *testing.T) {
	address := os.Getenv("TABERNETES_REAL_URL")
	if address == "" {
		t.Skip("TABERNETES_REAL_URL says with what to compare")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := http.NewRequestWithContext(r.Context(), r.Method, address+r.URL.String(), bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		asked.Header = r.Header
		answer, err := client.Do(asked)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		if _, err := io.Copy(w, answer.Body); err != nil {
			t.Error(err)
		}
	})
	paths := []string{others}
	if more := os.Getenv("TABERNETES_TABLES"); more != "" {
		paths = strings.Split(more, ",")
	}
	tables := tablesIn(t, paths)
	compared := 0
	k := &checker{&server{Client: seed.Client{API: api, Token: os.Getenv("TABERNETES_REAL_TOKEN")}, dry: true}, &Report{}}
	every := map[*table][]*manifest{}
	for _, table := range tables {
		var err error
		if every[table], err = table.has(t.Context(), table.Given, ""); err != nil {
			t.Fatal(err)
		}
		// Half a minute passes until policies may have parameters of a type.
		for _, m := range every[table] {
			if m.definition == nil {
				continue
			}
			if outcome, findings, err := k.apply(t.Context(), m); err != nil || outcome != Accepted {
				t.Errorf("%s: %v %v", table.in.file, err, findings)
			}
		}
	}
	for _, table := range tables {
		given := every[table]
		err := k.assume(t.Context(), [][]*manifest{given, nil})
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if err = k.prepare(t.Context(), given, false); err == nil || time.Now().After(deadline) {
				break
			}
		}
		if err != nil {
			t.Errorf("%s: %v", table.in.file, err)
		}
		var all []*test
		for n := range table.Tests {
			c, err := table.test(n)
			if err != nil {
				t.Fatal(err)
			}
			c.Then.Audit = nil // which no client sees
			all = append(all, c)
		}
		// Once something is refused, the policies are there.
		slices.SortStableFunc(all, func(a, b *test) int {
			return map[bool]int{true: 1}[a.Then.Allowed] - map[bool]int{true: 1}[b.Then.Allowed]
		})
		for i, c := range all {
			compared++
			patience, late := 5*time.Second, time.Now().Add(2*time.Minute)
			if i == 0 {
				patience = 2 * time.Minute
			}
			verb, m, written, err := table.request(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if err := k.assume(t.Context(), [][]*manifest{{m}, nil}); err != nil {
				t.Fatal(err)
			}
			var findings []Finding
			for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
				resource, err := k.Find(t.Context(), m.APIVersion, m.Kind)
				if err != nil {
					t.Fatal(err)
				}
				if resource != nil {
					as := cmp.Or(c.When.As, table.Given.As)
					a, err := k.send(t.Context(), verb, resource, m, written, &c.When, as)
					if err != nil {
						t.Fatal(err)
					}
					findings = table.judge(c, m, a, nil)
				}
				// It takes up the types of parameters, and the parameters, when it has time.
				starts := len(findings) > 0 && strings.Contains(findings[0].Message, "denied request: failed to configure")
				if resource != nil && len(findings) == 0 || !starts && time.Now().After(deadline) || time.Now().After(late) {
					break
				}
			}
			for _, f := range findings {
				t.Errorf("%s:%d: %s: %s", table.in.file, f.Line, c.Name, f.Message)
			}
		}
		for _, m := range slices.Backward(given) {
			resource, err := k.Find(t.Context(), m.APIVersion, m.Kind)
			if err != nil || resource == nil || m.definition != nil || m.is("", "Namespace") {
				continue
			}
			path := resource.Path(m.APIVersion, "default", m.Name)
			if m.Namespace != "" {
				path = resource.Path(m.APIVersion, m.Namespace, m.Name)
			}
			gone := func() *cluster.Answer {
				a, err := k.Do(t.Context(), http.MethodDelete, path, nil)
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			for deadline := time.Now().Add(time.Minute); gone().Code != http.StatusNotFound; time.Sleep(50 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s is not deleted", m.Object)
				}
			}
		}
	}
	text, _ := json.Marshal(map[string]int{"tables": len(tables), "requests": compared}) // numbers
	t.Logf("compared: %s", text)
}

// tablesIn reads the tables of files.
func tablesIn(t *testing.T, paths []string) []*table {
	t.Helper()
	texts, err := sources(t.Context(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := readTables(texts)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}
