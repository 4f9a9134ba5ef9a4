package core

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/settings"
)

// A fixture is a cluster with a short history, in which every way of reading has a different answer:
//
//	OLD    a                 gone: compacted
//	N      a b c             retained
//	CACHE  a b c d           where the watch cache is, if it is behind
//	HEAD   a b' c d e        now; b was changed
//
// N, HEAD and so on stand for these versions in requests, as $N does in a shell. B and B' are the
// versions of b. TOKEN continues a list of one at N, EXPIRED one at OLD, FRESH is the token in the
// answer to EXPIRED, AHEAD is from another server whose cache is at HEAD.
type fixture struct {
	*Cluster
	t      testing.TB
	clock  waitClock
	behind bool
	vars   map[string]string
}

const secrets = "/api/v1/namespaces/default/secrets"

func newFixture(t testing.TB, behind bool) *fixture {
	t.Helper()
	nap := waitClock{clock.NewManual(start), make(chan struct{}, 1)}
	c, _ := newCluster(t, Options{Clock: nap})
	s := &fixture{Cluster: c, t: t, clock: nap, behind: behind, vars: map[string]string{"FUTURE": "4000000000"}}
	s.vars["OLD"] = s.create("a")
	s.vars["EXPIRED"], s.vars["FRESH"] = token(s.vars["OLD"], "/a"), token("-1", "/a")
	s.vars["B"] = s.create("b")
	s.vars["N"] = s.create("c")
	s.vars["TOKEN"] = at(must(t, c, 200, "GET", secrets+"?limit=1", ""), "metadata.continue").(string)
	s.create("d")
	if behind {
		s.freeze(true)
		s.vars["CACHE"] = fmt.Sprint(at(must(t, c, 200, "GET", plane, ""), "status.cacheRevisions").([]any)[0])
	}
	changed := must(t, c, 200, "PUT", secrets+"/b", `{"metadata":{"name":"b"},"stringData":{"v":"2"}}`)
	s.vars["B'"] = at(changed, "metadata.resourceVersion").(string)
	s.vars["HEAD"] = s.create("e")
	s.vars["AHEAD"] = token(s.vars["HEAD"], "/a")
	must(t, c, 201, "POST", plane+"/compact", `{"revision":`+s.vars["B"]+`}`)
	return s
}

// create makes a secret and returns its version.
func (s *fixture) create(name string) string {
	s.t.Helper()
	created := must(s.t, s, 201, "POST", secrets, `{"metadata":{"name":"`+name+`"}}`)
	return at(created, "metadata.resourceVersion").(string)
}

// freeze freezes the watch cache, or lets it catch up.
func (s *fixture) freeze(frozen bool) {
	s.t.Helper()
	setSpec(s.t, s, fmt.Sprintf(`{"cache":{"replicas":[{"frozen":%v}]}}`, frozen))
}

