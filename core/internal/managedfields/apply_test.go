package managedfields

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// session is a sequence of writes by several managers to one object.
type session struct {
	t    *testing.T
	r    *schema.Resource
	live map[string]any
	now  time.Time
}

func newSession(t *testing.T, r *schema.Resource) *session { return &session{t: t, r: r, now: noon} }

func (s *session) as(manager string) Write {
	w := Write{Resource: s.r, Manager: manager, Now: s.now}
	if name, sub, ok := strings.Cut(manager, "/"); ok {
		w.Manager, w.Subresource = name, sub
	}
	s.now = s.now.Add(time.Minute)
	return w
}

// put replaces the object; the entries stay unless text has some.
func (s *session) put(manager, text string) {
	s.t.Helper()
	obj := decode(s.t, s.r, s.whole(text))
	if meta := object.Meta(obj); meta["managedFields"] == nil && s.live != nil {
		meta["managedFields"] = entriesOf(s.live)
	}
	s.as(manager).Update(s.live, obj)
	s.live = obj
}

func (s *session) whole(text string) string {
	return `{"apiVersion":"` + s.r.APIVersion() + `","kind":"` + s.r.Kind + `",` + strings.TrimPrefix(text, "{")
}

// apply is not forced.
func (s *session) apply(manager, text string) {
	s.t.Helper()
	s.applied(manager, text, false)
}

func (s *session) force(manager, text string) {
	s.t.Helper()
	s.applied(manager, text, true)
}

func (s *session) applied(manager, text string, force bool) {
	s.t.Helper()
	obj, err := s.as(manager).Apply(s.live, decode(s.t, nil, s.whole(text)), force)
	if err != nil {
		s.t.Fatalf("%s applies %s, forced: %v: %v", manager, text, force, err)
	}
	s.live = obj
}

// refuse is an apply that fails, with the messages of all causes.
func (s *session) refuse(manager, text, want string) {
	s.t.Helper()
	before := encode(s.live)
	_, err := s.as(manager).Apply(s.live, decode(s.t, nil, s.whole(text)), false)
	got := "<nil>"
	if err != nil {
		got = err.Error()
	}
	if got != want {
		s.t.Errorf("%s applies %s:\n%s\nwant\n%s", manager, text, got, want)
	}
	if encode(s.live) != before {
		s.t.Error("a refused apply has changed the object")
	}
}

// is checks the object without its entries.
func (s *session) is(want string) {
	s.t.Helper()
	rest := object.DeepCopy(s.live)
	delete(object.Meta(rest), "managedFields")
	if got, want := encode(rest), encode(decode(s.t, s.r, s.whole(want))); got != want {
		s.t.Errorf("the object is\n%s\nwant\n%s", got, want)
	}
}

// owned checks all entries: "manager operation[/subresource] fields".
func (s *session) owned(want ...string) {
	s.t.Helper()
	owned(s.t, s.live, want...)
}

