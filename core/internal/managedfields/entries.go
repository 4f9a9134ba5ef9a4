package managedfields

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/object"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// The operations of an entry.
const (
	operationApply  = "Apply"
	operationUpdate = "Update"
)

// manager is the owner of an entry. Two entries of one manager differ in the operation, the
// subresource, or, for updates, the version.
type manager struct {
	name, operation, apiVersion, subresource string
}

// id is the key of a manager. It is the real server's identifier, by which conflicts are sorted:
// the entry as JSON without fields and time. A manager has one entry for applies, whatever version
// it uses.
func (m manager) id() string {
	if m.operation == operationApply {
		m.apiVersion = ""
	}
	id := make([]byte, 0, 96)
	for _, field := range [...][2]string{
		{`,"manager":`, m.name}, {`,"operation":`, m.operation}, {`,"apiVersion":`, m.apiVersion},
		{`,"subresource":`, m.subresource},
	} {
		if field[1] != "" {
			id = object.EncodeAny(append(id, field[0]...), field[1])
		}
	}
	if len(id) == 0 {
		return "{}"
	}
	id[0] = '{'
	return string(append(id, '}'))
}

// managed are the entries of an object, by the manager's id.
type managed struct {
	fields   fieldpath.ManagedFields
	managers map[string]manager
	times    map[string]string                 // RFC 3339; an entry may have none
	texts    map[*fieldpath.Set]object.RawJSON // of sets, as they were read
}

func newManaged() *managed {
	return &managed{fields: fieldpath.ManagedFields{}, managers: map[string]manager{}, times: map[string]string{},
		texts: map[*fieldpath.Set]object.RawJSON{}}
}

// know associates the id of a manager with it.
func (m *managed) know(who manager) string {
	id := who.id()
	m.managers[id] = who
	return id
}

// managerOf returns the manager of an entry.
func managerOf(entry map[string]any) manager {
	text := func(name string) string { s, _ := entry[name].(string); return s }
	return manager{text("manager"), text("operation"), text("apiVersion"), text("subresource")}
}

// Check returns the error of entries that cannot be read.
func Check(entries []any) error {
	_, err := parse(entries)
	return err
}

// parse parses metadata.managedFields. The error is a message for clients.
func parse(entries []any) (*managed, error) {
	m := newManaged()
	for i, e := range entries {
		entry, _ := e.(map[string]any)
		who := managerOf(entry)
		if who.operation != operationApply && who.operation != operationUpdate {
			return nil, errors.New("operation must be `Apply` or `Update`")
		}
		if who.apiVersion == "" {
			return nil, errors.New("apiVersion must not be empty")
		}
		switch kind, _ := entry["fieldsType"].(string); kind {
		case "FieldsV1":
		case "":
			return nil, fmt.Errorf("missing fieldsType in managed fields entry %d", i)
		default:
			return nil, fmt.Errorf("invalid fieldsType %q in managed fields entry %d", kind, i)
		}
		set := &fieldpath.Set{}
		if fields := entry["fieldsV1"]; fields != nil {
			text, ok := fields.(object.RawJSON)
			if !ok {
				text = object.RawJSON(object.EncodeAny(nil, fields))
			}
			var err error
			if set, err = setOf(text); err != nil {
				return nil, fmt.Errorf("error decoding set: %w", err)
			}
			if ok {
				m.texts[set] = text
			}
		}
		id := m.know(who)
		m.fields[id] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(who.apiVersion), who.operation == operationApply)
		delete(m.times, id) // of two entries of one manager the last counts
		if at, _ := entry["time"].(string); at != "" {
			m.times[id] = at
		}
	}
	return m, nil
}

// trust keeps only texts that are among the stored ones, which have been written here: a client may
// have written the same set differently.
func (m *managed) trust(stored []any) {
	known := make(map[object.RawJSON]bool, len(stored))
	for _, e := range stored {
		entry, _ := e.(map[string]any)
		if text, ok := entry["fieldsV1"].(object.RawJSON); ok {
			known[text] = true
		}
	}
	for set, text := range m.texts {
		if !known[text] {
			delete(m.texts, set)
		}
	}
}

// known caches the parsed sets of recent texts. Many objects have the same fields, and each is
// parsed with every write. Sets do not change.
var known struct {
	sync.Mutex
	sets map[object.RawJSON]*fieldpath.Set
}

// maxKnown is the maximum size of known; it is cleared when it is full.
const maxKnown = 128

// setOf parses FieldsV1.
func setOf(text object.RawJSON) (*fieldpath.Set, error) {
	known.Lock()
	set := known.sets[text]
	known.Unlock()
	if set != nil {
		return set, nil
	}
	set = &fieldpath.Set{}
	if err := set.FromJSON(strings.NewReader(string(text))); err != nil {
		return nil, err
	}
	known.Lock()
	defer known.Unlock()
	if len(known.sets) >= maxKnown || known.sets == nil {
		known.sets = make(map[object.RawJSON]*fieldpath.Set, maxKnown)
	}
	known.sets[text] = set
	return set, nil
}

// reset reports whether a client requests that all entries be removed, by an empty list or one with
// an empty entry.
func reset(entries any) bool {
	list, given := entries.([]any)
	if len(list) == 1 {
		entry, ok := list[0].(map[string]any)
		return ok && len(entry) == 0
	}
	return given && len(list) == 0
}

// list returns metadata.managedFields; nil if there are no owners.
func (m *managed) list() ([]any, error) {
	if len(m.fields) == 0 {
		return nil, nil
	}
	type row struct {
		who  manager
		time string
		id   string
	}
	rows := make([]row, 0, len(m.fields))
	for id, set := range m.fields {
		who := m.managers[id]
		who.apiVersion = string(set.APIVersion())
		if set.Applied() {
			who.operation = operationApply
		}
		rows = append(rows, row{who, m.times[id], id})
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(a.who.operation, b.who.operation), cmp.Compare(a.time, b.time),
			cmp.Compare(a.who.name, b.who.name), cmp.Compare(a.who.apiVersion, b.who.apiVersion),
			cmp.Compare(a.who.subresource, b.who.subresource))
	})
	entries := make([]any, len(rows))
	for i, r := range rows {
		text, ok := m.texts[m.fields[r.id].Set()]
		if !ok {
			fields, err := m.fields[r.id].Set().ToJSON()
			if err != nil {
				return nil, err
			}
			text = object.RawJSON(fields)
		}
		entry := map[string]any{
			"operation": r.who.operation, "apiVersion": r.who.apiVersion,
			"fieldsType": "FieldsV1", "fieldsV1": text,
		}
		for name, value := range map[string]string{"manager": r.who.name, "subresource": r.who.subresource, "time": r.time} {
			if value != "" {
				entry[name] = value
			}
		}
		entries[i] = entry
	}
	return entries, nil
}

// entriesOf returns an object's metadata.managedFields.
func entriesOf(obj map[string]any) []any { return object.GetList(obj, "metadata", "managedFields") }

// setEntries writes m into an object. Objects without a type contain nothing but trees.
func setEntries(obj map[string]any, m *managed, tree bool) error {
	entries, err := m.list()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if entry := e.(map[string]any); tree {
			if entry["fieldsV1"], err = object.DecodeAny([]byte(entry["fieldsV1"].(object.RawJSON))); err != nil {
				return err
			}
		}
	}
	meta := object.Meta(obj)
	if entries == nil {
		delete(meta, "managedFields")
	} else {
		meta["managedFields"] = entries
	}
	return nil
}
