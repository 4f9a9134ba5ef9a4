package managedfields

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const labelled = `{"manager":"z","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",` +
	`"fieldsV1":{"f:data":{"f:k":{}}}}`

func TestEntriesThatClientsSend(t *testing.T) {
	mine := `a Update {"f:data":{".":{},"f:k":{}}}`
	for _, c := range []struct {
		name, entries, sub string
		want               []string
	}{
		{"none", `null`, "", []string{mine}},
		{"no list: nobody owns anything", `[]`, "", nil},
		{"an empty entry, likewise", `[{}]`, "", nil},
		{"two empty entries are garbage", `[{},{}]`, "", []string{mine}},
		{"others, which count", `[` + labelled + `]`, "", []string{`z Update {"f:data":{"f:k":{}}}`}},
		{"of subresources they do not count", `[` + labelled + `]`, "status", []string{mine}},
		{"no operation", strings.Replace(`[`+labelled+`]`, "Update", "Create", 1), "", []string{mine}},
		{"no version", strings.Replace(`[`+labelled+`]`, `"v1"`, `""`, 1), "", []string{mine}},
		{"no type", strings.Replace(`[`+labelled+`]`, `"FieldsV1"`, `""`, 1), "", []string{mine}},
		{"another type", strings.Replace(`[`+labelled+`]`, `"FieldsV1"`, `"FieldsV2"`, 1), "", []string{mine}},
		{"no fields", strings.Replace(`[`+labelled+`]`, `"f:k"`, `"k"`, 1), "", []string{mine}},
		{"a version that is not served", strings.Replace(`[`+labelled+`]`, `"v1"`, `"v9"`, 1), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, configMaps)
			s.put("a", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
			obj := decode(t, configMaps, s.whole(`{"metadata":{"name":"x","managedFields":`+c.entries+`},"data":{"k":"1"}}`))
			if c.entries == "[]" { // kept from a client's body until here
				object.Meta(obj)["managedFields"] = []any{}
			}
			w := s.as("b")
			w.Subresource = c.sub
			w.Update(s.live, obj)
			owned(t, obj, c.want...)
		})
	}
}

func TestSubresourcesOwnTheirPart(t *testing.T) {
	base := `"metadata":{"name":"x"},"spec":{"replicas":1,"selector":{},"template":{"spec":{"containers":[{"name":"c"}]}}}`
	s := newSession(t, deployments)
	s.put("a", `{`+base+`,"status":{"replicas":3}}`)
	for _, e := range entryTexts(s.live) {
		if strings.Contains(e, "f:status") {
			t.Error("a create owns the status:", e)
		}
	}
	s.put("b/status", `{`+strings.Replace(base, `"x"`, `"x","labels":{"l":"1"},"annotations":{"n":"1"}`, 1)+
		`,"status":{"replicas":4}}`)
	if got := entryTexts(s.live)[1]; got != `b Update/status {"f:metadata":{"f:annotations":{".":{},"f:n":{}}},`+
		`"f:status":{"f:replicas":{}}}` {
		t.Error(got)
	}

	n := newSession(t, namespaces)
	n.put("a", `{"metadata":{"name":"x"},"spec":{"finalizers":["kubernetes"]}}`)
	n.put("b/finalize", `{"metadata":{"name":"x"},"spec":{"finalizers":["other"]},"status":{"phase":"Active"}}`)
	n.owned(`b Update/finalize {"f:spec":{"f:finalizers":{}}}`)
}

func TestOldestUpdatersAreJoined(t *testing.T) {
	s := newSession(t, configMaps)
	data := ""
	for i := range 10 {
		data += fmt.Sprintf(`"k%02d":"1",`, i)
		s.put(fmt.Sprintf("m%02d", i), `{"metadata":{"name":"x"},"data":{`+strings.TrimSuffix(data, ",")+`}}`)
	}
	if got := entryTexts(s.live); len(got) != 10 || got[0] != `m00 Update {"f:data":{".":{},"f:k00":{}}}` {
		t.Error(got)
	}
	s.apply("a", `{"metadata":{"name":"x","labels":{"l":"1"}}}`) // applies do not count
	if got := entryTexts(s.live); len(got) != 11 {
		t.Error(got)
	}
	s.put("n", `{"metadata":{"name":"x","labels":{"l":"1"}},"data":{`+data+`"n":"1"}}`)
	got := entryTexts(s.live)
	if len(got) != 11 || got[1] != `ancient-changes Update {"f:data":{".":{},"f:k00":{},"f:k01":{}}}` ||
		got[10] != `n Update {"f:data":{"f:n":{}}}` {
		t.Error(strings.Join(got, "\n"))
	}
	if at := entriesOf(s.live)[1].(map[string]any)["time"]; at != "2026-01-01T12:01:00Z" {
		t.Error("the time of the younger one counts, not", at)
	}
	s.put("o", `{"metadata":{"name":"x","labels":{"l":"1"}},"data":{`+data+`"n":"1","o":"1"}}`)
	if got := entryTexts(s.live); len(got) != 11 ||
		got[1] != `ancient-changes Update {"f:data":{".":{},"f:k00":{},"f:k01":{},"f:k02":{}}}` {
		t.Error(strings.Join(got, "\n"))
	}
}

