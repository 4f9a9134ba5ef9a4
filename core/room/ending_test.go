package room_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
)

// within checks that a cluster keeps at most so many bytes with its history.
func (c classroom) within(what string, most int64) {
	c.Helper()
	if at := c.Instance().Registry.Store.Status(); at.Size > most {
		c.Fatalf("%s: %d bytes are kept with their history, of which %d are present, more than %d", what, at.Size, at.Present,
			most)
	}
}

// TestNobodyGrowsByEnding has a learner remove the finalizers of an object that is being deleted, one by one, and add
// something each time. Its share is full: it may remove them, and nothing else.
func TestNobodyGrowsByEnding(t *testing.T) {
	const quota, finalizers = 4 << 20, 25
	c := newClassroom(t, Options{Quota: quota, Storage: new(journal.Memory)})
	ada, adas := c.join("learner", "Ada")
	c.quotas(`{"requestsPerSecond":100000}`)
	c.expect(201, adas, "POST", configMaps, apitest.Held("held", finalizers, 220_000))
	c.expect(200, adas, "DELETE", configMaps+"/held", "")
	_, share := c.ofWhom(ada)
	c.quotas(fmt.Sprintf(`{"bytesPerMember":%d}`, share-10_000))
	for left := finalizers - 1; left > 1; left-- {
		grow := fmt.Sprintf(`{"metadata":{"finalizers":[%s]},"data":{"n%d":%q}}`, apitest.Finalizers(left), left,
			strings.Repeat("y", 900))
		c.expect(403, adas, "PATCH", configMaps+"/held", grow)
		label := fmt.Sprintf(`{"metadata":{"finalizers":[%s],"labels":{"a%d":%q}}}`, apitest.Finalizers(left), left,
			strings.Repeat("y", 60))
		c.expect(403, adas, "PATCH", configMaps+"/held", label)
		// Each time by another client, of which the object says which fields it has changed.
		path := fmt.Sprintf("%s/held?fieldManager=%s-%d", configMaps, strings.Repeat("m", 100), left)
		c.expect(200, adas, "PATCH", path, `{"metadata":{"finalizers":[`+apitest.Finalizers(left)+`]}}`)
		if _, bytes := c.ofWhom(ada); bytes > share {
			t.Fatalf("%d finalizers are left, and %d bytes instead of %d", left, bytes, share)
		}
		c.within(fmt.Sprintf("%d finalizers are left", left), quota)
	}
	c.expect(200, adas, "PATCH", configMaps+"/held", `{"metadata":{"finalizers":null}}`)
	c.expect(404, adas, "GET", configMaps+"/held", "")
	if objects, bytes := c.ofWhom(ada); objects != 0 || bytes != 0 {
		t.Errorf("%d objects with %d bytes are left", objects, bytes)
	}
}

// TestNobodyGrowsByPuts does it with whole objects that say who manages their fields. The learner's share is made
// smaller than what it has.
func TestNobodyGrowsByPuts(t *testing.T) {
	const quota, finalizers = 4 << 20, 50
	c := newClassroom(t, Options{Quota: quota, Storage: new(journal.Memory)})
	ada, adas := c.join("learner", "Ada")
	c.quotas(`{"requestsPerSecond":100000}`)
	c.expect(201, adas, "POST", configMaps, apitest.Held("held", finalizers, 100_000))
	c.expect(200, adas, "DELETE", configMaps+"/held", "")
	c.quotas(`{"bytesPerMember":30000}`)
	before := c.Instance().Registry.Store.Status().Present
	for left := finalizers - 1; left > 1; left-- {
		held := c.expect(200, adas, "GET", configMaps+"/held", "")
		meta := held["metadata"].(map[string]any)
		meta["finalizers"] = meta["finalizers"].([]any)[:left]
		fields := map[string]any{}
		for i := range 30 {
			fields[fmt.Sprintf("f:added-%d-%d", left, i)] = map[string]any{}
		}
		meta["managedFields"] = append(meta["managedFields"].([]any), map[string]any{
			"manager": fmt.Sprint("m", left), "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:data": fields}, "time": "2026-01-01T00:00:00Z"})
		body, err := json.Marshal(held)
		if err != nil {
			t.Fatal(err)
		}
		c.expect(200, adas, "PUT", configMaps+"/held", string(body))
		if at := c.Instance().Registry.Store.Status(); at.Present > before {
			t.Fatalf("%d finalizers are left, and the objects take %d bytes instead of %d", left, at.Present, before)
		}
		c.within(fmt.Sprintf("%d finalizers are left", left), quota)
		delete(meta, "resourceVersion")
		meta["finalizers"] = meta["finalizers"].([]any)[:left-1]
		held["data"].(map[string]any)["w"] = strings.Repeat("w", 700)
		if body, err = json.Marshal(held); err != nil {
			t.Fatal(err)
		}
		c.expect(403, adas, "PUT", configMaps+"/held", string(body))
	}
	c.expect(200, adas, "PATCH", configMaps+"/held", `{"metadata":{"finalizers":null}}`)
	if objects, bytes := c.ofWhom(ada); objects != 0 || bytes != 0 {
		t.Errorf("%d objects with %d bytes are left", objects, bytes)
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
			body := apitest.Held(fmt.Sprintf("held-%d-%d", n, i), 3, 20_000)
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
				c.expect(200, token, "PATCH", path, `{"metadata":{"finalizers":[`+apitest.Finalizers(left)+`]}}`)
				c.within(name, quota)
			}
			c.expect(404, token, "GET", name, "")
		}
		if objects, bytes := c.ofWhom(who.name); objects > 0 || bytes > 0 {
			t.Errorf("%s has %d objects with %d bytes", who.name, objects, bytes)
		}
	}
}

// TestSnapshotOfAFullRoom puts a snapshot of a full room in its place, which is as full, and can be governed and
// emptied. One after which it could not be governed is refused.
func TestSnapshotOfAFullRoom(t *testing.T) {
	const quota = 4 << 20
	plain := newCluster(t, Options{Quota: quota})
	for i := range 70 {
		must(t, plain, 201, "POST", configMaps, big(fmt.Sprint("big-", i), 50))
	}
	_, large := call(t, plain, "GET", plane+"/snapshot", "")

	c := newClassroom(t, Options{Quota: quota, Storage: new(journal.Memory)})
	c.quotas(`{"requestsPerSecond":100000}`)
	var learners []string
	for n := range 8 {
		_, token := c.join("learner", fmt.Sprint("Learner ", n))
		learners = append(learners, token)
	}
	c.fills(learners, 50)
	for round := range 4 {
		code, snapshot := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", plane+"/snapshot", "")
		if code != 200 {
			t.Fatalf("%d %.300s", code, snapshot)
		}
		c.expect(201, "chalk", "PUT", plane+"/snapshot", snapshot)
		c.within(fmt.Sprint("restored ", round), quota)
		told := c.expect(400, "chalk", "PUT", plane+"/snapshot", large)["message"].(string)
		if !strings.Contains(told, "the saved cluster cannot be read: its objects take 37") ||
			!strings.HasSuffix(told, "of the 3670016 bytes that there are for them") {
			t.Error(told)
		}
		c.expect(200, "chalk", "PATCH", rooms+"/default", fmt.Sprintf(`{"spec":{"frozen":%t}}`, round%2 == 0))
	}
	c.join("learner", "Late")
	c.expect(200, "chalk", "DELETE", configMaps, "")
	c.within("all are deleted", quota+60_000)
	c.expect(201, learners[0], "POST", configMaps, big("again", 100))
}
