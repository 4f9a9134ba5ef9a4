package core

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// describeAnswer returns a short description of an API server's answer: for a list the number of items and
// whether there are more, for a watch that ends at once its events.
func describeAnswer(t *testing.T, c *Cluster, server, query string) string {
	t.Helper()
	w := apitest.Do(c, "GET", configMaps+"?"+query, "", "Tabernetes-Replica", server)
	if w.Code != http.StatusOK {
		fault := fmt.Sprint(w.Code, " ", at(parsed(t, w.Body.String()), "message"))
		return strings.TrimPrefix(fault, `422 ListOptions.meta.k8s.io "" is invalid: `)
	}
	if strings.HasPrefix(query, "watch") {
		var events []string
		for line := range strings.Lines(w.Body.String()) {
			e := parsed(t, line)
			events = append(events, strings.TrimSpace(fmt.Sprint(e["type"], " ", at(e, "object.metadata.name"))))
		}
		return strings.ReplaceAll(strings.Join(events, ", "), " <nil>", "")
	}
	list := parsed(t, w.Body.String())
	text := fmt.Sprint(len(list["items"].([]any)))
	if at(list, "metadata.continue") != nil {
		text += " and more"
	}
	if at(list, "metadata.resourceVersion") != fmt.Sprint(revision(t, c)) {
		text += ", of the past"
	}
	return text
}

func TestCompatibility(t *testing.T) {
	const (
		list = "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
		none = "&resourceVersionMatch=NotOlderThan&sendInitialEvents=false"
		end  = "&timeoutSeconds=-1"
		mark = "ADDED a, ADDED b, ADDED c, BOOKMARK"
		all  = "ADDED a, ADDED b, ADDED c"

		noMatch = "resourceVersionMatch: Forbidden: " +
			"resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
		noSend = "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
		// as v1.19 to v1.26 refuse it, in two causes if there is no version
		noWatch = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch"
		noUnset = "[" + noWatch + ", resourceVersionMatch: Forbidden: " +
			"resourceVersionMatch is forbidden unless resourceVersion is provided]"
		notList = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
	)
	for _, test := range []struct {
		name, query   string
		honor, ignore string
	}{
		{"limit", "limit=2", "2 and more", "3"},
		{"limit", "limit=2&resourceVersion=FIRST", "1, of the past", "3"},
		{"limit", "limit=2&resourceVersion=FIRST&resourceVersionMatch=Exact", "1, of the past", "1, of the past"},
		{"limit", "limit=1&continue=TOKEN", "1 and more, of the past", "2, of the past"},
		{"limit", "limit=x", `400 strconv.ParseInt: parsing "x": invalid syntax`, "3"},
		{"limit", "watch=1&allowWatchBookmarks=1&limit=1" + list + end, mark, mark},

		{"bookmarks", "watch=1&allowWatchBookmarks=1" + end, mark, all},
		{"bookmarks", "watch=1&allowWatchBookmarks=1" + list + end, mark, all},
		{"bookmarks", "watch=1&allowWatchBookmarks=1&resourceVersion=SECOND" + none + end, "ADDED c", "ADDED c"},

		{"sendInitialEvents", "watch=1&allowWatchBookmarks=1" + list + end, mark, noUnset},
		{"sendInitialEvents", "watch=1&allowWatchBookmarks=1" + end, mark, all},
		{"sendInitialEvents", "watch=1&allowWatchBookmarks=1&resourceVersion=SECOND" + list + end, mark, noWatch},
		{"sendInitialEvents", "watch=1" + none + end, "", noUnset},
		{"sendInitialEvents", "watch=1&sendInitialEvents=true" + end, noSend, all},
		{"sendInitialEvents", "watch=1&resourceVersion=SECOND&resourceVersionMatch=NotOlderThan" + end, noMatch, noWatch},
		{"sendInitialEvents", "resourceVersion=FIRST&resourceVersionMatch=Exact", "1, of the past", "1, of the past"},
		{"sendInitialEvents", "sendInitialEvents=true", notList, "3"},

		{"resourceVersionMatch", "resourceVersion=FIRST&resourceVersionMatch=Exact", "1, of the past", "3"},
		{"resourceVersionMatch", "watch=1&allowWatchBookmarks=1&resourceVersion=SECOND" + list + end, mark, "ADDED c"},
	} {
		t.Run(test.name+" "+test.query, func(t *testing.T) {
			c, _ := newCluster(t, Options{})
			version := func(name string) string {
				return at(must(t, c, 201, "POST", configMaps, configMap(name, "1")), "metadata.resourceVersion").(string)
			}
			setSpec(t, c, `{"cache":{"replicas":[{},{}]}}`) // now: a later server does not know what was before it
			words := []string{"FIRST", version("a"), "SECOND", version("b")}
			version("c")
			token := at(must(t, c, 200, "GET", configMaps+"?limit=1", ""), "metadata.continue").(string)
			must(t, c, 201, "POST", "/api/v1/namespaces/default/secrets", `{"metadata":{"name":"later"}}`)
			query := strings.NewReplacer(append(words, "TOKEN", url.QueryEscape(token))...).Replace(test.query)
			for _, setting := range []struct {
				spec string
				want []string // of each server
			}{
				{`{"cache":{"replicas":[{},{}]}}`, []string{test.honor, test.honor}},
				{`{"compatibility":{"NAME":"Ignore"}}`, []string{test.ignore, test.ignore}},
				{`{"cache":{"replicas":[{},{"compatibility":{"NAME":"Honor"}}]}}`, []string{test.ignore, test.honor}},
				{`{"compatibility":{"NAME":"Honor"}}`, []string{test.honor, test.honor}},
				{`{"cache":{"replicas":[{"compatibility":{"NAME":"Ignore"}},{}]}}`, []string{test.ignore, test.honor}},
				{`{"cache":null}`, []string{test.honor}},
			} {
				setSpec(t, c, strings.ReplaceAll(setting.spec, "NAME", test.name))
				var got []string
				for server := range setting.want {
					got = append(got, describeAnswer(t, c, fmt.Sprint(server), query))
				}
				if !slices.Equal(got, setting.want) {
					t.Errorf("%s: %q, want %q", setting.spec, got, setting.want)
				}
			}
		})
	}
}

func TestCompatibilityIsValidated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	const words = `supported values: "Honor", "Ignore"`
	for _, test := range []struct{ spec, at, want string }{
		{`{"compatibility":{"limit":true}}`, "compatibility.limit", "Unsupported value: true: " + words},
		{`{"compatibility":{"bookmarks":"ignore"}}`, "compatibility.bookmarks", `Unsupported value: "ignore": ` + words},
		{`{"compatibility":{"sendInitialEvents":""}}`, "compatibility.sendInitialEvents", `Unsupported value: "": ` + words},
		{`{"compatibility":[]}`, "compatibility", "Invalid value: []: must be an object"},
		{`{"cache":{"replicas":[{},{"compatibility":{"limit":"No"}}]}}`, "cache.replicas[1].compatibility.limit",
			`Unsupported value: "No": ` + words},
		{`{"cache":{"replicas":[{"compatibility":"Ignore"}]}}`, "cache.replicas[0].compatibility",
			`Invalid value: "Ignore": must be an object`},
	} {
		got := must(t, c, 422, "PUT", plane, `{"metadata":{"name":"default"},"spec":`+test.spec+`}`)
		if message, want := got["message"].(string), "spec."+test.at+": "+test.want; !strings.Contains(message, want) {
			t.Errorf("%s: %s, want %s", test.spec, message, want)
		}
	}
}
