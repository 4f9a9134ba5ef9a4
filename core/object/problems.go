package object

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// problem records an unknown or duplicate field of the value being read.
func (d *decoder) problem(what, name string) {
	if d.quiet || len(d.problems) >= maxProblems {
		return
	}
	var path strings.Builder
	for _, f := range d.stack {
		switch {
		case f.field != nil:
			appendKey(&path, f.field.Name)
		case f.index < 0:
			appendKey(&path, f.key)
		default:
			path.WriteString("[" + strconv.Itoa(f.index) + "]")
		}
	}
	appendKey(&path, name)
	text := what + strconv.Quote(path.String())
	if d.seen[text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[text] = true
	d.problems = append(d.problems, text)
}

func appendKey(path *strings.Builder, key string) {
	if path.Len() > 0 {
		path.WriteByte('.')
	}
	path.WriteString(key)
}

// mismatch records that a value does not match its Go type.
func (d *decoder) mismatch(value, goType string) { d.save(d.typeError(value, goType)) }

// save records an error after which Kubernetes continues decoding; the first one counts.
func (d *decoder) save(err error) {
	if d.saved == nil {
		d.saved = err
	}
}

// end records an error that ends decoding in Kubernetes. Here reading continues, since errors of
// JSON syntax take precedence.
func (d *decoder) end(err error) {
	if d.fatal == nil {
		d.fatal = err
	}
}

// typeError returns a type error with its location: the struct whose field is being read, and the
// path of fields to it, embedded structs included, list positions and map keys left out.
func (d *decoder) typeError(value, goType string) error {
	var path []string
	var owner *schema.Type
	for i, f := range d.stack {
		if f.field == nil {
			continue
		}
		if d.union == 0 || i < d.union-1 {
			owner = f.owner
		}
		for _, e := range f.field.Embeds {
			path = append(path, e.Name)
		}
		path = append(path, f.field.Name)
	}
	text := "json: cannot unmarshal " + value + " into Go "
	if owner == nil {
		return errors.New(text + "value of type " + goType)
	}
	_, name, _ := strings.Cut(owner.GoName, ".")
	return errors.New(text + "struct field " + name + "." + strings.Join(path, ".") + " of type " + goType)
}
