package text

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

const managedFields = `[
 {"manager":"me","operation":"Apply","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{
  "f:metadata":{"f:labels":{"f:app":{}},"f:finalizers":{".":{},"v:\"keep\"":{}}},
  "f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:spec":{"f:containers":{
   "k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{
    "k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}}},
 {"manager":"kubectl-edit","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{
  "f:metadata":{"f:labels":{".":{},"f:app":{},"f:tier":{}}},"f:spec":{"f:selector":{}},"f:args":{"i:0":{}}}},
 {"manager":"me","operation":"Update","subresource":"status","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{
  "f:status":{"f:odd\"key":{}}}}]`

// A path is field names, and entries as their place and text: 0={"name":"web"}.
func TestOwners(t *testing.T) {
	const me, edit, status = "me (Apply)", "kubectl-edit (Update)", "me (Update, status)"
	const containers = "spec template spec containers"
	for path, want := range map[string]string{
		"metadata":                      "",
		"metadata labels":               edit,
		"metadata labels app":           edit + "; " + me,
		"metadata labels tier":          edit,
		"metadata labels other":         "",
		"metadata finalizers":           me,
		`metadata finalizers 0="keep"]`: me,
		`metadata finalizers 0="x"]`:    "",
		"spec":                          "",
		"spec replicas":                 me,
		"spec selector":                 edit + "; " + me,
		"spec selector matchLabels app": edit + "; " + me, // all of it
		containers:                      "",
		containers + ` 3={"image":"i","name":"web"},{}]`:                                                   me,
		containers + ` 0={"name":"web"} image`:                                                             me,
		containers + ` 0={"name":"web"} command`:                                                           "",
		containers + ` 0={"name":"other"} image`:                                                           "",
		containers + ` 0={"name":"web"} ports 0={"protocol":"TCP","containerPort":80,"x":1} containerPort`: me,
		containers + ` 0={"name":"web"} ports 0={"protocol":"UDP","containerPort":80} containerPort`:       "",
		`args 0="a"`:       edit,
		`args 1="a"`:       "",
		`status odd"key`:   status,
		`nowhere at all`:   "",
		`spec replicas 0=`: me,
	} {
		o := Owners(managedFields)
		for _, step := range strings.Fields(path) {
			if n, value, isItem := strings.Cut(step, "="); isItem {
				o = o.Item(int(n[0]-'0'), value)
			} else {
				o = o.Field(step)
			}
		}
		if got := o.By(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for _, bad := range []string{"", "{}", "[", `[{"fieldsV1":3}]`} {
		if got := Owners(bad).Field("spec").By(); got != "" {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

var managedPod = `{"kind":"Pod","metadata":{"name":"p","labels":{"app":"x"},"managedFields":` +
	strings.ReplaceAll(managedFields, "\n", "") +
	`,"finalizers":["keep","x"]},"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"web","image":"i",` +
	`"tty":true}]}}}}`

// Lines know who owns them, in either layout, and in an event too.
func TestLinesHaveOwners(t *testing.T) {
	const me, edit = "me (Apply)", "kubectl-edit (Update)"
	want := map[string]map[string]string{
		"JSON": {`"labels": {`: edit, `"app": "x"`: edit + "; " + me, `"finalizers": [`: me, `"keep",`: me,
			`"replicas": 2,`: me, `"name": "web",`: me, `"image": "i",`: me},
		"YAML": {`labels:`: edit, `app: x`: edit + "; " + me, `finalizers:`: me, `- keep`: me, `replicas: 2`: me,
			`- name: web`: me, `image: i`: me},
	}
	for name, layout := range map[string]func(string) ([]Line, bool){"JSON": JSON, "YAML": YAML} {
		for _, src := range []string{managedPod, `{"type":"ADDED","object":` + managedPod + `}`} {
			lines, ok := layout(src)
			got := map[string]string{}
			for _, l := range Fold(lines, false) {
				if l.Owners != "" {
					got[strings.TrimSpace(l.String())] = l.Owners
				}
			}
			if !ok || !maps.Equal(got, want[name]) {
				t.Errorf("%s:\ngot  %v\nwant %v", name, got, want[name])
			}
		}
		list := `{"kind":"PodList","metadata":{},"items":[` + managedPod + `]}`
		lines, _ := layout(list)
		for _, l := range lines {
			if l.Owners != "" {
				t.Errorf("%s: %q in a list is of %s", name, l, l.Owners)
			}
		}
	}
}

func TestFold(t *testing.T) {
	const list = `{"items":[{"metadata":{"managedFields":[{"manager":"a"},{"manager":"b"},{"manager":"a"}]}},` +
		`{"metadata":{"managedFields":[{"manager":"a"}],"name":"n"}},{"metadata":{"managedFields":[]}}]}`
	for _, c := range []struct {
		layout func(string) ([]Line, bool)
		want   string
	}{
		{JSON, `{ "items": [ { "metadata": { "managedFields": 2 managers: a, b } }, { "metadata": { "managedFields": 1 ` +
			`manager: a, "name": "n" } }, { "metadata": { "managedFields": [] } } ] }`},
		{YAML, `items: - metadata: managedFields: 2 managers: a, b - metadata: managedFields: 1 manager: a name: "n" - ` +
			`metadata: managedFields: []`},
	} {
		lines, _ := c.layout(list)
		if got := strings.Join(strings.Fields(Join(Fold(lines, false))), " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if open := Fold(lines, true); len(open) != len(lines) || strings.Contains(fmt.Sprint(Strings(lines)), "managers:") {
			t.Errorf("%d lines of %d when unfolded, and the layout says %v", len(open), len(lines), Strings(lines))
		}
		if got := Join(Unmanaged(lines)); strings.Contains(got, "manager:") || !strings.Contains(got, "n") {
			t.Errorf("not left out: %s", got)
		}
		var b strings.Builder
		HTML(&b, Fold(lines, true)[:5], "pods")
		if !strings.Contains(b.String(), `data-action="fold" aria-expanded="true">2 managers: a, b</button>`) {
			t.Errorf("no way to fold in %s", b.String())
		}
	}
}
