package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/trial"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

// TestOthersTraced tries the requests of the tables of others by trials: the outcome is still what kube-apiserver
// answers, and what is said of each expression is what it came to, in all parts that cel-go's own state has.
func TestOthersTraced(t *testing.T) {
	files, err := filepath.Glob(others + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if os.Getenv("TABERNETES_LONG") == "" {
		n := 0
		files = slices.DeleteFunc(files, func(string) bool { n++; return n%8 != 3 })
	}
	w := &witness{t: t}
	r, err := Test(t.Context(), TestOptions{Paths: files, Token: testToken, around: w.around, Fork: w.fork})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == Error {
			t.Error(f)
		}
	}
	t.Logf("%s; %d trials, %d evaluations, %d parts, of which %d were compared", r.Summary(), w.trials, w.evaluations,
		w.parts, w.compared)
	if w.evaluations < w.trials || w.compared < w.evaluations {
		t.Error("too little was seen")
	}
}

// A witness has requests tried, and evaluates each expression again, with cel-go's state.
type witness struct {
	t                                    *testing.T
	mu                                   sync.Mutex
	states                               map[string][]state // of the request that is being tried
	trials, evaluations, parts, compared int
}

// A state has the values of an evaluation by where the tokens are that cel-go knows of them.
type state map[int][]string

func (w *witness) fork(from *core.Cluster, authorization string, _ expression.Evaluator) (*core.Cluster, error) {
	o := cluster.Options{Controllers: true, Build: "test", Authorization: authorization,
		CEL: evaluator.Evaluator{Watch: w.watch}, Extensions: []extension.Extension{trial.Trials{}},
		Tokens: []core.Token{{Token: testToken, User: "kubernetes-admin", Groups: []string{"system:masters"}}}}
	if from != nil {
		return from.Fork(o.Core())
	}
	return cluster.Open(o)
}

func (w *witness) watch(text string, tree *cel.Ast, p cel.Program,
	again func(...cel.ProgramOption) (cel.Program, error)) (cel.Program, error) {
	second, err := again(cel.EvalOptions(cel.OptTrackState))
	return &witnessed{p, second, w, text, tree.NativeRep()}, err
}

type witnessed struct {
	cel.Program
	second cel.Program
	*witness
	text string
	tree *ast.AST
}

// ContextEval implements cel.Program.
func (p *witnessed) ContextEval(ctx context.Context, vars any) (ref.Val, *cel.EvalDetails, error) {
	v, details, err := p.Program.ContextEval(ctx, vars)
	_, more, _ := p.second.ContextEval(ctx, vars)
	if more == nil || more.State() == nil {
		return v, details, err
	}
	found := state{}
	for _, id := range more.State().IDs() {
		is, _ := more.State().Value(id)
		if at, ok := p.tree.SourceInfo().GetOffsetRange(id); ok {
			found[int(at.Start)] = append(found[int(at.Start)], plainText(is))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.states == nil {
		p.states = map[string][]state{}
	}
	p.states[p.text] = append(p.states[p.text], found)
	return v, details, err
}

// Eval implements cel.Program.
func (p *witnessed) Eval(vars any) (ref.Val, *cel.EvalDetails, error) {
	return p.ContextEval(context.Background(), vars)
}

// plainText is a value as traces have it; empty for those that are not compared.
func plainText(v ref.Val) string {
	switch v := v.(type) {
	case types.Bool, types.Int:
		return fmt.Sprint(v)
	case types.String:
		if len(v) < 100 {
			return strconv.Quote(string(v))
		}
	case types.Null:
		return "null"
	}
	return ""
}

func (w *witness) around(api http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		// Requests of tests have one; before an update it is asked what is stored.
		if record := audit.Of(r.Context()); record != nil && r.Method != http.MethodGet {
			w.try(api, rw, r, record)
			return
		}
		api.ServeHTTP(rw, r)
	})
}

// A part is one of a tree.
type part struct {
	Start, End         int
	Value, Type, Error string
	Unevaluated        bool
	Parts              []*part
	Loop               []struct{ Parts []*part }
}

type tried struct {
	Code        int
	Headers     map[string]string
	Warnings    []string
	Body        string
	Annotations map[string]string
	Omitted     int
	Steps       []struct {
		Kind, Name, Outcome, Message string
		Omitted                      int
		Evaluations                  []evaluation
	}
}

type evaluation struct {
	Use, Field, Expression, Value, Type, Error string
	Tolerated                                  bool
	Tree                                       *part
}

