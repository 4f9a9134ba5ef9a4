package core

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

// heldObject returns a ConfigMap with so many finalizers and bytes of data.
func heldObject(name string, finalizers, bytes int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"finalizers":[%s]},"data":{"v":%q}}`, name, finalizerList(finalizers),
		strings.Repeat("x", bytes))
}

func finalizerList(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"e.com/%04d"`, i)
	}
	return strings.Join(list, ",")
}

// within checks that a cluster keeps at most so many bytes with its history.
func (c classroom) within(what string, most int64) {
	c.Helper()
	if at := c.current.Load().store.Status(); at.Size > most {
		c.Fatalf("%s: %d bytes are kept with their history, of which %d are present, more than %d", what, at.Size, at.Present,
			most)
	}
}

// TestAFullRoomIsEmptied fills a room with objects that finalizers hold. A learner and the teacher delete them and
// remove the finalizers one by one, each by clients that the objects do not know, and the teacher pays for nothing.
func TestAFullRoomIsEmptied(t *testing.T) {
	const quota = 4 << 20
	c := newClassroom(t, Options{Quota: quota, Storage: new(journal.Memory)})
	c.quotas(`{"requestsPerSecond":100000}`)
	type learner struct{ name, token string }
	var learners []learner
	for n := range 8 {
		name, token := c.join("learner", fmt.Sprint("Learner ", n))
		learners = append(learners, learner{name, token})
		for i := range 600 {
			body := heldObject(fmt.Sprintf("held-%d-%d", n, i), 3, 20_000)
			if code, text := requestAs(c.Cluster, "Authorization: Bearer "+token, "POST", configMaps, body); code == 403 {
				break
			} else if code != 201 {
				t.Fatalf("%d %.300s", code, text)
			}
		}
		for i := 0; ; i++ {
			body := configMap(fmt.Sprintf("small-%d-%d", n, i), "")
			if code, _ := requestAs(c.Cluster, "Authorization: Bearer "+token, "POST", configMaps, body); code == 403 {
				break
			}
		}
	}
	for n, who := range learners {
		token := who.token
		if n%2 == 1 {
			token = "chalk"
		}
		if n < 4 {
			c.expect(200, token, "DELETE", fmt.Sprintf("%s?labelSelector=a!=b&fieldSelector=metadata.name!=x", configMaps), "")
			c.within("all are marked", quota)
		}
		if objects, bytes := c.ofWhom("teacher"); objects > 0 || bytes > 0 {
			t.Errorf("the teacher pays for %d objects with %d bytes", objects, bytes)
		}
		objects, _ := c.ofWhom(who.name)
		for i := range objects {
			name := fmt.Sprintf("%s/held-%d-%d", configMaps, n, i)
			for left := 2; left >= 0; left-- {
				path := fmt.Sprintf("%s?fieldManager=m%d", name, left)
				c.expect(200, token, "PATCH", path, `{"metadata":{"finalizers":[`+finalizerList(left)+`]}}`)
				c.within(name, quota)
			}
			c.expect(404, token, "GET", name, "")
		}
		if objects, bytes := c.ofWhom(who.name); objects > 0 || bytes > 0 {
			t.Errorf("%s has %d objects with %d bytes", who.name, objects, bytes)
		}
	}
}
