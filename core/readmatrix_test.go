package core

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Outcomes that are too long for a cell of the tables below.
var outcomes = map[string]string{
	"504": "waits 504 Timeout Timeout: Too large resource version: ASKED, current: CACHE ResourceVersionTooLarge " +
		"Too large resource version retry 1",
	"at once": "504 Timeout Timeout: Too large resource version: ASKED, current: HEAD ResourceVersionTooLarge Too " +
		"large resource version",
	"410": "410 Expired The resourceVersion for the provided list is too old.",
	"expired": "410 Expired The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, " +
		"or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, " +
		"or deleted between the time the first chunk was returned and now may show up in the list. more at whatever is there",
	"garbage": `400 BadRequest invalid resource version: resourceVersion: Invalid value: "garbage": ` +
		`strconv.ParseUint: parsing "garbage": invalid syntax`,
	"garbage 500": `500 resourceVersion: Invalid value: "garbage": strconv.ParseUint: parsing "garbage": invalid syntax`,
	"with token":  "400 BadRequest specifying resource version is not allowed when using continue",
	"not found":   `404 NotFound secrets "e" not found`,

	"no version":         "422 Invalid " + noVersion,
	"exact 0":            "422 Invalid " + exactZero,
	"continue":           "422 Invalid " + withContinue,
	"unknown":            "422 Invalid " + unknownWord,
	"no version+unknown": "422 Invalid " + noVersion + " + " + unknownWord,
	"no version+cont":    "422 Invalid " + noVersion + " + " + withContinue,
	"cont+exact 0":       "422 Invalid " + withContinue + " + " + exactZero,
	"cont+unknown":       "422 Invalid " + withContinue + " + " + unknownWord,
	"all three":          "422 Invalid " + noVersion + " + " + withContinue + " + " + unknownWord,
}

const (
	noVersion = "FieldValueForbidden resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless " +
		"resourceVersion is provided"
	withContinue = "FieldValueForbidden resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when " +
		"continue is provided"
	exactZero = `FieldValueForbidden resourceVersionMatch: ` +
		`Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`
	unknownWord = `FieldValueNotSupported resourceVersionMatch: Unsupported value: "Sometime": supported values: ` +
		`"Exact", "NotOlderThan", ""`
)

// expect returns a cell in full, for a request with a version.
func (s *fixture) expect(cell, asked string) string {
	waits := strings.TrimPrefix(cell, "waits ")
	full, ok := outcomes[waits]
	if !ok {
		return cell
	}
	if waits != cell {
		full = "waits " + full
	}
	full = strings.ReplaceAll(full, "ASKED", strings.TrimPrefix(asked, "$"))
	if !s.behind {
		full = strings.ReplaceAll(full, "CACHE", "HEAD")
	}
	return full
}

// A cell is a request, its answer from a server whose cache is up to date, and, where it differs,
// from one whose cache is behind.
type cell struct{ request, current, behind string }

func (c cell) run(t *testing.T, asked string, prepare func(*fixture)) {
	c.each(t, func(t *testing.T, s *fixture, want string) {
		if prepare != nil {
			prepare(s)
		}
		want = s.expect(want, asked)
		if got := s.describe(s.get(c.request)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.request, got, want)
		}
	})
}

// each runs a test with both servers, and what is wanted of them.
func (c cell) each(t *testing.T, run func(t *testing.T, s *fixture, want string)) {
	for _, behind := range []bool{false, true} {
		name, want := c.request+" current", c.current
		if behind {
			name = c.request + " behind"
			if c.behind != "" {
				want = c.behind
			}
		}
		t.Run(strings.TrimPrefix(name, secrets), func(t *testing.T) { run(t, newFixture(t, behind), want) })
	}
}

const all = "200 a b' c d e @HEAD"

