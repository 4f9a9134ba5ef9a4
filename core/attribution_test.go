package core

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// The revisions stream says by which request a commit was made, for clients that give theirs an ID, with any number of
// commits and whatever became of the answer; it is not a part of what is stored.
func TestCommitsOfARequest(t *testing.T) {
	c, _ := newCluster(t, Options{})
	head := at(must(t, c, 200, "GET", plane, ""), "status.revision").(float64)
	s := follow(t, c, fmt.Sprintf("%s/revisions?since=%.0f", plane, head))
	s.Next()
	as := func(explain, method, path, body string) {
		t.Helper()
		if w := apitest.Do(c, method, path, body, wellknown.ExplainHeader, explain); w.Code >= 400 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
	}
	as("?1;id=a.1", "POST", configMaps, configMap("a", "1"))
	as("1", "POST", configMaps, configMap("b", "1"))
	must(t, c, 201, "POST", configMaps, configMap("c", "1"))
	as("?1;id=a.2", "POST", configMaps+"?dryRun=All", configMap("d", "1"))
	as("?1;id=a.3", "DELETE", configMaps, "")
	lost := httptest.NewRequest("POST", configMaps, strings.NewReader(configMap("e", "1")))
	lost.Header.Set("Content-Type", "application/json")
	lost.Header.Set(wellknown.ExplainHeader, "?1;id=a.4")
	answer := apitest.Open(c, lost)
	answer.Body.Close() // the client is gone
	<-answer.Ended
	var got []string
	for len(got) < 7 {
		frame := s.Next()
		if frame == nil {
			t.Fatal("the stream has ended")
		}
		if commit, ok := frame["commit"].(map[string]any); ok {
			request, _ := commit["request"].(string)
			got = append(got, at(commit, "name").(string)+" "+request)
		}
	}
	if want := "a a.1, b , c , a a.3, b a.3, c a.3, e a.4"; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// IDs of requests are forgotten with the process; the revisions are kept.
func TestRequestsAreNotStored(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	head := at(must(t, c, 200, "GET", plane, ""), "status.revision").(float64)
	if w := apitest.Do(c, "POST", configMaps, configMap("a", "1"), wellknown.ExplainHeader, "?1;id=a.1"); w.Code != 201 {
		t.Fatal(w.Code, w.Body)
	}
	if strings.Contains(string(storage.Bytes()), "a.1") {
		t.Error("the log has the ID of the request")
	}
	c, _ = newCluster(t, Options{Storage: journal.NewMemory(storage.Bytes())})
	s := follow(t, c, fmt.Sprintf("%s/revisions?since=%.0f", plane, head))
	s.Next()
	if commit := s.Next()["commit"].(map[string]any); commit["name"] != "a" || commit["request"] != nil {
		t.Errorf("after the restart: %v", commit)
	}
}
