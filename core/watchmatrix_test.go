package core

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// events reads a watch up to an event, or to its end, in the notation of the tables: + ADDED,
// ~ MODIFIED, - DELETED, each with the object's name; ^ a bookmark with its version, | the one that
// ends the initial events; ! an error.
func (s *fixture) events(r *reply, until string) string {
	s.t.Helper()
	var words []string
	for lines := bufio.NewScanner(r.body); ; {
		word := s.event(lines)
		words = append(words, word)
		if word == "end" || word == until {
			return strings.Join(words, " ")
		}
	}
}

// event reads the next event.
func (s *fixture) event(lines *bufio.Scanner) string {
	s.t.Helper()
	if !lines.Scan() {
		return "end"
	}
	var e struct {
		Type   string
		Object map[string]any
	}
	if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
		s.t.Fatalf("%v in %s", err, lines.Text())
	}
	switch e.Type {
	case "ERROR":
		return fmt.Sprintf("!%v %s", e.Object["code"], s.status(e.Object, nil))
	case "BOOKMARK":
		mark := "^"
		if at(e.Object, "metadata.annotations") != nil {
			mark = "|"
		}
		return mark + s.nameOf(at(e.Object, "metadata.resourceVersion").(string))
	}
	return map[string]string{"ADDED": "+", "MODIFIED": "~", "DELETED": "-"}[e.Type] + itemName(e.Object)
}

// The last events of watches: that of the creation of f, that of another change of b for watches that
// have b only, and no event at all.
const (
	lastF   = "+f"
	lastB   = "~b''"
	noEvent = "end"
)

// watched opens a watch and describes its events: those that come at once, and those of changes
// while it was open, up to the last. A watch without events is read until it times out, which is in
// a minute: not one with events, since a timeout need not wait until they have come.
func (s *fixture) watched(request, last string) string {
	s.t.Helper()
	r := s.get(request)
	defer r.close()
	words := ""
	if r.waited {
		words = "waits "
	}
	if r.code != 200 || r.header.Get("Content-Type") != "application/json" {
		return words + fmt.Sprint(r.code) + " " + s.status(r.object(s.t), r.header)
	}
	if s.behind {
		s.freeze(false)
	}
	s.create("f")
	must(s.t, s, 200, "PUT", secrets+"/b", `{"metadata":{"name":"b"},"stringData":{"v":"3"}}`)
	if last == noEvent {
		s.clock.Advance(time.Minute)
	}
	return words + s.events(r, last)
}

// lastOf returns the last event of those that a row of a table expects.
func lastOf(want string) string {
	switch {
	case want == noEvent:
		return noEvent
	case strings.HasSuffix(want, lastB):
		return lastB
	}
	return lastF
}

const (
	needsMatch = "422 Invalid FieldValueForbidden resourceVersionMatch: Forbidden: sendInitialEvents requires " +
		"setting resourceVersionMatch to NotOlderThan"
	needsSend = "422 Invalid FieldValueForbidden resourceVersionMatch: Forbidden: resourceVersionMatch is " +
		"forbidden for watch unless sendInitialEvents is provided"
	onlyNotOlder = `FieldValueNotSupported resourceVersionMatch: Unsupported value: "%s": supported values: "NotOlderThan"`
	notForLists  = "FieldValueForbidden sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"

	tooLargeEvent = "!504 Timeout Timeout: Too large resource version: ASKED, current: CACHE ResourceVersionTooLarge " +
		"Too large resource version retry 1 end"
	tooOldEvent = "!410 Expired too old resource version: OLD (B) end"
)