// Every combination of resourceVersion, resourceVersionMatch, limit and continue
// on a list: a row for the first two, a cell for the others.
func TestListMatrix(t *testing.T) {
	for _, row := range []struct {
		version, match    string
		none              [2]string // no limit: current, behind
		limit             [2]string // limit=1
		limitWithContinue [2]string // limit=1&continue=$TOKEN
	}{
		{"unset", "unset", [2]string{all, "waits " + all}, [2]string{"200 a @HEAD more 4", "waits 200 a @HEAD more 4"},
			[2]string{"200 b @N more 1"}},
		{"unset", "Exact", [2]string{"no version"}, [2]string{"no version"}, [2]string{"no version+cont"}},
		{"unset", "NotOlderThan", [2]string{"no version"}, [2]string{"no version"}, [2]string{"no version+cont"}},
		{"unset", "Sometime", [2]string{"no version+unknown"}, [2]string{"no version+unknown"}, [2]string{"all three"}},

		{"0", "unset", [2]string{all, "200 a b c d @CACHE"}, [2]string{all, "200 a b c d @CACHE"}, [2]string{"200 b c @N"}},
		{"0", "Exact", [2]string{"exact 0"}, [2]string{"exact 0"}, [2]string{"cont+exact 0"}},
		{"0", "NotOlderThan", [2]string{all, "200 a b c d @CACHE"}, [2]string{all, "200 a b c d @CACHE"},
			[2]string{"continue"}},
		{"0", "Sometime", [2]string{"unknown"}, [2]string{"unknown"}, [2]string{"cont+unknown"}},

		{"$N", "unset", [2]string{all, "200 a b c d @CACHE"}, [2]string{"200 a @N more 2"}, [2]string{"with token"}},
		{"$N", "Exact", [2]string{"200 a b c @N"}, [2]string{"200 a @N more 2"}, [2]string{"continue"}},
		{"$N", "NotOlderThan", [2]string{all, "200 a b c d @CACHE"}, [2]string{"200 a @HEAD more 4", "200 a @CACHE more 3"},
			[2]string{"continue"}},
		{"$N", "Sometime", [2]string{"unknown"}, [2]string{"unknown"}, [2]string{"cont+unknown"}},

		{"$HEAD", "unset", [2]string{all, "504"}, [2]string{"200 a @HEAD more 4", "504"}, [2]string{"with token"}},
		{"$HEAD", "Exact", [2]string{all, "504"}, [2]string{"200 a @HEAD more 4", "504"}, [2]string{"continue"}},
		{"$HEAD", "NotOlderThan", [2]string{all, "504"}, [2]string{"200 a @HEAD more 4", "504"}, [2]string{"continue"}},

		{"$FUTURE", "unset", [2]string{"504"}, [2]string{"504"}, [2]string{"with token"}},
		{"$FUTURE", "Exact", [2]string{"504"}, [2]string{"504"}, [2]string{"continue"}},
		{"$FUTURE", "NotOlderThan", [2]string{"504"}, [2]string{"504"}, [2]string{"continue"}},
		{"$FUTURE", "Sometime", [2]string{"unknown"}, [2]string{"unknown"}, [2]string{"cont+unknown"}},

		{"garbage", "unset", [2]string{"garbage"}, [2]string{"garbage"}, [2]string{"with token"}},
		{"garbage", "Exact", [2]string{"garbage"}, [2]string{"garbage"}, [2]string{"continue"}},
		{"garbage", "NotOlderThan", [2]string{"garbage"}, [2]string{"garbage"}, [2]string{"continue"}},
		{"garbage", "Sometime", [2]string{"unknown"}, [2]string{"unknown"}, [2]string{"cont+unknown"}},

		// Zeros that are not written "0" are neither a version nor the special value.
		{"00", "unset", [2]string{all, "200 a b c d @CACHE"}, [2]string{"200 a @HEAD more 4"}, [2]string{"with token"}},
		{"00", "Exact", [2]string{all}, [2]string{"200 a @HEAD more 4"}, [2]string{"continue"}},
		{"00", "NotOlderThan", [2]string{all, "200 a b c d @CACHE"}, [2]string{"200 a @HEAD more 4", "200 a @CACHE more 3"},
			[2]string{"continue"}},

		{"$OLD", "unset", [2]string{all, "200 a b c d @CACHE"}, [2]string{"410"}, [2]string{"with token"}},
		{"$OLD", "Exact", [2]string{"410"}, [2]string{"410"}, [2]string{"continue"}},
		{"$OLD", "NotOlderThan", [2]string{all, "200 a b c d @CACHE"}, [2]string{"200 a @HEAD more 4", "200 a @CACHE more 3"},
			[2]string{"continue"}},
		{"$OLD", "Sometime", [2]string{"unknown"}, [2]string{"unknown"}, [2]string{"cont+unknown"}},
	} {
		var query string
		if row.version != "unset" {
			query += "&resourceVersion=" + row.version
		}
		if row.match != "unset" {
			query += "&resourceVersionMatch=" + row.match
		}
		for _, column := range []struct {
			query   string
			answers [2]string
		}{{"", row.none}, {"&limit=1", row.limit}, {"&limit=1&continue=$TOKEN", row.limitWithContinue}} {
			request := strings.TrimSuffix(secrets+"?"+strings.TrimPrefix(query+column.query, "&"), "?")
			cell{request, column.answers[0], column.answers[1]}.run(t, row.version, nil)
		}
	}
}

