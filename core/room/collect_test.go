package room_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// ownedBy is a patch that gives an object the owner of a kind, name and uid, which waits for it.
func ownedBy(apiVersion, kind, name string, uid any) string {
	return fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,`+
		`"blockOwnerDeletion":true}]}}`, apiVersion, kind, name, uid)
}

// deleted watches a collection, and returns what waits until an object of it is deleted.
func (c classroom) deleted(token, collection, name string) (wait func()) {
	c.Helper()
	at := c.expect(200, token, "GET", collection, "")["metadata"].(map[string]any)["resourceVersion"]
	s := follow(c.T, c.as(token), fmt.Sprint(collection,
		"?watch=1&fieldSelector=metadata.name=", name, "&resourceVersion=", at))
	return func() {
		c.Helper()
		if text := s.until(`{"type":"DELETED"`); !strings.Contains(text, `{"type":"DELETED"`) {
			c.Fatalf("%s/%s is not deleted: %s", collection, name, text)
		}
	}
}

// TestTheCollectorLeavesTheLastTeacher makes the Member of the only teacher a dependent of something, which is then
// deleted: the garbage collector fails, and succeeds as soon as there is another teacher.
func TestTheCollectorLeavesTheLastTeacher(t *testing.T) {
	c := newClassroom(t, Options{Controllers: true})
	manual := c.Instance().Host.(*clock.Manual)
	_, adas := c.join("learner", "Ada")
	owner := c.expect(201, "chalk", "POST", clusterRoles, `{"metadata":{"name":"owner"}}`)
	owned := ownedBy("rbac.authorization.k8s.io/v1", "ClusterRole", "owner", at(owner, "metadata.uid"))
	c.expect(200, "chalk", "PATCH", members+"/teacher", owned)
	// The collector handles dependents in the order in which they became such: when this is gone, it has tried.
	c.expect(201, "chalk", "POST", configMaps, configMap("after", ""))
	c.expect(200, "chalk", "PATCH", configMaps+"/after", owned)
	tried := c.deleted(adas, configMaps, "after")
	c.expect(200, "chalk", "DELETE", clusterRoles+"/owner", "")
	tried()
	c.expect(200, "chalk", "GET", tokens, "")

	_, next := c.join("teacher", "Next")
	gone := c.deleted(next, members, "teacher")
	manual.Advance(time.Minute)
	gone()
	c.expect(401, "chalk", "GET", tokens, "")
	c.expect(200, next, "GET", tokens, "")
}

// TestBeingDeletedInTheForeground holds a Member with a dependent that blocks its deletion and has a finalizer: it has
// no access all the same.
func TestBeingDeletedInTheForeground(t *testing.T) {
	c := newClassroom(t, Options{Controllers: true})
	ada, adas := c.join("learner", "Ada")
	member := c.expect(200, "chalk", "GET", members+"/"+ada, "")
	c.expect(201, "chalk", "POST", configMaps, `{"metadata":{"name":"blocks","finalizers":["example.com/x"]}}`)
	c.expect(200, "chalk", "PATCH", configMaps+"/blocks",
		ownedBy("sandbox.tabernetes.dev/v1", "Member", ada, at(member, "metadata.uid")))
	view, _ := c.follow(adas)
	c.expect(200, adas, "GET", configMaps, "")
	gone := c.deleted("chalk", members, ada)
	c.expect(200, "chalk", "DELETE", members+"/"+ada+"?propagationPolicy=Foreground", "")
	if view.until(`{"name":"` + ada + `","gone":true}`); !view.ended("") {
		t.Error("the stream of who is being deleted goes on")
	}
	c.expect(401, adas, "GET", configMaps, "")
	c.expect(401, adas, "POST", configMaps, configMap("a", ""))
	held := c.expect(200, "chalk", "GET", members+"/"+ada, "")
	if at(held, "metadata.deletionTimestamp") == nil {
		t.Errorf("%v", held)
	}
	c.expect(200, "chalk", "PATCH", configMaps+"/blocks", `{"metadata":{"finalizers":null}}`)
	gone()
	c.expect(401, adas, "GET", configMaps, "")
}
