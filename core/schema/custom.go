package schema

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// Custom is the part of a row that comes from a CustomResourceDefinition.
type Custom struct {
	// Schema is that of the row's version. Never nil.
	Schema *structural.Schema
	// Rules are the compiled CEL rules of the schema; nil: none.
	Rules structural.Program
	// Converter converts objects to the row's version; nil: nothing but their apiVersion differs.
	Converter Converter
	// Scale has the paths of the scale subresource; nil means none.
	Scale *ScalePaths
	// Selectable are the paths of the selectable fields, in the notation of field selectors:
	// spec.color.
	Selectable []string
	// Terminating: the definition is being deleted, and nothing can be created.
	Terminating *atomic.Bool
	// Revision is that of the definition when the row was added to the table; 0: it is not known.
	Revision int64
	// Gone is closed when the row is removed from the table. Watches of it end then.
	Gone chan struct{}
	// Derived caches values that other packages derive from the row, under their own keys.
	Derived sync.Map
}

// A Converter converts the objects of a custom resource to one of its versions.
type Converter interface {
	// Convert changes an object of another version. Its error is the one to answer with.
	Convert(ctx context.Context, obj map[string]any) error
	// Once returns what build makes from stored bytes, which are not changed any more, made once for all callers
	// unless it fails.
	Once(ctx context.Context, value []byte, build func() (*Converted, error)) (*Converted, error)
	// Made returns what Once has made, nil if it has not.
	Made(value []byte) *Converted
}

// Converted is an object in the version of a row.
type Converted struct {
	Object map[string]any
	Value  []byte
}

// MaxColumns is the maximum number of columns of a custom resource: each is made for every object of a table.
// The real server has no such limit.
const MaxColumns = 64

// ScalePaths are the paths of a scale in an object, one name after the other. Selector may be
// empty.
type ScalePaths struct{ Spec, Status, Selector []string }

// LinkVersions links the rows, which are the versions of one resource, as forms of the same
// objects, which are stored in the version stored.
func LinkVersions(stored *Resource, rows []*Resource) {
	stored.forms = nil
	for _, r := range rows {
		if r != stored {
			r.storage = stored
			stored.forms = append(stored.forms, r)
		}
	}
}

// anyVersion stands for all versions of a custom resource, which are stored together.
const anyVersion = "*"

// Custom returns the row of the stored version of a custom resource, nil if no version of it is
// served.
func (t *Table) Custom(group, plural string) *Resource { return t.Resource(group, anyVersion, plural) }

// compareCustom sorts the rows of custom resources after the others: by group, and within a group
// the preferred version first.
func compareCustom(a, b *Resource) int {
	switch {
	case a.Custom == nil && b.Custom == nil:
		return 0
	case a.Custom == nil:
		return -1
	case b.Custom == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Group, b.Group), CompareVersions(a.Version, b.Version), cmp.Compare(a.Plural, b.Plural))
}

// CompareVersions sorts versions by preference: v2, v1, v2beta1, v1beta2, v1alpha1, and then all
// other words alphabetically.
func CompareVersions(a, b string) int {
	x, isX := parseVersion(a)
	y, isY := parseVersion(b)
	switch {
	case isX && isY:
		return cmp.Or(cmp.Compare(y.stage, x.stage), cmp.Compare(y.major, x.major), cmp.Compare(y.minor, x.minor))
	case isX:
		return -1
	case isY:
		return 1
	}
	return cmp.Compare(a, b)
}

type version struct{ major, minor, stage int }

// parseVersion parses v1, v1beta2 or v1alpha3.
func parseVersion(text string) (v version, ok bool) {
	rest, ok := strings.CutPrefix(text, "v")
	if !ok {
		return v, false
	}
	if v.major, rest, ok = leadingNumber(rest); !ok {
		return v, false
	}
	switch {
	case rest == "":
		v.stage = 2
		return v, true
	case strings.HasPrefix(rest, "beta"):
		v.stage, rest = 1, rest[len("beta"):]
	case strings.HasPrefix(rest, "alpha"):
		rest = rest[len("alpha"):]
	default:
		return v, false
	}
	v.minor, rest, ok = leadingNumber(rest)
	return v, ok && rest == ""
}

// leadingNumber parses a number that does not begin with 0.
func leadingNumber(text string) (n int, rest string, ok bool) {
	i := 0
	for ; i < len(text) && i < 9 && '0' <= text[i] && text[i] <= '9'; i++ {
		n = n*10 + int(text[i]-'0')
	}
	return n, text[i:], i > 0 && text[0] != '0'
}
