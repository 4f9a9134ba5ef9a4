package evaluator

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
)

// offeredTypes are types of objects and parameters.
func offeredTypes(t *testing.T) (object, params *expression.ObjectType) {
	return &expression.ObjectType{Name: "Deployment", Schema: tree(t, `{"type":"object","properties":{
			"kind":{"type":"string"},"apiVersion":{"type":"string"},
			"metadata":{"type":"object","properties":{"name":{"type":"string"},"generateName":{"type":"string"},
				"labels":{"type":"object","additionalProperties":{"type":"string"}}}},
			"spec":{"type":"object","properties":{"replicas":{"type":"integer"},"paused":{"type":"boolean"},
				"containers":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},
					"ports":{"type":"array","items":{"type":"integer"}}}}}}}}}`)},
		&expression.ObjectType{Name: "Limits", Schema: tree(t, `{"type":"object","properties":{"max":{"type":"integer"}}}`)}
}

func review(t *testing.T, r *expression.Review) *reviewed {
	t.Helper()
	text, err := tested.Review(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	made := &reviewed{}
	if err := json.Unmarshal(text, made); err != nil {
		t.Fatal(err)
	}
	return made
}

// reviewOf reviews a validation in which someone writes at the bar; it is taken out.
func reviewOf(t *testing.T, text string) *reviewed {
	t.Helper()
	at := strings.Index(text, "|>")
	text = strings.Replace(text, "|>", "", 1)
	u := unitOf(text)
	u.Patches = strings.Contains(text, "Object{") || strings.Contains(text, "JSONPatch{")
	u.Expressions[0].Returns = expression.Bool
	u.Variables = []expression.Variable{{Name: "names", Expression: "object.spec.containers.map(c, c.name)"}}
	typed := *u
	typed.ObjectType, typed.ParamsType = offeredTypes(t)
	return review(t, &expression.Review{Text: text, Offset: utf16Len(text[:max(at, 0)]), Unit: u, Typed: &typed,
		Warns: true})
}

func TestUnitReviewOffers(t *testing.T) {
	for _, c := range []struct{ text, before, want, not string }{
		{"|>", "", "object variable Deployment; params variable Limits; variables variable kubernetes.variables; " +
			"has macro; quantity function (string) -> kubernetes.Quantity; " +
			"authorizer variable kubernetes.authorization.Authorizer",
			"_+_; replicas; Object"},
		{"obj|> == null", "", "object variable Deployment", "replicas"},
		{"object.|>", "Deployment", "spec field Deployment.spec; metadata field Deployment.metadata; kind field string",
			"object"},
		{"object.spec.rep|>licas > 3", "Deployment.spec", "replicas field int", "max"},
		{"object.?spec.?|>", "optional_type(Deployment.spec)", "orValue method (Deployment.spec)", ""},
		{"'ä😀' != object.spec.|>", "Deployment.spec", "replicas field int", ""},
		{"object.metadata.labels.|>", "map(string, string)", "all macro", "name"},
		{"object.metadata.labels['a'].|>", "string",
			"startsWith method (string) -> bool; lowerAscii method () -> string", "all"},
		{"params.|> >= 2", "Limits", "max field int", ""},
		{"object.spec.containers.all(c, c.|>", "Deployment.spec.containers.@idx",
			"name field string; ports field list(int)", ""},
		{"object.spec.containers.all(c, c.ports.exists(p, |>))", "",
			"p variable int; c variable Deployment.spec.containers.@idx", ""},
		{"object.metadata.labels.all(k, v, v.|>)", "string", "startsWith method (string) -> bool", ""},
		{"variables.|>", "kubernetes.variables", "names field list(string)", ""},
		{"variables.names[0].|>", "string", "startsWith method (string) -> bool", ""},
		{"request.userInfo.|>", "kubernetes.UserInfo", "username field string; groups field list(string)", ""},
		{"authorizer.|>", "kubernetes.authorization.Authorizer",
			"requestResource variable kubernetes.authorization.ResourceCheck; group method (string)", ""},
		{"ip.|>", "", "isCanonical function (string) -> bool", ""},
		{"has(object.spec.|>)", "Deployment.spec", "replicas field int", ""},
		{"(object.spec).|>", "Deployment.spec", "replicas field int", ""},
		{"'object.|>'", "", "", "spec"},
		{"Object{spec: Object.spec{|>", "", "replicas field int; containers field list", "object"},
		{"[JSONPatch{op: 'add', |>", "", "path field string; value field dyn", "object"},
	} {
		r := reviewOf(t, c.text)
		var got []string
		names := map[string]bool{}
		for _, o := range r.Items {
			got = append(got, o.Name+" "+o.What+" "+o.Type)
			names[o.Name] = true
		}
		if r.Before != c.before {
			t.Errorf("%s: before it is %q", c.text, r.Before)
		}
		for _, want := range strings.Split(c.want, "; ") {
			if want != "" && !slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, want) }) {
				t.Errorf("%s: no %q is in %s", c.text, want, strings.Join(got, "; "))
			}
		}
		for _, not := range strings.Split(c.not, "; ") {
			if names[not] {
				t.Errorf("%s: %q is offered", c.text, not)
			}
		}
	}
	if r := reviewOf(t, "'ä😀' != object.spec.re|>"); r.From != 21 {
		t.Error("from", r.From)
	}
}