// Every combination of resourceVersion and sendInitialEvents on a watch, with
// bookmarks, which only add the end mark, and without.
func TestWatchMatrix(t *testing.T) {
	const (
		now    = "+a +b' +c +d +e | +f"
		cached = "+a +b +c +d | ~b' +e +f"
	)
	for _, row := range []struct {
		version, send   string
		current, behind string // | stands for the end of the initial events, if it is marked
	}{
		{"", "", now, "waits " + tooLargeEvent},
		{"0", "", now, cached},
		{"$N", "", "+d ~b' +e +f", ""},
		{"$HEAD", "", "+f", ""},
		{"$FUTURE", "", "end", ""},
		{"$OLD", "", tooOldEvent, ""},
		{"garbage", "", outcomes["garbage 500"], ""},

		{"", "true", now, "waits " + tooLargeEvent},
		{"0", "true", now, cached},
		{"$N", "true", now, cached},
		{"$HEAD", "true", now, "waits " + tooLargeEvent},
		{"$FUTURE", "true", "waits " + tooLargeEvent, ""},
		{"$OLD", "true", now, cached},
		{"garbage", "true", outcomes["garbage 500"], ""},

		{"", "false", "+f", ""},
		{"0", "false", "+f", "~b' +e +f"},
		{"$N", "false", "+d ~b' +e +f", ""},
		{"$HEAD", "false", "+f", ""},
		{"$FUTURE", "false", "end", ""},
		{"$OLD", "false", tooOldEvent, ""},
		{"garbage", "false", outcomes["garbage 500"], ""},
	} {
		for _, bookmarks := range []bool{false, true} {
			for _, behind := range []bool{false, true} {
				request := secrets + "?watch=1&timeoutSeconds=60"
				if row.version != "" {
					request += "&resourceVersion=" + row.version
				}
				if row.send != "" {
					request += "&resourceVersionMatch=NotOlderThan&sendInitialEvents=" + row.send
				}
				if bookmarks {
					request += "&allowWatchBookmarks=true"
				}
				want := row.current
				if behind && row.behind != "" {
					want = row.behind
				}
				t.Run(fmt.Sprintf("%s %v", strings.TrimPrefix(request, secrets), behind), func(t *testing.T) {
					s := newFixture(t, behind)
					position := "HEAD"
					if behind {
						position = "CACHE"
					}
					mark := ""
					if bookmarks {
						mark = "|" + position + " "
					}
					asked := strings.TrimPrefix(row.version, "$")
					if asked == "" {
						asked = "HEAD"
					}
					want := strings.NewReplacer("| ", mark, "ASKED", asked, "CACHE", position).Replace(want)
					if got := s.watched(request, lastOf(want)); got != want {
						t.Errorf("got  %s\nwant %s", got, want)
					}
				})
			}
		}
	}
}

