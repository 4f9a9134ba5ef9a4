package room

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// TeacherToken returns a new token of a teacher, the first by name, and makes one if none exists: for those
// who run the host, who may do everything anyway.
func (r *Room) TeacherToken(ctx context.Context) (string, error) {
	name := r.someTeacher()
	if name == "" {
		stored, err := r.registry.Create(ctx, registry.Target{Resource: Members}, map[string]any{
			"apiVersion": apiVersion, "kind": Members.Kind, "metadata": map[string]any{"generateName": Teacher + "-"},
			"spec": map[string]any{"displayName": "Teacher", "role": Teacher},
		}, registry.WriteOptions{Manager: "tabernetes"})
		if err != nil {
			return "", err
		}
		obj, _, err := object.Decode(stored, Members.Type())
		if err != nil {
			return "", err
		}
		name = object.Name(obj)
	}
	answer, err := r.newToken(ctx, apiserver.Call{}, name, "")
	return object.GetString(answer, "status", "token"), err
}

// someTeacher returns the name of a teacher, or "".
func (r *Room) someTeacher() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var names []string
	for name, user := range r.members {
		if isTeacher(user) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}
