package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// A Client is an evaluator behind a function, which passes a call to a Server and returns its answer. Its error says
// why the Server cannot be had. It is safe for concurrent use if the function is.
type Client struct {
	Call func(ctx context.Context, message []byte) ([]byte, error)
}

var _ expression.Evaluator = (*Client)(nil)

// errUnreadable is that an answer is not one that a Server makes.
var errUnreadable = errors.New("an answer about CEL expressions cannot be read")

// ask sends a call, and again with its source if that is not known.
func (c *Client) ask(ctx context.Context, m *call, source func(*call)) (*answer, error) {
	for again := false; ; again = true {
		text, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		if text, err = c.Call(ctx, text); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("%w: %w", expression.ErrUnavailable, err)
		}
		a := &answer{}
		if err := json.Unmarshal(text, a); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnreadable, err)
		}
		if a.Unknown && !again && source != nil {
			source(m)
			continue
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case a.Unknown:
			return nil, errUnreadable
		case a.Failed != "":
			return nil, errors.New(a.Failed)
		}
		return a, nil
	}
}

// Check implements structural.Rules.
func (c *Client) Check(ctx context.Context, s *structural.Schema, at field.Path, step *traces.Step) field.ErrorList {
	a, err := c.ask(ctx, &call{Do: doCheck, Schema: &tree{s.Tree()}, At: string(at), Trace: step != nil}, nil)
	switch {
	case errors.Is(err, expression.ErrUnavailable):
		return expression.None{}.Check(ctx, s, at, step)
	case err != nil:
		return field.ErrorList{&field.Error{Type: field.TypeInternal, Field: string(at),
			Detail: "internal error: the rules were not compiled: " + err.Error()}}
	}
	a.addTo(step)
	return errorsOf(a.Errors)
}

// Compile implements structural.Rules.
func (c *Client) Compile(s *structural.Schema, resource string) structural.Program {
	return &program{c, s, expression.None{}.Compile(s, resource), sync.OnceValue(func() string {
		return keyOf(appendTree(nil, s.Tree()))
	})}
}

// A program is the rules of a schema.
type program struct {
	client  *Client
	schema  *structural.Schema
	without structural.Program // what there is without the Server
	key     func() string
}

// Validate implements structural.Program.
func (p *program) Validate(obj, old map[string]any, step *traces.Step) (field.ErrorList, []string) {
	m := &call{Do: doValidate, Key: p.key(), Object: treeOf(obj), Old: treeOf(old), Trace: step != nil}
	a, err := p.client.ask(context.Background(), m, func(m *call) { m.Schema = &tree{p.schema.Tree()} })
	switch {
	case errors.Is(err, expression.ErrUnavailable):
		return p.without.Validate(obj, old, step)
	case err != nil:
		return field.ErrorList{&field.Error{Type: field.TypeInternal, Field: "<nil>",
			Detail: "internal error: the rules were not evaluated: " + err.Error()}}, nil
	}
	a.addTo(step)
	return errorsOf(a.Errors), a.Warnings
}

// CompileUnit implements expression.Evaluator.
func (c *Client) CompileUnit(ctx context.Context, u *expression.Unit) (expression.Compiled, []expression.Problem,
	error) {
	text, err := json.Marshal(u)
	if err != nil {
		return nil, nil, err
	}
	made := &compiled{c, u, keyOf(text)}
	a, err := c.ask(ctx, &call{Do: doCompile, Key: made.key}, made.source)
	if err != nil {
		return nil, nil, err
	}
	return made, a.Problems, nil
}

// Review implements expression.Evaluator.
func (c *Client) Review(ctx context.Context, r *expression.Review) (json.RawMessage, error) {
	m := &call{Do: doReview, Review: r}
	if r.Schema != nil {
		m.Schema = &tree{r.Schema}
	}
	a, err := c.ask(ctx, m, nil)
	if err != nil {
		return nil, err
	}
	return a.Review, nil
}

// A compiled is a unit.
type compiled struct {
	client *Client
	unit   *expression.Unit
	key    string
}

func (c *compiled) source(m *call) { m.Unit = c.unit }

// maxRounds is how often an evaluation is repeated with decisions at most. Each question costs so much that a budget is
// spent long before.
const maxRounds = 100

// Evaluate implements expression.Compiled.
func (c *compiled) Evaluate(ctx context.Context, which []int, in *expression.Input, budget int64) ([]expression.Result,
	int64, error) {
	m := &call{Do: doEvaluate, Key: c.key, Which: which, Budget: budget, Authorizer: in.Authorize != nil, Trace: in.Trace,
		Object: treeOf(in.Object), Old: treeOf(in.OldObject), Params: treeOf(in.Params),
		Namespace: treeOf(in.NamespaceObject), Request: treeOf(in.Request),
		Values: treeOf(in.Values)}
	for range maxRounds {
		a, err := c.client.ask(ctx, m, c.source)
		if err != nil {
			return nil, budget, err
		}
		m.Unit = nil // it is known now
		if len(a.Questions) == 0 {
			results := make([]expression.Result, len(a.Results))
			for i, r := range a.Results {
				results[i] = expression.Result{Value: r.Value.v, Error: r.Error, Kind: r.Kind, Traces: r.Traces}
			}
			return results, a.Left, nil
		}
		for _, q := range a.Questions {
			m.Decisions = append(m.Decisions, decision{q, in.Authorize(q)})
		}
	}
	return nil, budget, errUnreadable
}
