package objects

import (
	"reflect"
	"testing"
)

func TestReadPodStatus(t *testing.T) {
	const full = "0/3 nodes are available: 3 Insufficient cpu."
	for _, c := range []struct {
		status string
		want   PodStatus
		waits  bool
	}{
		{`{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",` +
			`"message":"` + full + `"}]}`,
			PodStatus{"Pending", []Said{{What: "PodScheduled False", Reason: "Unschedulable", Message: full}}}, true},
		{`{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","state":` +
			`{"running":{"startedAt":"x"}}}]}`, PodStatus{Phase: "Running"}, false},
		{`{"phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady","message":"m"}],` +
			`"containerStatuses":[{"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off"}},"name":"c"}]}`,
			PodStatus{"Running", []Said{{What: "Ready False", Reason: "ContainersNotReady", Message: "m"},
				{What: "container c", Reason: "CrashLoopBackOff", Message: "back-off"}}}, true},
	} {
		got, err := ReadPodStatus(`{"kind":"Pod","spec":{"a":[1]},"status":` + c.status + `}`)
		if err != nil || !reflect.DeepEqual(got, c.want) || got.Waits() != c.waits {
			t.Errorf("%s: %+v %v", c.status, got, err)
		}
	}
}

func TestReadEvents(t *testing.T) {
	got, err := ReadEvents(`{"kind":"EventList","items":[` +
		`{"metadata":{"creationTimestamp":"2026-01-01T00:00:01Z"},"reason":"Scheduled","message":"a",` +
		`"reportingComponent":"default-scheduler","eventTime":"2026-01-01T00:00:02.5Z"},` +
		`{"metadata":{"creationTimestamp":"2026-01-01T00:00:01Z"},"reason":"BackOff","message":"b","eventTime":null,` +
		`"source":{"component":"kubelet","host":"n"},"reportingComponent":"","count":7,` +
		`"lastTimestamp":"2026-01-01T00:00:09Z"},` +
		`{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"},"reason":"Old","message":"c"}]}`)
	want := []Said{{"Event", "BackOff", "b", "kubelet", 7}, {"Event", "Scheduled", "a", "default-scheduler", 1},
		{"Event", "Old", "c", "", 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}
