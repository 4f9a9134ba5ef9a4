package room_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// write makes a request as a program, and returns the status.
func (c classroom) write(token, program, method, path, body string) {
	c.Helper()
	w := apitest.Do(c, method, path, body, "Authorization", "Bearer "+token, "User-Agent", program+"/v1 (x)")
	if w.Code >= 300 {
		c.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
}

// authors reads the revisions stream up to the deletion of an object, and returns for each of some
// resources what was done with it by whom.
func (c classroom) authors(token, last string) (all []string) {
	c.Helper()
	s := follow(c.T, c.as(token), plane+"/revisions")
	defer s.Stop()
	for {
		f := s.Next()
		if f == nil {
			c.Fatal("the stream has ended")
		}
		commit, ok := f["commit"].(map[string]any)
		if !ok {
			continue
		}
		text := func(name string) string { s, _ := commit[name].(string); return s }
		if group := text("group"); group == "" || group == "sandbox.tabernetes.dev" {
			all = append(all, strings.Join([]string{
				text("verb"), text("resource"), text("name"), "by", text("user"), "with", text("manager"),
			}, " "))
		}
		if text("verb") == "DELETED" && text("name") == last {
			return all
		}
	}
}

// TestAuthors checks that the revisions stream says who made each write: members, programs, the
// server and its controllers; after a restart and a snapshot as well.
func TestAuthors(t *testing.T) {
	saved := new(journal.Memory)
	c := newClassroom(t, Options{Clock: clock.Real(), Storage: saved, Controllers: true})
	setSpec(t, c.as("chalk"), `{"history":{"retentionSeconds":86400}}`)
	c.quotas(`{"requestsPerSecond":100000}`) // the clock is advanced as often as the controllers need it
	ada, adas := c.join("learner", "Ada")
	grace, graces := c.join("program", "Grace")
	c.write("chalk", "kubectl", "POST", "/api/v1/namespaces", `{"metadata":{"name":"class"}}`)
	const maps = "/api/v1/namespaces/class/configmaps"
	c.write(adas, "kubectl", "POST", maps, configMap("a", "1"))
	c.write(graces, "controller", "PUT", maps+"/a?fieldManager=own", configMap("a", "2"))
	c.write(adas, "curl", "DELETE", maps+"/a", "")
	c.write(adas, "curl", "POST", maps, configMap("left", "1"))
	const pods = "/api/v1/namespaces/class/pods"
	c.write(graces, "drain", "POST", pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	c.write(graces, "drain", "POST", pods+"/p/eviction", `{"metadata":{"name":"p"}}`)
	c.write("chalk", "curl", "DELETE", "/api/v1/namespaces/class", "")
	for code := 200; code != 404; { // the controllers do not hurry
		c.write("chalk", "curl", "POST", plane+"/advance", `{"seconds":5}`)
		code, _ = requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", "/api/v1/namespaces/class", "")
	}
	want := []string{
		"ADDED namespaces kube-system by  with kube-apiserver",
		"ADDED members teacher by  with kube-apiserver",
		"ADDED members " + ada + " by invitation:learner with tabernetes",
		"ADDED namespaces class by teacher with kubectl",
		"ADDED configmaps a by " + ada + " with kubectl",
		"MODIFIED configmaps a by " + grace + " with own",
		"DELETED configmaps a by " + ada + " with curl",
		"ADDED configmaps left by " + ada + " with curl",
		"MODIFIED pods p by " + grace + " with drain",
		"DELETED pods p by " + grace + " with drain",
		"MODIFIED namespaces class by teacher with curl",
		"DELETED configmaps left by  with kube-controller-manager",
		"DELETED namespaces class by  with kube-controller-manager",
	}
	check := func(when string, c classroom, token string) {
		t.Helper()
		got := c.authors(token, "class")
		for _, one := range want {
			if !strings.Contains(strings.Join(got, "\n")+"\n", one+"\n") {
				t.Errorf("%s there is no %q in\n%s", when, one, strings.Join(got, "\n"))
			}
		}
	}
	check("at first", c, graces)
	for _, path := range []string{maps, "/api/v1/configmaps", members} {
		_, text := requestAs(c.Cluster, "Authorization: Bearer "+graces, "GET", path, "")
		if strings.Contains(text, "drain") {
			t.Errorf("%s: %s", path, text)
		}
	}
	_, snapshot := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", plane+"/snapshot", "")
	if code, text := requestAs(c.Cluster, "Authorization: Bearer chalk", "PUT", plane+"/snapshot", snapshot); code != 201 {
		t.Fatal(code, text)
	}
	check("restored", c, graces)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	again := newClassroom(t, Options{Clock: clock.Real(), Storage: saved})
	check("started again", again, graces)
}

// TestAuthorsAreOfRooms checks that a cluster that is no room has no authors, in its log neither.
func TestAuthorsAreOfRooms(t *testing.T) {
	saved := new(journal.Memory)
	c := newCluster(t, Options{Storage: saved})
	w := apitest.Do(c, "POST", configMaps, configMap("a", "1"), "User-Agent", "some-program/v1")
	if w.Code != 201 {
		t.Fatal(w.Code, w.Body)
	}
	w = apitest.Do(c, "DELETE", configMaps+"/a", "", "User-Agent", "another-program/v1")
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	s := follow(t, c, plane+"/revisions")
	for f := s.Next(); ; f = s.Next() {
		commit, _ := f["commit"].(map[string]any)
		if commit["user"] != nil || commit["manager"] != nil {
			t.Errorf("%v", commit)
		}
		if commit["verb"] == "DELETED" {
			break
		}
	}
	if bytes.Contains(saved.Bytes(), []byte("another-program")) {
		t.Error("the log has an author")
	}
}