// Continue tokens that are not just that of the next page.
func TestTokenMatrix(t *testing.T) {
	fresh := func(s *fixture) { s.describe(s.get(secrets + "?limit=1&continue=$EXPIRED")) }
	for _, c := range []struct {
		cell
		asked   string
		prepare func(*fixture)
	}{
		{cell{secrets + "?continue=$TOKEN", "200 b c @N", ""}, "", nil},
		{cell{secrets + "?limit=2&continue=$TOKEN", "200 b c @N", ""}, "", nil},
		{cell{secrets + "?limit=1&continue=$EXPIRED", "expired", ""}, "", nil},
		{cell{secrets + "?limit=1&continue=$FRESH", "200 b' @HEAD more 3", "waits 200 b' @HEAD more 3"}, "", fresh},
		{cell{secrets + "?continue=$FRESH", "200 b' c d e @HEAD", "waits 200 b' c d e @HEAD"}, "", fresh},
		// etcd pages, the cache does not
		{cell{secrets + "?limit=1&continue=$FRESH&resourceVersion=0", "200 b' c d e @HEAD", "waits 200 b' @HEAD more 3"}, "",
			fresh},
		{cell{secrets + "?limit=1&continue=$AHEAD", "200 b' @HEAD more 3", "504"}, "$HEAD", nil},
		{cell{secrets + "?limit=1&continue=garbage",
			"400 BadRequest invalid continue token: " +
				"continue key is not valid: invalid character '\\u0081' looking for beginning of value", ""}, "", nil},
	} {
		c.run(t, c.asked, c.prepare)
	}
}

// A list that a field selector limits to one name is a read of one key, but not
// once it has a token: then the selector only filters pages.
func TestListOfOneName(t *testing.T) {
	const b = secrets + "?fieldSelector=metadata.name%3Db"
	for _, c := range []struct {
		query, asked, current, behind string
	}{
		{"", "", "200 b' @HEAD", "waits 200 b' @HEAD"},
		{"&limit=1", "", "200 b' @HEAD", "waits 200 b' @HEAD"},
		{"&resourceVersion=0", "", "200 b' @HEAD", "200 b @CACHE"},
		{"&resourceVersion=0&limit=1", "", "200 b' @HEAD", "200 b @CACHE"},
		{"&resourceVersion=$N", "", "200 b' @HEAD", "200 b @CACHE"},
		{"&resourceVersion=$N&limit=1", "", "200 b' @HEAD", ""}, // etcd, and not exact
		{"&resourceVersion=$N&resourceVersionMatch=NotOlderThan&limit=1", "", "200 b' @HEAD", "200 b @CACHE"},
		{"&resourceVersion=$N&resourceVersionMatch=Exact", "", "200 b @N", ""},
		{"&resourceVersion=$HEAD&resourceVersionMatch=Exact", "", "200 b' @HEAD", ""}, // etcd, whatever the cache knows
		{"&resourceVersion=$HEAD", "$HEAD", "200 b' @HEAD", "504"},
		{"&resourceVersion=$FUTURE", "$FUTURE", "504", ""},
		{"&resourceVersion=$FUTURE&limit=1", "$FUTURE", "at once", ""},
		{"&resourceVersion=$FUTURE&resourceVersionMatch=Exact", "$FUTURE", "at once", ""},
		{"&resourceVersion=$OLD&resourceVersionMatch=Exact", "", "410", ""},
		{"&continue=$TOKEN", "", "200 b @N", ""},
		{"&limit=1&continue=$TOKEN", "", "200 b @N more", ""}, // c is behind it
		{"&limit=1&continue=garbage", "",
			"400 BadRequest invalid continue token: " +
				"continue key is not valid: invalid character '\\u0081' looking for beginning of value", ""},
	} {
		cell{b + c.query, c.current, c.behind}.run(t, c.asked, nil)
	}
	everywhere := "/api/v1/secrets?fieldSelector=metadata.name%3Db,metadata.namespace%3Ddefault"
	cell{everywhere + "&resourceVersion=$N&limit=1", "200 b' @HEAD", ""}.run(t, "", nil)
	cell{everywhere + "&resourceVersion=0", "200 b' @HEAD", "200 b @CACHE"}.run(t, "", nil)
	// b may exist in any namespace
	cell{"/api/v1/secrets?fieldSelector=metadata.name%3Db&resourceVersion=$N&limit=1", "200 b @N more", ""}.run(t, "", nil)
	// a is before it
	cell{secrets + "?fieldSelector=metadata.name%3Da&limit=1&continue=$TOKEN", "200 @N", ""}.run(t, "", nil)
}