// Which options of a watch go together, and what other options mean to it.
func TestWatchOptions(t *testing.T) {
	const (
		watch = secrets + "?watch=1&timeoutSeconds=60&"
		old   = "/api/v1/watch/namespaces/default/secrets"
		now   = "+a +b' +c +d +e +f"
	)
	for _, row := range []struct{ request, want string }{
		{watch + "sendInitialEvents=true", needsMatch},
		{watch + "sendInitialEvents=false&resourceVersion=$N", needsMatch},
		{watch + "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=$N", needsMatch + " + " +
			fmt.Sprintf(onlyNotOlder, "Exact")},
		{watch + "sendInitialEvents=true&resourceVersionMatch=Sometime", needsMatch + " + " +
			fmt.Sprintf(onlyNotOlder, "Sometime")},
		{watch + "resourceVersionMatch=NotOlderThan", needsSend},
		{watch + "resourceVersionMatch=NotOlderThan&resourceVersion=$N", needsSend},
		{watch + "resourceVersionMatch=Exact&resourceVersion=$N", needsSend + " + " + fmt.Sprintf(onlyNotOlder, "Exact")},
		{watch + "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&continue=$TOKEN", "422 Invalid " + withContinue},
		{watch + "resourceVersionMatch=Exact&continue=$TOKEN",
			needsSend + " + " + fmt.Sprintf(onlyNotOlder, "Exact") + " + " + withContinue},

		{watch + "limit=1", now},
		{watch + "continue=$TOKEN", "422 Invalid " + withContinue}, // an unset version means NotOlderThan
		{watch + "continue=garbage&resourceVersion=$N", "+d ~b' +e +f"},
		{watch + "limit=x", `400 BadRequest strconv.ParseInt: parsing "x": invalid syntax`},
		{secrets + "?watch=1&timeoutSeconds=x", `400 BadRequest strconv.ParseInt: parsing "x": invalid syntax`},
		{secrets + "?watch=true&resourceVersion=$HEAD", "+f"},
		{secrets + "?watch&resourceVersion=$HEAD", "+f"},
		{secrets + "?watch=1&timeoutSeconds=0&resourceVersion=$HEAD", "+f"},

		// One object, by the selector or by the older path; and all namespaces.
		{watch + "fieldSelector=metadata.name%3Db&resourceVersion=$N&", "~b' ~b''"},
		{watch + "fieldSelector=metadata.name%3Df&resourceVersion=$N&", "+f"},
		{watch + "fieldSelector=metadata.name%3Db", "+b' ~b''"},
		{"/api/v1/secrets?watch=1&resourceVersion=$N", "+d ~b' +e +f"},
		{"/api/v1/secrets?watch=1&fieldSelector=metadata.namespace%3Ddefault", now},
		{"/api/v1/secrets?watch=1&timeoutSeconds=60&fieldSelector=metadata.namespace%3Dother", "end"},
		{"/api/v1/secrets?watch=1&fieldSelector=metadata.name%3Df&resourceVersion=$N", "+f"},
		{old + "?resourceVersion=$N", "+d ~b' +e +f"},
		{old, now},
		{old + "/b?timeoutSeconds=60", "+b' ~b''"},
		{old + "/f", "+f"},
		{old + "/b?timeoutSeconds=60&fieldSelector=metadata.name%3Db&resourceVersion=$N", "~b' ~b''"},
		{old + "/b?fieldSelector=metadata.name%3Da",
			"400 BadRequest fieldSelector metadata.name doesn't match requested name"},
		{"/api/v1/watch/secrets?resourceVersion=$HEAD", "+f"},
		// There the options are validated as those of a list, unless watch=1 is set as well.
		{old + "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0", "422 Invalid " + notForLists},
		{old + "?resourceVersionMatch=NotOlderThan", "422 Invalid " + noVersion},
		{old + "?resourceVersionMatch=Exact&resourceVersion=$N", "+d ~b' +e +f"},
		{old + "?allowWatchBookmarks=true", now},
		{old + "?allowWatchBookmarks=true&watch=1", "+a +b' +c +d +e |HEAD +f"},
		{secrets + "?sendInitialEvents=true", "422 Invalid " + notForLists},
	} {
		t.Run(row.request, func(t *testing.T) {
			s := newFixture(t, false)
			got := s.watched(row.request, lastOf(row.want))
			if got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// A watch by the older path does not ask for the most recent state.
func TestWatchPathsReadTheCache(t *testing.T) {
	s := newFixture(t, true)
	if got, want := s.watched("/api/v1/watch/namespaces/default/secrets", lastF), "+a +b +c +d ~b' +e +f"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A negative timeout ends a watch at once.
func TestNegativeTimeout(t *testing.T) {
	s := newFixture(t, false)
	r := s.get(secrets + "?watch=1&timeoutSeconds=-1&resourceVersion=$HEAD")
	defer r.close()
	if got := s.events(r, noEvent); r.code != 200 || got != "end" {
		t.Errorf("%d, %s", r.code, got)
	}
}

// A watch without a timeout ends between 30 and 60 minutes after it began.
func TestDefaultTimeout(t *testing.T) {
	for range 20 {
		s := newFixture(t, false)
		r := s.get(secrets + "?watch=1&resourceVersion=$HEAD")
		s.clock.Advance(30*time.Minute - time.Second)
		s.create("f")
		if got := s.events(r, lastF); got != "+f" {
			t.Fatalf("before 30 minutes: %s", got)
		}
		s.clock.Advance(30*time.Minute + time.Second)
		if got := s.events(r, noEvent); got != "end" {
			t.Fatalf("after an hour: %s", got)
		}
		r.close()
	}
}

// Bookmarks come every minute and 2 s before the timeout, to clients that ask for them; only if
// there is something newer than the start of the watch; up to the revision of the cache. Changes to
// other types count.
func TestBookmarkMatrix(t *testing.T) {
	const watch = secrets + "?watch=1&resourceVersion=$HEAD&timeoutSeconds=90"
	for _, row := range []struct {
		name, request string
		moves         bool // something is written, elsewhere
		want          string
	}{
		{"not asked for", watch, true, "end"},
		{"nothing new", watch + "&allowWatchBookmarks=true", false, "end"},
		{"something new", watch + "&allowWatchBookmarks=true", true, "^NEW ^NEW end"},
		{"false is said", watch + "&allowWatchBookmarks=false", true, "end"},
		{"anything is true", watch + "&allowWatchBookmarks=no", true, "^NEW ^NEW end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newFixture(t, false)
			r := s.get(row.request)
			if row.moves {
				s.vars["NEW"] = at(must(t, s, 201, "POST", configMaps, configMap("other", "1")),
					"metadata.resourceVersion").(string)
			}
			var words []string
			lines := bufio.NewScanner(r.body)
			for _, d := range []time.Duration{time.Minute, 28 * time.Second} {
				s.clock.Advance(d)
				if row.want != "end" {
					words = append(words, s.event(lines))
				}
			}
			s.clock.Advance(2 * time.Second)
			for word := ""; word != "end"; {
				word = s.event(lines)
				words = append(words, word)
			}
			got := strings.Join(words, " ")
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// Events have no watch cache on a real server: reads of them are always current, whatever the state
// of the caches of other types.
func TestEventsAreNotCached(t *testing.T) {
	const events = "/api/v1/namespaces/default/events"
	s := newFixture(t, true)
	for _, name := range []string{"a", "b"} {
		created := must(t, s, 201, "POST", events, `{"metadata":{"name":"`+name+
			`"},"involvedObject":{"namespace":"default"},"reason":"R"}`)
		s.vars["HEAD"] = at(created, "metadata.resourceVersion").(string)
	}
	for _, row := range []struct{ request, want string }{
		{events, "200 a b @HEAD"},
		{events + "?resourceVersion=0", "200 a b @HEAD"},
		{events + "?resourceVersion=0&limit=1", "200 a @HEAD more 1"},
		{events + "?resourceVersion=$HEAD", "200 a b @HEAD"},
		{events + "?resourceVersion=$FUTURE", s.expect("at once", "$FUTURE")},
		{events + "/b?resourceVersion=0", "200 b @HEAD"},
		{events + "/b?resourceVersion=$FUTURE", s.expect("at once", "$FUTURE")},
	} {
		if got := s.describe(s.get(row.request)); got != row.want {
			t.Errorf("%s\ngot  %s\nwant %s", row.request, got, row.want)
		}
	}
	r := s.get(events + "?watch=1&timeoutSeconds=60&allowWatchBookmarks=true")
	lines := bufio.NewScanner(r.body)
	words := []string{s.event(lines), s.event(lines)}
	s.clock.Advance(58 * time.Second)
	words = append(words, s.event(lines))
	s.clock.Advance(2 * time.Second)
	words = append(words, s.event(lines))
	if got := strings.Join(words, " "); got != "+a +b |HEAD end" {
		t.Errorf("watch: %s", got)
	}
	r = s.get(events + "?watch=1&resourceVersion=$OLD")
	if got, want := s.events(r, noEvent),
		"!410 Expired The resourceVersion for the provided watch is too old. end"; got != want {
		t.Errorf("watch of what is gone: %s", got)
	}
}
