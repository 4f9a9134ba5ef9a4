package schema

import (
	"slices"
	"strings"
	"testing"
)

func TestFieldsAreInGoOrder(t *testing.T) {
	names := func(typ *Type) []string {
		var out []string
		for _, f := range typ.Fields {
			out = append(out, f.Name)
		}
		return out
	}
	meta := TypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	want := []string{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation",
		"creationTimestamp",
		"deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
		"managedFields"}
	if got := names(meta); !slices.Equal(got, want) {
		t.Errorf("ObjectMeta: %v", got)
	}
	if got := names(TypeOf("", "v1", "Pod")); !slices.Equal(got,
		[]string{"kind", "apiVersion", "metadata", "spec", "status"}) {
		t.Errorf("Pod: %v", got)
	}
}

func TestFieldFacts(t *testing.T) {
	dep := TypeOf("apps", "v1", "Deployment")
	spec := dep.Field("spec").Type
	if spec.GoName != "v1.DeploymentSpec" || spec.Name != "io.k8s.api.apps.v1.DeploymentSpec" || spec.Kind != Struct {
		t.Errorf("spec: %+v", spec)
	}
	replicas := spec.Field("replicas")
	if !replicas.Pointer || !replicas.OmitEmpty || replicas.Proto != 1 || replicas.Type.Kind != Int32 ||
		replicas.AlwaysWritten() {
		t.Errorf("replicas: %+v", replicas)
	}
	if f := dep.Field("status"); !f.AlwaysWritten() || f.Proto != 3 {
		t.Errorf("status: %+v", f)
	}
	if f := spec.Field("selector"); !f.Required || f.Type.MapType != "atomic" {
		t.Errorf("selector: %+v", f)
	}
	pod := spec.Field("template").Type.Field("spec").Type
	containers := pod.Field("containers")
	if &pod.Fields[pod.Position([]byte("containers"))] != containers || pod.Position([]byte("Containers")) != -1 {
		t.Error("Position and Field differ")
	}
	if containers.Type.GoName != "[]v1.Container" || containers.PatchMergeKey != "name" ||
		containers.PatchStrategy != "merge" ||
		containers.ListType != "map" || !slices.Equal(containers.ListMapKeys, []string{"name"}) || !containers.Required ||
		containers.Proto != 2 {
		t.Errorf("containers: %+v", containers)
	}
	port := containers.Type.Elem.Field("ports").Type.Elem
	if f := port.Field("protocol"); f.Default != "TCP" || f.Type.GoName != "v1.Protocol" ||
		!slices.Equal(f.Type.Enum, []string{"TCP", "UDP", "SCTP"}) {
		t.Errorf("protocol: %+v %+v", f, f.Type)
	}
	hostPath := pod.Field("volumes").Type.Elem.Field("hostPath")
	if !slices.Equal(hostPath.Embeds, []Embed{{"VolumeSource", 2}}) || hostPath.Proto != 1 {
		t.Errorf("hostPath: %+v", hostPath)
	}
	if f := pod.Field("overhead"); f.Type.GoName != "v1.ResourceList" || f.Type.Kind != Map ||
		f.Type.Elem.Kind != Quantity {
		t.Errorf("overhead: %+v %+v", f, f.Type)
	}
	created := dep.Field("metadata").Type.Field("creationTimestamp")
	if created.AlwaysWritten() || created.Type.Kind != Time || created.Proto != 8 {
		t.Errorf("creationTimestamp: %+v", created)
	}
	rule := TypeOf("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy").Field("spec").Type.
		Field("matchConstraints").Type.Field("resourceRules").Type.Elem
	if f := rule.Field("apiGroups"); !slices.Equal(f.Embeds, []Embed{{"RuleWithOperations", 2}, {"Rule", 2}}) {
		t.Errorf("apiGroups: %+v", f)
	}
	if f := TypeOf("", "v1", "Secret").Field("data"); f.Type.GoName != "map[string][]uint8" || f.Type.Elem.Kind != Bytes {
		t.Errorf("data: %+v", f.Type)
	}
	extra := TypeOf("authentication.k8s.io", "v1", "TokenReview").Field("status").Type.Field("user").Type.Field("extra")
	if extra.Type.Elem.Kind != List || !extra.Type.Elem.Wrapped || extra.Type.GoName != "map[string]v1.ExtraValue" {
		t.Errorf("extra: %+v", extra.Type)
	}
}

