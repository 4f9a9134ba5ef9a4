package conformance

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A normalizer normalizes one server's side of a scenario: it replaces everything that servers may choose
// freely by what has to be equal. It is made from the whole side, since a version's rank depends on
// all the others.
type normalizer struct {
	versions []string        // resourceVersions of objects, ascending, each once
	others   map[string]bool // resourceVersions of lists, bookmarks and captures
	spelled  map[string]bool // numbers that the requests contain
	written  map[string]bool // versions in the bodies of requests: those of other objects
	uids     map[string]string
	names    *strings.Replacer // generated names, shown without their random end
}

var (
	anyNumber   = regexp.MustCompile(`\b\d+\b`) // not the 8 in k8s
	aVersion    = regexp.MustCompile(`^[1-9]\d*$`)
	anyUUID     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anyTime     = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})`)
	anAge       = regexp.MustCompile(`^(\d+[ydhms]){1,3}$`)
	inProse     = regexp.MustCompile(`(":)?\b\d+\b`) // in documents quoted by a text, numbers are not versions
	ofVersions  = regexp.MustCompile(`(?i)resource ?version|revision`)
	thePresent  = regexp.MustCompile(`(current: |\()\d+`)
	aReference  = regexp.MustCompile(`"resourceVersion":\s*"(\d+)"`)
	yamlVersion = regexp.MustCompile(`resourceVersion: "\d+"`)
)

// newNormalizer collects the values of a side. The requests of the scenario are the same on both sides.
func newNormalizer(steps []*Step, side []Outcome) *normalizer {
	l := &normalizer{others: map[string]bool{}, spelled: map[string]bool{}, written: map[string]bool{},
		uids: map[string]string{}}
	for _, st := range steps {
		if q := st.Request; q != nil {
			text := q.Path + " " + string(q.Body)
			if q.BodyText != nil {
				text += " " + *q.BodyText
			}
			for _, found := range aReference.FindAllSubmatch(q.Body, -1) {
				l.written[string(found[1])] = true
			}
			for _, n := range anyNumber.FindAllString(text, -1) {
				l.spelled[n] = true
			}
		}
	}
	versions, generated := map[string]bool{}, map[string]string{}
	for _, o := range side {
		for _, v := range o.Captured {
			if aVersion.MatchString(v) {
				l.others[v] = true
			}
		}
		if p := o.Response; p != nil {
			l.gather(p.Body, versions, generated)
			for path, v := range p.Selected {
				if s, ok := v.(string); ok && lastKey(path) == "resourceVersion" && aVersion.MatchString(s) {
					l.others[s] = true
				}
				l.gather(v, versions, generated)
			}
		}
		for _, e := range o.Events {
			l.gather(e, versions, generated)
		}
	}
	l.versions = slices.SortedFunc(func(yield func(string) bool) {
		for v := range versions {
			if !yield(v) {
				return
			}
		}
	}, compareVersions)
	var pairs []string
	for _, name := range sorted(generated) {
		pairs = append(pairs, name, generated[name])
	}
	l.names = strings.NewReplacer(pairs...)
	return l
}

// gather collects the versions and generated names in v.
func (l *normalizer) gather(v any, versions map[string]bool, generated map[string]string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			l.gather(x, versions, generated)
		}
	case map[string]any:
		if rv, ok := v["resourceVersion"].(string); ok && aVersion.MatchString(rv) && !l.written[rv] {
			if ofObject(v) {
				versions[rv] = true
			} else {
				l.others[rv] = true
			}
		}
		prefix, _ := v["generateName"].(string)
		prefix = prefix[:min(len(prefix), 58)] // leaves room for the suffix in a name of 63
		if name, _ := v["name"].(string); prefix != "" && strings.HasPrefix(name, prefix) && len(name) == len(prefix)+5 {
			generated[name] = prefix + "?????"
		}
		for _, x := range v {
			l.gather(x, versions, generated)
		}
	}
}

// ofObject reports whether metadata are those of an object rather than a list's or a bookmark's.
func ofObject(metadata map[string]any) bool {
	_, name := metadata["name"]
	_, uid := metadata["uid"]
	return name || uid
}

