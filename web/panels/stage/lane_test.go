package stage

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestALaneOfBytes wants a watch in protobuf to say that its events are neither counted nor drawn.
func TestALaneOfBytes(t *testing.T) {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.state(9, 0, 9)
	w.send(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1&resourceVersion=5"})
	w.send(tap.Event{Type: tap.Head, ID: 1, Status: 200, Header: []tap.Field{{Name: "Content-Type",
		Value: "application/vnd.kubernetes.protobuf;stream=watch"}}})
	sc, l := w.scene(700, 44), w.Lanes.List[0]
	want := "w1, pods, open, in a format that is not drawn, resume after 5"
	if got := sc.LaneView(l, false).Words; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !strings.Contains(sc.Lane(l, 56), "events in bytes: not drawn") {
		t.Error("its row does not say that no event is drawn")
	}
}
