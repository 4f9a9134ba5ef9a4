package remote

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// A fake is an evaluator whose units return the object and what the authorizer says.
type fake struct {
	expression.None
	compiled int
}

func (f *fake) CompileUnit(_ context.Context, u *expression.Unit) (expression.Compiled, []expression.Problem, error) {
	f.compiled++
	return f, []expression.Problem{{Index: 1, Message: u.Expressions[0].Text}}, nil
}

func (f *fake) Evaluate(_ context.Context, which []int, in *expression.Input, budget int64) ([]expression.Result, int64,
	error) {
	reasons := ""
	for _, verb := range []string{"get", "list"} {
		reasons += in.Authorize(expression.Question{Verb: verb}).Reason
	}
	results := []expression.Result{{Value: in.Object}, {Error: reasons, Kind: expression.Failed}}
	return results, budget - int64(len(which)), nil
}

func clientOf(s *Server) *Client {
	return &Client{Call: func(ctx context.Context, message []byte) ([]byte, error) { return s.Serve(ctx, message), nil }}
}

func TestUnit(t *testing.T) {
	evaluator := &fake{}
	client := clientOf(NewServer(evaluator))
	u := &expression.Unit{Expressions: []expression.Expression{{Text: "a"}}}
	c, problems, err := client.CompileUnit(t.Context(), u)
	if err != nil || !reflect.DeepEqual(problems, []expression.Problem{{Index: 1, Message: "a"}}) {
		t.Fatal(problems, err)
	}
	obj := map[string]any{"int": int64(2), "whole": 2.0, "half": 0.5, "large": 1e30, "text": "<a> \u2028", "null": nil,
		"list": []any{true, map[string]any{}, []any{}}}
	in := &expression.Input{Object: obj, Authorize: func(q expression.Question) expression.Decision {
		return expression.Decision{Reason: q.Verb + "!"}
	}}
	for range 2 {
		results, left, err := c.Evaluate(t.Context(), []int{0, 3}, in, 10)
		if err != nil || left != 8 || len(results) != 2 || !reflect.DeepEqual(results[0].Value, any(obj)) ||
			results[1].Error != "get!list!" {
			t.Error(results, left, err)
		}
	}
	if evaluator.compiled != 1 {
		t.Error("compiled", evaluator.compiled, "times")
	}
	client.Call = clientOf(NewServer(evaluator)).Call // which knows nothing
	if _, _, err := c.Evaluate(t.Context(), nil, in, 10); err != nil || evaluator.compiled != 2 {
		t.Error("another server:", err, evaluator.compiled)
	}
}

func TestUnavailable(t *testing.T) {
	broken := errors.New("no connection")
	client := &Client{Call: func(context.Context, []byte) ([]byte, error) { return nil, broken }}
	if _, _, err := client.CompileUnit(t.Context(), &expression.Unit{}); !errors.Is(err, expression.ErrUnavailable) ||
		!errors.Is(err, broken) {
		t.Error(err)
	}
	rules := []any{map[string]any{"rule": "self +"}}
	s := structural.Parse(map[string]any{"type": "object", "x-kubernetes-validations": rules})
	if errs := client.Check(t.Context(), s, "s", nil); len(errs) != 1 {
		t.Error("the syntax was not checked:", errs)
	}
	p := client.Compile(s, "ks.example.com")
	if errs, warnings := p.Validate(map[string]any{}, nil, nil); len(errs) > 0 || len(warnings) != 1 {
		t.Error("no warning:", errs, warnings)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("ended")
	cancel(ended)
	if _, _, err := client.CompileUnit(ctx, &expression.Unit{}); !errors.Is(err, ended) {
		t.Error(err)
	}
	client.Call = func(context.Context, []byte) ([]byte, error) { return []byte("<html>"), nil }
	if _, _, err := client.CompileUnit(t.Context(), &expression.Unit{}); !errors.Is(err, errUnreadable) {
		t.Error(err)
	}
}

// TestServerForgets: what was used longest ago, and the client sends it again.
func TestServerForgets(t *testing.T) {
	evaluator := &fake{}
	client := clientOf(NewServer(evaluator))
	unit := func(text string) *expression.Unit {
		return &expression.Unit{Expressions: []expression.Expression{{Text: text}}}
	}
	first, _, _ := client.CompileUnit(t.Context(), unit("first"))
	for i := range maxSources {
		if _, _, err := client.CompileUnit(t.Context(), unit(strings.Repeat("x", i))); err != nil {
			t.Fatal(err)
		}
	}
	in := &expression.Input{Authorize: func(expression.Question) expression.Decision { return expression.Decision{} }}
	if _, _, err := first.Evaluate(t.Context(), []int{0}, in, 1); err != nil || evaluator.compiled != maxSources+2 {
		t.Error(err, evaluator.compiled)
	}
}

func TestUnreadable(t *testing.T) {
	s := NewServer(&fake{})
	for _, message := range []string{"", "{", `{"Do":"other","Key":"k","Unit":{"Expressions":[{}]}}`, `{"Do":"check"}`,
		`{"Do":"evaluate","Key":"x"}`} {
		if got := string(s.Serve(t.Context(), []byte(message))); !strings.Contains(got, "Failed") &&
			!strings.Contains(got, "Unknown") {
			t.Errorf("%s: %s", message, got)
		}
	}
}
