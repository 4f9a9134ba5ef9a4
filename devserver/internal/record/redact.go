package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// lastApplied is the annotation in which kubectl apply keeps the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// keptAnnotations are those of a Secret that are shown: they name its service account.
var keptAnnotations = []string{"kubernetes.io/service-account.name", "kubernetes.io/service-account.uid"}

// A rule names the fields of a resource type that are redacted: all that is at the path and below it. A step of the
// path is a field, or "*" for any; lists are passed through.
type rule struct {
	resource string // "configmaps", "widgets.example.com", or "*"
	path     []string
	base64   bool     // the values are base64
	except   []string // fields at the end of the path that are kept
}

// secretRules hold for every recording. What annotations of Secrets say may be the whole object, too.
var secretRules = []rule{
	{resource: "secrets", path: []string{"data"}, base64: true},
	{resource: "secrets", path: []string{"stringData"}},
	{resource: "secrets", path: []string{"metadata", "annotations"}, except: keptAnnotations},
}

// parseRule reads what --redact names: RESOURCE:PATH, such as configmaps:data or
// pods:spec.containers.env.value or *:metadata.annotations["example.com/token"].
func parseRule(text string) (rule, error) {
	resource, path, ok := strings.Cut(text, ":")
	r := rule{resource: resource}
	wrong := fmt.Errorf("%q is not RESOURCE:PATH, such as configmaps:data", text)
	if !ok || resource == "" || path == "" {
		return r, wrong
	}
	for path != "" {
		var step string
		if rest, quoted := strings.CutPrefix(path, `["`); quoted {
			if step, path, ok = strings.Cut(rest, `"]`); !ok {
				return r, wrong
			}
		} else {
			end := strings.IndexAny(path, `.[`)
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
		}
		if step == "" || strings.ContainsAny(step, `"]`) {
			return r, wrong
		}
		r.path = append(r.path, step)
		if rest, dot := strings.CutPrefix(path, "."); dot {
			if path = rest; path == "" {
				return r, wrong
			}
		} else if path != "" && path[0] != '[' {
			return r, wrong
		}
	}
	switch {
	case r.path[0] == "apiVersion" || r.path[0] == "kind" || r.path[0] == "metadata" && (len(r.path) == 1 ||
		r.path[1] != "annotations" && r.path[1] != "labels" && r.path[1] != "managedFields"):
		return r, fmt.Errorf("%q: of the metadata, only annotations, labels and managedFields can be redacted", text)
	}
	return r, nil
}

// A redactor replaces values in objects. What it puts in their place says no more than whether the same field of the
// same object has changed: the key of the sums is nowhere but in memory.
type redactor struct {
	rules []rule
	key   []byte
}

func newRedactor(named []rule) *redactor {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // which never fails
	return &redactor{rules: append(slices.Clone(secretRules), named...), key: key}
}

// rulesOf returns the rules of a resource type. Where there are some, what kubectl applied last is redacted too.
func (r *redactor) rulesOf(resource string) (all []rule) {
	for _, rule := range r.rules {
		if rule.resource == resource || rule.resource == "*" {
			all = append(all, rule)
		}
	}
	if len(all) > 0 {
		all = append(all, rule{path: []string{"metadata", "annotations", lastApplied}})
	}
	return all
}

var errText = errors.New("it is no JSON object")

// redact returns an object's text with what the rules name replaced; all else has the bytes that it had. id names
// the object.
func (r *redactor) redact(text []byte, rules []rule, id string) ([]byte, error) {
	if len(rules) == 0 {
		return text, nil
	}
	s := &splicer{in: text, decoder: json.NewDecoder(bytes.NewReader(text)), rules: rules, key: r.key, id: id}
	s.decoder.UseNumber()
	if err := s.value(nil); err != nil {
		return nil, err
	}
	if _, err := s.decoder.Token(); err != io.EOF {
		return nil, errText
	}
	return append(s.out, text[s.copied:]...), nil
}

// A splicer walks through a text, and copies it but for some values.
type splicer struct {
	in, out []byte
	copied  int // how much of in is in out, or replaced there
	decoder *json.Decoder
	rules   []rule
	key     []byte
	id      string
	// path has the fields that lead to the present value, and place the positions in lists as well.
	path, place []string
}

// replace puts something else in the place of in[from:to].
func (s *splicer) replace(from, to int, with string) {
	s.out = append(append(s.out, s.in[s.copied:from]...), with...)
	s.copied = to
}

// start returns where the next value begins.
func (s *splicer) start() int {
	at := int(s.decoder.InputOffset())
	for at < len(s.in) && strings.IndexByte(" \t\r\n,:", s.in[at]) >= 0 {
		at++
	}
	return at
}