// What resourceVersion means to get.
func TestGetMatrix(t *testing.T) {
	const b, e = secrets + "/b", secrets + "/e"
	for _, c := range []struct {
		cell
		asked string
	}{
		{cell{b, "200 b' @B'", ""}, ""},
		{cell{b + "?resourceVersion=", "200 b' @B'", ""}, ""},
		{cell{b + "?resourceVersion=0", "200 b' @B'", "200 b @B"}, ""},
		{cell{b + "?resourceVersion=$N", "200 b' @B'", "200 b @B"}, ""},
		{cell{b + "?resourceVersion=$OLD", "200 b' @B'", "200 b @B"}, ""},
		{cell{b + "?resourceVersion=$HEAD", "200 b' @B'", "504"}, "$HEAD"},
		{cell{b + "?resourceVersion=$FUTURE", "504", ""}, "$FUTURE"},
		{cell{b + "?resourceVersion=garbage", "garbage 500", ""}, ""},
		{cell{b + "?resourceVersion=$N&resourceVersionMatch=Sometime", "200 b' @B'", "200 b @B"}, ""}, // no option of get
		{cell{e, "200 e @HEAD", ""}, ""},
		{cell{e + "?resourceVersion=0", "200 e @HEAD", "not found"}, ""},
		{cell{e + "?resourceVersion=$N", "200 e @HEAD", "not found"}, ""},
		{cell{e + "?resourceVersion=$HEAD", "200 e @HEAD", "504"}, "$HEAD"},
	} {
		c.run(t, c.asked, nil)
	}
}

// Versions can be compared as the Comparable Resource Version KEP requires: they are decimal
// numbers without leading zeros, each write has a greater one than all before it, whatever its type
// and namespace, and no object of a list is newer than the version of the list.
func TestVersionsAreComparable(t *testing.T) {
	c, _ := newCluster(t, Options{})
	decimal := regexp.MustCompile("^[1-9][0-9]*$")
	number := func(obj map[string]any) int64 {
		t.Helper()
		text, _ := at(obj, "metadata.resourceVersion").(string)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !decimal.MatchString(text) {
			t.Fatalf("version %q in %v", text, obj)
		}
		return n
	}
	last := int64(0)
	written := func(obj map[string]any) {
		t.Helper()
		n := number(obj)
		if n <= last {
			t.Errorf("version %d after %d", n, last)
		}
		last = n
	}
	w := follow(t, c, "/api/v1/configmaps?watch=1&allowWatchBookmarks=true")
	if e := w.Next(); e["type"] != "ADDED" { // the ConfigMap that every cluster has
		t.Fatalf("watch began with %v", e)
	}
	if e := w.Next(); e["type"] != "BOOKMARK" || number(e["object"].(map[string]any)) < 1 {
		t.Fatalf("watch continued with %v", e)
	}
	paths := []string{configMaps, "/api/v1/namespaces/kube-system/configmaps", secrets,
		"/apis/coordination.k8s.io/v1/namespaces/default/leases", "/api/v1/nodes"}
	var changes []int64
	for i := range 50 {
		path, name := paths[i%len(paths)], fmt.Sprintf("o%d", i)
		created := must(t, c, 201, "POST", path, `{"metadata":{"name":"`+name+`"}}`)
		written(created)
		if strings.Contains(path, "configmaps") {
			changes = append(changes, last)
		}
		if number(must(t, c, 200, "GET", path+"/"+name, "")) != last {
			t.Errorf("%s is read in another version than it was written", name)
		}
		changed := must(t, c, 200, "PUT", path+"/"+name, `{"metadata":{"name":"`+name+
			`","labels":{"a":"b"},"resourceVersion":"`+strconv.FormatInt(last, 10)+`"}}`)
		written(changed)
		if strings.Contains(path, "configmaps") {
			changes = append(changes, last)
		}
		list := must(t, c, 200, "GET", path, "")
		if number(list) < last {
			t.Errorf("a list at %d after a write at %d", number(list), last)
		}
		for _, item := range list["items"].([]any) {
			if number(item.(map[string]any)) > number(list) {
				t.Errorf("an item at %d in a list at %d", number(item.(map[string]any)), number(list))
			}
		}
	}
	for _, want := range changes {
		if e := w.Next(); number(e["object"].(map[string]any)) != want {
			t.Fatalf("event %v, want version %d", e, want)
		}
	}
}
