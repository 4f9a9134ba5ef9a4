package stage

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// Tree returns an object as Stages see it. It shares nothing with the object.
func Tree(o any) (map[string]any, error) {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	integers(tree)
	return tree, nil
}

// Decode returns the tree of an object in JSON.
func Decode(data []byte) (map[string]any, error) {
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("no object: %w", err)
	}
	integers(tree)
	return tree, nil
}

// integers makes whole numbers int, which is what jq expressions count with.
func integers(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case float64:
		if n := int(v); float64(n) == v {
			return n
		}
	case map[string]any:
		for k, e := range v {
			v[k] = integers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = integers(e)
		}
	}
	return v
}
