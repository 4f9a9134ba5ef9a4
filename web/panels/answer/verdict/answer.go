package verdict

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text/wire"
)

// An answer is what a verdict needs of an object or a Status.
type answer struct {
	Kind     string
	Metadata struct {
		Name, Namespace, ResourceVersion, DeletionTimestamp string
		DeletionGracePeriodSeconds                          json.Number
		Finalizers                                          []string
	}
	Spec struct {
		Finalizers []string
		Target     struct{ Name string }
		// Of reviews of access.
		User                  string
		ResourceAttributes    *resourceAttributes
		NonResourceAttributes *struct{ Path, Verb string }
	}
	Status struct {
		Allowed, Denied, Authenticated bool
		Reason, ExpirationTimestamp    string
		User, UserInfo                 struct{ Username string }
		ResourceRules                  []json.RawMessage
	}
	// Of a Status.
	Reason, Message string
	Details         struct {
		Group, Kind, Name string
		Causes            []struct{ Reason, Message, Field string }
	}
	// Of a Table with one row.
	Rows []struct{ Object json.RawMessage }
}

type resourceAttributes struct{ Verb, Group, Resource, Subresource, Name, Namespace string }

// readAnswer reads an answer in any representation. What a field of another type has is left out: a custom object may
// have any types in its spec and status.
func readAnswer(e *tap.Exchange) (a answer) {
	if e.Binary {
		fields, _ := readBinary(e)
		return answerOf(fields)
	}
	_ = json.Unmarshal([]byte(asJSON(e.ResHeader, e.Text())), &a)
	if a.Kind == "Table" && len(a.Rows) == 1 {
		var row answer
		_ = json.Unmarshal(a.Rows[0].Object, &row)
		a.Metadata = row.Metadata
	}
	return a
}

// revision returns the object's resourceVersion, 0 if it has none.
func (a *answer) revision() int64 {
	n, _ := strconv.ParseInt(a.Metadata.ResourceVersion, 10, 64)
	return n
}

// held reports whether something has to happen before the object is removed.
func (a *answer) held() bool { return len(a.Metadata.Finalizers) > 0 || len(a.Spec.Finalizers) > 0 }

// grace returns the object's grace period in seconds.
func (a *answer) grace() int64 {
	n, _ := a.Metadata.DeletionGracePeriodSeconds.Int64()
	return n
}

// cause reports whether a Status has a cause for a field, or with a reason.
func (a *answer) cause(field, reason string) bool {
	for _, c := range a.Details.Causes {
		if field != "" && c.Field == field || reason != "" && c.Reason == reason {
			return true
		}
	}
	return false
}

// readBinary reads the fields of an object in protobuf or CBOR by their paths, and how many items a list has.
func readBinary(e *tap.Exchange) (fields map[string][]string, items int64) {
	doc := wire.Read(e.Get("Content-Type"), e.Text())
	fields = map[string][]string{}
	var names []string
	for i := range doc.Spans {
		s := &doc.Spans[i]
		names = append(names[:min(s.Depth, len(names))], s.Name)
		path := names
		if path[0] == "" || path[0] == "raw" { // the document, or the envelope's message
			path = path[1:]
		}
		if n := len(path); n > 0 && strings.HasPrefix(path[n-1], "[") { // an item of a CBOR array
			path = path[:n-1]
		}
		at := strings.Join(path, ".")
		if at == "items" && (names[0] == "raw" || len(names) > len(path)+1) {
			items++
		}
		value := s.Value
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		if value != "" {
			fields[at] = append(fields[at], value)
		}
	}
	return fields, items
}

// answerOf returns what the fields of a binary object say.
func answerOf(fields map[string][]string) (a answer) {
	one := func(path string) string {
		if v := fields[path]; len(v) > 0 {
			return v[0]
		}
		return ""
	}
	m := &a.Metadata
	a.Kind = one("kind") + one("typeMeta.kind")
	m.Name, m.Namespace, m.ResourceVersion = one("metadata.name"), one("metadata.namespace"),
		one("metadata.resourceVersion")
	m.DeletionTimestamp = one("metadata.deletionTimestamp")
	m.DeletionGracePeriodSeconds = json.Number(one("metadata.deletionGracePeriodSeconds"))
	m.Finalizers, a.Spec.Finalizers = fields["metadata.finalizers"], fields["spec.finalizers"]
	a.Reason, a.Message = one("reason"), one("message")
	a.Details.Kind, a.Details.Name = one("details.kind"), one("details.name")
	a.Status.Allowed, a.Status.Denied = one("status.allowed") == "true", one("status.denied") == "true"
	a.Status.Reason = one("status.reason")
	return a
}

// ReadList reads the answer of a list in any representation.
func ReadList(e *tap.Exchange) (tap.ListAnswer, error) {
	switch {
	case strings.Contains(e.Get("Content-Type"), "yaml"):
		return tap.ParseList(asJSON(e.ResHeader, e.Text()))
	case !e.Binary:
		return e.List(nil)
	}
	fields, items := readBinary(e)
	l := tap.ListAnswer{Remaining: -1, Count: items}
	for path, value := range fields {
		switch path {
		case "metadata.resourceVersion":
			l.Rev, _ = strconv.ParseInt(value[0], 10, 64)
		case "metadata.continue":
			l.Continue = value[0]
		case "metadata.remainingItemCount":
			l.Remaining, _ = strconv.ParseInt(value[0], 10, 64)
		}
	}
	return l, nil
}
