package text

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A manager is an entry of an object's metadata.managedFields.
type manager struct {
	Manager, Operation, Subresource string

	FieldsV1 map[string]any
}

// String returns how the manager is called where it owns a field: me (Apply),
// kube-controller-manager (Update, status).
func (m manager) String() string {
	how := m.Operation
	if m.Subresource != "" {
		how += ", " + m.Subresource
	}
	return m.Manager + " (" + how + ")"
}

// An Owned says which managers own a field, and what is in it. The nil Owned belongs to nobody.
type Owned struct {
	names []string // owners of the field itself
	whole []string // of those, the owners of all that is in it
	in    map[string]*Owned
	items []item // those of in whose names begin with k:
}

// item is an entry of a list, known by the values of some of its fields.
type item struct {
	keys  map[string]any
	owned *Owned
}

// Owners reads metadata.managedFields of an object: nil if it has none that
// can be read.
func Owners(managedFields string) *Owned {
	var all []manager
	if json.Unmarshal([]byte(managedFields), &all) != nil {
		return nil
	}
	var root *Owned
	for _, m := range all {
		if root == nil {
			root = &Owned{}
		}
		if len(m.FieldsV1) > 0 {
			root.add(m.FieldsV1, m.String())
		}
	}
	return root
}

// add notes what a manager owns. A set in FieldsV1 is a tree: f:name is a field,
// k:{…} an entry of a list by its keys, v:… one by its value, i:n one by its
// place, "." the thing itself; an empty set is the thing with all that is in it.
func (o *Owned) add(set map[string]any, who string) {
	if len(set) == 0 {
		o.names, o.whole = with(o.names, who), with(o.whole, who)
		return
	}
	for name, below := range set {
		if name == "." {
			o.names = with(o.names, who)
			continue
		}
		child := o.in[name]
		if child == nil {
			if o.in == nil {
				o.in = map[string]*Owned{}
			}
			child = &Owned{}
			o.in[name] = child
			if text, ok := strings.CutPrefix(name, "k:"); ok {
				var keys map[string]any
				if json.Unmarshal([]byte(text), &keys) == nil {
					o.items = append(o.items, item{keys, child})
				}
			}
		}
		sub, _ := below.(map[string]any)
		child.add(sub, who)
	}
}

// with adds a name to those in order, once.
func with(names []string, name string) []string {
	i, found := slices.BinarySearch(names, name)
	if found {
		return names
	}
	return slices.Insert(names, i, name)
}

// By returns who owns the field itself, in one text; empty if nobody does.
func (o *Owned) By() string {
	if o == nil {
		return ""
	}
	return strings.Join(o.names, "; ")
}

// Field returns a field of an object; key is as in JSON, without its quotes.
func (o *Owned) Field(key string) *Owned {
	if o == nil {
		return nil
	}
	return o.child(o.in["f:"+key])
}

// Item returns the n-th entry of a list; value is its text and whatever follows.
func (o *Owned) Item(n int, value string) *Owned {
	if o == nil {
		return nil
	}
	if len(o.in) > 0 {
		var v any
		if json.NewDecoder(strings.NewReader(value)).Decode(&v) == nil {
			if object, ok := v.(map[string]any); ok {
				for _, i := range o.items {
					if i.fits(object) {
						return o.child(i.owned)
					}
				}
			} else if b, err := json.Marshal(v); err == nil && o.in["v:"+string(b)] != nil {
				return o.child(o.in["v:"+string(b)])
			}
		}
	}
	return o.child(o.in["i:"+strconv.Itoa(n)])
}

func (i item) fits(object map[string]any) bool {
	for k, v := range i.keys {
		if object[k] != v {
			return false
		}
	}
	return true
}

// child returns k, or what the owners of all of o own of it.
func (o *Owned) child(k *Owned) *Owned {
	switch {
	case len(o.whole) == 0:
		return k
	case k == nil:
		return &Owned{names: o.whole, whole: o.whole}
	}
	all := *k
	for _, who := range o.whole {
		all.names, all.whole = with(slices.Clone(all.names), who), with(slices.Clone(all.whole), who)
	}
	return &all
}

// metadataOwners returns who owns the fields of the object whose metadata text
// begins with: nil if it does not say.
func metadataOwners(text string) *Owned {
	var metadata struct{ ManagedFields json.RawMessage }
	if json.NewDecoder(strings.NewReader(text)).Decode(&metadata) != nil || metadata.ManagedFields == nil {
		return nil
	}
	return Owners(string(metadata.ManagedFields))
}
