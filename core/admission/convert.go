package admission

import (
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A conversion makes the tree of a resource that of an equivalent one. It changes
// the tree, which is a copy.
type conversion func(obj map[string]any)

// conversions are those there are, by the API versions and the resource.
var conversions = map[[3]string]conversion{}

// equivalents are the other resources that show the same objects as a request's
// own, and that its objects can be converted to.
func equivalents(table *schema.Table, v *registry.Review) (others []*schema.Resource) {
	if v.Subresource != "" {
		return nil
	}
	for key := range conversions {
		if key[0] != v.APIVersion() || key[2] != v.Plural {
			continue
		}
		for _, row := range table.Resources() {
			if row.APIVersion() == key[1] && row.Plural == v.Plural {
				others = append(others, row)
			}
		}
	}
	return others
}

func conversionTo(from, to *schema.Resource) conversion {
	return conversions[[3]string{from.APIVersion(), to.APIVersion(), from.Plural}]
}

// apply returns a converted copy of an object; nil for none.
func (c conversion) apply(obj map[string]any, to *schema.Resource) map[string]any {
	if obj == nil {
		return nil
	}
	obj = object.DeepCopy(obj)
	c(obj)
	object.SetTypeMeta(obj, to.APIVersion(), to.Kind)
	return obj
}
