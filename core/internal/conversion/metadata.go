package conversion

import (
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/object"
)

// sameObject returns the error of a converted object that is not the one that was sent.
func sameObject(in, out map[string]any) error {
	for _, is := range []struct{ what, sent, got string }{
		{"name", object.Name(in), object.Name(out)},
		{"namespace", object.Namespace(in), object.Namespace(out)},
		{"UID", object.UID(in), object.UID(out)},
	} {
		if is.sent != is.got {
			return fmt.Errorf("must have the same %s: %v != %v", is.what, is.sent, is.got)
		}
	}
	return nil
}

// restoreMetadata gives a converted object the metadata of the original, but for its labels and annotations.
func restoreMetadata(original, converted map[string]any) error {
	given, found := converted["metadata"]
	if !found {
		return errors.New("missing metadata in converted object")
	}
	said, ok := given.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata of type %T in converted object", given)
	}
	meta := object.DeepCopy(object.Meta(original))
	if meta == nil {
		meta = map[string]any{}
	}
	converted["metadata"] = meta
	for _, name := range []string{"labels", "annotations"} {
		value := said[name]
		if value == nil {
			delete(meta, name)
			continue
		}
		texts, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("invalid metadata.%s of type %T in converted object", name, value)
		}
		for key, text := range texts {
			if _, ok := text.(string); !ok {
				return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", name, key, text)
			}
		}
		if !object.Equal(value, meta[name]) {
			if wrong := checkTexts(name, texts); len(wrong) > 0 {
				return errors.New(wrong.Message())
			}
		}
		meta[name] = texts
	}
	return nil
}

// checkTexts returns the violations of labels or annotations.
func checkTexts(name string, texts map[string]any) field.ErrorList {
	if name == "labels" {
		return metadata.ValidateLabels(texts, "metadata.labels")
	}
	return metadata.ValidateAnnotations(texts, "metadata.annotation")
}
