package core

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// TestDrain changes a definition, and deletes it: a watch of its objects continues for the time that the host says,
// with what happens meanwhile, and ends then.
func TestDrain(t *testing.T) {
	const (
		tabs       = "/apis/stable.example.com/v1/namespaces/default/crontabs"
		definition = definitions + "/crontabs.stable.example.com"
		tab        = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"b"}}`
	)
	for name, test := range map[string]struct {
		do  func(*Cluster)
		end string // the event of what is done
	}{
		"changed": {func(c *Cluster) {
			must(t, c, 200, "PATCH", definition, `{"spec":{"names":{"shortNames":["tab"]}}}`)
			must(t, c, 201, "POST", tabs, tab)
		}, "ADDED"},
		"deleted": {func(c *Cluster) {
			must(t, c, 201, "POST", tabs, tab)
			must(t, c, 200, "DELETE", definition, "")
		}, "DELETED"},
	} {
		t.Run(name, func(t *testing.T) {
			c, manual := newCluster(t, Options{Drain: time.Second})
			must(t, c, 201, "POST", definitions, apitest.CronTabs("crontabs", "CronTab", "ct"))
			apitest.Condition(t, c, "crontabs", "Established", "True")
			watch := apitest.Follow(t, c, tabs+"?watch=1")
			defer watch.Stop()
			test.do(c)
			for e := watch.Next(); e["type"] != test.end; e = watch.Next() {
				if e == nil {
					t.Fatal("the watch has ended at once")
				}
			}
			ended := make(chan map[string]any)
			go func() { ended <- watch.Next() }()
			for { // until the watch knows, and its second is over
				select {
				case e := <-ended:
					if e != nil {
						t.Errorf("after its end: %v", e)
					}
					return
				case <-time.After(time.Millisecond):
					manual.Advance(time.Second)
				}
			}
		})
	}
}
