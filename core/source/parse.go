package source

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Parse parses the value of a wellknown.SourceHeader. It ignores unknown members; what is no
// dictionary, or has an invalid value for a known key, is an error.
func Parse(text string) (*Source, error) {
	members, err := parseDictionary(text)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	s := new(Source)
	var server, waited int64
	for _, m := range members {
		ok := true
		switch m.key {
		case "server":
			server, ok = m.number(0)
			s.Server = int(server)
		case "from":
			s.From, ok = m.token()
			ok = ok && (s.From == Cache || s.From == Etcd)
		case "revision":
			s.Revision, ok = m.number(1)
		case "head":
			s.Head, ok = m.number(1)
		case "rule":
			s.Rule, ok = m.token()
		case "gone":
			s.Gone, ok = m.token()
		case "waited":
			waited, ok = m.number(1)
			ok = ok && waited <= math.MaxInt64/int64(time.Millisecond)
			s.Waited = time.Duration(waited) * time.Millisecond
		case "wrote":
			s.Wrote, ok = m.spans()
		case "more":
			s.More, ok = m.number(1)
		case "policies":
			s.Policies, ok = m.verdicts()
		}
		if !ok {
			return nil, fmt.Errorf("source: %s has a value that cannot be", m.key)
		}
	}
	if s.Rule == "" {
		return nil, errors.New("source: there is no rule")
	}
	return s, nil
}

// number returns the value as an integer of at least least.
func (m member) number(least int64) (int64, bool) {
	n, ok := m.value.(int64)
	return n, ok && n >= least && (m.key != "server" || n <= math.MaxInt32)
}

// token returns the value as a token.
func (m member) token() (string, bool) {
	t, ok := m.value.(token)
	return string(t), ok
}

// spans returns the value as a list of revisions, ascending.
func (m member) spans() ([]Span, bool) {
	items, ok := m.value.([]item)
	if !ok || len(items) == 0 || len(items) > MaxSpans {
		return nil, false
	}
	spans, last := make([]Span, len(items)), int64(0)
	for i, it := range items {
		first, ok := it.value.(int64)
		if !ok || first <= last {
			return nil, false
		}
		last = first
		if to, given := it.params["to"]; given {
			if last, ok = to.(int64); !ok || last <= first {
				return nil, false
			}
		}
		spans[i] = Span{first, last}
	}
	return spans, true
}

// verdicts returns the value as a list of decisions of policies.
func (m member) verdicts() ([]Verdict, bool) {
	items, ok := m.value.([]item)
	if !ok || len(items) == 0 || len(items) > MaxVerdicts {
		return nil, false
	}
	all := make([]Verdict, len(items))
	for i, it := range items {
		v := &all[i]
		did, ok := it.params["did"].(token)
		if v.Policy, _ = it.value.(string); !ok || v.Policy == "" {
			return nil, false
		}
		v.Did = string(did)
		v.Binding, _ = it.params["binding"].(string)
		v.Expression, _ = it.params["expression"].(string)
	}
	return all, true
}