func TestKeepTimes(t *testing.T) {
	s := newSession(t, configMaps)
	s.put("a", `{"metadata":{"name":"x","resourceVersion":"7"},"data":{"k":"1"}}`)
	later := func(change func(obj map[string]any)) string {
		obj := object.DeepCopy(s.live)
		entriesOf(obj)[0].(map[string]any)["time"] = "2027-01-01T00:00:00Z"
		change(obj)
		KeepTimes(obj, s.live)
		return entriesOf(obj)[0].(map[string]any)["time"].(string)
	}
	const then, now = "2026-01-01T12:00:00Z", "2027-01-01T00:00:00Z"
	for name, c := range map[string]struct {
		change func(obj map[string]any)
		want   string
	}{
		"nothing":        {func(map[string]any) {}, then},
		"data":           {func(obj map[string]any) { object.SetNested(obj, "2", "data", "k") }, now},
		"metadata":       {func(obj map[string]any) { object.SetNested(obj, "2", "metadata", "labels", "l") }, now},
		"less":           {func(obj map[string]any) { delete(obj, "data") }, now},
		"an entry":       {func(obj map[string]any) { entriesOf(obj)[0].(map[string]any)["manager"] = "b" }, now},
		"another's name": {func(obj map[string]any) { entriesOf(obj)[0].(map[string]any)["subresource"] = "s" }, now},
	} {
		if got := later(c.change); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestScale(t *testing.T) {
	s := newSession(t, deployments)
	s.apply("a", `{"metadata":{"name":"x"},"spec":{"replicas":1,"paused":true}}`)
	s.put("b", `{"metadata":{"name":"x"},"spec":{"replicas":1,"paused":true,"minReadySeconds":1}}`)
	was := decode(t, nil, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"x"},"spec":{"replicas":1}`+
		`,"status":{"replicas":0}}`)
	w := s.as("c/scale")
	w.ToScale(was, s.live)
	owned(t, was, `a Apply {"f:spec":{"f:replicas":{}}}`)
	if v := entriesOf(was)[0].(map[string]any)["apiVersion"]; v != "autoscaling/v1" {
		t.Error("version", v)
	}

	is := object.DeepCopy(was)
	object.SetNested(is, int64(5), "spec", "replicas")
	w.Update(was, is)
	obj := object.DeepCopy(s.live)
	object.SetNested(obj, int64(5), "spec", "replicas")
	w.FromScale(obj, s.live, is)
	owned(t, obj, `a Apply {"f:spec":{"f:paused":{}}}`, `c Update/scale {"f:spec":{"f:replicas":{}}}`,
		`b Update {"f:spec":{"f:minReadySeconds":{}}}`)
	for _, e := range entriesOf(obj) {
		if v := e.(map[string]any)["apiVersion"]; v != "apps/v1" {
			t.Error("version", v)
		}
	}

	// An apply to the Scale conflicts with the managers that own the replicas.
	config := decode(t, nil,
		`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"x"},"spec":{"replicas":7}}`)
	if _, err := s.as("d/scale").Apply(was, config, false); err == nil ||
		err.Error() != `Apply failed with 1 conflict: conflict with "a": .spec.replicas` {
		t.Error(err)
	}
	forced, err := s.as("d/scale").Apply(was, config, true)
	if err != nil {
		t.Fatal(err)
	}
	w = s.as("d/scale")
	obj = object.DeepCopy(s.live)
	w.FromScale(obj, s.live, forced)
	owned(t, obj, `d Apply/scale {"f:spec":{"f:replicas":{}}}`, `a Apply {"f:spec":{"f:paused":{}}}`,
		`b Update {"f:spec":{"f:minReadySeconds":{}}}`)
}

// Entries have the version of their paths: those of the other version of an autoscaler are compared
// in that version.
func TestEntriesOfAnotherVersion(t *testing.T) {
	const target = `"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3`
	s := newSession(t, scalersV2)
	s.put("two", `{"metadata":{"name":"x"},"spec":{`+target+
		`,"metrics":[{"type":"Resource",`+
		`"resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}`)
	s.owned(`two Update {"f:spec":{"f:maxReplicas":{},"f:metrics":{},"f:scaleTargetRef":{"f:kind":{},"f:name":{}}}}`)

	// The same object in v1, written there.
	one := newSession(t, scalersV1)
	one.now = s.now
	one.live = decode(t, scalersV1,
		one.whole(`{"metadata":{"name":"x"},"spec":{`+target+`,"targetCPUUtilizationPercentage":50}}`))
	object.Meta(one.live)["managedFields"] = entriesOf(s.live)
	one.put("one", `{"metadata":{"name":"x"},"spec":{`+target+`,"targetCPUUtilizationPercentage":60}}`)
	one.owned(`two Update {"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{"f:kind":{},"f:name":{}}}}`,
		`one Update {"f:spec":{"f:targetCPUUtilizationPercentage":{}}}`)
	if a, b := entriesOf(one.live)[0].(map[string]any)["apiVersion"],
		entriesOf(one.live)[1].(map[string]any)["apiVersion"]; a != "autoscaling/v2" || b != "autoscaling/v1" {
		t.Error("versions", a, b)
	}
	one.refuse("three", `{"metadata":{"name":"x"},"spec":{"maxReplicas":4,"targetCPUUtilizationPercentage":70}}`,
		"Apply failed with 2 conflicts: conflicts with \"one\" using autoscaling/v1:\n- "+
			".spec.targetCPUUtilizationPercentage\n"+
			"conflicts with \"two\" using autoscaling/v2:\n- .spec.maxReplicas")
}

