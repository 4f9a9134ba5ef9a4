package object

// Kind returns obj's kind.
func Kind(obj map[string]any) string { return GetString(obj, "kind") }

// APIVersion returns obj's apiVersion.
func APIVersion(obj map[string]any) string { return GetString(obj, "apiVersion") }

// SetTypeMeta sets apiVersion and kind.
func SetTypeMeta(obj map[string]any, apiVersion, kind string) {
	obj["apiVersion"], obj["kind"] = apiVersion, kind
}

// Meta returns obj's metadata, and creates it if none exists.
func Meta(obj map[string]any) map[string]any {
	m, ok := obj["metadata"].(map[string]any)
	if !ok {
		m = map[string]any{}
		obj["metadata"] = m
	}
	return m
}

// Name returns metadata.name.
func Name(obj map[string]any) string { return GetString(obj, "metadata", "name") }

// GenerateName returns metadata.generateName.
func GenerateName(obj map[string]any) string { return GetString(obj, "metadata", "generateName") }

// Namespace returns metadata.namespace.
func Namespace(obj map[string]any) string { return GetString(obj, "metadata", "namespace") }

// UID returns metadata.uid.
func UID(obj map[string]any) string { return GetString(obj, "metadata", "uid") }

// ResourceVersion returns metadata.resourceVersion.
func ResourceVersion(obj map[string]any) string {
	return GetString(obj, "metadata", "resourceVersion")
}

// Generation returns metadata.generation, or 0.
func Generation(obj map[string]any) int64 {
	n, _ := GetInt(obj, "metadata", "generation")
	return n
}

// CreationTimestamp returns metadata.creationTimestamp as it is written.
func CreationTimestamp(obj map[string]any) string {
	return GetString(obj, "metadata", "creationTimestamp")
}

// DeletionTimestamp returns metadata.deletionTimestamp as it is written, "" if obj is not being deleted.
func DeletionTimestamp(obj map[string]any) string {
	return GetString(obj, "metadata", "deletionTimestamp")
}

// Labels returns metadata.labels as strings; a new map.
func Labels(obj map[string]any) map[string]string { return stringMap(obj, "labels") }

// Annotations returns metadata.annotations as strings; a new map.
func Annotations(obj map[string]any) map[string]string { return stringMap(obj, "annotations") }

// Finalizers returns metadata.finalizers; a new slice.
func Finalizers(obj map[string]any) []string { return GetStrings(obj, "metadata", "finalizers") }

// SetFinalizers sets metadata.finalizers; an empty list removes the field.
func SetFinalizers(obj map[string]any, finalizers []string) {
	if len(finalizers) == 0 {
		RemoveNested(obj, "metadata", "finalizers")
		return
	}
	Meta(obj)["finalizers"] = ListOf(finalizers)
}

func stringMap(obj map[string]any, field string) map[string]string {
	m := GetMap(obj, "metadata", field)
	out := make(map[string]string, len(m))
	for k, v := range m {
		if s, ok := v.(string); ok {
			out[k] = s
		}
	}
	return out
}
