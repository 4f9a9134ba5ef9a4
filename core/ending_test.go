package core

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
)

// TestNobodyGrowsAFullCluster has a client remove the finalizers of an object that is being deleted, one by one, and
// add something each time, in a cluster whose quota is used up.
func TestNobodyGrowsAFullCluster(t *testing.T) {
	const finalizers = 40
	c, _ := newCluster(t, Options{Quota: smallQuota, Storage: new(journal.Memory)})
	store := c.current.Load().store
	must(t, c, 201, "POST", configMaps, apitest.Held("held", finalizers, 300_000))
	must(t, c, 200, "DELETE", configMaps+"/held", "")
	fillUp(t, c)
	before := store.Status().Present
	for left := finalizers - 1; left > 1; left-- {
		list := apitest.Finalizers(left)
		refused(t, c, "PATCH", configMaps+"/held", fmt.Sprintf(`{"metadata":{"finalizers":[%s]},"data":{"n%d":%q}}`, list,
			left, strings.Repeat("y", 900)))
		path := fmt.Sprintf("%s/held?fieldManager=%s-%d", configMaps, strings.Repeat("m", 100), left)
		must(t, c, 200, "PATCH", path, `{"metadata":{"finalizers":[`+list+`]}}`)
		at := store.Status()
		if at.Present > before || at.Size > smallQuota+320_000 {
			t.Fatalf("%d finalizers are left, and %d bytes, %d with history", left, at.Present, at.Size)
		}
	}
	must(t, c, 200, "PATCH", configMaps+"/held", `{"metadata":{"finalizers":null}}`)
	must(t, c, 404, "GET", configMaps+"/held", "")
}

// TestManyLargeDeletions deletes collections of large objects in a cluster that is full of them: what is kept of them
// as history does not exceed the quota by more than one.
func TestManyLargeDeletions(t *testing.T) {
	const quota = 8 << 20
	c, _ := newCluster(t, Options{Quota: quota, Storage: new(journal.Memory)})
	for _, finalizers := range []int{0, 2} {
		made := 0
		for ; made < 20; made++ {
			code, text := call(t, c, "POST", configMaps, apitest.Held(fmt.Sprint("large-", made), finalizers, 900_000))
			if code == 500 && text == noSpace {
				break
			} else if code != 201 {
				t.Fatalf("%d %.300s", code, text)
			}
		}
		if made < 6 {
			t.Fatalf("%d objects", made)
		}
		for i := range 300 { // whose history is small
			must(t, c, 200, "PATCH", "/api/v1/namespaces/default", fmt.Sprintf(`{"metadata":{"labels":{"a":"%d"}}}`, i))
		}
		within := func() {
			t.Helper()
			if at := c.current.Load().store.Status(); at.Size > quota+1_000_000 {
				t.Fatalf("%d bytes are kept", at.Size)
			}
		}
		must(t, c, 200, "DELETE", configMaps, "")
		within()
		for i := range made {
			if finalizers > 0 {
				must(t, c, 200, "PATCH", configMaps+fmt.Sprint("/large-", i), `{"metadata":{"finalizers":["e.com/0001"]}}`)
				within()
				must(t, c, 200, "PATCH", configMaps+fmt.Sprint("/large-", i), `{"metadata":{"finalizers":null}}`)
				within()
			}
			must(t, c, 404, "GET", configMaps+fmt.Sprint("/large-", i), "")
		}
	}
}