func TestUnitReviewProblems(t *testing.T) {
	for _, c := range []struct {
		text string
		want problem
	}{
		{"object.spec.replicas > ", problem{23, 23, "Syntax error", false}},
		{"object.spec.replicas +", problem{22, 22, "Syntax error", false}},
		{"object.spec.none > 3", problem{0, 16, "undefined field 'none'", true}},
		{"'ä😀' == '' && object.spec.replicas == 'a'", problem{15, 42, "found no matching overload for '_==_'", true}},
		{"objet.spec == 1", problem{0, 5, "undeclared reference to 'objet'", false}},
		{"object.spec.replicas + 1", problem{0, 24, "must evaluate to bool but got", false}},
	} {
		r := reviewOf(t, c.text)
		if len(r.Problems) == 0 {
			t.Errorf("%s: no problem", c.text)
			continue
		}
		got := r.Problems[0]
		if !strings.HasPrefix(got.Message, c.want.Message) || got.Start != c.want.Start || got.End != c.want.End ||
			got.Warning != c.want.Warning {
			t.Errorf("%s: %+v", c.text, got)
		}
	}
	r := reviewOf(t, "object.spec.repl|>icas > 2")
	if len(r.Problems) != 0 || r.Type != "bool" || r.Wants != "bool" || *r.Part != (stretch{0, 20, "", "int"}) {
		t.Errorf("%+v %+v", r, r.Part)
	}
}

func TestRulesReview(t *testing.T) {
	schema := tree(t, `{"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer"},
		"l":{"type":"array","items":{"type":"string"}}}}}}`)
	at := []string{"properties", "spec"}
	r := review(t, &expression.Review{Text: "self.", Offset: 5, Schema: schema, At: at})
	if r.Wants != "bool" || len(r.Problems) != 1 || len(r.Items) < 2 ||
		r.Items[0] != (offered{"l", isField, "list(string)"}) || r.Items[1] != (offered{"n", isField, "int"}) {
		t.Errorf("%+v", r)
	}
	r = review(t, &expression.Review{Text: "self.l[0].size() > oldSelf.n", Offset: 7, Schema: schema, At: at})
	if r.Type != "bool" || len(r.Problems) > 0 || *r.Part != (stretch{0, 9, "", "string"}) {
		t.Errorf("%+v %+v", r, r.Part)
	}
	r = review(t, &expression.Review{Text: "oldSelf.hasValue()", Schema: schema, At: at, Optional: true, Message: true})
	if r.Wants != "string" || len(r.Problems) != 1 ||
		r.Problems[0].Message != "messageExpression must evaluate to a string" {
		t.Errorf("%+v", r)
	}
}

// TestOffersNamesWhereTheyCanBe asks what can be written behind numbers, texts and brackets: nothing.
func TestOffersNamesWhereTheyCanBe(t *testing.T) {
	for text, want := range map[string]bool{"3": false, "1 < 0x1f": false, "2.5": false, "3u": false, `"a"`: false,
		`r'a'`: false, "f(1)": false, "[1]": false, "": true, "1 <": true, "3 ": true, "o": true, "(": true, "!": true} {
		if r := reviewOf(t, text+"|>"); len(r.Items) > 0 != want {
			t.Errorf("%q: %v", text, r.Items)
		}
	}
}
