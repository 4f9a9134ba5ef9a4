package stage

import (
	"strings"
	"testing"
	"text/template"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// head is what every Stage for Pods begins with.
const head = "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: s}\n"

func parseText(text string, funcs template.FuncMap) (*Stage, error) {
	all, err := Read([]byte(head + text))
	if err != nil {
		return nil, err
	}
	return Parse(all[0], funcs)
}

func TestRefused(t *testing.T) {
	for _, c := range [][2]string{
		{`spec: {selector: {}}`, `resourceRef.kind is missing`},
		{`weight: -1}`, `weight is negative`},
		{`delay: {durationMilliseconds: -1}}`, `delay is negative`},
		{`selector: {matchExpressions: [{key: ., operator: Near}]}}`,
			`operator "Near" of "." is not one of In, NotIn, Exists, DoesNotExist`},
		{`selector: {matchExpressions: [{key: ., operator: In}]}}`, `operator In of "." needs values`},
		{`selector: {matchExpressions: [{key: ., operator: Exists, values: [a]}]}}`,
			`operator Exists of "." takes no values`},
		{`selector: {matchExpressions: [{key: "[", operator: Exists}]}}`, `expression "[": unexpected EOF`},
		{`selector: {matchExpressions: [{cel: {expression: "true"}}]}}`, `cel: only jq is understood here`},
		{`weightFrom: {cel: {expression: "1"}}}`, `cel: only jq is understood here`},
		{`steps: [{apply: {template: x}}]}`, `step 0: apply: other objects cannot be applied here`},
		{`next: {patches: [{type: xml}]}}`, `step 0: patch type "xml" is not one of json, merge, strategic`},
		{`next: {patches: [{impersonation: {username: u}}]}}`, `step 0: impersonation is not possible here`},
		{`next: {statusTemplate: "{{ Nothing }}"}}`, `step 0: template: template:1: function "Nothing" not defined`},
	} {
		text := c[0]
		if !strings.HasPrefix(text, "spec") {
			text = "spec: {resourceRef: {kind: Pod}, " + text
		}
		if _, err := parseText(text, nil); err == nil || err.Error() != "Stage s: "+c[1] {
			t.Errorf("%s: %v, want %s", text, err, c[1])
		}
	}
	if _, err := Read([]byte(`{"apiVersion":"v1","kind":"Pod"}`)); err == nil {
		t.Error("a Pod was read as a Stage")
	}
	if s, err := parseText(`spec: {resourceRef: {kind: Pod}}`, nil); s != nil || err != nil {
		t.Errorf("without a selector: %v, %v", s, err)
	}
}

// TestBounds wants expressions and templates that do not end to be errors.
func TestBounds(t *testing.T) {
	for _, key := range []string{"def f: f; f", "[range(1000000000)]", "repeat(1)", `last(range(1000000000))`} {
		s, err := parseText(`spec: {resourceRef: {kind: Pod}, selector: {matchExpressions: [{key: "`+key+
			`", operator: Exists}]}}`, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Matches(map[string]any{}); err == nil || !strings.Contains(err.Error(), "takes too long") {
			t.Errorf("%s: %v", key, err)
		}
	}
	s, err := parseText(`spec: {resourceRef: {kind: Pod}, selector: {},
  next: {statusTemplate: "{{ range 1000000000 }}xxxxxxxx{{ end }}"}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Play(nil, types.MergePatchType); err == nil || !strings.Contains(err.Error(), "writes more than") {
		t.Errorf("a template without an end: %v", err)
	}
}

func TestDelay(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	object := map[string]any{"a": "2s", "later": "2026-01-01T00:00:05Z", "empty": "", "n": 3}
	for text, want := range map[string][3]any{
		`{}`:                           {0 * time.Second, 0 * time.Second, true},
		`{durationMilliseconds: 1500}`: {1500 * time.Millisecond, 1500 * time.Millisecond, true},
		`{durationMilliseconds: 1000, jitterDurationMilliseconds: 3000}`:       {time.Second, 3 * time.Second, true},
		`{durationMilliseconds: 4000, jitterDurationMilliseconds: 3000}`:       {3 * time.Second, 3 * time.Second, true},
		`{durationFrom: {expressionFrom: .a}}`:                                 {2 * time.Second, 2 * time.Second, true},
		`{durationFrom: {jq: {expression: .a}}}`:                               {2 * time.Second, 2 * time.Second, true},
		`{durationFrom: {expressionFrom: .later}}`:                             {5 * time.Second, 5 * time.Second, true},
		`{durationMilliseconds: 1000, durationFrom: {expressionFrom: .none}}`:  {time.Second, time.Second, true},
		`{durationMilliseconds: 1000, durationFrom: {expressionFrom: .n}}`:     {time.Second, time.Second, true},
		`{durationMilliseconds: 1000, durationFrom: {expressionFrom: .empty}}`: {0 * time.Second, 0 * time.Second, false},
	} {
		s, err := parseText(`spec: {resourceRef: {kind: Pod}, selector: {}, delay: `+text+`}`, nil)
		if err != nil {
			t.Fatal(err)
		}
		low, high, delayed, err := s.Delay(object, now)
		if err != nil || low != want[0] || high != want[1] || delayed != want[2] {
			t.Errorf("%s: %v to %v, %v, %v, want %v", text, low, high, delayed, err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	stages := func(weights ...string) (all []*Stage) {
		for i, w := range weights {
			s, err := parseText(`spec: {resourceRef: {kind: Pod}, selector: {}, `+w+`}`, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.Name = string(rune('a' + i))
			all = append(all, s)
		}
		return all
	}
	for _, c := range []struct {
		weights []string
		want    string // the Stage for each random number below the total
	}{
		{[]string{"weight: 1"}, "a"},
		{[]string{"weight: 1", "weight: 2"}, "abb"},
		{[]string{"weight: 0", "weight: 0"}, "ab"},
		{[]string{"weight: 0", "weight: 2"}, "bb"},
		{[]string{"weight: 5, weightFrom: {expressionFrom: .w}", "weight: 1"}, "aab"},
		{[]string{"weight: 5, weightFrom: {expressionFrom: .bad}", "weight: 0"}, "b"},
		{[]string{"weightFrom: {expressionFrom: .bad}", "weightFrom: {expressionFrom: .bad}"}, "ab"},
	} {
		object := map[string]any{"w": "2", "bad": "x"}
		got := ""
		for i := range c.want {
			s, err := Choose(stages(c.weights...), object, func(n int64) int64 {
				if n != int64(len(c.want)) {
					t.Errorf("%v: of %d, want %d", c.weights, n, len(c.want))
				}
				return int64(i)
			})
			if err != nil || s == nil {
				t.Fatal(s, err)
			}
			got += s.Name
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.weights, got, c.want)
		}
	}
}

func TestFinalizers(t *testing.T) {
	names := func(all ...string) (list []Finalizer) {
		for _, n := range all {
			list = append(list, Finalizer{n})
		}
		return list
	}
	const whole = "/metadata/finalizers"
	for _, c := range []struct {
		has  []string
		f    Finalizers
		want string
	}{
		{nil, Finalizers{Add: names("a")}, `[{"op":"add","path":"` + whole + `","value":["a"]}]`},
		{[]string{"a"}, Finalizers{Add: names("a", "b")}, `[{"op":"add","path":"` + whole + `/-","value":"b"}]`},
		{[]string{"a", "b", "c"}, Finalizers{Remove: names("a", "c")},
			`[{"op":"remove","path":"` + whole + `/2"},{"op":"remove","path":"` + whole + `/0"}]`},
		{[]string{"a"}, Finalizers{Remove: names("a")}, `[{"op":"remove","path":"` + whole + `"}]`},
		{nil, Finalizers{Empty: true}, ``},
		{[]string{"a"}, Finalizers{Empty: true, Add: names("a")},
			`[{"op":"remove","path":"` + whole + `"},{"op":"add","path":"` + whole + `","value":["a"]}]`},
	} {
		if got := string(c.f.patch(c.has)); got != c.want {
			t.Errorf("%v %v: %s, want %s", c.has, c.f, got, c.want)
		}
	}
}

func TestPatches(t *testing.T) {
	s, err := parseText(`
spec:
  resourceRef: {kind: Pod}
  selector: {}
  steps:
  - event: {type: Normal, reason: R, message: m}
  - patch: {template: "metadata: {labels: {a: {{ .x | Quote }}}}"}
  - patch: {type: json, root: status, template: '[{op: add, path: /phase, value: {{ add .n 2 }}}]'}
  - patch: {type: merge, subresource: status, root: status, template: "{{ YAML (dict \"b\" (list 1 2)) }}"}
  - delete: true
  - patch: {template: never}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	actions, err := s.Play(map[string]any{"x": "y", "n": 1}, types.StrategicMergePatchType)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range actions {
		switch {
		case a.Event != nil:
			got = append(got, "event "+a.Event.Reason)
		case a.Delete:
			got = append(got, "delete")
		default:
			got = append(got, string(a.Patch.Type)+" "+a.Patch.Subresource+" "+string(a.Patch.Data))
		}
	}
	want := `event R
application/strategic-merge-patch+json  {"metadata":{"labels":{"a":"y"}}}
application/json-patch+json  [{"op":"add","path":"/status/phase","value":3}]
application/merge-patch+json status {"status":{"b":[1,2]}}
delete`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// FuzzStage wants no text to be more than an error.
func FuzzStage(f *testing.F) {
	const pods = head + "spec: {resourceRef: {kind: Pod}, "
	f.Add(pods+"selector: {matchExpressions: [{key: '.a[]', operator: In, values: [b]}]}}", `{"a":["b"]}`)
	f.Add(pods+"selector: {}, delay: {durationFrom: {expressionFrom: .a}}, weightFrom: {expressionFrom: .b}}",
		`{"a":"1s","b":"0x10"}`)
	f.Add(pods+"selector: {}, next: {finalizers: {remove: [{value: a}], add: [{value: b}]}}}",
		`{"metadata":{"finalizers":["a"]}}`)
	f.Fuzz(func(t *testing.T, text, object string) {
		if strings.Contains(text, "{{") {
			return // templates may loop without writing anything, as those of kwok may
		}
		all, err := Read([]byte(text))
		if err != nil {
			return
		}
		tree, err := Decode([]byte(object))
		if err != nil {
			return
		}
		for _, o := range all {
			s, err := Parse(o, nil)
			if s == nil || err != nil {
				continue
			}
			if _, err := Choose([]*Stage{s, s}, tree, func(n int64) int64 { return n - 1 }); err != nil {
				continue
			}
			low, high, _, _ := s.Delay(tree, time.Unix(0, 0))
			if low > high {
				t.Errorf("from %v to %v", low, high)
			}
			_, _ = s.Play(tree, types.MergePatchType)
		}
	})
}