func owned(t *testing.T, obj map[string]any, want ...string) {
	t.Helper()
	got := entryTexts(obj)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("owned is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// entryTexts returns the entries as owned has them.
func entryTexts(obj map[string]any) []string {
	var out []string
	for _, e := range entriesOf(obj) {
		entry := e.(map[string]any)
		row := entry["manager"].(string) + " " + entry["operation"].(string)
		if sub, ok := entry["subresource"].(string); ok {
			row += "/" + sub
		}
		out = append(out, row+" "+encode(entry["fieldsV1"]))
	}
	return out
}

func TestUpdatesOwnWhatTheyChange(t *testing.T) {
	s := newSession(t, configMaps)
	s.put("a", `{"metadata":{"name":"x","labels":{"l":"1"}},"data":{"k":"1","o":"1"}}`)
	s.owned(`a Update {"f:data":{".":{},"f:k":{},"f:o":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}}`)
	s.put("b", `{"metadata":{"name":"x","labels":{"l":"1"}},"data":{"k":"2","o":"1"}}`)
	s.owned(`a Update {"f:data":{".":{},"f:o":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}}`,
		`b Update {"f:data":{"f:k":{}}}`)
	before := encode(s.live)
	s.put("c", `{"metadata":{"name":"x","labels":{"l":"1"}},"data":{"k":"2","o":"1"}}`)
	if encode(s.live) != before {
		t.Error("an update that changes nothing changed the entries")
	}
	s.put("a", `{"metadata":{"name":"x"},"data":{"k":"2","n":"1"}}`)
	s.owned(`b Update {"f:data":{"f:k":{}}}`, `a Update {"f:data":{".":{},"f:n":{}}}`)
	s.put("", `{"metadata":{"name":"x"}}`)
	s.owned()
	s.put("a", `{"metadata":{"name":"x"},"data":{"k":"2"}}`)
	s.owned() // an object without entries has no owners until it is applied to
}

func TestNobodyOwnsIdentity(t *testing.T) {
	s := newSession(t, configMaps)
	s.put("a", `{"metadata":{"name":"x","namespace":"n","uid":"u","resourceVersion":"7","generation":2,`+
		`"creationTimestamp":"2026-01-01T00:00:00Z","generateName":"g","finalizers":["f"]}}`)
	s.owned(`a Update {"f:metadata":{"f:finalizers":{".":{},"v:\"f\"":{}},"f:generateName":{}}}`)
	if got := entriesOf(s.live)[0].(map[string]any)["time"]; got != "2026-01-01T12:00:00Z" {
		t.Error("time", got)
	}
	s = newSession(t, configMaps)
	s.put("", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.owned(`unknown Update {"f:data":{".":{},"f:k":{}}}`)
}

func TestApply(t *testing.T) {
	s := newSession(t, configMaps)
	s.apply("a", `{"metadata":{"name":"x"},"data":{"k":"1","o":"1"}}`)
	s.owned(`a Apply {"f:data":{"f:k":{},"f:o":{}}}`)
	s.apply("b", `{"metadata":{"name":"x"},"data":{"k":"1","n":"1"}}`)
	s.owned(`a Apply {"f:data":{"f:k":{},"f:o":{}}}`, `b Apply {"f:data":{"f:k":{},"f:n":{}}}`)

	conflict := "Apply failed with 1 conflict: conflict with \"a\": .data.k"
	s.refuse("b", `{"metadata":{"name":"x"},"data":{"k":"2"}}`, conflict)
	s.refuse("c", `{"metadata":{"name":"x"},"data":{"k":"2","n":"2","o":"2"}}`,
		"Apply failed with 4 conflicts: conflicts with \"a\":\n"+
			"- .data.k\n- .data.o\nconflicts with \"b\":\n- .data.k\n- .data.n")

	s.force("c", `{"metadata":{"name":"x"},"data":{"k":"2"}}`)
	s.is(`{"metadata":{"name":"x"},"data":{"k":"2","n":"1","o":"1"}}`)
	s.owned(`a Apply {"f:data":{"f:o":{}}}`, `b Apply {"f:data":{"f:n":{}}}`, `c Apply {"f:data":{"f:k":{}}}`)

	s.apply("a", `{"metadata":{"name":"x"},"data":{"k":"2"}}`) // shared, and o is removed
	s.is(`{"metadata":{"name":"x"},"data":{"k":"2","n":"1"}}`)
	s.apply("c", `{"metadata":{"name":"x"}}`) // given up, but a owns it too
	s.is(`{"metadata":{"name":"x"},"data":{"k":"2","n":"1"}}`)
	s.owned(`b Apply {"f:data":{"f:n":{}}}`, `a Apply {"f:data":{"f:k":{}}}`)
	s.apply("a", `{"metadata":{"name":"x"}}`)
	s.is(`{"metadata":{"name":"x"},"data":{"n":"1"}}`)
	s.apply("b", `{"metadata":{"name":"x"}}`)
	s.is(`{"metadata":{"name":"x"}}`)
	s.owned()
}

func TestApplyOfWhatUpdatesOwn(t *testing.T) {
	s := newSession(t, configMaps)
	s.put("u", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.refuse("a", `{"metadata":{"name":"x"},"data":{"k":"2"}}`,
		`Apply failed with 1 conflict: conflict with "u" using v1: .data.k`)
	s.apply("a", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.owned(`a Apply {"f:data":{"f:k":{}}}`, `u Update {"f:data":{".":{},"f:k":{}}}`)
	s.apply("a", `{"metadata":{"name":"x"}}`) // u keeps it
	s.is(`{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.put("a", `{"metadata":{"name":"x"},"data":{"k":"3"}}`) // another entry than that of its applies
	s.apply("a", `{"metadata":{"name":"x","labels":{"l":"1"}}}`)
	s.owned(`a Apply {"f:metadata":{"f:labels":{"f:l":{}}}}`, `u Update {"f:data":{}}`, `a Update {"f:data":{"f:k":{}}}`)
}

func TestConflictsNameSubresources(t *testing.T) {
	s := newSession(t, pods)
	s.put("u", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	s.put("u/status", `{"metadata":{"name":"x","labels":{"l":"1"}},"spec":{"containers":[{"name":"c","image":"i"}]},`+
		`"status":{"phase":"Running"}}`)
	s.owned(`u Update {"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},`+
		`"f:resources":{}}}}}`,
		`u Update/status {"f:metadata":{"f:labels":{".":{},"f:l":{}}},"f:status":{"f:phase":{}}}`)
	s.refuse("a", `{"metadata":{"name":"x","labels":{"l":"2"}},"spec":{"containers":[{"name":"c","image":"j"}]}}`,
		"Apply failed with 2 conflicts: conflicts with \"u\" with subresource \"status\" using v1:\n- .metadata.labels.l\n"+
			"conflicts with \"u\" using v1:\n- .spec.containers[name=\"c\"].image")
	_, err := s.as("a").Apply(s.live, decode(t, nil, s.whole(`{"metadata":{"name":"x","labels":{"l":"2"}}}`)), false)
	var e *status.Error
	if !errors.As(err, &e) || e.Status.Code != 409 || e.Status.Reason != "Conflict" || encode(e.Status.Details.Causes) !=
		`[{"reason":"FieldManagerConflict","message":"conflict with \"u\" with subresource \"status\" using `+
			`v1","field":".metadata.labels.l"}]` {
		t.Errorf("%+v", err)
	}
}

func TestListsOfItemsWithKeys(t *testing.T) {
	s := newSession(t, pods)
	s.apply("a", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80}]},`+
		`{"name":"d","command":["x"]}]}}`)
	s.owned(`a Apply {"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{},` +
		`"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}},` +
		`"k:{\"name\":\"d\"}":{".":{},"f:command":{},"f:name":{}}}}}`)
	// Another port with the same number is another item; that with the default's protocol is the same.
	s.apply("b", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,`+
		`"protocol":"UDP"},{"containerPort":80,"protocol":"TCP","name":"http"}]}]}}`)
	s.is(`{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"UDP"},` +
		`{"containerPort":80,"protocol":"TCP","name":"http"}]},{"name":"d","command":["x"]}]}}`)
	s.refuse("b", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"d","command":["x","y"]}]}}`,
		`Apply failed with 1 conflict: conflict with "a": .spec.containers[name="d"].command`)
	s.apply("a", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c"}]}}`) // d is removed, b's ports stay
	s.is(`{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"UDP"},` +
		`{"containerPort":80,"protocol":"TCP","name":"http"}]}]}}`)
	s.refuse("a", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c"},{"name":"c"}]}}`,
		`failed to create typed patch object (/x; /v1, Kind=Pod): .spec.containers: duplicate entries for key [name="c"]`)
}