// value reads one value. All of it is redacted if redaction is not nil.
func (s *splicer) value(redaction *rule) error {
	from := s.start()
	token, err := s.decoder.Token()
	if err != nil {
		return errText
	}
	to := int(s.decoder.InputOffset())
	switch t := token.(type) {
	case json.Delim:
		for n := 0; s.decoder.More(); n++ {
			if t == '{' {
				err = s.field(redaction)
			} else {
				s.place = append(s.place, "["+strconv.Itoa(n)+"]")
				err = s.value(redaction)
				s.place = s.place[:len(s.place)-1]
			}
			if err != nil {
				return err
			}
		}
		if _, err := s.decoder.Token(); err != nil {
			return errText
		}
	case string:
		if redaction != nil && t != "" {
			s.replace(from, to, s.instead(t, redaction.base64))
		}
	case json.Number:
		if redaction != nil {
			s.replace(from, to, "0")
		}
	case bool:
		if redaction != nil {
			s.replace(from, to, "false")
		}
	}
	return nil
}

// field reads a field and its value.
func (s *splicer) field(redaction *rule) error {
	token, err := s.decoder.Token()
	name, ok := token.(string)
	if err != nil || !ok {
		return errText
	}
	if len(s.path) >= maxDepth {
		return errText
	}
	if redaction != nil && len(s.path) == len(redaction.path) && slices.Contains(redaction.except, name) {
		redaction = nil
	}
	s.path, s.place = append(s.path, name), append(s.place, name)
	defer func() { s.path, s.place = s.path[:len(s.path)-1], s.place[:len(s.place)-1] }()
	for i := range s.rules {
		if redaction == nil && s.rules[i].ends(s.path) {
			redaction = &s.rules[i]
		}
	}
	if redaction == nil && slices.Equal(s.path, fieldsPath) {
		return s.fields()
	}
	return s.value(redaction)
}

// maxDepth is how deep objects may nest in each other: deeper ones are not recorded anyway.
const maxDepth = 1000

// ends reports whether a path is that of the rule.
func (r *rule) ends(path []string) bool {
	return slices.EqualFunc(r.path, path, func(step, name string) bool { return step == "*" || step == name })
}

// instead returns what is written in the place of a text.
func (s *splicer) instead(text string, encoded bool) string {
	sum := hmac.New(sha256.New, s.key)
	fmt.Fprintf(sum, "%q %q %q", s.id, s.place, text)
	with := "redacted-" + hex.EncodeToString(sum.Sum(nil)[:4])
	if encoded {
		with = base64.StdEncoding.EncodeToString([]byte(with))
	}
	return `"` + with + `"`
}

// fieldsPath leads to the names of the fields that a manager has.
var fieldsPath = []string{"metadata", "managedFields", "fieldsV1"}

// fields reads the names of the fields of a manager. Among them are values: those by which items of lists are known.
func (s *splicer) fields() error {
	from := s.start()
	var tree map[string]any
	if err := s.decoder.Decode(&tree); err != nil {
		return errText
	}
	changed := false
	for i := range s.rules {
		changed = prune(tree, s.rules[i].path) || changed
	}
	if changed {
		text, err := json.Marshal(tree)
		if err != nil {
			return err
		}
		s.replace(from, int(s.decoder.InputOffset()), string(text))
	}
	return nil
}

// prune removes from names of fields the values that are at a path, and reports whether there were any.
func prune(tree map[string]any, path []string) (changed bool) {
	for name, value := range tree {
		below, _ := value.(map[string]any)
		kind, rest, _ := strings.Cut(name, ":")
		switch {
		case kind == "f" && (path[0] == "*" || path[0] == rest):
			if len(path) > 1 {
				changed = prune(below, path[1:]) || changed
			} else if hasValues(below) {
				tree[name], changed = map[string]any{}, true
			}
		case kind == "k":
			var keys map[string]any
			_ = json.Unmarshal([]byte(rest), &keys) // without keys nothing is shown
			if _, is := keys[path[0]]; is || path[0] == "*" {
				delete(tree, name)
				changed = true
			} else {
				changed = prune(below, path) || changed
			}
		case kind == "i":
			changed = prune(below, path) || changed
		}
	}
	return changed
}

// hasValues reports whether names of fields have values among them.
func hasValues(tree map[string]any) bool {
	for name, value := range tree {
		below, _ := value.(map[string]any)
		if strings.HasPrefix(name, "k:") || strings.HasPrefix(name, "v:") || hasValues(below) {
			return true
		}
	}
	return false
}
