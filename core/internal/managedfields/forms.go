package managedfields

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/object"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// errNoForm makes entries be dropped whose version is not served where the write was made: in the real server, the
// types below /api and those below /apis do not know each other.
var errNoForm = errors.New("the object has no such form")

// Convert implements merge.Converter.
func (g group) Convert(obj *typed.TypedValue, to fieldpath.APIVersion) (*typed.TypedValue, error) {
	tree, _ := obj.AsValue().Unstructured().(map[string]any)
	from := cmp.Or(object.APIVersion(tree), g.apiVersion)
	switch {
	case from == string(to):
		return obj, nil
	case g.resource == nil:
		return nil, errNoForm
	}
	is, other := g.resource.Form(from), g.resource.Form(string(to))
	if is == nil || other == nil || (other.Group == "") != (g.resource.Group == "") {
		return nil, g.noForm(string(to))
	}
	merged := tree
	tree = object.DeepCopy(merged)
	var err error
	if other.Custom != nil { // no field is dropped, and one that the version does not know is an error
		err = extension.ConvertUnpruned(g.context(), tree, other)
	} else if err = kinds.Convert(g.context(), tree, is, other); err != nil { // a number may be too large for its field
		if tree, _, err = object.Convert(object.DeepCopy(merged), is.Type(), nil); err == nil {
			err = kinds.Convert(g.context(), tree, is, other)
		}
	}
	if err != nil {
		return nil, err
	}
	return read(tree, parserOf(other), typed.AllowDuplicates)
}

// noForm returns why the group's objects have no form in a version. The entries of a version that a definition no
// longer has are not dropped, in contrast to those of a built-in type: an apply fails, and after another write the
// object has no entries.
func (g group) noForm(version string) error {
	group, _ := object.SplitGroupVersion(version)
	switch {
	case strings.Count(version, "/") > 1:
		return fmt.Errorf("unexpected GroupVersion string: %s", version)
	case g.resource.Custom == nil:
		return errNoForm
	case group != g.resource.Group:
		return fmt.Errorf("%s is unstructured and is not suitable for converting to %q", g.gvk(), version)
	}
	return fmt.Errorf("request to convert CR to an invalid group/version: %s", version)
}

// IsMissingVersionError implements merge.Converter.
func (group) IsMissingVersionError(err error) bool { return errors.Is(err, errNoForm) }
