package kinds

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// changePod applies the strategy of a subresource to a change of a stored pod and returns the
// errors as one text.
func changePod(t *testing.T, subresource, stored, wanted string) (changed map[string]any, errs string) {
	t.Helper()
	res := schema.Builtin().Resource("", "v1", "pods")
	decode := func(text string) map[string]any {
		obj, _, err := object.Decode([]byte(text), res.Type())
		if err != nil {
			t.Fatal(err)
		}
		object.SetTypeMeta(obj, "v1", "Pod")
		pod.Pod.Fill(obj)
		return obj
	}
	old, obj := decode(stored), decode(wanted)
	object.Meta(old)["resourceVersion"] = "7"
	object.Meta(obj)["resourceVersion"] = "7"
	c := &strategy.Context{Now: func() time.Time { return time.Unix(0, 0) }, NewUID: func() string { return "u" }}
	list := pod.Pod.UpdateSubresource(c, res, subresource, obj, old)
	if len(list) > 0 {
		errs = list.Message()
	}
	return obj, errs
}

const meta = `"metadata":{"name":"p","namespace":"n","uid":"u","generation":1}`

func podWith(containers, more string) string {
	return `{` + meta + `,"spec":{"containers":[` + containers + `]` + more +
		`},"status":{"phase":"Running","qosClass":"Burstable"}}`
}

const (
	debugger = `,"ephemeralContainers":[{"name":"e","image":"x:1"}]`
	asks     = `{"name":"c","image":"x:1","resources":{"requests":{"cpu":"1","memory":"1Gi","example.com/gpu":"1"},
		"limits":{"example.com/gpu":"1"}}}`
)

func TestEphemeralContainers(t *testing.T) {
	plain := `{"name":"c","image":"x:1"}`
	for name, c := range map[string]struct{ stored, wanted, want string }{
		"added": {podWith(plain, ""), podWith(plain, debugger), ""},
		"same":  {podWith(plain, debugger), podWith(plain, debugger), ""},
		"removed": {podWith(plain, debugger), podWith(plain, ""),
			"spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be removed\n"},
		"changed": {podWith(plain, debugger), podWith(plain, strings.Replace(debugger, "x:1", "x:2", 1)),
			`existing ephemeral containers "e" may not be changed`},
		"target": {podWith(plain, ""),
			podWith(plain, `,"ephemeralContainers":[{"name":"e","image":"x:1","targetContainerName":"c"}]`), ""},
		"unknown target": {podWith(plain, ""),
			podWith(plain, `,"ephemeralContainers":[{"name":"e","image":"x:1","targetContainerName":"e"}]`),
			`spec.ephemeralContainers[0].targetContainerName: Not found: "e"`},
		"name taken": {podWith(plain, ""), podWith(plain, `,"ephemeralContainers":[{"name":"c","image":"x:1"}]`),
			`spec.ephemeralContainers[0].name: Duplicate value: "c"`},
		"ports": {podWith(plain, ""),
			podWith(plain, `,"ephemeralContainers":[{"name":"e","image":"x:1","ports":[{"containerPort":1}]}]`),
			`spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container`},
		"a field that is set to nothing": {podWith(plain, ""),
			podWith(plain, `,"ephemeralContainers":[{"name":"e","image":"x:1","resources":{},"lifecycle":{}}]`),
			`spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container`},
		"else is dropped": {podWith(plain, ""), podWith(`{"name":"c","image":"other"}`, debugger), ""},
	} {
		t.Run(name, func(t *testing.T) {
			changed, errs := changePod(t, "ephemeralcontainers", c.stored, c.wanted)
			if (c.want == "") != (errs == "") || !strings.Contains(errs, c.want) {
				t.Fatalf("got %q, want %q", errs, c.want)
			}
			if image := tree.Objects(tree.Object(changed, "spec"), "containers")[0]["image"]; image != "x:1" {
				t.Errorf("the container's image became %v", image)
			}
			want := int64(2)
			if c.stored == c.wanted {
				want = 1
			}
			if g := object.Generation(changed); errs == "" && g != want {
				t.Errorf("generation %d, want %d", g, want)
			}
		})
	}
}

func TestResize(t *testing.T) {
	swap := func(old, new string) string { return podWith(strings.Replace(asks, old, new, 1), "") }
	for name, c := range map[string]struct{ wanted, want string }{
		"more cpu":      {swap(`"cpu":"1"`, `"cpu":"2"`), ""},
		"a limit":       {swap(`"limits":{`, `"limits":{"cpu":"2",`), ""},
		"image dropped": {swap("x:1", "x:2"), ""},
		"class": {podWith(`{"name":"c","image":"x:1"}`, ""),
			`spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing`},
		"request removed": {swap(`"memory":"1Gi",`, ""),
			"spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"},
		"another kind": {strings.ReplaceAll(podWith(asks, ""), `"example.com/gpu":"1"`, `"example.com/gpu":"2"`),
			"spec: Forbidden: only cpu and memory resources are mutable"},
		"renamed": {swap(`"name":"c"`, `"name":"d"`),
			"spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"},
		"one more": {podWith(asks+`,{"name":"d","image":"x:1"}`, ""),
			"spec.containers: Forbidden: containers may not be added or removed on resize"},
		"over the limit": {swap(`"limits":{`, `"limits":{"cpu":"500m",`), "must be less than or equal to cpu limit of 500m"},
	} {
		t.Run(name, func(t *testing.T) {
			changed, errs := changePod(t, "resize", podWith(asks, ""), c.wanted)
			if (c.want == "") != (errs == "") || !strings.Contains(errs, c.want) {
				t.Fatalf("got %q, want %q", errs, c.want)
			}
			if image := tree.Objects(tree.Object(changed, "spec"), "containers")[0]["image"]; image != "x:1" {
				t.Errorf("the container's image became %v", image)
			}
		})
	}
}

func TestMirrorPodsKeepTheirContainers(t *testing.T) {
	stored := strings.Replace(podWith(asks, ""), `"generation":1`,
		`"generation":1,"annotations":{"kubernetes.io/config.mirror":"x"}`, 1)
	for subresource, want := range map[string]string{
		"ephemeralcontainers": ": Forbidden: static pods do not support ephemeral containers",
		"resize":              ": Forbidden: static pods cannot be resized",
	} {
		if _, errs := changePod(t, subresource, stored, podWith(asks, debugger)); errs != want {
			t.Errorf("%s: got %q, want %q", subresource, errs, want)
		}
	}
}
