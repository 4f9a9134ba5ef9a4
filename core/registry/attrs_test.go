package registry

import (
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// TestVersionsShareAttributes checks that a version shares its attributes with the previous one if
// they are equal, and only then.
func TestVersionsShareAttributes(t *testing.T) {
	f := newFixture(t)
	kept := func(t Target) *attrs {
		return f.Store.Latest(t.bucket(), t.key(t.Name)).Attrs.(*attrs)
	}
	for _, c := range []struct {
		name, was, is string
		shared        bool
	}{
		{"data", `{"metadata":{"name":"data","labels":{"a":"b"}},"data":{"k":"1"}}`,
			`{"metadata":{"name":"data","labels":{"a":"b"}},"data":{"k":"2"}}`, true},
		{"label", `{"metadata":{"name":"label","labels":{"a":"b"}}}`, `{"metadata":{"name":"label","labels":{"a":"c"}}}`,
			false},
		{"unlabelled", `{"metadata":{"name":"unlabelled","labels":{"a":"b"}}}`, `{"metadata":{"name":"unlabelled"}}`, false},
		{"owned", `{"metadata":{"name":"owned"}}`,
			`{"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}}`, false},
		{
			"owners", `{"metadata":{"name":"owners","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}}`,
			`{"metadata":{"name":"owners","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"q","uid":"v"}]}}`, false,
		},
		{
			"owner", `{"metadata":{"name":"owner","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}}`,
			`{"metadata":{"name":"owner","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]},` +
				`"data":{"k":"2"}}`, true,
		},
	} {
		row := f.configMaps(c.name)
		f.create(row, c.was)
		before := kept(row)
		if _, err := f.replace(row, c.is); err != nil {
			t.Fatal(c.name, err)
		}
		after := kept(row)
		if (before == after) != c.shared {
			t.Errorf("%s: shared is %v", c.name, !c.shared)
		}
		loaded, err := Load(row.Resource, f.Store.Latest(row.bucket(), row.key(row.Name)).Value)
		if err != nil || !after.equal(loaded.(*attrs)) {
			t.Errorf("%s: %+v is not what its bytes say, %+v, %v", c.name, after, loaded, err)
		}
	}
	a := &attrs{uid: "1", fields: []fieldValue{{"spec.nodeName", "a"}}}
	b := &attrs{uid: "1", fields: []fieldValue{{"spec.nodeName", "b"}}}
	if a.sharedWith(nil) != a || a.sharedWith(&mvcc.Version{Attrs: b}) != a {
		t.Error("another node is the same")
	}
}

// TestSizeOfLabels counts labels where there are many: they take more memory than the object.
func TestSizeOfLabels(t *testing.T) {
	for n, want := range map[int]int64{0: 0, 8: 0, 9: 64 + 9*3, 500: 492*64 + 500*3} {
		labels := map[string]string{}
		for i := range n {
			labels[fmt.Sprintf("%03d", i)] = ""
		}
		if got := (&attrs{labels: Labels(labels)}).Size(); got != want {
			t.Errorf("%d labels: %d bytes, want %d", n, got, want)
		}
	}
}
