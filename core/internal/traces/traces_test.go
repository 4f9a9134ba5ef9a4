package traces

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestBounds: what does not fit is counted, and what is small still fits.
func TestBounds(t *testing.T) {
	all := new(Traces)
	s := all.Begin("k", "a")
	large := json.RawMessage(bytes.Repeat([]byte("1"), maxOthers/3))
	s.Add(Evaluation{Result: large}, Evaluation{Result: large}, Evaluation{Result: large[:9], Tree: large})
	s.Change(large, large)
	s.Add(Evaluation{Result: large}, Evaluation{Result: large}, Evaluation{Result: large[:9]}) // of which the last fits
	if s.Before != nil || len(s.Evaluations) != 4 || s.Omitted != 2 || s.Evaluations[2].Tree != nil {
		t.Error(len(s.Before), len(s.Evaluations), s.Omitted)
	}
	s.Change(large[:2], large[:3])
	if string(s.After) != "111" {
		t.Error(s.After)
	}
	for range maxSteps {
		if s := all.Begin("k", "b"); s != nil {
			s.End(Refused, "")
		}
	}
	if steps, omitted := all.Steps(); len(steps) != maxSteps || omitted != 1 || all.Begin("k", "c") != nil {
		t.Error(len(steps), omitted)
	}
	s = nil
	s.Add(Evaluation{})
	s.Change(large, large)
	s.Skip("")
	s.End(Refused, "")
}
