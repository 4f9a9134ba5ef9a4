package schema

import (
	_ "embed" // for the tables
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed types.txt
var typesText string

// catalog reads types.txt. Its lines are
//
//	@core/v1 io.k8s.api.core.v1 v1 -          a package: alias, definitions' prefix, Go name, API group
//	RestartPolicy s Always|OnFailure|Never    a type that is no struct, with its declared values
//	PodSpec x=atomic                          a struct; U marks a union
//	 +VolumeSource 2                            an embedded struct with its protobuf number
//	 volumes []Volume ep 1 ps=merge pk=name     a field
//
// A field has a name, a type, flags (e omitempty, z omitzero, p pointer, r required), a
// protobuf number unless it is one more than the one before, and attributes: ps, pk patch strategy and
// merge key; l, k, x list type, list map keys, map type; d default as JSON, always last.
// Types are written as letters (see letters), [] and {} with the element's type, and names, with
// their package's alias when it is another's. A named list that is a separate message in protobuf has a w.
type catalog struct {
	once     sync.Once
	packages []apiPackage
	lines    map[reference]int // a type's name -> the position of its line

	mu    sync.Mutex
	types map[reference]*Type
}

// reference is the name of a type in a package; letters belong to no package.
type reference struct{ alias, text string }

type apiPackage struct{ alias, prefix, name, group string }

var builtin catalog

const metaAlias = "meta/v1"

// keepEmpty are the packages whose objects are not encoded as protobuf on their way to the client.
// Collections are not either.
var keepEmpty = []string{"apidiscovery/v2", "apiextensions/v1", "apiregistration/v1", "authentication/v1",
	"authorization/v1", metaAlias}

func (c *catalog) load() {
	c.once.Do(func() {
		c.lines = make(map[reference]int, 1024)
		c.types = make(map[reference]*Type, 256)
		alias := ""
		for pos := 0; pos < len(typesText); {
			line := lineAt(pos)
			switch line[0] {
			case '@':
				f := strings.Fields(line[1:])
				alias = f[0]
				c.packages = append(c.packages, apiPackage{f[0], f[1], f[2], dash(f[3])})
			case ' ':
			default:
				name, _, _ := strings.Cut(line, " ")
				c.lines[reference{alias, name}] = pos
			}
			pos += len(line) + 1
		}
	})
}

func lineAt(pos int) string {
	rest := typesText[pos:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i]
	}
	return rest
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// named returns the type of that name in that package, or nil.
func (c *catalog) named(alias, name string) *Type {
	c.load()
	if _, ok := c.lines[reference{alias, name}]; !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resolve(alias, name)
}

func (c *catalog) byKind(group, version, kind string) *Type {
	c.load()
	known := false
	for _, p := range c.packages {
		if p.group == group && strings.HasSuffix(p.alias, "/"+version) && p.alias != "pkg/types" {
			known = true
			if t := c.named(p.alias, kind); t != nil && t.topLevel() {
				return t
			}
		}
	}
	if !known {
		return nil
	}
	if t := c.named(metaAlias, kind); t != nil && t.topLevel() { // every group version has the kinds of meta/v1
		return t
	}
	return nil
}

// topLevel reports whether the type has kind and apiVersion. WatchEvent is the one that is sent
// without.
func (t *Type) topLevel() bool {
	return t.Kind == Struct && (t.Field("apiVersion") != nil || strings.HasSuffix(t.Name, ".WatchEvent"))
}

// letters are the types without their own name in the table.
var letters = [...]struct {
	letter byte
	kind   Kind
	goName string
}{
	{'s', String, "string"}, {'b', Bool, "bool"}, {'i', Int32, "int32"}, {'l', Int64, "int64"}, {'n', Int64, "int"},
	{'f', Float64, "float64"}, {'y', Bytes, "[]uint8"}, {'t', Time, "v1.Time"}, {'u', MicroTime, "v1.MicroTime"},
	{'d', Duration, "v1.Duration"}, {'q', Quantity, "resource.Quantity"}, {'o', IntOrString, "intstr.IntOrString"},
	{'r', Raw, "runtime.RawExtension"},
}

// resolve parses the type that a reference names. The caller holds mu; types become visible to
// others only when all types that they reach are parsed.
func (c *catalog) resolve(alias, ref string) *Type {
	if other, name, ok := strings.Cut(ref, "."); ok && ref[0] != '[' && ref[0] != '{' {
		alias, ref = other, name
	}
	key := reference{alias, ref}
	if len(ref) == 1 {
		key.alias = ""
	}
	if t := c.types[key]; t != nil {
		return t
	}
	t := &Type{}
	c.types[key] = t
	switch {
	case len(ref) == 1:
		for _, l := range letters {
			if l.letter == ref[0] {
				t.Kind, t.GoName = l.kind, l.goName
			}
		}
	case ref[0] == '[':
		t.Kind = List
		c.element(t, alias, ref[2:], "[]")
	case ref[0] == '{':
		keyType, elem, _ := strings.Cut(ref[1:], "}")
		goKey := "string"
		if keyType != "" {
			goKey = c.resolve(alias, keyType).GoName
		}
		t.Kind = Map
		c.element(t, alias, elem, "map["+goKey+"]")
	default:
		c.parse(t, alias, ref)
	}
	return t
}

func (c *catalog) element(t *Type, alias, ref, prefix string) {
	t.Elem = c.resolve(alias, ref)
	t.GoName = prefix + t.Elem.GoName
}

func (c *catalog) parse(t *Type, alias, name string) {
	var pkg apiPackage
	for _, p := range c.packages {
		if p.alias == alias {
			pkg = p
		}
	}
	t.GoName = pkg.name + "." + name
	t.Name = pkg.prefix + "." + name
	pos, ok := c.lines[reference{alias, name}]
	if !ok {
		panic("schema: the table has no type " + alias + "." + name)
	}
	line := lineAt(pos)
	_, rest, _ := strings.Cut(line, " ")
	switch {
	case rest == "":
		t.Kind = Struct
	case rest == "U":
		t.Kind = Union
	case strings.HasPrefix(rest, "x="):
		t.Kind, t.MapType = Struct, rest[2:]
	default:
		ref, values, _ := strings.Cut(rest, " ")
		under := c.resolve(alias, ref)
		t.Kind, t.Elem = under.Kind, under.Elem
		switch {
		case t.Kind == List:
			t.Wrapped = values == "w"
		case values != "":
			t.Enum = strings.Split(values, "|")
		}
		return
	}
	t.SizeHint = sizeHints[t.GoName]
	t.KeepsEmpty = slices.Contains(keepEmpty, alias) || strings.HasSuffix(name, "List")
	last := 0
	pos += len(line) + 1
	t.Fields = make([]Field, 0, fieldLines(pos))
	for ; pos < len(typesText) && typesText[pos] == ' '; pos += len(line) + 1 {
		line = lineAt(pos)
		if line[1] == '+' {
			c.embed(t, alias, line[2:])
			continue
		}
		t.Fields = append(t.Fields, c.field(alias, line[1:], &last))
	}
	for i := range t.Fields {
		if t.Fields[i].AlwaysWritten() {
			t.Always = append(t.Always, i)
		}
	}
	t.arrange()
}

// sizeHints are the SizeHint of structs.
var sizeHints = map[string]int{"v1.ObjectMeta": 9, "v1.PodSpec": 12}

// fieldLines counts the lines of a struct's fields, which begin at pos.
func fieldLines(pos int) int {
	n := 0
	for ; pos < len(typesText) && typesText[pos] == ' '; pos += len(lineAt(pos)) + 1 {
		n++
	}
	return n
}

func (c *catalog) embed(t *Type, alias, line string) {
	ref, number, _ := strings.Cut(line, " ")
	proto, _ := strconv.Atoi(number)
	name := ref
	if i := strings.LastIndexByte(ref, '.'); i >= 0 {
		name = ref[i+1:]
	}
	outer := Embed{name, proto}
	for _, f := range c.resolve(alias, ref).Fields {
		f.Embeds = append([]Embed{outer}, f.Embeds...)
		t.Fields = append(t.Fields, f)
	}
}

func (c *catalog) field(alias, line string, last *int) Field {
	line, def, hasDefault := strings.Cut(line, " d=")
	name, line, _ := strings.Cut(line, " ")
	ref, line, _ := strings.Cut(line, " ")
	f := Field{Name: name, Type: c.resolve(alias, ref), Proto: *last + 1}
	for w := range strings.FieldsSeq(line) {
		key, value, isAttr := strings.Cut(w, "=")
		switch {
		case !isAttr && w[0] <= '9':
			f.Proto, _ = strconv.Atoi(w)
		case !isAttr:
			f.OmitEmpty = strings.Contains(w, "e")
			f.OmitZero = strings.Contains(w, "z")
			f.Pointer = strings.Contains(w, "p")
			f.Required = strings.Contains(w, "r")
		case key == "ps":
			f.PatchStrategy = value
		case key == "pk":
			f.PatchMergeKey = value
		case key == "l":
			f.ListType = value
		case key == "k":
			f.ListType, f.ListMapKeys = "map", strings.Split(value, ",")
		case key == "x":
			f.MapType = value
		}
	}
	*last = f.Proto
	if hasDefault {
		if err := json.Unmarshal([]byte(def), &f.Default); err != nil {
			panic("schema: the default of " + f.Name + ": " + err.Error())
		}
		if n, ok := f.Default.(float64); ok {
			f.Default = int64(n)
		}
	}
	return f
}
