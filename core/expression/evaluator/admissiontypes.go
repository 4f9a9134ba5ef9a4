package evaluator

import (
	"sync"

	"github.com/google/cel-go/cel"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

func plain(t *cel.Type) *declared     { return &declared{Type: t} }
func listOf(elem *declared) *declared { return &declared{Type: cel.ListType(elem.Type), elem: elem} }
func mapOf(values *declared) *declared {
	return &declared{Type: cel.MapType(cel.StringType, values.Type), elem: values}
}

func structOf(name string, fields map[string]*declared) *declared {
	return &declared{Type: cel.ObjectType(name), fields: fields}
}

// fieldsOf declares fields of one type.
func fieldsOf(t *declared, names ...string) map[string]*declared {
	all := map[string]*declared{}
	for _, name := range names {
		all[name] = t
	}
	return all
}

var (
	textType   = plain(cel.StringType)
	momentType = plain(cel.TimestampType)
)

// requestType returns the type of the variable request. uid and the objects are no fields of it.
var requestType = sync.OnceValue(func() *declared {
	kind := structOf("kubernetes.GroupVersionKind", fieldsOf(textType, "group", "version", "kind"))
	resource := structOf("kubernetes.GroupVersionResource", fieldsOf(textType, "group", "version", "resource"))
	user := fieldsOf(textType, "username", "uid")
	user["groups"] = listOf(textType)
	user["extra"] = mapOf(listOf(textType))
	fields := fieldsOf(textType, "subResource", "requestSubResource", "name", "namespace", "operation")
	fields["kind"], fields["requestKind"] = kind, kind
	fields["resource"], fields["requestResource"] = resource, resource
	fields["userInfo"] = structOf("kubernetes.UserInfo", user)
	fields["dryRun"] = plain(cel.BoolType)
	fields["options"] = plain(cel.DynType)
	return structOf("kubernetes.AdmissionRequest", fields)
})

// namespaceType returns the type of the variable namespaceObject: not all of what namespaces have.
var namespaceType = sync.OnceValue(func() *declared {
	metadata := fieldsOf(textType, "name", "generateName", "namespace", "UID", "resourceVersion")
	metadata["labels"], metadata["annotations"] = mapOf(textType), mapOf(textType)
	metadata["creationTimestamp"], metadata["deletionTimestamp"] = momentType, momentType
	metadata["deletionGracePeriodSeconds"], metadata["generation"] = plain(cel.IntType), plain(cel.IntType)
	metadata["finalizers"] = listOf(textType)
	condition := fieldsOf(textType, "status", "type", "message", "reason")
	condition["lastTransitionTime"] = momentType
	return structOf("kubernetes.Namespace", map[string]*declared{
		"metadata": structOf("kubernetes.NamespaceMetadata", metadata),
		"spec":     structOf("kubernetes.NamespaceSpec", map[string]*declared{"finalizers": listOf(textType)}),
		"status": structOf("kubernetes.NamespaceStatus", map[string]*declared{
			"phase":      textType,
			"conditions": listOf(structOf("kubernetes.NamespaceCondition", condition)),
		}),
	})
})

// declareWhole returns the type of whole objects; nil for any.
func declareWhole(t *expression.ObjectType) *declared {
	if t == nil {
		return nil
	}
	return declare(structural.Parse(t.Schema), true, t.Name)
}

// orAny returns the type of CEL; any for nil.
func (d *declared) orAny() *cel.Type {
	if d == nil {
		return cel.DynType
	}
	return d.Type
}

// variableType returns the type that a variable has for those who use it: types that are not of CEL itself are lost.
func variableType(t *cel.Type) *cel.Type {
	switch t {
	case cel.AnyType, cel.BoolType, cel.BytesType, cel.DoubleType, cel.DurationType, cel.IntType, cel.NullType,
		cel.StringType, cel.TimestampType, cel.UintType:
		return t
	case nil:
		return cel.DynType
	}
	switch parameters := t.Parameters(); {
	case t.Kind() == cel.ListKind && len(parameters) == 1:
		return cel.ListType(variableType(parameters[0]))
	case t.Kind() == cel.MapKind && len(parameters) == 2:
		return cel.MapType(variableType(parameters[0]), variableType(parameters[1]))
	}
	return cel.DynType
}
