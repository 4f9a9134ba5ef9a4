package tables

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// parse reads an object in JSON.
var parse = objecttest.Parse

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestPodStatus(t *testing.T) {
	const (
		two     = `"containers":[{"name":"a"},{"name":"b"}]`
		inits   = `"initContainers":[{"name":"i"},{"name":"j"}],` + two
		sidecar = `"initContainers":[{"name":"i","restartPolicy":"Always"}],` + two
		up      = `{"ready":true,"state":{"running":{}}}`
		done    = `{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}`
		ready   = `"conditions":[{"type":"Ready","status":"True"}]`
	)
	for _, test := range []struct{ meta, spec, status, want string }{
		{"", two, `"phase":"Pending"`, "0/2 Pending 0"},
		{"", two, `"phase":"Failed","reason":"Evicted"`, "0/2 Evicted 0"},
		{"", two, `"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]`,
			"0/2 SchedulingGated 0"},
		{"", two, `"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable"}]`,
			"0/2 Pending 0"},
		{"", two, `"phase":"Running","containerStatuses":[` + up + `,` + up + `]`, "2/2 Running 0"},
		{"", two, `"phase":"Running","containerStatuses":[{"ready":true,"state":{}},` + up + `]`, "1/2 Running 0"},
		{"", two, `"phase":"Running","containerStatuses":[` + up +
			`,{"restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]`, "1/2 CrashLoopBackOff 7"},
		{"", two, `"phase":"Running","containerStatuses":[{"state":{"waiting":{"reason":"A"}}},` +
			`{"state":{"waiting":{"reason":"B"}}}]`, "0/2 A 0"},
		{"", two, `"phase":"Pending","containerStatuses":[{"state":{"waiting":{}}}]`, "0/2 Pending 0"},
		{"", two, `"phase":"Running","containerStatuses":[{"state":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]`,
			"0/2 OOMKilled 0"},
		{"", two, `"phase":"Running","containerStatuses":[{"state":{"terminated":{"exitCode":2}}}]`, "0/2 ExitCode:2 0"},
		{"", two, `"phase":"Running","containerStatuses":[{"state":{"terminated":{"exitCode":137,"signal":9}}}]`,
			"0/2 Signal:9 0"},
		// Completed is not the status while others run or have failed.
		{"", two, `"phase":"Succeeded","containerStatuses":[` + done + `,` + done + `]`, "0/2 Completed 0"},
		{"", two, `"phase":"Running",` + ready + `,"containerStatuses":[` + done + `,` + up + `]`, "1/2 Running 0"},
		{"", two, `"phase":"Running","containerStatuses":[` + done + `,` + up + `]`, "1/2 NotReady 0"},
		{"", two, `"phase":"Failed","containerStatuses":[` + done +
			`,{"state":{"terminated":{"exitCode":1,"reason":"Error"}}}]`, "0/2 Error 0"},
		// Restarts and when the last one was.
		{"", two, `"phase":"Running","containerStatuses":[{"restartCount":1,"lastState":{"terminated":{"exitCode":0,` +
			`"finishedAt":"2026-11-20T11:00:00Z"}}},{"restartCount":2,"lastState":{"terminated":{"exitCode":0,` +
			`"finishedAt":"2026-11-20T11:55:00Z"}}}]`, "0/2 Running 3 (5m ago)"},
		{"", two, `"phase":"Running","containerStatuses":[{"restartCount":4,"lastState":{"terminated":{"exitCode":0,` +
			`"finishedAt":"2026-11-20T13:00:00Z"}}}]`, "0/2 Running 4 (<invalid> ago)"},
		{"", two, `"phase":"Running","containerStatuses":[{"restartCount":4,"lastState":{"terminated":{"exitCode":0,` +
			`"finishedAt":"1000-11-20T13:00:00Z"}}}]`, "0/2 Running 4 (292y ago)"},
		// Init containers, up to the first that has not finished.
		{"", inits, `"phase":"Pending","initContainerStatuses":[{"state":{"running":{}}},` +
			`{"state":{"waiting":{"reason":"PodInitializing"}}}]`, "0/2 Init:0/2 0"},
		{"", inits, `"phase":"Pending","initContainerStatuses":[{"restartCount":1,"state":{"terminated":{"exitCode":0}}},` +
			`{"restartCount":2,"state":{"waiting":{"reason":"PodInitializing"}}}]`, "0/2 Init:1/2 3"},
		{"", inits, `"phase":"Pending","initContainerStatuses":[{"state":{"waiting":{"reason":"ErrImagePull"}}}]`,
			"0/2 Init:ErrImagePull 0"},
		{"", inits, `"phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":3}}}]`,
			"0/2 Init:ExitCode:3 0"},
		{"", inits, `"phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":3,"signal":15}}}]`,
			"0/2 Init:Signal:15 0"},
		{"", inits, `"phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":3,"reason":"Error"}}}]`,
			"0/2 Init:Error 0"},
		{"", inits, `"phase":"Running","initContainerStatuses":[{"restartCount":5,"state":{"terminated":{"exitCode":0}}},` +
			`{"state":{"terminated":{"exitCode":0}}}],"containerStatuses":[` + up + `,` + up + `]`, "2/2 Running 0"},
		{"", inits, `"phase":"Running","conditions":[{"type":"Initialized","status":"True"}],` +
			`"initContainerStatuses":[{"state":{"terminated":{"exitCode":3}}}],"containerStatuses":[` + up + `]`,
			"1/2 Init:ExitCode:3 0"},
		// Those that keep running count as containers.
		{"", sidecar, `"phase":"Running","initContainerStatuses":[{"name":"i","started":true,"ready":true,` +
			`"restartCount":2,"state":{"running":{}},"lastState":{"terminated":{"exitCode":0,` +
			`"finishedAt":"2026-11-20T11:00:00Z"}}}],"containerStatuses":[` + up + `,` + up + `]`, "3/3 Running 2 (60m ago)"},
		{"", sidecar, `"phase":"Running","initContainerStatuses":[{"name":"i","started":true,"state":{"running":{}}}],` +
			`"containerStatuses":[` + up + `]`, "1/3 Running 0"},
		{"", sidecar, `"phase":"Pending","initContainerStatuses":[{"name":"i","started":false,"state":{"running":{}}}]`,
			"0/3 Init:0/1 0"},
		// Deletion.
		{`,"deletionTimestamp":"2026-11-20T12:00:00Z"`, two, `"phase":"Running","containerStatuses":[` + up + `]`,
			"1/2 Terminating 0"},
		{`,"deletionTimestamp":"2026-11-20T12:00:00Z"`, two, `"phase":"Running","reason":"NodeLost"`, "0/2 Unknown 0"},
		{`,"deletionTimestamp":"2026-11-20T12:00:00Z"`, two, `"phase":"Succeeded"`, "0/2 Succeeded 0"},
	} {
		pod := parse(t, `{"metadata":{"name":"p"`+test.meta+`},"spec":{`+test.spec+`},"status":{`+test.status+`}}`)
		cells := podCells(view{pod, now})
		if got := fmt.Sprint(cells[1], " ", cells[2], " ", cells[3]); got != test.want {
			t.Errorf("%s%s\n got %s\nwant %s", test.meta, test.status, got, test.want)
		}
	}
}

func TestPodRowsEnd(t *testing.T) {
	for phase, want := range map[string]string{
		"Running": `"cells":["p","0/0","Running","0","<unknown>","<none>","<none>","<none>","<none>"]`,
		"Succeeded": `"cells":["p","0/0","Succeeded","0","<unknown>","<none>","<none>","<none>","<none>"],` +
			`"conditions":[{"type":"Completed","status":"True","reason":"Succeeded","message":"The pod has completed ` +
			`successfully."}]`,
		"Failed": `"cells":["p","0/0","Failed","0","<unknown>","<none>","<none>","<none>","<none>"],` +
			`"conditions":[{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}]`,
	} {
		pod := parse(t, `{"metadata":{"name":"p"},"status":{"phase":"`+phase+`"}}`)
		want = strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(want)
		if got := string(Of("", "Pod").AppendCells(nil, pod, now)); got != want {
			t.Errorf("%s: %s, want %s", phase, got, want)
		}
	}
}
