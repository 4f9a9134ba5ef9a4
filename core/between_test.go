package core

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// podOf is a Pod without a node, by its name.
const podOf = `{"metadata":{"name":%q},"spec":{"containers":[{"name":"c","image":"i"}]}}`

// TestBetweenWrites deletes a Pod without a node, which writes twice: its watches are sent the first state while the
// second write waits.
func TestBetweenWrites(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	c, _ := newCluster(t, Options{Between: func(context.Context) error {
		reached <- struct{}{}
		<-release
		return nil
	}})
	made := must(t, c, 201, "POST", pods, fmt.Sprintf(podOf, "p"))
	watch := apitest.Follow(t, c, pods+"?watch=1&resourceVersion="+versionOf(made))
	defer watch.Stop()
	answer := make(chan *httptest.ResponseRecorder)
	go func() { answer <- apitest.Do(c, "DELETE", pods+"/p", "") }()

	<-reached
	marked := watch.Next()
	if marked["type"] != "MODIFIED" || at(marked, "object.metadata.deletionTimestamp") == nil ||
		at(marked, "object.metadata.deletionGracePeriodSeconds") != float64(0) {
		t.Errorf("the first write: %v", marked)
	}
	if is := must(t, c, 200, "GET", pods+"/p", ""); versionOf(is) != at(marked, "object.metadata.resourceVersion") {
		t.Errorf("between the writes there is %v", is)
	}
	close(release)
	if gone := watch.Next(); gone["type"] != "DELETED" {
		t.Errorf("the second write: %v", gone)
	}
	if got := <-answer; got.Code != 200 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestDeletionIsEndedByAnother has other clients write to a Pod between the two writes of its deletion without a grace
// period. The real server answers such a deletion as if it had been alone; what the other write ends is shown as it was
// marked, without a resourceVersion.
func TestDeletionIsEndedByAnother(t *testing.T) {
	const label = `{"metadata":{"labels":{"a":"b"}}}`
	patch := func(c http.Handler, _ string) { // which ends the deletion, as any update of an object that waits for nothing
		must(t, c, 200, "PATCH", pods+"/p", label, "Content-Type", "application/merge-patch+json")
	}
	replace := func(c http.Handler, uid string) {
		patch(c, uid)
		must(t, c, 201, "POST", pods, fmt.Sprintf(podOf, "p"))
	}
	for name, test := range map[string]struct {
		body  string // of the deletion, with the Pod's uid in place of %q
		other func(c http.Handler, uid string)
		code  int
		left  bool // a Pod of that name is there in the end
	}{
		"an update":                        {"", patch, 200, false},
		"the same, of a Pod known by uid":  {`{"preconditions":{"uid":%q}}`, patch, 200, false},
		"and a new Pod":                    {"", replace, 200, false},
		"a new Pod, but another was asked": {`{"preconditions":{"uid":%q}}`, replace, 409, true},
	} {
		t.Run(name, func(t *testing.T) {
			var c http.Handler
			var uid string
			var once atomic.Bool
			c, _ = newCluster(t, Options{Between: func(context.Context) error {
				if once.CompareAndSwap(false, true) {
					test.other(c, uid)
				}
				return nil
			}})
			uid = at(must(t, c, 201, "POST", pods, fmt.Sprintf(podOf, "p")), "metadata.uid").(string)
			body := test.body
			if body != "" {
				body = fmt.Sprintf(body, uid)
			}
			got := must(t, c, test.code, "DELETE", pods+"/p", body)
			if test.code == 200 && at(got, "metadata.uid") == uid &&
				(at(got, "metadata.resourceVersion") != nil || at(got, "metadata.deletionGracePeriodSeconds") != float64(0)) {
				t.Errorf("it is shown with a resourceVersion, or without its mark: %v", got)
			}
			if test.code == 409 && !strings.Contains(at(got, "message").(string), "UID in precondition: "+uid) {
				t.Errorf("it is refused with %v", got)
			}
			if left := apitest.Do(c, "GET", pods+"/p", "").Code == 200; left != test.left {
				t.Errorf("a Pod is there: %t", left)
			}
		})
	}
}

// TestBetweenIsAsked has what writes how often: the option is asked before each write of a request but the first.
func TestBetweenIsAsked(t *testing.T) {
	const (
		held    = `{"metadata":{"name":"held","finalizers":["example.com/f"]}}`
		quota   = `{"metadata":{"name":"q"},"spec":{"hard":{"secrets":"9"}}}`
		service = `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`
	)
	var asked atomic.Int64
	c, _ := newCluster(t, Options{Between: func(context.Context) error {
		asked.Add(1)
		return nil
	}})
	for _, step := range []struct {
		code               int
		method, path, body string
		want               int64
	}{
		{201, "POST", configMaps, `{"metadata":{"name":"a"}}`, 0},
		{201, "POST", configMaps, `{"metadata":{"generateName":"b-"}}`, 0},
		{200, "PATCH", configMaps + "/a", `{"data":{"x":"1"}}`, 0},
		{409, "POST", configMaps, `{"metadata":{"name":"a"}}`, 0},
		{201, "POST", configMaps, held, 0},
		{200, "DELETE", configMaps + "/held", "", 0},
		{200, "PATCH", configMaps + "/held", `{"metadata":{"finalizers":null}}`, 0},
		{200, "DELETE", configMaps, "", 1}, // two of them
		{201, "POST", services, service, 1},
		{200, "PATCH", services + "/s", `{"metadata":{"labels":{"a":"b"}}}`, 0},
		{200, "DELETE", services + "/s", "", 1},
		{201, "POST", pods, fmt.Sprintf(podOf, "p"), 0},
		{200, "DELETE", pods + "/p?dryRun=All", "", 0},
		{200, "DELETE", pods + "/p", "", 1},
		{201, "POST", pods, fmt.Sprintf(podOf, "q"), 0},
		{201, "POST", pods + "/q/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"q"}}`, 2},
		{201, "POST", pods, fmt.Sprintf(podOf, "r"), 0},
		{201, "POST", pods, fmt.Sprintf(podOf, "s"), 0},
		{200, "DELETE", pods, "", 3},
		{201, "POST", "/api/v1/namespaces/default/resourcequotas", quota, 0},
		{201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"n"}}`, 0},
		{200, "DELETE", "/api/v1/namespaces/n", "", 0},
	} {
		before := asked.Load()
		must(t, c, step.code, step.method, step.path, step.body)
		if got := asked.Load() - before; got != step.want {
			t.Errorf("%s %s: asked %d times, want %d", step.method, step.path, got, step.want)
		}
	}
	before := asked.Load()
	must(t, c, 201, "POST", definitions, apitest.CronTabs("crontabs", "CronTab", "ct"))
	apitest.Condition(t, c, "crontabs", "Established", "True")
	if got := asked.Load() - before; got != 2 {
		t.Errorf("a new definition: asked %d times, want 2: its names are accepted, then it is established", got)
	}
}

// TestGivenUpBetweenWrites has clients leave between two writes of their requests: what was written stays, nothing
// more is, and the addresses of what is gone are free.
func TestGivenUpBetweenWrites(t *testing.T) {
	var leave context.CancelFunc
	c, _ := newCluster(t, Options{Between: func(ctx context.Context) error {
		if leave != nil {
			leave()
		}
		return ctx.Err()
	}})
	giveUp := func(method, path, body string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		leave = cancel
		defer func() {
			leave = nil
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		r := httptest.NewRequest(method, path, strings.NewReader(body)).WithContext(ctx)
		c.ServeHTTP(httptest.NewRecorder(), r)
	}
	must(t, c, 201, "POST", pods, fmt.Sprintf(podOf, "p"))
	giveUp("DELETE", pods+"/p", "")
	if is := must(t, c, 200, "GET", pods+"/p", ""); at(is, "metadata.deletionTimestamp") == nil {
		t.Errorf("it was not marked: %v", is)
	}
	must(t, c, 200, "DELETE", pods+"/p", "")
	must(t, c, 404, "GET", pods+"/p", "")

	addresses := func() int { return len(at(must(t, c, 200, "GET", ipAddresses, ""), "items").([]any)) }
	before := addresses()
	giveUp("POST", services, `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`)
	must(t, c, 404, "GET", services+"/s", "")
	if got := addresses(); got != before {
		t.Errorf("%d addresses, want %d", got, before)
	}
	must(t, c, 201, "POST", services, `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`)
	giveUp("DELETE", services+"/s", "")
	must(t, c, 404, "GET", services+"/s", "")
	if got := addresses(); got != before {
		t.Errorf("%d addresses after the deletion, want %d", got, before)
	}
}
