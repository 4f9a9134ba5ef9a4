package kubectl

import (
	"context"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
)

// TestDescribeEvents describes an object with its Events, which kubectl finds by the object's uid.
func TestDescribeEvents(t *testing.T) {
	t.Parallel()
	transcript, err := parseTranscript(`
$ kubectl create -f event.json
event/started created
$ kubectl describe configmap a
Name:         a
Namespace:    default
Labels:       <none>
Annotations:  <none>
Data
====
BinaryData
====
Events:
  Type     Reason   Age …From  Message
  ----     ------   ---- …----  -------
  Warning  Started  … (x3 over …) …me    It began
$ kubectl events --for configmap/a
LAST SEEN …TYPE      REASON    OBJECT        MESSAGE
… (x3 over …) …Warning   Started   ConfigMap/a   It began`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	s := newSession(t, core.Options{})
	uid := s.run(ctx, strings.Fields("kubectl create configmap a -o jsonpath={.metadata.uid}"))
	s.write("event.json", strings.ReplaceAll(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"started"},
		"involvedObject":{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"a","uid":"UID"},
		"type":"Warning","reason":"Started","message":"It began","count":3,"source":{"component":"me"},
		"firstTimestamp":"2026-01-02T12:00:00Z","lastTimestamp":"2026-01-02T12:30:00Z"}`, "UID", strings.TrimSpace(uid)))
	s.play("describe", transcript.steps)
}
