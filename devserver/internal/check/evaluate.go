package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// evaluate runs a test of the table's expression, and returns how its value differs from what is expected. The server
// evaluates it, since expressions may ask who can do something.
func (t *table) evaluate(ctx context.Context, c *test, s *server, variables []byte, as *identity) ([]Finding, error) {
	body, err := json.Marshal(map[string]any{"variables": json.RawMessage(variables), "evaluate": true,
		"text": strings.TrimRight(t.Expression, " \n")})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/apis/sandbox.tabernetes.dev/v1/expressionreviews",
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	a := s.ask(r, "application/json", as)
	var answer struct {
		Message    string                        // of a Status
		Problems   []struct{ Message string }    // why it cannot be evaluated
		Evaluation struct{ Value, Error string } // what it comes to
	}
	if err := json.Unmarshal(a.Body.Bytes(), &answer); err != nil {
		return nil, err
	}
	if a.Code != http.StatusOK {
		return nil, t.wrong(c.at+".when.evaluate", answer.Message)
	}
	value, problem := answer.Evaluation.Value, answer.Evaluation.Error
	if len(answer.Problems) > 0 {
		problem = answer.Problems[0].Message
	}
	differs := func(field, message string) ([]Finding, error) {
		return []Finding{{Line: t.in.lineOf(c.at+".then", field), Message: message}}, nil
	}
	switch want := c.Then.Error; {
	case want != nil && problem == "":
		return differs("error", "it is "+value)
	case want != nil && !strings.Contains(problem, *want):
		return differs("error", fmt.Sprintf("the error is %q, not %q", problem, *want))
	case want != nil:
		return nil, nil
	case problem != "":
		return differs("value", "it has no value: "+problem)
	}
	var want, got any
	if exactly([]byte(value), &got) != nil {
		got = value // what JSON has not, such as a duration, is compared as CEL writes it
	}
	if err := exactly(c.Then.Value, &want); err != nil {
		return nil, errors.Join(t.wrong(c.at+".then.value", "it cannot be read"), err)
	}
	if _, message := differ(want, got, ""); message != "" {
		return differs("value", message)
	}
	return nil, nil
}
