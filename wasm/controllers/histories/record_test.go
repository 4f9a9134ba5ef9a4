package histories

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A record is what controllers have written in the steps of a history, by step and then by key. A key names a
// controller and an object without what differs between runs, and says whether it is new. So several objects may have
// one, such as the Pods of a ReplicaSet: each is an instance.
//
// In an instance all writes of its controller in the step are one: how often a status is written depends on how the
// work of controllers overlaps. Its lines are the kinds of requests, what they have asked for, and each field that they
// have changed: its value before the first change and after the last. Fields that had the same value in the end are
// left out, and so is the status of objects that do not exist in the end: it depends on when they went.
type record []map[string][]instance

type instance map[string]bool

// A merged is an instance while its writes come.
type merged struct {
	does map[string]bool
	// first and last are the values of fields before the first write that has changed them, and after the last one.
	first, last map[string]string
}

// A stepRecorder makes of writes the instances of a step.
type stepRecorder map[string]map[string]*merged // by key, and by the object's own name

func (s stepRecorder) add(n *names, w write) {
	key := w.who + " " + n.replace(objectKey(w))
	if s[key] == nil {
		s[key] = map[string]*merged{}
	}
	m := s[key][w.object]
	if m == nil {
		m = &merged{does: map[string]bool{}, first: map[string]string{}, last: map[string]string{}}
		s[key][w.object] = m
	}
	m.does[w.does] = true
	for _, line := range w.details {
		m.does[n.replace(line)] = true
	}
	if w.before != nil && w.after == nil {
		m.does["it is gone"] = true
		return
	}
	before, after := n.fields(w.before), n.fields(w.after)
	for path := range both(before, after) {
		if before[path] == after[path] {
			continue
		}
		if _, ok := m.first[path]; !ok {
			m.first[path] = before[path]
		}
		m.last[path] = after[path]
	}
}

// objectKey names an object. An Event is named by what it is about.
func objectKey(w write) string {
	tree := w.after
	if tree == nil {
		tree = w.before
	}
	if !strings.HasPrefix(w.object, "events/") || tree == nil {
		return w.object
	}
	about, _ := tree["involvedObject"].(map[string]any)
	if about == nil {
		about, _ = tree["regarding"].(map[string]any)
	}
	return fmt.Sprintf("event about %v %v: %v", about["kind"], about["name"], tree["reason"])
}

func both(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for path := range a {
		all[path] = true
	}
	for path := range b {
		all[path] = true
	}
	return all
}

// instances returns those of the step, at whose end some objects exist.
func (s stepRecorder) instances(exists func(object string) bool) map[string][]instance {
	all := map[string][]instance{}
	for key, objects := range s {
		for _, name := range slices.Sorted(maps.Keys(objects)) {
			m, gone := objects[name], !exists(name)
			one := instance{}
			for line := range m.does {
				if !gone || line != "PUT status" {
					one[line] = true
				}
			}
			for path, first := range m.first {
				switch last := m.last[path]; {
				case first == last || gone && strings.HasPrefix(path, "status"):
				case path == "metadata.generation" && first != "" && last != "": // by one with each write
					one[path+" grows"] = true
				case first == "":
					one[path+" = "+last] = true
				case last == "":
					one[path+" is removed"] = true
				default:
					one[path+" = "+last+", was "+first] = true
				}
			}
			at := key
			if one["POST"] {
				at += " (new)"
			}
			if len(one) > 0 {
				all[at] = append(all[at], one)
			}
		}
	}
	return all
}

// names replace what differs between runs: names that are generated, uids, times and addresses.
type names struct {
	own, namespace string // the namespace of the run, and its name in the record
	uids           map[string]string
}

// What is generated: the end of names, of Events' names, of Jobs of CronJobs; times; addresses of Pods and Services;
// the name of the machine.
var generated = []struct {
	is *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\.[0-9a-f]{14,16}\b`), ".*"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`), "<ip>"},
	{regexp.MustCompile(`-\d{8}\b`), "-<minute>"},
	{regexp.MustCompile(`\bdefault-scheduler-[^"]+`), "default-scheduler-<host>"},
	{regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "-*"},
}

func (n *names) replace(text string) string {
	for uid, name := range n.uids {
		text = strings.ReplaceAll(text, uid, name)
	}
	text = strings.ReplaceAll(text, n.own, n.namespace)
	for _, g := range generated {
		text = g.is.ReplaceAllString(text, g.by)
	}
	return text
}

// knows notes the uid of an object.
func (n *names) knows(resource string, tree map[string]any) {
	metadata, _ := tree["metadata"].(map[string]any)
	if uid, _ := metadata["uid"].(string); uid != "" && n.uids[uid] == "" {
		n.uids[uid] = "<uid>" // first, since the name may have it
		n.uids[uid] = n.replace(fmt.Sprintf("<uid of %s/%v>", resource, metadata["name"]))
	}
}

// fields returns those of an object, by path, but what all writes change.
func (n *names) fields(tree map[string]any) map[string]string {
	if tree == nil {
		return nil
	}
	tree = maps.Clone(tree)
	metadata, _ := tree["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	managers, _ := metadata["managedFields"].([]any)
	for _, key := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp"} {
		delete(metadata, key)
	}
	tree["metadata"] = metadata
	delete(tree, "count") // of an Event: similar ones are one
	all := map[string]string{}
	for line := range flatten("", tree) {
		if path, value, _ := strings.Cut(n.replace(line), ": "); !strings.HasSuffix(path, ".resourceVersion") {
			all[path] = value
		}
	}
	for _, one := range managers {
		if m, ok := one.(map[string]any); ok {
			sub, _ := m["subresource"].(string)
			all[fmt.Sprintf("managed by %v (%v %s)", m["manager"], m["operation"], sub)] = fmt.Sprint(m["apiVersion"])
		}
	}
	return all
}

// flatten returns a line "path: value" for each leaf of a tree.
func flatten(path string, value any) map[string]bool {
	lines := map[string]bool{}
	flattenInto(lines, path, value)
	return lines
}

func flattenInto(lines map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			lines[path+": {}"] = true
		}
		for key, one := range v {
			if path != "" {
				key = path + "." + key
			}
			flattenInto(lines, key, one)
		}
	case []any:
		key := keyOf(v)
		if key == "" {
			text, _ := json.Marshal(v)
			lines[path+": "+string(text)] = true
			return
		}
		for _, one := range v {
			flattenInto(lines, fmt.Sprintf("%s[%v]", path, one.(map[string]any)[key]), one)
		}
	default:
		text, _ := json.Marshal(v)
		lines[path+": "+string(text)] = true
	}
}

// keyOf returns the field by which the elements of a list differ, or "".
func keyOf(list []any) string {
	for _, key := range []string{"type", "name", "uid", "key", "port"} {
		seen := map[any]bool{}
		for _, one := range list {
			m, _ := one.(map[string]any)
			switch m[key].(type) {
			case string, float64, int64:
				seen[m[key]] = true
			}
		}
		if len(list) > 0 && len(seen) == len(list) {
			return key
		}
	}
	return ""
}