func TestSetsAndAtomicLists(t *testing.T) {
	s := newSession(t, configMaps)
	s.apply("a", `{"metadata":{"name":"x","finalizers":["f/1","f/2"]}}`)
	s.apply("b", `{"metadata":{"name":"x","finalizers":["f/2","f/3"]}}`)
	s.apply("a", `{"metadata":{"name":"x","finalizers":["f/1"]}}`)
	s.is(`{"metadata":{"name":"x","finalizers":["f/1","f/2","f/3"]}}`)
	s.apply("b", `{"metadata":{"name":"x","finalizers":["f/3"]}}`)
	s.is(`{"metadata":{"name":"x","finalizers":["f/1","f/3"]}}`)
	s.owned(`a Apply {"f:metadata":{"f:finalizers":{"v:\"f/1\"":{}}}}`,
		`b Apply {"f:metadata":{"f:finalizers":{"v:\"f/3\"":{}}}}`)

	s = newSession(t, services) // the selector is owned as a whole
	s.apply("a", `{"metadata":{"name":"x"},"spec":{"selector":{"k":"1"}}}`)
	s.owned(`a Apply {"f:spec":{"f:selector":{}}}`)
	s.refuse("b", `{"metadata":{"name":"x"},"spec":{"selector":{"l":"1"}}}`,
		`Apply failed with 1 conflict: conflict with "a": .spec.selector`)
	s.force("b", `{"metadata":{"name":"x"},"spec":{"selector":{"l":"1"}}}`)
	s.is(`{"metadata":{"name":"x"},"spec":{"selector":{"l":"1"}}}`)
	s.owned(`b Apply {"f:spec":{"f:selector":{}}}`)
}

