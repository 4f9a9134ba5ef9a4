package core

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
)

// TestHostClockGoesBack sets the host's clock back by an hour: revisions, watches, lists of the past and compaction
// continue, a new object has the time that the host shows, and a token from the hour that comes again is not valid yet,
// as with kube-apiserver. A cluster that is opened then continues at the time of its last write.
func TestHostClockGoesBack(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, manual := newCluster(t, Options{Storage: storage, Authorization: "RBAC"})
	must(t, c, 201, "POST", configMaps, configMap("before", ""))
	token := at(must(t, c, 201, "POST", "/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"s"}}`),
		"metadata.name").(string)
	token = at(must(t, c, 201, "POST", "/api/v1/namespaces/default/serviceaccounts/"+token+"/token", `{}`),
		"status.token").(string)
	first := must(t, c, 201, "POST", configMaps, configMap("last", ""))
	rev := at(first, "metadata.resourceVersion").(string)
	watch := follow(t, c, configMaps+"?watch=1&resourceVersion="+rev)
	defer watch.Stop()

	manual.Advance(-time.Hour)
	for i := range 3 {
		name := fmt.Sprint("after-", i)
		made := must(t, c, 201, "POST", configMaps, configMap(name, ""))
		if got := at(made, "metadata.creationTimestamp"); got != "2026-11-20T11:00:00Z" {
			t.Errorf("%s was made at %s", name, got)
		}
		if event := watch.Next(); event["type"] != "ADDED" || at(event, "object.metadata.name") != name {
			t.Errorf("%v", event)
		}
	}
	for query, want := range map[string]int{"": 5, "?resourceVersion=0": 5,
		"?resourceVersionMatch=Exact&resourceVersion=" + rev: 2} {
		if got := len(must(t, c, 200, "GET", configMaps+query, "")["items"].([]any)); got != want {
			t.Errorf("%q: %d objects, want %d", query, got, want)
		}
	}
	if code, text := requestAs(c, "Authorization: Bearer "+token, "GET", "/api", ""); code != 401 {
		t.Errorf("a token that is not valid yet: %d %.200s", code, text)
	}
	manual.Advance(time.Hour)
	if code, text := requestAs(c, "Authorization: Bearer "+token, "GET", "/api", ""); code != 200 {
		t.Errorf("when it is: %d %.200s", code, text)
	}
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":700}`)
	awaitGone(t, c, configMaps+"?resourceVersionMatch=Exact&resourceVersion="+rev)
	late := must(t, c, 201, "POST", configMaps, configMap("late", ""))

	again := reopen(t, storage) // at noon, while the last write was 700 s later
	made := must(t, again, 201, "POST", configMaps, configMap("next", ""))
	if got := at(made, "metadata.creationTimestamp").(string); got < at(late, "metadata.creationTimestamp").(string) ||
		!strings.HasPrefix(got, "2026-11-20T12:11:40") {
		t.Errorf("after a start: %s", got)
	}
}
