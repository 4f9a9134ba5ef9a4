package admission

import "testing"

func TestMatchConditions(t *testing.T) {
	hook := map[string]any{"matchConditions": []any{
		map[string]any{"name": "a", "expression": "object.a == params.b"},
		map[string]any{"name": "a", "expression": "request.name == authorizer"},
		map[string]any{},
	}}
	errs := validateMatchConditions(hook, "webhooks[0]")
	const want = "[webhooks[0].matchConditions[0].expression: Invalid value: \"object.a == params.b\": " +
		"compilation failed: ERROR: <input>:1:13: undeclared reference to 'params' (in container '')\n" +
		" | object.a == params.b\n" +
		" | ............^, webhooks[0].matchConditions[1].name: Duplicate value: \"a\", " +
		"webhooks[0].matchConditions[2].expression: Required value, webhooks[0].matchConditions[2].name: Required value]"
	if got := errs.Message(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
