package selector_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/selector"
)

// The messages are recorded answers of kube-apiserver to a list of configmaps.
func TestInvalidFields(t *testing.T) {
	for text, want := range map[string]string{
		"data.x=1": `"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"`,
		"metadata.labels=x": `"metadata.labels" is not a known field selector: only "metadata.name", ` +
			`"metadata.namespace"`,
		"metadata.name":         "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
		"metadata.name in (a)":  "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'",
		"=a":                    `"" is not a known field selector: only "metadata.name", "metadata.namespace"`,
		"metadata.name=a=b":     "invalid field selector: unescaped character in value: 61",
		"metadata.name>a":       "invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'",
		"metadata.name=a,bad=1": `"bad" is not a known field selector: only "metadata.name", "metadata.namespace"`,
		"Metadata.Name=a": `"Metadata.Name" is not a known field selector: only "metadata.name", ` +
			`"metadata.namespace"`,
		`metadata.name=\x`:        `invalid field selector: invalid escape sequence: \x`,
		`metadata.name=\`:         `invalid field selector: invalid escape sequence: \`,
		"zz=1,metadata.name,a==2": "invalid selector: 'zz=1,metadata.name,a==2'; can't understand 'metadata.name'",
	} {
		f, err := selector.ParseFields(text)
		if err == nil {
			_, err = f.Transform(selector.FieldsOf("", "ConfigMap").Convert)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v\nwant %s", text, err, want)
		}
	}
}

func TestFields(t *testing.T) {
	for text, want := range map[string]selector.Fields{
		"":            nil,
		"=,!=":        nil,
		",,":          nil,
		"b=1,a!=2":    {{"a", selector.NotEquals, "2"}, {"b", selector.Equals, "1"}},
		"a==1":        {{"a", selector.Equals, "1"}},
		"a=":          {{"a", selector.Equals, ""}},
		`a=x\,y\=z\\`: {{"a", selector.Equals, `x,y=z\`}},
	} {
		f, err := selector.ParseFields(text)
		if err != nil || !reflect.DeepEqual(f, want) {
			t.Errorf("%q: got %v, %v, want %v", text, f, err, want)
		}
		if f.Empty() != (want == nil) {
			t.Errorf("%q: Empty() = %v", text, f.Empty())
		}
	}
}

func TestFieldsMatch(t *testing.T) {
	pod := map[string]any{
		"metadata": map[string]any{"name": "a", "namespace": "n"},
		"spec":     map[string]any{"nodeName": "n1", "restartPolicy": "Never"},
		"status": map[string]any{"phase": "Running", "podIP": "10.9.8.7",
			"podIPs": []any{map[string]any{"ip": "10.9.8.7"}}},
	}
	table := selector.FieldsOf("", "Pod")
	for text, want := range map[string]bool{
		"":                                      true,
		"metadata.name=a":                       true,
		"metadata.name=a,metadata.name=b":       false,
		"metadata.name!=b,metadata.namespace=n": true,
		"spec.nodeName=n1":                      true,
		"spec.host=n1":                          true,
		"spec.host!=n1":                         false,
		"spec.hostNetwork=false":                true,
		"status.podIP=10.9.8.7":                 true,
		"status.podIPs=10.9.8.7":                false,
		"status.nominatedNodeName=":             true,
		"spec.nodeName=n1,status.phase=Pending": false,
	} {
		f, err := selector.ParseFields(text)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = f.Transform(table.Convert); err != nil {
			t.Fatal(err)
		}
		if got := f.Matches(func(name string) string { return table.Value(pod, name) }); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFieldsRequireExact(t *testing.T) {
	for text, want := range map[string]string{"metadata.name=a,x=1": "a", "metadata.name!=a": "", "x=1": ""} {
		f, _ := selector.ParseFields(text)
		if got, ok := f.RequiresExact("metadata.name"); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

func TestFieldTables(t *testing.T) {
	event := map[string]any{"involvedObject": map[string]any{"kind": "Pod", "name": "p"}, "reason": "Tested",
		"source": map[string]any{"component": "c"}}
	reported := map[string]any{"reportingComponent": "r"}
	for _, c := range []struct {
		group, kind string
		obj         map[string]any
		field, want string
	}{
		{"", "Event", event, "involvedObject.name", "p"},
		{"", "Event", event, "source", "c"},
		{"", "Event", reported, "source", "r"},
		{"", "Event", reported, "reportingComponent", "r"},
		{"", "Node", map[string]any{}, "spec.unschedulable", "false"},
		{"", "Node", map[string]any{"spec": map[string]any{"unschedulable": true}}, "spec.unschedulable", "true"},
		{"batch", "Job", map[string]any{}, "status.successful", "0"},
		{"batch", "Job", map[string]any{"status": map[string]any{"succeeded": int64(3)}}, "status.successful", "3"},
		{"", "ReplicationController", map[string]any{}, "status.replicas", "0"},
		{"", "Secret", map[string]any{"type": "Opaque"}, "type", "Opaque"},
		{"", "Service", map[string]any{"spec": map[string]any{"clusterIP": "None"}}, "spec.clusterIP", "None"},
		{"", "Namespace", map[string]any{"status": map[string]any{"phase": "Active"}}, "status.phase", "Active"},
		{"", "Secret", map[string]any{"type": map[string]any{"x": "y"}}, "type", ""},
		{"", "Secret", map[string]any{"type": "Opaque"}, "data", ""},
	} {
		if got := selector.FieldsOf(c.group, c.kind).Value(c.obj, c.field); got != c.want {
			t.Errorf("%s/%s %s: %q, want %q", c.group, c.kind, c.field, got, c.want)
		}
	}
	for key, want := range map[[2]string]string{
		{"", "Pod"}:                          "field label not supported: x",
		{"batch", "Job"}:                     `field label "x" not supported for Job`,
		{"resource.k8s.io", "ResourceSlice"}: "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x",
		{"apps", "Deployment"}:               `"x" is not a known field selector: only "metadata.name", "metadata.namespace"`,
	} {
		if _, _, err := selector.FieldsOf(key[0], key[1]).Convert("x", "1"); err == nil || err.Error() != want {
			t.Errorf("%v: %v", key, err)
		}
	}
}

// Every label of a table can be evaluated: it is among the Attributes, or part of the key.
func TestFieldTablesAreWhole(t *testing.T) {
	for _, kind := range []string{"/Pod", "/Node", "/Event", "events.k8s.io/Event", "/Namespace", "/Secret", "/Service",
		"batch/Job",
		"/ReplicationController", "certificates.k8s.io/CertificateSigningRequest", "resource.k8s.io/ResourceSlice",
		"/ConfigMap"} {
		group, name := kind[:slices.Index([]byte(kind), '/')], kind[slices.Index([]byte(kind), '/')+1:]
		table := selector.FieldsOf(group, name)
		stored := table
		if group == "events.k8s.io" { // stored as core Events
			stored = selector.FieldsOf("", name)
		}
		attributes := maps.Collect(stored.Attributes(map[string]any{"metadata": map[string]any{"name": "a"}}))
		if _, ok := attributes["metadata.name"]; ok {
			t.Errorf("%s: the name is kept twice", kind)
		}
		attributes["metadata.name"], attributes["metadata.namespace"] = "", ""
		for _, row := range table.Labels {
			to, _, err := table.Convert(row.Label, "v")
			if err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			if _, ok := attributes[to]; !ok {
				t.Errorf("%s: %s stands for %s, which objects do not have", kind, row.Label, to)
			}
		}
	}
}

// String and ParseFields are inverse.
func FuzzParseFields(f *testing.F) {
	for _, text := range []string{"", "a=b", "a!=b,c==d", `a=\,\=\\`, "a=b=c", ",", `a=\`, "=", "!==", "é=ü"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selector.ParseFields(text)
		if err != nil {
			return
		}
		again, err := selector.ParseFields(s.String())
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", text, s, err)
		}
		// Terms are sorted as they are written, so "a==b" may move when it is rewritten.
		less := func(a, b selector.FieldRequirement) int { return compare(a.String(), b.String()) }
		slices.SortFunc(s, less)
		slices.SortFunc(again, less)
		if !reflect.DeepEqual(again, s) {
			t.Errorf("%q became %q, which is read as %v", text, s, again)
		}
	})
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
