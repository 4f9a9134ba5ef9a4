package objects

import (
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
)

const (
	// maxOwners are followed up from an object.
	maxOwners = 20
	// familyAfter is how soon relatives are read again that change all the time.
	familyAfter = time.Second
)

// family is what has been read of an object's relatives.
type family struct {
	readings
	read       bool
	problem    string
	owners     []Relative
	dependents []objects.Dependent
}

// readFamily reads what the object belongs to and what belongs to it: its owners
// one by one, and the metadata of all objects that may name it as theirs.
func (p *panel) readFamily(o *object) {
	f := &o.family
	if o.json == "" || !f.ask() {
		return
	}
	go func() {
		for f.next(p.one == o && o.view == "owners") {
			owners := p.readOwners(o.self, 1, nil)
			all, err := p.readMembers(o.namespace)
			f.problem = ""
			if err != nil {
				f.problem = "Not all of them can be read: " + err.Error()
			}
			f.owners, f.dependents, f.read = owners, objects.Dependents(o.self.UID, all), true
			p.draw()
			time.Sleep(familyAfter)
		}
	}()
}

// readOwners reads what an object belongs to, and what those belong to, each
// below what it owns. It blocks.
func (p *panel) readOwners(m objects.Member, depth int, out []Relative) []Relative {
	for _, o := range m.Owners {
		if len(out) == maxOwners {
			break
		}
		r := Relative{Depth: depth, Kind: o.Kind, Name: o.Name, Notes: ownerNotes(&o)}
		typ := p.Catalog.Kind(o.APIVersion, o.Kind)
		if typ == nil {
			r.Problem = "has a type that this cluster does not serve"
			out = append(out, r)
			continue
		}
		namespace := ""
		if typ.Namespaced {
			namespace = m.Namespace
		}
		r.Refs = apipath.ObjectRef(typ.Group, typ.Plural, namespace, o.Name)
		res, err := p.get(typ.Object(namespace, o.Name), metadata)
		var owner objects.Member
		if err == nil && res.Status == http.StatusOK {
			owner, _ = objects.ReadMember(res.Body, typ.ID())
		}
		switch {
		case err != nil:
			r.Problem = "cannot be read: " + err.Error()
		case res.Status == http.StatusNotFound:
			r.Problem = "is gone"
		case res.Status != http.StatusOK:
			r.Problem = "cannot be read: " + refusal{res}.Error()
		case owner.UID != o.UID:
			r.Problem = "is gone: another object has its name"
		default:
			r.Ref, r.Deleting = typ.ID()+"/"+app.RefKey(namespace+"/"+o.Name), owner.Deleting
		}
		out = append(out, r)
		if r.Ref != "" {
			out = p.readOwners(owner, depth+1, out)
		}
	}
	return out
}

// readMembers reads the metadata of all objects in a namespace, or everywhere if
// it is empty: of the types that have any. It blocks, and returns the first error
// with what could be read.
func (p *panel) readMembers(namespace string) ([]objects.Member, error) {
	var all []objects.Member
	var first error
	for _, typ := range p.Catalog.Preferred() {
		id := typ.ID()
		if namespace != "" && !typ.Namespaced || objects.SharedWith(id) != id {
			continue
		}
		if n, known := p.tree.Counts.Of(id); known && n == 0 &&
			(p.tree.Counts.Namespace == "" || p.tree.Counts.Namespace == namespace) {
			continue
		}
		err := p.pages(typ.Collection(namespace), listMetadata, pageSize, func(body string, _ bool) (string, error) {
			page, token, err := objects.ReadMembers(body, id, typ.Kind)
			all = append(all, page...)
			return token, err
		})
		if err != nil && first == nil {
			first = err
		}
	}
	return all, first
}

// relatives returns the object's relatives as they are shown.
func (o *object) relatives(p *panel) Family {
	f := Family{Reading: !o.family.read, Problem: o.family.problem, Owners: o.family.owners}
	if o.family.owners == nil {
		for _, owner := range o.self.Owners { // until they have been read
			f.Owners = append(f.Owners, Relative{Depth: 1, Kind: owner.Kind, Name: owner.Name, Notes: ownerNotes(&owner)})
		}
	}
	for _, d := range o.family.dependents {
		f.Dependents = append(f.Dependents, dependent(d))
	}
	if o.self.Deleting && !o.gone {
		f.Deleting = clockTime(o.self.DeletedAt)
	}
	for _, h := range objects.Finalizers(o.self, o.family.dependents) {
		waits := Finalizer{Name: h.Name, Field: h.Field, Waits: h.Waits}
		for _, d := range h.Blocking {
			waits.Blocking = append(waits.Blocking, dependent(d))
		}
		f.Finalizers = append(f.Finalizers, waits)
	}
	return f
}

func dependent(d objects.Dependent) Relative {
	key := d.Namespace + "/" + d.Name
	r := Relative{
		Depth: d.Depth, Kind: d.Kind, Name: d.Name, Ref: d.Type + "/" + app.RefKey(key), Deleting: d.Deleting,
		Notes: ownerNotes(d.By),
	}
	r.Refs = "obj-" + r.Ref
	return r
}

// ownerNotes describe an owner reference.
func ownerNotes(o *objects.Owner) []string {
	var out []string
	if o.Controller {
		out = append(out, "controller")
	}
	if o.Blocks {
		out = append(out, "blockOwnerDeletion")
	}
	return out
}
