package verdict

import (
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestPolicies checks which words a verdict has for what the server reports about policies.
func TestPolicies(t *testing.T) {
	const message = "ValidatingAdmissionPolicy 'few' with binding 'test' denied request: failed expression: false"
	s := &tap.Source{From: "etcd", Head: 30, Rule: semantics.WriteRefused, Policies: []source.Verdict{
		{Policy: "label", Binding: "all", Did: source.Changed, Expression: "[]"},
		{Policy: "later", Did: "doubted"},
		{Policy: "few", Binding: "test", Did: source.Refused, Expression: "false"},
	}}
	v := Of(Facts{Exchange: made("POST", maps, 422, s, status("Invalid", message), tap.End)})
	if want := "failed expression: false. Nothing is stored."; v.Words != want {
		t.Errorf("%q, not %q", v.Words, want)
	}
	want := []Policy{
		{Did: "Changed by", Name: "label", Binding: "all", Expression: "[]"},
		{Did: "Refused by", Name: "few", Binding: "test", Expression: "false", Refused: true},
	}
	if !reflect.DeepEqual(v.Policies, want) {
		t.Errorf("%+v, not %+v", v.Policies, want)
	}
}
