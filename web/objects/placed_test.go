package objects

import (
	"fmt"
	"testing"
)

func TestPlace(t *testing.T) {
	nodes, token, err := ReadTable(`{"kind":"Table","metadata":{"resourceVersion":"9"},"columnDefinitions":[` +
		`{"name":"Name","type":"string"},{"name":"Status","type":"string"}],"rows":[` +
		`{"cells":["node-1","Ready,SchedulingDisabled"],` +
		`"object":{"kind":"Node","metadata":{"name":"node-1"},"status":{"allocatable":{"cpu":"4"}}}},` +
		`{"cells":["node-2","NotReady"],"object":{"metadata":{"name":"node-2"}}}]}`)
	if err != nil || token != "" || len(nodes) != 2 {
		t.Fatal(nodes, token, err)
	}
	pods := `{"metadata":{"continue":"next"},"columnDefinitions":[{"name":"Name"},{"name":"Ready"},{"name":"Status"},` +
		`{"name":"Restarts"},{"name":"Node"}],"rows":[`
	for i, p := range [][3]string{
		{"1/1", "Running", "node-1"}, {"0/1", "Running", "node-1"}, {"1/1", "Running", "node-2"},
		{"0/1", "Pending", "<none>"}, {"0/1", "ContainerCreating", "node-1"}, {"0/1", "CrashLoopBackOff", "node-1"},
		{"1/1", "Terminating", "node-2"}, {"0/1", "Completed", "node-9"}, {"0/1", "Init:0/2", "node-1"},
		{"0/1", "Init:Error", "node-1"},
	} {
		if i > 0 {
			pods += ","
		}
		pods += fmt.Sprintf(`{"cells":["p%d",%q,%q,3,%q],"object":{"metadata":{"name":"p%d","namespace":"default"},`+
			`"spec":{"containers":[{"resources":{"requests":{"cpu":"100m"}}}]}}}`, i, p[0], p[1], p[2], i)
	}
	rows, token, err := ReadTable(pods + "]}")
	if err != nil || token != "next" || rows[0].Cells["Restarts"] != "3" {
		t.Fatal(rows, token, err)
	}
	placed, nowhere := Place(nodes, rows)
	got := ""
	for _, n := range append(placed, PlacedNode{Pods: nowhere}) {
		got += fmt.Sprint(n.Name, " ", n.Ready, " ", n.Asked, "/", n.CPU, ":")
		for _, p := range n.Pods {
			got += fmt.Sprintf(" %s %s (%s);", p.Name, p.State, p.Status)
		}
		got += "\n"
	}
	want := "node-1 true 600/4000: p0 running (Running); p1 running (Running, 0/1 ready); " +
		"p4 pending (ContainerCreating); p5 failing (CrashLoopBackOff); p8 pending (Init:0/2); p9 failing (Init:Error);\n" +
		"node-2 false 200/0: p2 silent (Running?); p6 ending (Terminating);\n" +
		" false 0/0: p3 pending (Pending); p7 done (Completed);\n"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
