package selector

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A FieldLabel is one selectable field of a kind.
type FieldLabel struct {
	// Label is the name of the field in selectors.
	Label string
	// As is the field that it is an alias of, if any: an older name, or the same field under its name
	// in another group.
	As string
	// Paths are the paths of the value; the first that is not empty counts. None stands for Label
	// itself.
	Paths []string
	// Zero is the value if the object has none.
	Zero string
	// Indexed is set if objects are found by the field without a look at all others.
	Indexed bool
}

// A FieldTable has the selectable fields of one kind.
type FieldTable struct {
	Labels []FieldLabel
	// Unsupported formats the error for any other field; if it is empty, the usual text is used.
	Unsupported string
}

// label returns the row of a field by its name in selectors.
func (t *FieldTable) label(name string) *FieldLabel {
	for i := range t.Labels {
		if t.Labels[i].Label == name {
			return &t.Labels[i]
		}
	}
	return nil
}

// Convert checks that a field is selectable, and resolves aliases. It is for Fields.Transform.
func (t *FieldTable) Convert(name, value string) (string, string, error) {
	row := t.label(name)
	switch {
	case row == nil && t.Unsupported == "":
		return "", "", fmt.Errorf("field label not supported: %s", name)
	case row == nil:
		return "", "", fmt.Errorf(t.Unsupported, name)
	case row.As != "":
		return row.As, value, nil
	}
	return name, value, nil
}

// Indexed reports whether objects are found by a field.
func (t *FieldTable) Indexed(name string) bool {
	row := t.label(name)
	return row != nil && row.Indexed
}

// Value returns the text of a field of an object.
func (t *FieldTable) Value(obj map[string]any, name string) string {
	if row := t.label(name); row != nil {
		return row.value(obj)
	}
	return ""
}

func (row *FieldLabel) value(obj map[string]any) string {
	if row.Paths == nil {
		if v := textAt(obj, row.Label); v != "" {
			return v
		}
	}
	for _, p := range row.Paths {
		if v := textAt(obj, p); v != "" {
			return v
		}
	}
	return row.Zero
}

// Attributes returns the selectable fields of an object with their texts, except for name and
// namespace, which are in its key.
func (t *FieldTable) Attributes(obj map[string]any) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for i := range t.Labels {
			row := &t.Labels[i]
			if row.As != "" || row.Label == "metadata.name" || row.Label == "metadata.namespace" {
				continue
			}
			if !yield(row.Label, row.value(obj)) {
				return
			}
		}
	}
}

// textAt returns the text of a string, number or boolean at a dotted path.
func textAt(obj map[string]any, path string) string {
	for {
		name, rest, more := strings.Cut(path, ".")
		switch v := obj[name].(type) {
		case map[string]any:
			if !more {
				return ""
			}
			obj, path = v, rest
			continue
		case string:
			return text(v, more)
		case int64:
			return text(strconv.FormatInt(v, 10), more)
		case bool:
			return text(strconv.FormatBool(v), more)
		case float64:
			return text(strconv.FormatFloat(v, 'g', -1, 64), more)
		}
		return ""
	}
}

func text(v string, tooShallow bool) string {
	if tooShallow {
		return ""
	}
	return v
}

// FieldsOf returns the table of a built-in kind; kinds without their own fields share one.
func FieldsOf(group, kind string) *FieldTable {
	switch group + "/" + kind {
	case "/Pod":
		return &podFields
	case "/Node":
		return &nodeFields
	case "/ReplicationController":
		return &replicationControllerFields
	case "/Event":
		return &eventFields
	case "events.k8s.io/Event":
		return &newEventFields
	case "/Namespace":
		return &namespaceFields
	case "/Secret":
		return &secretFields
	case "/Service":
		return &serviceFields
	case "batch/Job":
		return &jobFields
	case "certificates.k8s.io/CertificateSigningRequest":
		return &certificateSigningRequestFields
	case "resource.k8s.io/ResourceSlice":
		return &resourceSliceFields
	}
	return &metadataFields
}

// CustomFields returns the table of a custom resource, whose definition has the paths.
func CustomFields(namespaced bool, paths []string) *FieldTable {
	t := &FieldTable{Labels: []FieldLabel{{Label: "metadata.name"}}}
	if namespaced {
		t.Labels = append(t.Labels, FieldLabel{Label: "metadata.namespace"})
	}
	for _, path := range paths {
		t.Labels = append(t.Labels, FieldLabel{Label: path})
	}
	return t
}

