package core

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// The revisions stream says by which request a commit was made, for clients that give theirs an ID, with any number of
// commits and whatever happened to the answer; it is not a part of what is stored.
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

// The revisions stream has every commit, whatever was deleted or compacted before the stream has read it.
func TestCommitsReadLate(t *testing.T) {
	const cron = `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"w"}}`
	compact := func(t *testing.T, c *Cluster) { must(t, c, 201, "POST", plane+"/compact", "{}") }
	undefine := func(t *testing.T, c *Cluster) {
		watch := follow(t, c, definitions+"?watch=1")
		must(t, c, 200, "DELETE", definitions+"/crontabs.stable.example.com", "")
		for e := watch.Next(); e["type"] != "DELETED"; e = watch.Next() {
			if e == nil {
				t.Fatal("the definition stays")
			}
		}
	}
	for _, row := range []struct {
		name  string
		write func(*testing.T, *Cluster)
		want  []string
	}{
		{"as it was", func(*testing.T, *Cluster) {}, nil},
		{"a definition is deleted", undefine, []string{"DELETED stable.example.com/v1 crontabs CronTab default/w"}},
		{"compacted", func(t *testing.T, c *Cluster) {
			compact(t, c)
			must(t, c, 201, "POST", configMaps, configMap("a", "1"))
			compact(t, c)
		}, []string{"ADDED /v1 configmaps ConfigMap default/a"}},
		{"deleted and compacted", func(t *testing.T, c *Cluster) {
			undefine(t, c)
			compact(t, c)
		}, []string{"DELETED stable.example.com/v1 crontabs CronTab default/w"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, _ := newCluster(t, Options{})
			must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
			condition(t, c, "crontabs", "Established", "True")
			head := at(must(t, c, 200, "GET", plane, ""), "status.revision").(float64)
			s := follow(t, c, fmt.Sprintf("%s/revisions?since=%.0f", plane, head)) // it waits until it is read
			must(t, c, 201, "POST", tabs, cron)
			row.write(t, c)
			must(t, c, 201, "POST", configMaps, configMap("last", "1"))
			var got []string
			for next := head + 1; len(got) == 0 || !strings.HasSuffix(got[len(got)-1], "/last"); {
				frame := s.Next()
				if frame == nil {
					t.Fatal("the stream has ended")
				}
				commit, ok := frame["commit"].(map[string]any)
				if !ok {
					continue
				}
				if revision := commit["revision"]; revision != next {
					t.Fatalf("the commit of %v follows that of %v", revision, next-1)
				}
				next++
				got = append(got, fmt.Sprintf("%s %s/%s %s %s %v/%s", commit["verb"], commit["group"], commit["version"],
					commit["resource"], commit["kind"], commit["namespace"], commit["name"]))
			}
			for _, want := range append([]string{"ADDED stable.example.com/v1 crontabs CronTab default/w"}, row.want...) {
				if !slices.Contains(got, want) {
					t.Errorf("no %s among %s", want, strings.Join(got, ", "))
				}
			}
		})
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
