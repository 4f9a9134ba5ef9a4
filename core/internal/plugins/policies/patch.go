package policies

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/status"
)

// make returns the object of a form as a mutation makes it. It shares nothing that is changed later with the form's.
func (m *mutating) make(
	ctx context.Context, e *evaluation, one *mutation, f *match.Form,
) (made map[string]any, err error) {
	if f.Schema == nil && f.Row.Custom == nil {
		return nil, status.NewUnavailable(fmt.Sprintf("Resource kind %s/%s, Kind=%s not found. There can be a delay between "+
			"when CustomResourceDefinitions are created and when they are available.", f.Kind.Group, f.Kind.Version,
			f.Kind.Kind), 0)
	}
	results, _, err := e.evaluate(ctx, []int{one.at}, e.in, expression.PolicyBudget)
	switch {
	case err != nil:
		return nil, err
	case results[0].Kind == expression.NotCompiled:
		return nil, errors.New(strings.TrimPrefix(results[0].Error, "compilation error: "))
	case results[0].Error != "":
		return nil, errors.New(results[0].Error)
	}
	if one.key == "applyConfiguration" {
		made, err = m.apply(f, results[0].Value)
	} else {
		made, err = patched(f, results[0].Value)
	}
	if err != nil {
		return nil, err
	}
	if _, version, _, _ := m.r.ObjectType(); f.Schema != nil && f.Row != m.r.Resource && version != f.Kind.Version {
		// The real server converts built-in objects to no other version here.
		return nil, fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", f.Kind.Version, f.Kind.Kind, version,
			m.r.Kind)
	}
	kinds.For(f.Kind.Group, f.Kind.Kind).Fill(made)
	return made, nil
}

// apply merges an apply configuration into the object.
func (m *mutating) apply(f *match.Form, value any) (map[string]any, error) {
	config, ok := object.DeepCopy(value).(map[string]any)
	if !ok {
		return nil, errors.New("invalid return type")
	}
	if m.r.Subresource == "scale" { // which the real server has no schema of
		return nil, fmt.Errorf("error applying patch: failed to convert patch object to typed object: "+
			"no corresponding type for %s, Kind=%s", f.Kind.APIVersion(), f.Kind.Kind)
	}
	object.SetTypeMeta(config, f.Kind.APIVersion(), f.Kind.Kind)
	w := managedfields.Write{Resource: f.Row, Subresource: m.r.Subresource}
	made, err := w.Merge(object.DeepCopy(f.Object), config)
	if err != nil {
		return nil, fmt.Errorf("error applying patch: %w", err)
	}
	return made, nil
}

// patched applies a JSON patch to the object. One whose test fails changes nothing.
func patched(f *match.Form, value any) (map[string]any, error) {
	operations, _ := value.([]any)
	list := make([]any, 0, len(operations))
	for _, entry := range operations {
		op, ok := entry.(map[string]any)
		if !ok {
			return nil, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
		}
		sent := map[string]any{"op": op["op"], "path": op["path"]}
		if from, _ := op["from"].(string); from != "" {
			sent["from"] = from
		}
		if v, ok := op["value"]; ok {
			sent["value"] = v
		}
		list = append(list, sent)
	}
	document, _, err := patch.JSON(object.Encode(nil, f.Object, f.Schema), object.EncodeAny(nil, list), false)
	if err != nil {
		if strings.HasSuffix(err.Error(), "test failed") {
			return object.DeepCopy(f.Object), nil
		}
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	obj, problems, err := object.Decode(document, f.Schema)
	if err == nil && len(problems) > 0 {
		err = errors.New("strict decoding error: " + strings.Join(problems, ", "))
	}
	if err != nil {
		return nil, status.NewInternal(err)
	}
	object.SetTypeMeta(obj, f.Kind.APIVersion(), f.Kind.Kind)
	return obj, nil
}
