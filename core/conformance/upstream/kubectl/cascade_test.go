package kubectl

import (
	"context"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
)

const (
	ownerFile = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owner"}}`
	// dependentFile has the owner's uid to come.
	dependentFile = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dependent","ownerReferences":[
		{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"UID","blockOwnerDeletion":true}]}}`
)

// TestCascade deletes an owner with each propagation policy. kubectl returns when the owner is
// gone.
func TestCascade(t *testing.T) {
	for mode, then := range map[string]string{
		"background": `
$ kubectl wait --for=delete configmap/dependent --timeout=60s
…
$ kubectl get configmaps dependent owner
Error from server (NotFound): configmaps "dependent" not found
Error from server (NotFound): configmaps "owner" not found
[1]`,
		"foreground": `
$ kubectl get configmaps dependent owner
Error from server (NotFound): configmaps "dependent" not found
Error from server (NotFound): configmaps "owner" not found
[1]`,
		"orphan": `
$ kubectl get configmap dependent -o 'jsonpath={.metadata.name} {.metadata.ownerReferences}'
dependent 
$ kubectl get configmap owner
Error from server (NotFound): configmaps "owner" not found
[1]`,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			transcript, err := parseTranscript(`
$ kubectl create -f dependent.json
configmap/dependent created
$ kubectl delete configmap owner --cascade=` + mode + `
configmap "owner" deleted from default namespace` + then)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
			defer cancel()
			s := newSession(t, core.Options{Controllers: true})
			s.write("owner.json", ownerFile)
			uid := s.run(ctx, []string{"kubectl", "create", "-f", "owner.json", "-o", "jsonpath={.metadata.uid}"})
			s.write("dependent.json", strings.ReplaceAll(dependentFile, "UID", strings.TrimSpace(uid)))
			s.play("cascade", transcript.steps)
		})
	}
}
