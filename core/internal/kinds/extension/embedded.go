package extension

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TypeMetadata gives the metadata of an untyped object the types of ObjectMeta, and returns the
// problems of that. The error describes values of the wrong type.
func TypeMetadata(obj map[string]any) (problems []string, err error) {
	given, ok := obj["metadata"]
	if !ok {
		return nil, nil
	}
	typed, problems, err := object.Decode(object.EncodeAny(nil, given),
		schema.TypeOf("", "v1", "ConfigMap").Field("metadata").Type)
	if err != nil {
		return nil, err
	}
	for i, p := range problems {
		problems[i] = strings.Replace(p, `"`, `"metadata.`, 1)
	}
	for name, v := range typed {
		if v == nil {
			delete(typed, name)
		}
	}
	if tree, ok := given.(map[string]any); ok && typed["managedFields"] != nil {
		typed["managedFields"] = tree["managedFields"] // all untyped, as everywhere in such objects
	}
	obj["metadata"] = typed
	return problems, nil
}

// embedded processes the objects embedded in a custom object, according to its schema, as all
// objects are: it converts their metadata (coerce), and collects their violations (check).
//
// Paths are made only where there is something to say: names can be long, and many values may be below
// them. What is said has maxSaid bytes at most, which one problem may exceed.
type embedded struct {
	problems []string
	errs     field.ErrorList
	said     int
}

const maxSaid = 1 << 20

// say reports whether something about a path may be said.
func (e *embedded) say(at field.Path) bool {
	before := e.said
	e.said += len(at) + 1
	return before < maxSaid
}

// CoerceEmbedded gives the metadata of embedded objects within v the types of ObjectMeta, and
// returns the problems of that. The error describes values of the wrong type.
func CoerceEmbedded(v any, s *structural.Schema, at field.Path) (problems []string, err *field.Error) {
	e := embedded{}
	err = e.coerce(v, s, func() field.Path { return at })
	return e.problems, err
}

// inside calls do with the parts of a value and their schemas.
func inside(v any, s *structural.Schema, at func() field.Path,
	do func(v any, s *structural.Schema, at func() field.Path)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range tree.SortedKeys(v) {
			if p := s.Properties[name]; p != nil {
				do(v[name], p, func() field.Path { return at().Child(name) })
			} else if s.Additional != nil {
				do(v[name], s.Additional, func() field.Path { return at().Key(name) })
			}
		}
	case []any:
		for i, item := range v {
			do(item, s.Items, func() field.Path { return at().Index(i) })
		}
	}
}

func (e *embedded) coerce(v any, s *structural.Schema, at func() field.Path) (err *field.Error) {
	if s == nil {
		return nil
	}
	if obj := tree.Map(v); obj != nil && s.Embedded {
		for _, name := range []string{"apiVersion", "kind"} {
			if value, ok := obj[name]; ok {
				if _, isText := value.(string); !isText {
					return field.Invalid(at().Child(name), value, "must be a string")
				}
			}
		}
		given := obj["metadata"]
		problems, wrong := TypeMetadata(obj)
		if wrong != nil {
			return field.Invalid(at().Child("metadata"), given, wrong.Error())
		}
		if len(problems) == 0 || !e.say("") {
			problems = nil
		}
		for _, p := range problems {
			if where := at().Child(""); e.say(where) {
				e.problems = append(e.problems, strings.Replace(p, `"`, `"`+string(where), 1))
			}
		}
	}
	inside(v, s, at, func(v any, s *structural.Schema, at func() field.Path) {
		if err == nil {
			err = e.coerce(v, s, at)
		}
	})
	return err
}

// checkEmbedded returns the violations of the embedded objects within v.
func checkEmbedded(v any, s *structural.Schema, at field.Path) field.ErrorList {
	e := embedded{}
	e.check(v, s, func() field.Path { return at })
	return e.errs
}

func (e *embedded) check(v any, s *structural.Schema, at func() field.Path) {
	if s == nil {
		return
	}
	if obj := tree.Map(v); obj != nil && s.Embedded {
		errs := e.object(obj, field.Unnamed) // most are valid
		if len(errs) > 0 && e.said < maxSaid {
			where := at()
			for _, err := range e.object(obj, where) {
				if e.say(where) {
					e.errs.Add(err)
				}
			}
		}
	}
	inside(v, s, at, e.check)
}

// object returns the violations of an embedded object.
func (e *embedded) object(obj map[string]any, at field.Path) (errs field.ErrorList) {
	for _, name := range []string{"apiVersion", "kind"} {
		v, ok := obj[name]
		text, isText := v.(string)
		switch at := at.Child(name); {
		case !ok:
			errs.Add(field.Required(at, ""))
		case !isText:
			errs.Add(field.Invalid(at, v, "must be a string"))
		case text == "":
			errs.Add(field.Invalid(at, text, "must not be empty"))
		case name == "apiVersion" && strings.Count(text, "/") > 1:
			errs.Add(field.Invalid(at, text, "unexpected GroupVersion string: "+text))
		case name == "kind":
			if wrong := syntax.Label1035(strings.ToLower(text)); wrong != nil {
				errs.Add(field.Invalid(at, text, mixedCase+strings.Join(wrong, ",")))
			}
		}
	}
	meta, ok := obj["metadata"]
	if !ok {
		return errs
	}
	typed := map[string]any{"metadata": meta}
	if _, err := TypeMetadata(typed); err != nil {
		errs.Add(field.Invalid(at.Child("metadata"), meta, err.Error()))
		return errs
	}
	if object.Name(typed) == "" {
		object.Meta(typed)["name"] = "fakename" // it needs none
	}
	for _, err := range metadata.ValidateAs(object.Namespace(typed) != "", schema.PathSegment, typed) {
		err.Field = string(at.Child(err.Field))
		errs.Add(err)
	}
	return errs
}

const mixedCase = "may have mixed case, but should otherwise match: "