// try makes a request by a trial, and answers as its request is answered.
func (w *witness) try(api http.Handler, rw http.ResponseWriter, r *http.Request, record *audit.Record) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	asked, err := json.Marshal(map[string]any{"method": r.Method, "path": r.URL.String(), "headers": r.Header,
		"body": string(body)})
	if err != nil {
		w.t.Fatal(err)
	}
	sent := httptest.NewRequestWithContext(r.Context(), http.MethodPost, "/apis/sandbox.tabernetes.dev/v1/trials",
		bytes.NewReader(asked))
	sent.Header.Set("Authorization", "Bearer "+testToken)
	sent.Header.Set("Content-Type", "application/json")
	w.mu.Lock()
	w.states = nil
	w.mu.Unlock()
	got := cluster.Ask(api, sent)
	made := tried{}
	if err := json.Unmarshal(got.Body.Bytes(), &made); err != nil || got.Code != http.StatusOK {
		w.t.Fatalf("%d %v %s", got.Code, err, got.Body.String())
	}
	w.check(&made)
	for key, value := range made.Annotations {
		record.Annotate(key, value)
	}
	for name, value := range made.Headers {
		rw.Header().Set(name, value)
	}
	for _, text := range made.Warnings {
		rw.Header().Add("Warning", `299 - `+strconv.Quote(text))
	}
	rw.WriteHeader(made.Code)
	if _, err := io.WriteString(rw, made.Body); err != nil {
		w.t.Error(err)
	}
}

// check compares what is said of a request with its outcome, and the values of parts with cel-go's.
func (w *witness) check(made *tried) {
	w.trials++
	refused := false
	for _, s := range made.Steps {
		broken := 0
		for i := range s.Evaluations {
			e := &s.Evaluations[i]
			w.evaluation(s.Name, e)
			if (e.Use == "validation" || e.Use == "rule") && e.Value != "true" && !e.Tolerated ||
				e.Error != "" && e.Use != "message" && e.Use != "variable" {
				broken++
			}
		}
		switch s.Outcome {
		case "allowed", "tolerated":
			if broken > 0 {
				w.t.Errorf("%s is %s, and %d expressions are not true", s.Name, s.Outcome, broken)
			}
		case "refused":
			refused = true
			if s.Message != "" && !strings.Contains(made.Body, strconv.Quote(s.Message)[1:len(strconv.Quote(s.Message))-1]) &&
				s.Kind != "CustomResourceDefinition" && made.Code < 400 {
				w.t.Errorf("%s says %q, and the answer %s", s.Name, s.Message, made.Body)
			}
			fallthrough
		case "warned", "audited":
			if broken == 0 && !strings.Contains(s.Message, "failed to configure") &&
				!strings.Contains(s.Message, "no params found") && s.Kind != "MutatingAdmissionPolicy" {
				w.t.Errorf("%s is %s (%s), and all is true", s.Name, s.Outcome, s.Message)
			}
		}
		if s.Omitted > 0 {
			w.t.Errorf("%s: %d evaluations are left out", s.Name, s.Omitted)
		}
	}
	if refused != (made.Code >= 400 && strings.Contains(made.Body, "denied request")) && refused && made.Code < 400 {
		w.t.Errorf("a step refuses, and the answer is %d %s", made.Code, made.Body)
	}
	if strings.Contains(made.Body, "AdmissionPolicy '") && made.Code >= 400 && !refused {
		w.t.Errorf("no step refuses, and the answer is %s", made.Body)
	}
}

// evaluation compares one: its tree ends in its value, and cel-go has the values of the parts, but for those in loops.
func (w *witness) evaluation(name string, e *evaluation) {
	w.evaluations++
	// Estimates are made without values, and an expression that costs too much ends without those of its parts.
	if e.Tree == nil || e.Use == "estimate" || e.Tree.Unevaluated && strings.Contains(e.Error, "actual cost limit") {
		return
	}
	if e.Tree.Unevaluated || e.Tree.Value != e.Value || (e.Tree.Error == "") != (e.Error == "") {
		w.t.Errorf("%s %s %s: it is %q (%s), and its tree %q (%s, %t)", name, e.Field, e.Expression, e.Value, e.Error,
			e.Tree.Value, e.Tree.Error, e.Tree.Unevaluated)
	}
	w.mu.Lock()
	states := w.states[e.Expression]
	w.mu.Unlock()
	problem := "it was not evaluated"
	for _, s := range states {
		parts, compared := 0, 0
		if problem = s.differs(e.Tree, &parts, &compared); problem == "" {
			w.parts += parts
			w.compared += compared
			return
		}
	}
	w.t.Errorf("%s %s %s: %s", name, e.Field, e.Expression, problem)
}

// differs returns how a tree differs from cel-go's values.
func (s state) differs(p *part, parts, compared *int) string {
	*parts++
	switch {
	case p.Unevaluated || p.Error != "" || p.Value == "":
	case p.Value == "true" || p.Value == "false" || p.Value == "null" || p.Type == "int" ||
		p.Type == "string" && len(p.Value) < 100:
		found, any := false, false
		for at, values := range s {
			if p.Start <= at && at < p.End {
				any = true
				found = found || slices.Contains(values, p.Value)
			}
		}
		if any && !found {
			return fmt.Sprintf("the part from %d to %d is %s, which cel-go does not have", p.Start, p.End, p.Value)
		}
		*compared++
	}
	for _, one := range p.Parts {
		if problem := s.differs(one, parts, compared); problem != "" {
			return problem
		}
	}
	return ""
}