var metadataFields = FieldTable{
	Labels: []FieldLabel{
		{Label: "metadata.name"},
		{Label: "metadata.namespace"},
	},
	Unsupported: `%q is not a known field selector: only "metadata.name", "metadata.namespace"`,
}

var podFields = FieldTable{Labels: []FieldLabel{
	{Label: "metadata.name"},
	{Label: "metadata.namespace"},
	{Label: "spec.nodeName", Indexed: true},
	{Label: "spec.host", As: "spec.nodeName"},
	{Label: "spec.restartPolicy"},
	{Label: "spec.schedulerName"},
	{Label: "spec.serviceAccountName"},
	{Label: "spec.hostNetwork", Zero: "false"},
	{Label: "status.phase"},
	{Label: "status.podIP"},
	{Label: "status.podIPs"}, // accepted, but a list is never equal to a text
	{Label: "status.nominatedNodeName"},
}}

var nodeFields = FieldTable{Labels: []FieldLabel{
	{Label: "metadata.name"},
	{Label: "spec.unschedulable", Zero: "false"},
}}

var replicationControllerFields = FieldTable{Labels: []FieldLabel{
	{Label: "metadata.name"},
	{Label: "metadata.namespace"},
	{Label: "status.replicas", Zero: "0"},
}}

// Events are the same objects in two groups, each with its own names; they are stored as those
// of the core group.
var eventFields = FieldTable{Labels: []FieldLabel{
	{Label: "involvedObject.kind"},
	{Label: "involvedObject.namespace"},
	{Label: "involvedObject.name"},
	{Label: "involvedObject.uid"},
	{Label: "involvedObject.apiVersion"},
	{Label: "involvedObject.resourceVersion"},
	{Label: "involvedObject.fieldPath"},
	{Label: "reason"},
	{Label: "reportingComponent"},
	{Label: "source", Paths: []string{"source.component", "reportingComponent"}},
	{Label: "type"},
	{Label: "metadata.namespace"},
	{Label: "metadata.name"},
}}

var newEventFields = FieldTable{Labels: []FieldLabel{
	{Label: "regarding.kind", As: "involvedObject.kind"},
	{Label: "regarding.namespace", As: "involvedObject.namespace"},
	{Label: "regarding.name", As: "involvedObject.name"},
	{Label: "regarding.uid", As: "involvedObject.uid"},
	{Label: "regarding.apiVersion", As: "involvedObject.apiVersion"},
	{Label: "regarding.resourceVersion", As: "involvedObject.resourceVersion"},
	{Label: "regarding.fieldPath", As: "involvedObject.fieldPath"},
	{Label: "reason"},
	{Label: "reportingController", As: "reportingComponent"},
	{Label: "type"},
	{Label: "metadata.namespace"},
	{Label: "metadata.name"},
}}

var namespaceFields = FieldTable{Labels: []FieldLabel{
	{Label: "status.phase"},
	{Label: "metadata.name"},
}}

var secretFields = FieldTable{Labels: []FieldLabel{
	{Label: "type"},
	{Label: "metadata.namespace"},
	{Label: "metadata.name"},
}}

var serviceFields = FieldTable{Labels: []FieldLabel{
	{Label: "metadata.namespace"},
	{Label: "metadata.name"},
	{Label: "spec.clusterIP"},
	{Label: "spec.type"},
}}

var jobFields = FieldTable{
	Labels: []FieldLabel{
		{Label: "metadata.name"},
		{Label: "metadata.namespace"},
		{Label: "status.successful", Paths: []string{"status.succeeded"}, Zero: "0"},
	},
	Unsupported: "field label %q not supported for Job",
}

var certificateSigningRequestFields = FieldTable{Labels: []FieldLabel{
	{Label: "metadata.name"},
	{Label: "spec.signerName"},
}}

var resourceSliceFields = FieldTable{
	Labels: []FieldLabel{
		{Label: "metadata.name"},
		{Label: "spec.nodeName"},
		{Label: "spec.driver"},
	},
	Unsupported: "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: %s",
}
