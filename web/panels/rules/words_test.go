package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/tap"
)

// newFixture returns one as Prepare makes it.
func newFixture(behind bool) *Fixture {
	p := &Fixture{Writes: []Write{{"a", 20}, {"b", 21}, {"c", 22}, {"d", 23}, {"b", 25}, {"e", 26}}, N: 22, Head: 26,
		Token: "T", Expired: "E", Fresh: "F"}
	if behind {
		p.Cache = 24
	}
	return p
}

func meta(name string, version int64) string {
	return fmt.Sprintf(`"metadata":{"name":%q,"resourceVersion":"%d"}`, name, version)
}

// listOf returns the body of a list at a version: "a@20 b@25".
func listOf(version int64, token, items string) string {
	var all []string
	for item := range strings.FieldsSeq(items) {
		var n int64
		name, at, _ := strings.Cut(item, "@")
		fmt.Sscan(at, &n)
		all = append(all, "{"+meta(name, n)+"}")
	}
	return fmt.Sprintf(`{"kind":"SecretList","metadata":{"resourceVersion":"%d","continue":%q},"items":[%s]}`, version,
		token, strings.Join(all, ","))
}

// streamOf returns the body of a watch: "ADDED a@20 BOOKMARK !@26", where ! ends the initial
// events.
func streamOf(events string) string {
	var b strings.Builder
	words := strings.Fields(events)
	for i := 0; i+1 < len(words); i += 2 {
		var n int64
		name, at, _ := strings.Cut(words[i+1], "@")
		fmt.Sscan(at, &n)
		if name == "!" {
			fmt.Fprintf(&b, `{"type":%q,"object":{"metadata":{"resourceVersion":"%d",`+
				`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", words[i], n)
			continue
		}
		fmt.Fprintf(&b, `{"type":%q,"object":{%s}}`+"\n", words[i], meta(name, n))
	}
	return b.String()
}

// What is not as the tables have it is not called as they call it.
func TestWords(t *testing.T) {
	const (
		all     = "a@20 b@25 c@22 d@23 e@26"
		initial = "ADDED a@20 ADDED b@25 ADDED c@22 ADDED d@23 ADDED e@26"
		stale   = "ADDED a@20 ADDED b@21 ADDED c@22 ADDED d@23"
	)
	for _, c := range []struct {
		verb, request string
		behind        bool
		status        int
		body          string
		revision      int64
		words, shows  string
	}{
		{"get", secrets + "/b", false, 200, "{" + meta("b", 25) + "}", 26, "as of now", "b′"},
		{"get", secrets + "/b", true, 200, "{" + meta("b", 21) + "}", 24, "as the cache has it", "b"},
		{"get", secrets + "/b", false, 200, "{" + meta("b", 21) + "}", 26, "as of N", "b"},
		{"get", secrets + "/b", false, 200, "{" + meta("b", 19) + "}", 26, "as of 19", "b"},
		{"get", secrets + "/b", false, 200, "<html>", 26, unreadable, ""},

		{"list", secrets, false, 200, listOf(26, "", all), 26, "all, as of now", "a b′ c d e"},
		{"list", secrets, false, 200, listOf(26, "", "a@20 b@21 c@22 d@23 e@26"), 26, "other objects, as of now",
			"a b c d e"},
		{"list", secrets, false, 200, listOf(26, "", all+" zz@9"), 26, "other objects, as of now", "a b′ c d e zz"},
		{"list", secrets, false, 200, listOf(27, "", all), 27, "all, as of 27", "a b′ c d e"},
		{"list", secrets, true, 200, listOf(24, "", "a@20 b@21 c@22 d@23"), 24, "all, as the cache has it", "a b c d"},
		{"list", secrets, false, 200, listOf(26, "more", all), 26, "other objects, as of now", "a b′ c d e"},
		{"list", secrets, false, 200, listOf(26, "more", "a@20"), 26, "first page, as of now", "a"},
		{"list", secrets, false, 200, listOf(22, "more", "b@21"), 22, "next page, as of N", "b"},
		{"list", secrets, false, 200, listOf(22, "", "b@21 c@22"), 22, "the rest, as of N", "b c"},
		{"list", secrets + "?fieldSelector=metadata.name%3Db", false, 200, listOf(26, "", "b@25"), 26, "as of now", "b′"},
		{"list", secrets + "?fieldSelector=metadata.name%3Db", false, 200, listOf(26, "", "a@20"), 26,
			"other objects, as of now", "a"},

		{"watch", secrets, false, 200, streamOf(initial), 26, "ADDED for all as of now, then changes",
			"ADDED a, ADDED b′, ADDED c, ADDED d, ADDED e"},
		{"watch", secrets, false, 200, streamOf(initial + " BOOKMARK !@26"), 26,
			"ADDED for all as of now, end mark, then changes", "ADDED a, ADDED b′, ADDED c, ADDED d, ADDED e, BOOKMARK 26"},
		{"watch", secrets, false, 200, streamOf("ADDED a@20 ADDED b@25"), 26, "ADDED for others as of now",
			"ADDED a, ADDED b′"},
		{"watch", secrets, true, 200, streamOf(stale), 24, "ADDED for all as the cache has it, then changes",
			"ADDED a, ADDED b, ADDED c, ADDED d"},
		{"watch", secrets, false, 200, streamOf("ADDED d@23 MODIFIED b@25 ADDED e@26"), 22, "changes after N",
			"ADDED d, MODIFIED b′, ADDED e"},
		{"watch", secrets, true, 200, streamOf("ADDED d@23"), 22, "changes after N", "ADDED d"},
		{"watch", secrets, false, 200, streamOf("ADDED d@23"), 22, "other changes after 22", "ADDED d"},
		{"watch", secrets, false, 200, streamOf("ADDED d@23 ADDED b@25 ADDED e@26"), 22, "other changes after 22",
			"ADDED d, ADDED b′, ADDED e"},
		{"watch", secrets + "?fieldSelector=metadata.name%3Db", false, 200, streamOf("MODIFIED b@25"), 22, "changes after N",
			"MODIFIED b′"},
		{"watch", "/api/v1/watch/namespaces/default/secrets/b", false, 200, streamOf("MODIFIED b@25"), 22, "changes after N",
			"MODIFIED b′"},
		{"watch", secrets, false, 200, "", 26, "changes from now on", ""},
		{"watch", secrets, true, 200, "", 26, "changes from now on", ""},
		{"watch", secrets, true, 200, "", 24, "changes after what the cache has", ""},
		{"watch", secrets, true, 200, "", 23, "changes after 23", ""},
		{"watch", secrets, false, 200, "", 4000000000, "nothing up to that version", ""},
		{"watch", secrets, false, 200, streamOf("DELETED a@27"), 26, "other changes after 26", "DELETED a"},
		{"watch", secrets, false, 200, `{"type":"ERROR","object":{"code":410,"message":"too old"}}`, 0, "ERROR event 410",
			"too old"},
		{"watch", secrets, false, 200, "garbage", 26, unreadable, ""},

		{"list", secrets, false, 410, `{"metadata":{}}`, 0, "410", ""},
		{"list", secrets, false, 410, `{"metadata":{"continue":"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYSJ9"}}`,
			0, "410, with a token for the rest as of now", ""},
		{"list", secrets, false, 410, `{"metadata":{"continue":"garbage"}}`, 0, "410", ""},
		{"list", secrets, false, 400, `{"message":"invalid resource version: resourceVersion: x"}`, 0,
			"400 invalid resource version", ""},
		{"list", secrets, false, 422, `{"details":{"causes":[{"message":"Forbidden: resourceVersionMatch is forbidden ` +
			`when continue is provided"},{"message":"not known"}]}}`, 0, "422 match with continue, not known", ""},
		{"list", secrets, false, 500, "oh", 0, "500", ""},
	} {
		words, shows := Words(newFixture(c.behind), c.verb, c.request, app.Response{Status: c.status, Body: c.body},
			source.Source{Revision: c.revision})
		if words != c.words || shows != c.shows {
			t.Errorf("%s %s %d %s\nsaid %q, %q\nwant %q, %q", c.verb, c.request, c.status, c.body, words, shows, c.words,
				c.shows)
		}
	}
	late := app.Response{Status: 504, Header: []tap.Field{{Name: "retry-after", Value: "1"}}, Body: "{}"}
	if words, _ := Words(newFixture(false), "get", secrets, late,
		source.Source{Waited: 3 * time.Second}); words != "waits 3 s, then 504, `Retry-After: 1`" {
		t.Errorf("a read that waited: %q", words)
	}
}

// An answer in the row's words does not match the row if another rule made it.
func TestRunComparesTheRule(t *testing.T) {
	row := semantics.Rows(semantics.Get)[0]
	for _, c := range []struct {
		header  string
		matches bool
		error   string
	}{
		{"server=0, from=etcd, revision=26, head=26, rule=" + row.ID, true, ""},
		{"server=0, from=cache, revision=26, head=26, rule=get-any", false, ""},
		{"", false, "the answer does not say where it comes from"},
		{"rule=!", false, "the answer does not say where it comes from"},
	} {
		out := Run(fixed{c.header, "{" + meta("b", 25) + "}"}, newFixture(false), row, false)
		if out.Words != row.Answer || out.Matches != c.matches || !strings.HasPrefix(out.Error, c.error) ||
			(out.Error == "") != (c.error == "") {
			t.Errorf("%q: %+v", c.header, out)
		}
	}
}

// fixed is a Client that has one answer.
type fixed struct{ source, body string }

func (f fixed) Ask(app.Request) (app.Response, error) {
	res := app.Response{Status: 200, Body: f.body}
	if f.source != "" {
		res.Header = []tap.Field{{Name: "tabernetes-source", Value: f.source}}
	}
	return res, nil
}

// Whatever comes, it is called something.
func FuzzWords(f *testing.F) {
	f.Add("list", 200, listOf(26, "more", "a@20"), int64(26))
	f.Add("watch", 200, streamOf("ADDED a@20 BOOKMARK !@26"), int64(26))
	f.Add("get", 422, `{"details":{"causes":[{"message":"x"}]}}`, int64(0))
	f.Add("get", 200, `{"items":[{}]}`, int64(-1))
	f.Fuzz(func(t *testing.T, verb string, status int, body string, revision int64) {
		for _, behind := range []bool{false, true} {
			words, _ := Words(newFixture(behind), verb, secrets, app.Response{Status: status, Body: body},
				source.Source{Revision: revision})
			if words == "" {
				t.Error("no words")
			}
		}
	})
}
