package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
)

// A meta is what the recorder reads of an object.
type meta struct {
	Kind     string
	Metadata struct {
		Name, Namespace, ResourceVersion string
		CreationTimestamp                time.Time
		ManagedFields                    []struct{ Time time.Time }
	}
	rev int64
}

// readMeta reads it; the error is that of an object that has no place in etcd.
func readMeta(text []byte) (*meta, error) {
	var m meta
	err := json.Unmarshal(text, &m)
	if err != nil {
		return nil, err
	}
	if m.rev, err = strconv.ParseInt(m.Metadata.ResourceVersion, 10, 64); err != nil || m.rev < 1 ||
		m.Metadata.Name == "" {
		return nil, fmt.Errorf("it has the name %q and the resourceVersion %q", cut(m.Metadata.Name),
			cut(m.Metadata.ResourceVersion))
	}
	return &m, nil
}

// changed returns the latest time that an object says it was changed at.
func (m *meta) changed() time.Time {
	at := m.Metadata.CreationTimestamp
	for _, f := range m.Metadata.ManagedFields {
		if f.Time.After(at) {
			at = f.Time
		}
	}
	return at
}

// stored returns an object as a get of it answers: without white space, and with its kind, which the items of lists of
// built-in types lack.
func (t *target) stored(text []byte, m *meta) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(len(text) + 64)
	if m.Kind == "" {
		fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,`, t.kind, t.apiVersion())
		text = bytes.TrimSpace(text)
		if len(text) < 2 || text[0] != '{' || text[1] == '}' {
			return nil, errText
		}
		start := b.Len()
		if err := json.Compact(&b, text); err != nil {
			return nil, err
		}
		out := b.Bytes()
		return slices.Delete(out, start, start+1), nil // the brace
	}
	err := json.Compact(&b, text)
	return b.Bytes(), err
}

// check returns the fields of an object that Tabernetes does not know, and the error of one that it cannot read.
func (t *target) check(value []byte) (unknown []string, err error) {
	if err := object.Check(value); err != nil {
		return nil, err
	}
	if t.row == nil {
		return nil, t.load(value)
	}
	_, unknown, err = object.Decode(value, t.row.Type())
	if err == nil {
		err = t.load(value)
	}
	return unknown, err
}
