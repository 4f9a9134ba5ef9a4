package plugins

import (
	"bytes"
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// DefaultClass is the admission plugins DefaultStorageClass and DefaultIngressClass: a new object that names no
// class gets the newest one that is marked as the default.
//
// Such an object costs a look at the bytes of all classes.
//
// Set its fields before use.
type DefaultClass struct {
	// Store has the classes, and Table their type.
	Store *mvcc.Store
	Table *schema.Table
	Of    *Classes
}

// Classes are the classes of a type of objects.
type Classes struct {
	group, plural          string // of the objects
	field, annotation      string // which name a class, the annotation as older clients do
	classGroup, classes    string
	isDefault, alsoDefault string // the annotations of a default class
}

// What DefaultClass may be of.
var (
	StorageClasses = &Classes{
		"", "persistentvolumeclaims", "storageClassName", "volume.beta.kubernetes.io/storage-class",
		"storage.k8s.io", "storageclasses",
		"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class",
	}
	IngressClasses = &Classes{
		"networking.k8s.io", "ingresses", "ingressClassName", "kubernetes.io/ingress.class",
		"networking.k8s.io", "ingressclasses", "ingressclass.kubernetes.io/is-default-class", "",
	}
)

var _ admission.Mutator = DefaultClass{}

// Mutate sets the class of a new object.
func (p DefaultClass) Mutate(_ context.Context, a *admission.Attributes) error {
	c := p.Of
	if a.Operation != admission.Create || !a.Is(c.group, c.plural) {
		return nil
	}
	spec := tree.Object(a.Object, "spec")
	if _, older := tree.At(a.Object, "metadata.annotations")[c.annotation]; older || spec[c.field] != nil {
		return nil
	}
	var newest map[string]any
	time := func(class map[string]any) string { return tree.Text(object.Meta(class), "creationTimestamp") }
	err := admission.EachStored(p.Store, p.Table.Resource(c.classGroup, "v1", c.classes), mvcc.Query{
		Match: func(_ string, v *mvcc.Version) bool {
			return bytes.Contains(v.Value, []byte(`/is-default-class":"true"`))
		},
	}, func(class map[string]any) error { // in the order of their names
		notes := tree.At(class, "metadata.annotations")
		if (notes[c.isDefault] == "true" || notes[c.alsoDefault] == "true") && (newest == nil || time(class) > time(newest)) {
			newest = class
		}
		return nil
	})
	if err == nil && newest != nil {
		tree.Make(a.Object, "spec")[c.field] = object.Name(newest)
	}
	return err
}
