package remote

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// What a Server remembers at the most: so many sources, and so many bytes of them.
const (
	maxSources = 256
	maxBytes   = 8 << 20
)

// A Server answers the calls of Clients. It is safe for concurrent use.
type Server struct {
	evaluator expression.Evaluator

	mu    sync.Mutex
	known []*known // what was used last comes last
	bytes int
}

// A known is what has been compiled of a source.
type known struct {
	key      string
	bytes    int
	program  structural.Program // of a schema
	unit     expression.Compiled
	problems []expression.Problem
}

// NewServer returns a Server that evaluates by another evaluator.
func NewServer(evaluator expression.Evaluator) *Server { return &Server{evaluator: evaluator} }

// Serve answers a call. It does not keep it.
func (s *Server) Serve(ctx context.Context, message []byte) []byte {
	a := &answer{}
	m := &call{}
	if err := json.Unmarshal(message, m); err != nil {
		a.Failed = "a call cannot be read: " + err.Error()
	} else if err := s.answer(ctx, m, a, len(message)); err != nil {
		a = &answer{Failed: err.Error()}
	}
	text, err := json.Marshal(a)
	if err != nil {
		text, _ = json.Marshal(&answer{Failed: "an answer cannot be written: " + err.Error()}) // texts only
	}
	return text
}

func (s *Server) answer(ctx context.Context, m *call, a *answer, size int) error {
	if m.Do == doCheck {
		if m.Schema == nil {
			a.Unknown = true
			return nil
		}
		step := m.step()
		a.Errors = violations(s.evaluator.Check(ctx, structural.Parse(m.Schema.object()), field.Path(m.At), step))
		a.take(step)
		return nil
	}
	if m.Do == doReview && m.Review != nil {
		if m.Schema != nil {
			m.Review.Schema = m.Schema.object()
		}
		var err error
		a.Review, err = s.evaluator.Review(ctx, m.Review)
		return err
	}
	k, err := s.find(ctx, m, size)
	if err != nil {
		return err
	}
	switch {
	case k == nil:
		a.Unknown = true
	case m.Do == doValidate && k.program != nil:
		step := m.step()
		errs, warnings := k.program.Validate(m.Object.object(), m.Old.object(), step)
		a.Errors, a.Warnings = violations(errs), warnings
		a.take(step)
	case m.Do == doCompile && k.unit != nil:
		a.Problems = k.problems
	case m.Do == doEvaluate && k.unit != nil:
		return k.evaluate(ctx, m, a)
	default:
		a.Failed = "this call is not known: " + m.Do
	}
	return nil
}

// evaluate answers with results, or with the questions that have no decision yet.
func (k *known) evaluate(ctx context.Context, m *call, a *answer) error {
	decided := map[expression.Question]expression.Decision{}
	for _, d := range m.Decisions {
		decided[d.Question] = d.Decision
	}
	in := &expression.Input{Object: m.Object.object(), OldObject: m.Old.object(), Params: m.Params.object(),
		NamespaceObject: m.Namespace.object(), Request: m.Request.object(), Values: m.Values.object(),
		Trace: m.Trace}
	if m.Authorizer {
		in.Authorize = func(q expression.Question) expression.Decision {
			d, ok := decided[q]
			if !ok && !slices.Contains(a.Questions, q) {
				a.Questions = append(a.Questions, q)
			}
			return d
		}
	}
	results, left, err := k.unit.Evaluate(ctx, m.Which, in, m.Budget)
	if err != nil || len(a.Questions) > 0 {
		return err
	}
	a.Left = left
	for _, r := range results {
		a.Results = append(a.Results, result{tree{r.Value}, r.Error, r.Kind, r.Traces})
	}
	return nil
}

// find returns what a call is about; nil: it is not known, and its source is not there.
func (s *Server) find(ctx context.Context, m *call, size int) (*known, error) {
	if k := s.remembered(m.Key); k != nil {
		return k, nil
	}
	k := &known{key: m.Key, bytes: size}
	switch {
	case m.Schema != nil:
		k.program = s.evaluator.Compile(structural.Parse(m.Schema.object()), "")
	case m.Unit != nil:
		var err error
		if k.unit, k.problems, err = s.evaluator.CompileUnit(ctx, m.Unit); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	s.remember(k)
	return k, nil
}

func (s *Server) remembered(key string) *known {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.known, func(k *known) bool { return k.key == key })
	if i < 0 {
		return nil
	}
	k := s.known[i]
	s.known = append(slices.Delete(s.known, i, i+1), k)
	return k
}

// remember drops what was used longest ago if there is too much.
func (s *Server) remember(k *known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = append(s.known, k)
	s.bytes += k.bytes
	for len(s.known) > 1 && (len(s.known) > maxSources || s.bytes > maxBytes) {
		s.bytes -= s.known[0].bytes
		s.known = slices.Delete(s.known, 0, 1)
	}
}