func TestTemplatesMayHaveEntries(t *testing.T) {
	s := newSession(t, deployments)
	s.put("a", `{"metadata":{"name":"x"},"spec":{"selector":{},"template":{"metadata":{"managedFields":[`+labelled+
		`]},"spec":{"containers":null}}}}`)
	s.apply("b", `{"metadata":{"name":"x"},"spec":{"replicas":2}}`)
	if got := object.GetList(s.live, "spec", "template", "metadata", "managedFields"); len(got) != 1 {
		t.Error("the template has", got)
	}
	if got := entryTexts(s.live); len(got) != 2 || !strings.Contains(got[1], `"f:managedFields":{}`) {
		t.Error(strings.Join(got, "\n"))
	}
}

func TestOrderOfEntries(t *testing.T) {
	m := newManaged()
	for i, who := range []manager{{"b", "Update", "v1", ""}, {"b", "Apply", "v1", "status"},
		{"a", "Update", "v1", "status"}, {"a", "Update", "v1", ""}, {"", "Apply", "v1", ""}} {
		id := m.know(who)
		m.fields[id] = fieldpath.NewVersionedSet(paths("data"), "v1", who.operation == operationApply)
		if i == 0 {
			m.times[id] = noon.Format(time.RFC3339)
		}
	}
	list, err := m.list()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		entry := e.(map[string]any)
		got = append(got, fmt.Sprintf("%v:%v:%v", entry["operation"], entry["manager"], entry["subresource"]))
	}
	want := "Apply:<nil>:<nil> Apply:b:status Update:a:<nil> Update:a:status Update:b:<nil>"
	if strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
	if a, b := (manager{"a", "Apply", "v1", "s"}).id(),
		(manager{"a", "Apply", "v2", ""}).id(); a != `{"manager":"a","operation":"Apply","subresource":"s"}` ||
		b != `{"manager":"a","operation":"Apply"}` || a > b {
		t.Error(a, b)
	}
}

// Parsed sets are shared.
func TestManyAtOnce(t *testing.T) {
	s := newSession(t, configMaps)
	s.apply("a", `{"metadata":{"name":"x"},"data":{"k":"1"}}`)
	s.put("b", `{"metadata":{"name":"x"},"data":{"k":"1","n":"1"}}`)
	text := s.whole(`{"metadata":{"name":"x"},"data":{"k":"2","n":"2"}}`)
	var all sync.WaitGroup
	for range 4 {
		obj, config := decode(t, configMaps, text), decode(t, nil, text)
		live := object.DeepCopy(s.live)
		w := s.as("c")
		w.Now = noon
		all.Go(func() {
			for range 50 {
				w.Update(live, object.DeepCopy(obj))
				if _, err := w.Apply(live, config, true); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	want := encode(s.live)
	s.put("d", `{"metadata":{"name":"x"},"data":{"k":"1","n":"1"}}`)
	if got := encode(s.live); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