// compareVersions orders decimal numbers of any length without leading zeros.
func compareVersions(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// version returns the rank of an object's version; for any other version, the rank that it has
// reached.
func (l *normalizer) version(v string, object bool) string {
	if !aVersion.MatchString(v) || l.written[v] {
		return v
	}
	i, found := slices.BinarySearchFunc(l.versions, v, compareVersions)
	switch {
	case found && object:
		return fmt.Sprintf("rv#%d", i+1)
	case found:
		i++
	}
	return fmt.Sprintf("rv>=#%d", i)
}

// text normalizes any string.
func (l *normalizer) text(s string) string {
	s = anyTime.ReplaceAllString(l.names.Replace(s), "time")
	return anyUUID.ReplaceAllStringFunc(s, func(uid string) string {
		if l.uids[uid] == "" {
			l.uids[uid] = fmt.Sprintf("uid#%d", len(l.uids)+1)
		}
		return l.uids[uid]
	})
}

// prose normalizes a message of the server, which may contain versions.
func (l *normalizer) prose(s string) string {
	s = l.text(s)
	if !ofVersions.MatchString(s) {
		return s
	}
	s = thePresent.ReplaceAllString(s, "${1}rv")
	return inProse.ReplaceAllStringFunc(s, func(n string) string {
		if l.spelled[n] || n[0] == '"' {
			return n
		}
		if _, object := slices.BinarySearchFunc(l.versions, n, compareVersions); object || l.others[n] {
			return l.version(n, object)
		}
		return n
	})
}

// value normalizes v, the value of key in a map, which may be an object's metadata.
func (l *normalizer) value(v any, key string, object bool) any {
	switch v := v.(type) {
	case string:
		switch key {
		case "resourceVersion":
			return l.version(v, object)
		case "message", "reason", "Warning":
			return l.prose(v)
		case "continue":
			if v != "" {
				return "continue"
			}
		case "cells":
			if anAge.MatchString(v) {
				return "age"
			}
		}
		return l.text(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = l.value(x, key, false)
		}
		if key == "managedFields" {
			slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(managerOf(a), managerOf(b)) })
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		object := ofObject(v)
		for _, k := range sorted(v) { // in order, since uids are numbered by appearance
			out[l.text(k)] = l.value(v[k], k, object)
		}
		return out
	}
	return v
}

func managerOf(entry any) string {
	var parts []string
	for _, k := range []string{"manager", "operation", "subresource", "apiVersion"} {
		v, _ := lookup(entry, k)
		parts = append(parts, literal(v))
	}
	return strings.Join(parts, "\x00")
}

// selection returns the parts that a step selected, each under its path.
func (l *normalizer) selection(parts map[string]any) map[string]any {
	out := map[string]any{}
	for _, path := range sorted(parts) {
		out[path] = l.value(parts[path], lastKey(path), false)
	}
	return out
}

// response returns the compared parts of an answer as a map.
func (l *normalizer) response(p *Response) map[string]any {
	out := map[string]any{"status": strconv.Itoa(p.Status)}
	for _, h := range sorted(p.Headers) {
		out["header "+h] = l.value(p.Headers[h], h, false)
	}
	if p.Body != nil {
		out["body"] = l.value(p.Body, "", false)
	}
	if p.Selected != nil {
		out["parts"] = l.selection(p.Selected)
	}
	if p.Text != nil {
		out["text"] = l.text(yamlVersion.ReplaceAllString(*p.Text, `resourceVersion: "rv"`))
	}
	if p.Binary != nil {
		out["bytes"] = shape(p.Binary)
	}
	return out
}

// event normalizes one event of a watch, or the parts that a step selected of it.
func (l *normalizer) event(e any, picked bool) any {
	if parts, ok := e.(map[string]any); ok && picked {
		return l.selection(parts)
	}
	return l.value(e, "", false)
}

// shape returns the compared part of a binary body: the kind of object in a Kubernetes protobuf
// envelope, the length of anything else.
func shape(b []byte) string {
	envelope, ok := strings.CutPrefix(string(b), magic)
	if !ok {
		return fmt.Sprintf("%d bytes", len(b))
	}
	kind := fields([]byte(envelope))[1]
	return fmt.Sprintf("protobuf of %s %s", fields(kind)[1], fields(kind)[2])
}

// magic begins an object in protobuf.
const magic = "k8s\x00"

// fields returns the length-delimited fields of a protobuf message by number, up to the first
// error.
func fields(b []byte) map[uint64][]byte {
	out := map[uint64][]byte{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return out
		}
		b = b[n:]
		size, n := binary.Uvarint(b)
		if n <= 0 {
			return out
		}
		b = b[n:]
		switch tag & 7 {
		case 0: // the size was the value
		case 2:
			if size > uint64(len(b)) {
				return out
			}
			out[tag>>3], b = b[:size], b[size:]
		default:
			return out
		}
	}
	return out
}
