package evaluator

import (
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A declared is the CEL type of a value, and how large such a value can be.
type declared struct {
	*cel.Type
	// most is how many items, fields or bytes it can have.
	most int64
	// least is how many bytes it has as JSON at the least.
	least int64
	// elem is the type of items or of the values of a map, whose keys are key; fields are
	// those of an object, by their names in CEL.
	key, elem *declared
	fields    map[string]*declared
}

// declare returns the type of the values of a schema, nil if rules cannot see them. root says that they are whole
// objects. Types of objects get names that begin with name.
func declare(s *structural.Schema, root bool, name string) *declared {
	switch {
	case s == nil:
		return nil
	case s.IntOrString:
		return &declared{Type: cel.DynType, most: textSize(s), least: 1}
	case root:
		s = withMetadata(s)
	}
	switch s.Type {
	case "array":
		elem := declare(s.Items, s.Items != nil && s.Items.Embedded, name+".@idx")
		if elem == nil {
			return nil
		}
		most := (wellknown.MaxBody - 2) / (elem.least + 1)
		if s.MaxItems != nil {
			most = max(0, *s.MaxItems)
		}
		return &declared{Type: cel.ListType(elem.Type), most: most, least: 2, elem: elem}
	case "object":
		if s.Additional != nil {
			elem := declare(s.Additional, s.Additional.Embedded, name+".@elem")
			if elem == nil {
				return nil
			}
			most := (wellknown.MaxBody - 2) / (elem.least + 6)
			if s.MaxProperties != nil {
				most = max(0, *s.MaxProperties)
			}
			key := &declared{Type: cel.StringType, least: 2}
			return &declared{Type: cel.MapType(cel.StringType, elem.Type), most: most, least: 2, key: key, elem: elem}
		}
		return declareObject(s, name)
	case "string":
		return declareText(s)
	case "boolean":
		return &declared{Type: cel.BoolType, least: 4}
	case "number":
		return &declared{Type: cel.DoubleType, least: 1}
	case "integer":
		return &declared{Type: cel.IntType, least: 1}
	}
	return nil
}

func declareObject(s *structural.Schema, name string) *declared {
	d := &declared{Type: cel.ObjectType(name), least: 2, fields: map[string]*declared{}}
	required := map[string]bool{}
	for _, r := range s.Required {
		required[r] = true
	}
	for p, is := range s.Properties {
		escaped, ok := escape(p)
		field := declare(is, is.Embedded, name+"."+escaped)
		if field == nil {
			continue
		}
		if ok {
			d.fields[escaped] = field
		}
		if required[p] && is.Default == nil {
			d.least += int64(len(p)) + field.least + 4
		}
	}
	return d
}

func declareText(s *structural.Schema) *declared {
	switch s.Format {
	case "byte":
		d := &declared{Type: cel.BytesType, most: wellknown.MaxBody - 2, least: 2}
		if s.MaxLength != nil {
			d.most = max(0, *s.MaxLength)
		}
		return d
	case "duration":
		return &declared{Type: cel.DurationType, most: 32, least: 3}
	case "date":
		return &declared{Type: cel.TimestampType, most: 12, least: 12}
	case "date-time":
		return &declared{Type: cel.TimestampType, most: 32, least: 21}
	}
	return &declared{Type: cel.StringType, most: textSize(s), least: 2}
}

// textSize returns how many bytes a text can have: each of its characters can have four.
func textSize(s *structural.Schema) int64 {
	switch {
	case s.MaxLength != nil:
		return max(0, *s.MaxLength) * 4
	case len(s.Enum) > 0 && !s.IntOrString:
		most := 0
		for _, v := range s.Enum {
			if text, ok := v.(string); ok {
				most = max(most, len(text))
			}
		}
		return int64(most)
	}
	return wellknown.MaxBody - 2
}

// withMetadata returns the schema of a whole object with the fields that all objects have: itself if it has them.
func withMetadata(s *structural.Schema) *structural.Schema {
	if metadata := s.Properties["metadata"]; isText(s.Properties["kind"]) && isText(s.Properties["apiVersion"]) &&
		metadata != nil && metadata.Type == "object" && isText(metadata.Properties["name"]) &&
		isText(metadata.Properties["generateName"]) {
		return s
	}
	text := &structural.Schema{Type: "string"}
	all := *s
	all.Properties = map[string]*structural.Schema{}
	for name, p := range s.Properties {
		all.Properties[name] = p
	}
	all.Properties["kind"], all.Properties["apiVersion"] = text, text
	all.Properties["metadata"] = &structural.Schema{Type: "object",
		Properties: map[string]*structural.Schema{"name": text, "generateName": text}}
	return &all
}

func isText(s *structural.Schema) bool { return s != nil && s.Type == "string" }

// A provider knows the types of objects by their names.
type provider struct {
	types.Provider
	objects map[string]*declared
}

func newProvider(base types.Provider, d *declared) *provider {
	p := &provider{base, map[string]*declared{}}
	p.add(d)
	return p
}

// forget drops the types once expressions are compiled: to evaluate them they are not needed, and they may take far
// more memory than programs, which have the provider.
func (p *provider) forget() { p.objects = nil }

func (p *provider) add(d *declared) {
	if d == nil {
		return
	}
	p.add(d.elem)
	if d.fields != nil {
		p.objects[d.TypeName()] = d
	}
	for _, f := range d.fields {
		p.add(f)
	}
}

// FindStructFieldNames knows none, as the real server.
func (p *provider) FindStructFieldNames(string) ([]string, bool) { return nil, false }

func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if d := p.objects[name]; d != nil {
		return types.NewTypeTypeWithParam(d.Type), true
	}
	return p.Provider.FindStructType(name)
}

func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	d := p.objects[name]
	if d == nil {
		return p.Provider.FindStructFieldType(name, field)
	}
	f := d.fields[field]
	if f == nil && isKeyword(field) {
		f = d.fields["__"+field+"__"]
	}
	if f != nil {
		return &types.FieldType{Type: f.Type}, true
	}
	return nil, false
}

// keywords are the words that CEL does not allow as names.
const keywords = " true false null in as break const continue else for function if import let loop package " +
	"namespace return var void while "

func isKeyword(name string) bool { return strings.Contains(keywords, " "+name+" ") }

var (
	escapable  = regexp.MustCompile(`^[A-Za-z_./-][A-Za-z0-9_./-]*$`)
	escapes    = strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__")
	unescapes  = strings.NewReplacer("__underscores__", "__", "__dot__", ".", "__dash__", "-", "__slash__", "/")
	wrapped    = regexp.MustCompile(`^__([a-z]+)__$`)
	sequences  = regexp.MustCompile(`__[^_]+__`)
	isSequence = map[string]bool{"__underscores__": true, "__dot__": true, "__dash__": true, "__slash__": true}
)

// escape returns the name that a field has in CEL, if it can have one.
func escape(name string) (string, bool) {
	switch {
	case isKeyword(name):
		return "__" + name + "__", true
	case !escapable.MatchString(name):
		return "", false
	}
	return escapes.Replace(name), true
}

// unescape reverses escape.
func unescape(name string) (string, bool) {
	if m := wrapped.FindStringSubmatch(name); m != nil && isKeyword(m[1]) {
		return m[1], true
	}
	for _, s := range sequences.FindAllString(name, -1) {
		if !isSequence[s] {
			return "", false
		}
	}
	return unescapes.Replace(name), true
}
