package kubetest

import (
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for name, apply := range map[string]func(*Server){
		"file":      func(s *Server) { s.Apply(t, "testdata/shop.yaml") },
		"directory": func(s *Server) { s.Apply(t, "testdata") },
		"fs":        func(s *Server) { s.ApplyFS(t, files, "testdata/*") },
	} {
		s := New(t)
		apply(s)
		order := want(t, s.Client, 200, "GET", "/apis/example.com/v1/namespaces/shop/orders/first", "")
		if !strings.Contains(order, `"item":"tea"`) || !strings.Contains(order, `"manager":"kubetest"`) {
			t.Errorf("%s: %s", name, order)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%s: Apply counts as requests: %d", name, n)
		}
	}
	for _, wrong := range []func(t TB, s *Server){
		func(t TB, s *Server) { s.Apply(t, "testdata/none.yaml") },
		func(t TB, s *Server) { s.ApplyFS(t, files, "none/*") },
		func(t TB, s *Server) { s.ApplyText(t, "kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: {}") },
		func(t TB, s *Server) { s.ApplyText(t, "no: manifest") },
		func(t TB, s *Server) {
			s.ApplyText(t, "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: x}\nspec: {}")
		},
	} {
		f := &fake{}
		f.run(func() { wrong(f, New(f)) })
		if f.end(); len(f.fatal) != 1 || !strings.HasPrefix(f.fatal[0], "kubetest: ") {
			t.Errorf("%q", f.fatal)
		}
	}
}

// TestApplyWaits wants the types of definitions to be served as soon as these are applied.
func TestApplyWaits(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := New(t)
		s.ApplyText(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: orders, kind: Order}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`)
		want(t, s.Client, 200, "GET", "/apis/example.com/v1", "")
	}
}
