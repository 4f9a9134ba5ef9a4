package kinds_test

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func BenchmarkCreate(b *testing.B) {
	for _, c := range []struct{ group, version, resource, body string }{
		{"", "v1", "configmaps", `{"metadata":{"name":"a","namespace":"n","labels":{"app":"x"}},"data":{"k":"v"}}`},
		{"", "v1", "pods",
			`{"metadata":{"name":"a","namespace":"n","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"nginx:1",
				"ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"500m"}}}]}}`},
	} {
		b.Run(c.resource, func(b *testing.B) {
			res := schema.Builtin().Resource(c.group, c.version, c.resource)
			obj, _, err := object.Decode([]byte(c.body), res.Type())
			if err != nil {
				b.Fatal(err)
			}
			ctx := &strategy.Context{Now: time.Now, NewUID: func() string { return "u" }}
			strat := kinds.For(c.group, res.Kind)
			write := newWrite(admission.Create, res, obj, nil)
			b.ReportAllocs()
			for b.Loop() {
				if errs := createAs(strat, ctx, write); len(errs) > 0 {
					b.Fatal(errs.Message())
				}
			}
		})
	}
}
