package scenes

import "testing"

func TestUp(t *testing.T) {
	node := func(spec, ready string) string {
		return `{"spec":` + spec + `,"status":{"conditions":[{"type":"MemoryPressure","status":"False"},` +
			`{"type":"Ready","status":"` + ready + `"}]}}`
	}
	list := func(nodes string) string { return `{"kind":"NodeList","items":[` + nodes + `]}` }
	for _, c := range []struct {
		list string
		want bool
	}{
		{list(""), false}, {"no list", false}, {list(node("{}", "True")), true},
		{list(node("{}", "True") + "," + node("{}", "False")), false},
		{list(node(`{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}`, "True")), false},
	} {
		if got := up(c.list); got != c.want {
			t.Errorf("%s: %v", c.list, got)
		}
	}
}