func TestRecursiveTypes(t *testing.T) {
	schema := TypeNamed("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")
	if props := schema.Field("properties").Type; props.Elem != schema {
		t.Error("properties does not lead back")
	}
	items := schema.Field("items").Type
	if items.Kind != Union || items.Fields[0].Name != "schema" || !schema.KeepsEmpty {
		t.Errorf("items: %+v", items)
	}
}

func TestTypesByName(t *testing.T) {
	options := TypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")
	if options == nil || options != TypeOf("", "v1", "DeleteOptions") ||
		options != TypeOf("meta.k8s.io", "v1", "DeleteOptions") || options != TypeOf("apps", "v1", "DeleteOptions") {
		t.Error("DeleteOptions is not one type")
	}
	for _, kind := range []string{"Status", "WatchEvent", "Table", "PartialObjectMetadataList", "APIGroupList",
		"APIVersions", "List"} {
		if TypeOf("meta.k8s.io", "v1", kind) == nil {
			t.Error("no", kind)
		}
	}
	for _, c := range [][3]string{{"autoscaling", "v1", "Scale"}, {"policy", "v1", "Eviction"},
		{"authentication.k8s.io", "v1", "TokenRequest"},
		{"apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList"}, {"", "v1", "PodExecOptions"}} {
		if TypeOf(c[0], c[1], c[2]) == nil {
			t.Error("no", c)
		}
	}
	for _, c := range [][3]string{{"", "v1", "PodSpec"}, {"", "v2", "Pod"}, {"nope", "v1", "Status"}, {"apps", "v1", ""}} {
		if got := TypeOf(c[0], c[1], c[2]); got != nil {
			t.Errorf("%v found %s", c, got.Name)
		}
	}
	for _, name := range []string{"", "io.k8s.api.core.v1.", "io.k8s.api.core.v1.Nope", "io.k8s.api.core.v1.Pod.x"} {
		if TypeNamed(name) != nil {
			t.Errorf("found %q", name)
		}
	}
}

// TestAllTypesParse reads every line of the table, so that no type can panic when first used.
func TestAllTypesParse(t *testing.T) {
	builtin.load()
	for key := range builtin.lines {
		typ := builtin.named(key.alias, key.text)
		if typ.Kind == 0 || typ.GoName == "" {
			t.Errorf("%s: %+v", key, typ)
		}
		seen := map[int]bool{}
		for _, f := range typ.Fields {
			if f.Type == nil || f.Type.Kind == 0 {
				t.Errorf("%s.%s has no type", key, f.Name)
			}
			if len(f.Embeds) == 0 && f.Proto != 0 {
				if seen[f.Proto] {
					t.Errorf("%s: two fields have the number %d", key, f.Proto)
				}
				seen[f.Proto] = true
			}
		}
	}
}

func BenchmarkParsePod(b *testing.B) {
	for b.Loop() {
		var c catalog
		if c.named("core/v1", "Pod") == nil {
			b.Fatal("no Pod")
		}
	}
}

func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		Builtin()
	}
}

// Of structs with many fields and with few, fields are found by their names, and nothing else is.
func TestIndex(t *testing.T) {
	for _, kind := range []string{"Pod", "Service", "ConfigMap"} {
		for seen, left := map[*Type]bool{}, []*Type{TypeOf("", "v1", kind)}; len(left) > 0; {
			typ := left[0]
			if left = left[1:]; typ == nil || seen[typ] {
				continue
			}
			seen[typ] = true
			left = append(left, typ.Elem)
			for i, f := range typ.Fields {
				left = append(left, f.Type)
				if typ.Index(f.Name) != i || typ.Position([]byte(f.Name)) != i {
					t.Errorf("%s.%s is at %d, want %d", typ.GoName, f.Name, typ.Index(f.Name), i)
				}
				for _, other := range []string{"", f.Name + "x", f.Name[1:], strings.ToUpper(f.Name)} {
					if at := typ.Index(other); at >= 0 && typ.Fields[at].Name != other {
						t.Errorf("%s has %q at %d", typ.GoName, other, at)
					}
				}
			}
		}
	}
}
