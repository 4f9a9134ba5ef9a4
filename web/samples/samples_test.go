package samples

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/manifest"
)

func TestGuestbook(t *testing.T) {
	var got []string
	for _, d := range manifest.Split(Guestbook) {
		if d.Err != nil {
			t.Errorf("line %d: %v", d.Line, d.Err)
		}
		got = append(got, d.Kind+"/"+d.Name)
	}
	want := "Service/redis-leader Deployment/redis-leader Service/redis-follower Deployment/redis-follower Service/frontend Deployment/frontend"
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
