package samples

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/app/manifest"
)

func TestGuestbook(t *testing.T) {
	var got []string
	for _, d := range manifest.Split(Guestbook) {
		if d.Err != nil {
			t.Errorf("line %d: %v", d.Line, d.Err)
		}
		got = append(got, d.Kind+"/"+d.Name)
	}
	want := "Service/redis-leader Deployment/redis-leader Service/redis-follower Deployment/redis-follower " +
		"Service/frontend Deployment/frontend"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("got %s", g)
	}
}

func TestPods(t *testing.T) {
	seen := map[string]bool{}
	for i := range Pods {
		d := manifest.Split(Pod(i))
		if len(d) != 1 || d[0].Err != nil || d[0].Kind != "Pod" || seen[d[0].Name] {
			t.Fatalf("pod %d: %+v", i, d)
		}
		seen[d[0].Name] = true
	}
}

// Each example is what its type says, and they fit each other and the guestbook.
func TestPatches(t *testing.T) {
	for _, p := range Patches {
		if strings.HasSuffix(p.Type, "+json") && !json.Valid([]byte(p.Body)) {
			t.Errorf("%s: the body is not JSON", p.Type)
		}
	}
	apply := Patches[len(Patches)-1]
	docs := manifest.Split(apply.Body)
	if path, _, _ := strings.Cut(apply.Path, "?"); len(docs) != 1 || docs[0].Err != nil ||
		!strings.HasSuffix(path, "/configmaps/"+docs[0].Name) {
		t.Errorf("%s: %+v", apply.Path, docs)
	}
	if strategic := Patches[2]; !strings.Contains(Guestbook, "- name: web\n") ||
		!strings.HasSuffix(strategic.Path, "/deployments/frontend") {
		t.Errorf("%s is not of the guestbook", strategic.Path)
	}
}
