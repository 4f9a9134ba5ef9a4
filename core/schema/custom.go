package schema

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/structural"
)

// Custom is what a row has that a CustomResourceDefinition has made.
type Custom struct {
	// Schema is that of the row's version. Never nil.
	Schema *structural.Schema
	// Rules are those that the schema has in CEL; nil: none.
	Rules structural.Program
	// Scale is where an object has what its scale subresource shows; nil: there is none.
	Scale *ScalePaths
	// Selectable are the paths of the fields that objects can be selected by, as
	// field selectors have them: spec.color.
	Selectable []string
	// Terminating: the definition is being deleted, and nothing can be created.
	Terminating *atomic.Bool
	// Gone is closed when the row has left the table. Watches of it end then.
	Gone chan struct{}
	// Made keeps what packages above make of the row, under keys of theirs.
	Made sync.Map
}

// ScalePaths are the paths of a scale in an object, one name after the other.
// Selector may be empty.
type ScalePaths struct{ Spec, Status, Selector []string }

// LinkVersions makes the rows, which are the versions of one resource, forms of the
// same objects: those of the version stored.
func LinkVersions(stored *Resource, rows []*Resource) {
	stored.forms = nil
	for _, r := range rows {
		if r != stored {
			r.storage = stored
			stored.forms = append(stored.forms, r)
		}
	}
}

// anyVersion stands for the version where all versions of a custom resource are
// meant: they are stored together.
const anyVersion = "*"

// Custom returns the row whose form the objects of a custom resource are stored in,
// nil if no version of it is served.
func (t *Table) Custom(group, plural string) *Resource { return t.Resource(group, anyVersion, plural) }

// compareCustom puts the rows of custom resources behind the others: by group, and
// within a group the preferred version first.
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

// CompareVersions puts versions in the order of preference: v2, v1, v2beta1, v1beta2,
// v1alpha1, and then all other words by the alphabet.
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

// parseVersion reads v1, v1beta2 or v1alpha3.
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

// leadingNumber reads a number that does not begin with 0.
func leadingNumber(text string) (n int, rest string, ok bool) {
	i := 0
	for ; i < len(text) && i < 9 && '0' <= text[i] && text[i] <= '9'; i++ {
		n = n*10 + int(text[i]-'0')
	}
	return n, text[i:], i > 0 && text[0] != '0'
}
