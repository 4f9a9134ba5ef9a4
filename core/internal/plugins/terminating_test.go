package plugins_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestNothingNewOfADefinitionThatGoes(t *testing.T) {
	widgets := func(going bool) *schema.Resource {
		r := &schema.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget",
			Custom: &schema.Custom{Terminating: new(atomic.Bool)}}
		r.Custom.Terminating.Store(going)
		return r
	}
	const refused = "is forbidden: create not allowed while custom resource definition is terminating"
	for _, c := range []struct {
		resource        *schema.Resource
		operation, name string
		want            string
	}{
		{widgets(true), admission.Create, "w", `widgets.example.com "w" ` + refused},
		{widgets(true), admission.Create, "", `widgets.example.com ` + refused},
		{widgets(true), admission.Update, "w", ""},
		{widgets(true), admission.Delete, "w", ""},
		{widgets(false), admission.Create, "w", ""},
		{schema.Builtin().Resource("", "v1", "pods"), admission.Create, "p", ""},
	} {
		message := ""
		a := &admission.Attributes{Resource: c.resource, Operation: c.operation, Name: c.name}
		if err := (plugins.Terminating{}).Precheck(context.Background(), a); err != nil {
			message = err.Error()
		}
		if message != c.want {
			t.Errorf("%s of %s: %q, want %q", c.operation, c.resource.Plural, message, c.want)
		}
	}
}
