package nodes

import (
	"encoding/json"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

// listKeys are the lists of statuses whose entries are merged, by the field that an entry is known by. Others are
// replaced. Those of containers are not merged by the API; here they are, so that a Stage need only say what changes.
var listKeys = map[string]string{
	"conditions": "type", "addresses": "type",
	"containerStatuses": "name", "initContainerStatuses": "name", "ephemeralContainerStatuses": "name",
}

// replaced are the fields of a container's status whose old value means nothing beside a new one.
var replaced = map[string]bool{"state": true, "lastState": true}

// mergeStatus returns the status that an object has after a patch of it, and what the patch says of it. It changes
// neither.
func mergeStatus(tree map[string]any, patch []byte) (merged, given map[string]any, err error) {
	decoded, err := stage.Decode(patch)
	if err != nil {
		return nil, nil, err
	}
	given, ok := decoded["status"].(map[string]any)
	if !ok && decoded["status"] != nil {
		return nil, nil, fmt.Errorf("the patch's status is no object: %s", patch)
	}
	old, _ := tree["status"].(map[string]any)
	return mergeMaps(old, given), given, nil
}

func mergeMaps(old, patch map[string]any) map[string]any {
	merged := maps.Clone(old)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, v := range patch {
		switch v := v.(type) {
		case nil:
			// A template that writes a list without entries says nothing of it.
			if listKeys[name] == "" {
				delete(merged, name)
			}
			continue
		case map[string]any:
			if before, ok := merged[name].(map[string]any); ok && !replaced[name] {
				merged[name] = mergeMaps(before, v)
				continue
			}
			merged[name] = mergeMaps(nil, v)
			continue
		case []any:
			if by := listKeys[name]; by != "" {
				before, _ := merged[name].([]any)
				merged[name] = mergeLists(before, v, by)
				continue
			}
		}
		merged[name] = v
	}
	return merged
}

func mergeLists(old, patch []any, by string) []any {
	merged := append([]any(nil), old...)
	for _, v := range patch {
		entry, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if i := indexBy(merged, by, entry[by]); i >= 0 {
			merged[i] = mergeMaps(merged[i].(map[string]any), entry)
		} else {
			merged = append(merged, mergeMaps(nil, entry))
		}
	}
	return merged
}

// indexBy returns the index of the entry that has a value in a field; -1 if no entry has.
func indexBy(list []any, by string, value any) int {
	for i, v := range list {
		if entry, ok := v.(map[string]any); ok && entry[by] == value {
			return i
		}
	}
	return -1
}

// entryOf returns the entry of a list of a status by its key; nil if the list has no such entry.
func entryOf(status map[string]any, list, value string) map[string]any {
	l, _ := status[list].([]any)
	if i := indexBy(l, listKeys[list], value); i >= 0 {
		return l[i].(map[string]any)
	}
	return nil
}

// statusOnly reports whether a patch is one of the status that can be merged here, and then written as a kubelet does.
func statusOnly(p *stage.Body) bool {
	if p.Subresource != "status" || p.Type != types.StrategicMergePatchType && p.Type != types.MergePatchType {
		return false
	}
	var fields map[string]json.RawMessage
	return json.Unmarshal(p.Data, &fields) == nil && len(fields) == 1 && fields["status"] != nil
}

func subresource(p *stage.Body) []string {
	if p.Subresource == "" {
		return nil
	}
	return []string{p.Subresource}
}

// ignoreGone returns an error, unless it says that the object is not there any more, or is another one of its name: a
// deletion says that by a conflict, a patch by the uid, which cannot change.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if cause, ok := apierrors.StatusCause(err, metav1.CauseTypeFieldValueInvalid); ok && cause.Field == "metadata.uid" {
		return nil
	}
	return err
}