// token returns a token that continues a list at a version after a key.
func token(version, start string) string {
	text := fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":%s,"start":"%s\u0000"}`, version, start)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// fill replaces the names of versions and tokens in a request.
func (s *fixture) fill(text string) string {
	return os.Expand(text, func(name string) string {
		value, ok := s.vars[name]
		if !ok {
			s.t.Fatalf("%s: there is no $%s", text, name)
		}
		return value
	})
}

// nameOf returns the name of a version.
func (s *fixture) nameOf(version string) string {
	for _, name := range []string{"HEAD", "CACHE", "N", "OLD", "B", "B'", "NEW", "FUTURE"} {
		if s.vars[name] == version {
			return name
		}
	}
	return version
}

// reply is the answer to a request, with its body as it comes.
type reply struct {
	code   int
	header http.Header
	body   *bufio.Reader
	waited bool // whether it came only after the 3 s that reads wait for the cache
	close  func()
}

// get sends a request. If the answer waits for the cache, get moves the clock.
func (s *fixture) get(path string) *reply {
	s.t.Helper()
	return s.send(httptest.NewRequest("GET", s.fill(path), nil), freshness)
}

// send sends a request. If the answer waits for the cache, send moves the clock by nap.
func (s *fixture) send(request *http.Request, nap time.Duration) *reply {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	// Not an assertion: a stream without events must not block the tests for long.
	guard := time.AfterFunc(patience, cancel)
	select {
	case <-s.clock.waiting: // of a request before this one
	default:
	}
	answer := apitest.Open(s, request.WithContext(ctx))
	r := &reply{header: answer.Header, body: bufio.NewReader(answer.Body)}
	r.close = sync.OnceFunc(func() {
		guard.Stop()
		cancel()
		_ = answer.Body.Close()
		<-answer.Ended
	})
	s.t.Cleanup(r.close)
	select {
	case <-answer.Begun:
	case <-s.clock.waiting:
		r.waited = true
		s.clock.Advance(nap)
		<-answer.Begun
	}
	r.code = answer.Code
	return r
}

// freshness is how long a read waits for the watch cache.
const freshness = settings.CacheWait

// waitClock signals when a request begins to wait for the watch cache.
type waitClock struct {
	*clock.Manual
	waiting chan struct{}
}

func (c waitClock) NewTimer(d time.Duration) clock.Timer {
	t := c.Manual.NewTimer(d)
	if d == freshness {
		select {
		case c.waiting <- struct{}{}:
		default:
		}
	}
	return t
}

// object reads a body that is one object.
func (r *reply) object(t testing.TB) map[string]any {
	t.Helper()
	var obj map[string]any
	if err := json.NewDecoder(r.body).Decode(&obj); err != nil {
		t.Fatalf("%d: %v", r.code, err)
	}
	return obj
}

// describe describes an answer in the notation of the tables: the items, or the Status, with the
// names of versions in place of the versions.
func (s *fixture) describe(r *reply) string {
	s.t.Helper()
	defer r.close()
	words := fmt.Sprint(r.code)
	if r.waited {
		words = "waits " + words
	}
	obj := r.object(s.t)
	switch {
	case obj["kind"] == "Status":
		return words + " " + s.status(obj, r.header)
	case r.code != 200:
		return fmt.Sprintf("%s %v", words, obj)
	case obj["items"] == nil:
		return words + " " + itemName(obj) + " @" + s.nameOf(at(obj, "metadata.resourceVersion").(string))
	}
	for _, item := range obj["items"].([]any) {
		words += " " + itemName(item)
	}
	version := at(obj, "metadata.resourceVersion").(string)
	words += " @" + s.nameOf(version)
	if next, ok := at(obj, "metadata.continue").(string); ok {
		words += " more" + s.tokenWords(next, version)
	}
	if n := at(obj, "metadata.remainingItemCount"); n != nil {
		words += fmt.Sprint(" ", n)
	}
	return words
}

// tokenWords describes what is special about a token: nothing if it continues the list that it is
// in.
func (s *fixture) tokenWords(text, version string) string {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var t struct {
		V, Start string
		RV       json.Number
	}
	if err != nil || json.Unmarshal(raw, &t) != nil || t.V != "meta.k8s.io/v1" {
		return " " + text
	}
	switch t.RV.String() {
	case version:
		return ""
	case "-1":
		return " at whatever is there"
	}
	return "@" + s.nameOf(t.RV.String())
}

// itemName returns an object's name, with a mark for each time that it was changed.
func itemName(obj any) string {
	name := at(obj, "metadata.name").(string)
	switch at(obj, "data.v") {
	case nil:
		return name
	case base64.StdEncoding.EncodeToString([]byte("3")):
		return name + "''"
	}
	return name + "'"
}

// status describes a Status. It has no header if it came in an event.
func (s *fixture) status(obj map[string]any, header http.Header) string {
	reason, _ := obj["reason"].(string)
	var causes []string
	list, _ := at(obj, "details.causes").([]any)
	for _, cause := range list {
		causes = append(causes, fmt.Sprintf("%v %v: %v", at(cause, "reason"), at(cause, "field"), at(cause, "message")))
	}
	text := fmt.Sprint(obj["message"])
	// A message that only repeats the causes is left out.
	if len(causes) > 0 && obj["reason"] == "Invalid" {
		text = ""
	}
	words := strings.Join(slices.DeleteFunc([]string{reason, text, strings.Join(causes, " + ")},
		func(s string) bool { return s == "" }), " ")
	words = strings.ReplaceAll(words, "<nil>: ", "")
	for _, name := range []string{"FUTURE", "HEAD", "CACHE", "N", "B", "OLD"} {
		if version := s.vars[name]; version != "" {
			words = numberIn(words, version, name)
		}
	}
	if retry := at(obj, "details.retryAfterSeconds"); retry != nil {
		words += fmt.Sprint(" retry ", retry)
		if header != nil && header.Get("Retry-After") != fmt.Sprint(retry) {
			words += fmt.Sprintf(" (but the header says %q)", header.Get("Retry-After"))
		}
	}
	if next, ok := at(obj, "metadata.continue").(string); ok {
		words += " more" + s.tokenWords(next, "")
		s.vars["FRESH"] = next
	}
	return words
}

// numberIn replaces a number in a text by its name.
func numberIn(text, number, name string) string {
	return regexp.MustCompile(`\b`+number+`\b`).ReplaceAllString(text, name)
}