func TestNullInMap(t *testing.T) {
	s := newSession(t, configMaps)
	s.put("u", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.apply("a", `{"metadata":{"name":"x"},"data":{"k":"1","n":null}}`)
	s.is(`{"metadata":{"name":"x"},"data":{"k":"1","n":""}}`)
	s.owned(`a Apply {"f:data":{"f:k":{},"f:n":{}}}`, `u Update {"f:data":{".":{},"f:k":{}}}`)
}

func TestBeforeFirstApply(t *testing.T) {
	s := newSession(t, configMaps)
	s.live = decode(t, configMaps, s.whole(`{"metadata":{"name":"x","uid":"u"},"data":{"k":"1"}}`))
	s.refuse("a", `{"metadata":{"name":"x"},"data":{"k":"2"}}`,
		`Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k`)
	s.apply("a", `{"metadata":{"name":"x"},"data":{"n":"1"}}`)
	s.owned(`a Apply {"f:data":{"f:n":{}}}`, `before-first-apply Update {"f:data":{".":{},"f:k":{}}}`)
}

func TestRefusedConfigurations(t *testing.T) {
	s := newSession(t, configMaps)
	s.put("u", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.refuse("a", `{"metadata":{"name":"x","managedFields":[]}}`, "metadata.managedFields must be nil")
	s.refuse("a", `{"metadata":{"name":"x"},"dat":{}}`,
		"failed to create typed patch object (/x; /v1, Kind=ConfigMap): .dat: field not declared in schema")
	s.refuse("a", `{"metadata":{"name":"x"},"data":[]}`,
		"failed to create typed patch object (/x; /v1, Kind=ConfigMap): .data: expected map, got &{[]}")
	s.refuse("a", `{"metadata":{"name":"x"},"binaryData":{"k":"?"}}`,
		"failed to convert new object (/x; /v1, Kind=ConfigMap) to proper version: "+
			"unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at "+
			"input byte 0")
	_, err := s.as("a").Apply(s.live, decode(t, nil, `{"apiVersion":"apps/v1","kind":"Deployment"}`), false)
	if err == nil || err.Error() != "invalid object type: apps/v1, Kind=Deployment" {
		t.Error(err)
	}
	object.Meta(s.live)["managedFields"] = []any{map[string]any{"manager": "z"}}
	s.refuse("a", `{"metadata":{"name":"x"}}`, "failed to decode managed fields: operation must be `Apply` or `Update`")
}

// The annotation of kubectl's client-side apply lets its server-side apply take over.
func TestKubectlTakesOverFromItself(t *testing.T) {
	last := `{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"},\"data\":{\"k\":\"1\",` +
		`\"o\":\"1\"}}`
	text := `{"metadata":{"name":"x","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"` + last +
		`"}},"data":{"k":"1","o":"2"}}`
	s := newSession(t, configMaps)
	s.put("kubectl-client-side-apply", text)
	conflict := `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.`
	s.refuse("a", `{"metadata":{"name":"x"},"data":{"k":"9"}}`, conflict+"k")
	s.refuse("kubectl", `{"metadata":{"name":"x"},"data":{"k":"9","o":"9"}}`, conflict+"o") // it has another value by now
	s.apply("kubectl", `{"metadata":{"name":"x"},"data":{"k":"9"}}`)
	annotations := object.GetMap(s.live, "metadata", "annotations")
	if got := annotations[lastAppliedAnnotation]; got != `{"apiVersion":"v1","data":{"k":"9"},"kind":"ConfigMap",`+
		`"metadata":{"name":"x"}}`+"\n" {
		t.Errorf("the annotation is %q", got)
	}
	s.owned(`kubectl Apply {"f:data":{"f:k":{}}}`,
		`kubectl-client-side-apply Update {"f:data":{".":{},"f:o":{}},"f:metadata":{"f:annotations":{".":{},`+
			`"f:kubectl.kubernetes.io/last-applied-configuration":{}}}}`)

	big := newSession(t, configMaps)
	big.put("c", text)
	big.apply("kubectl", `{"metadata":{"name":"x"},"data":{"b":"`+strings.Repeat("x", 256<<10)+`"}}`)
	if _, there := object.GetMap(big.live, "metadata", "annotations")[lastAppliedAnnotation]; there {
		t.Error("an annotation that has no room is there")
	}
	for _, last := range []string{"no JSON", `{\"apiVersion\":\"v2\",\"kind\":\"ConfigMap\"}`,
		`{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"k\":\"1\"}}`,
		`{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"dat\":1}`} {
		s := newSession(t, configMaps)
		s.put("kubectl-client-side-apply",
			`{"metadata":{"name":"x","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"`+last+
				`"}},"data":{"k":"1"}}`)
		s.refuse("kubectl", `{"metadata":{"name":"x"},"data":{"k":"9"}}`, conflict+"k")
	}
}

func TestObjectsWithoutAType(t *testing.T) {
	s := newSession(t, widgets)
	s.apply("a", `{"metadata":{"name":"x"},"spec":{"list":[{"n":1}],"map":{"k":1}}}`)
	s.owned(`a Apply {"f:spec":{".":{},"f:list":{},"f:map":{".":{},"f:k":{}}}}`)
	if _, raw := entriesOf(s.live)[0].(map[string]any)["fieldsV1"].(object.RawJSON); raw {
		t.Error("an object without a type has text in it")
	}
	s.refuse("b", `{"metadata":{"name":"x"},"spec":{"list":[{"n":2}],"map":{"l":1}}}`,
		`Apply failed with 1 conflict: conflict with "a": .spec.list`)
	s.put("b/status", `{"metadata":{"name":"x","labels":{"l":"1"}},"spec":{"list":[{"n":1}],"map":{"k":2}},`+
		`"status":{"ok":true}}`)
	s.owned(`a Apply {"f:spec":{".":{},"f:list":{},"f:map":{".":{},"f:k":{}}}}`,
		`b Update/status {"f:status":{".":{},"f:ok":{}}}`)
}
