package registry

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// The revisions of the requests below.
var planned = map[string]string{
	"N": "7", "HEAD": "9",
	"TOKEN": newToken("/a\x00", 7), "EXPIRED": newToken("/a\x00", 3), "FRESH": newToken("/a\x00", -1),
}

// planOf returns the plan of a request of one of the forms that core/semantics has: a collection of
// the namespace default or of all, an object in it, or either below /watch/.
func planOf(t *testing.T, verb, request string, s state) plan {
	t.Helper()
	request = os.Expand(request, func(name string) string { return planned[name] })
	u, err := url.Parse(request)
	if err != nil {
		t.Fatal(err)
	}
	path := strings.Split(strings.TrimPrefix(strings.TrimPrefix(u.Path, "/api/v1/"), "watch/"), "/")
	var at Target
	if path[0] == "namespaces" {
		at.Namespace, path = path[1], path[2:]
	}
	at.Resource = schema.Builtin().Resource("", "v1", path[0])
	if at.Resource == nil {
		t.Fatalf("%s: there is no resource %s", request, path[0])
	}
	if len(path) > 1 {
		at.Name = path[1]
	}
	q := u.Query()
	if verb == semantics.Get {
		return planGet(at, q.Get("resourceVersion"), s)
	}
	o := ListOptions{
		ResourceVersion: q.Get("resourceVersion"), ResourceVersionMatch: q.Get("resourceVersionMatch"),
		Continue: q.Get("continue"), Watch: q.Has("watch"), AllowWatchBookmarks: q.Has("allowWatchBookmarks"),
	}
	if q.Has("limit") {
		if o.Limit, err = strconv.ParseInt(q.Get("limit"), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if q.Has("sendInitialEvents") {
		send := q.Get("sendInitialEvents") == "true"
		o.SendInitialEvents = &send
	}
	if o.Fields, err = selector.ParseFields(q.Get("fieldSelector")); err != nil {
		t.Fatal(err)
	}
	o = o.Without(Compatibility{}, gates.Set{})
	if rule, err := o.refusal(gates.Set{}); err != nil {
		return refuse(rule, err)
	}
	if verb == semantics.List {
		return planList(at, o, s)
	}
	return planWatch(at, o, s)
}

// Every row of core/semantics is planned by its rule, and there is a request for every rule of a read.
func TestPlanFollowsSemantics(t *testing.T) {
	var missing []string
	for _, verb := range []string{semantics.Get, semantics.List, semantics.Watch} {
		used := map[string]bool{}
		for _, row := range semantics.Rows(verb) {
			p := planOf(t, verb, row.Request, state{cached: true})
			used[p.rule] = true
			if p.rule != row.ID {
				t.Errorf("%s, %s: planned by %s, want %s", verb, row.Asked, p.rule, row.ID)
			}
			// The same requests for a type that no API server caches.
			request := strings.ReplaceAll(row.Request, "/secrets", "/events")
			used[planOf(t, verb, request, state{}).rule] = true
		}
		for _, rule := range semantics.Rules() {
			if rule.Verb == verb && !used[rule.ID] {
				missing = append(missing, rule.ID)
			}
			delete(used, rule.ID)
		}
		if len(used) > 0 {
			t.Errorf("%s: rules of no read: %v", verb, used)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no request is planned by %v", missing)
	}
}

func TestPlan(t *testing.T) {
	const (
		secrets = "/api/v1/namespaces/default/secrets"
		events  = "/api/v1/namespaces/default/events"
		send    = "&resourceVersionMatch=NotOlderThan&sendInitialEvents="
		oneName = "fieldSelector=metadata.name%3Db"
		cache   = source.Cache
		etcd    = source.Etcd
	)
	page := keys{limit: 1}
	b := keys{key: "default/b"}
	next := keys{start: "default/a\x00", limit: 1}
	rest := keys{start: "default/a\x00"}
	for _, row := range []struct {
		verb, request string
		want          plan
		without       *plan // a server without a watch cache, if it differs in more than that etcd answers
	}{
		{"get", secrets + "/b", plan{rule: "get-latest", from: etcd, revision: revReached}, nil},
		{"get", secrets + "/b?resourceVersion=0", plan{rule: "get-any", from: cache, revision: revReached}, nil},
		{"get", secrets + "/b?resourceVersion=$N",
			plan{rule: "get-not-older-than", from: cache, await: 7, revision: revReached}, nil},
		{"get", secrets + "/b?resourceVersion=00",
			plan{rule: "get-not-older-than", from: cache, revision: revReached}, nil},
		{"get", events + "/b", plan{rule: "get-latest", from: etcd, revision: revReached}, nil},
		{"get", events + "/b?resourceVersion=0", plan{rule: "get-uncached", from: etcd, revision: revReached}, nil},
		{"get", events + "/b?resourceVersion=$N",
			plan{rule: "get-uncached", from: etcd, await: 7, revision: revReached}, nil},

		{"list", secrets,
			plan{rule: "list-latest", from: cache, await: revHead, orEtcd: true, revision: revReached},
			&plan{rule: "list-latest", from: etcd, await: revHead, revision: revReached}},
		{"list", secrets + "?limit=1",
			plan{rule: "list-latest", from: cache, await: revHead, orEtcd: true, revision: revReached, keys: page},
			&plan{rule: "list-latest", from: etcd, await: revHead, revision: revReached, keys: page}},
		{"list", secrets + "?limit=-1&resourceVersion=0", plan{rule: "list-any", from: cache, revision: revReached}, nil},
		{"list", secrets + "?limit=1&resourceVersion=0", plan{rule: "list-any", from: cache, revision: revReached},
			&plan{rule: "list-any", from: etcd, revision: revReached, keys: page}},
		{"list", secrets + "?resourceVersion=$N",
			plan{rule: "list-not-older-than", from: cache, await: 7, revision: revReached}, nil},
		{"list", secrets + "?limit=1&resourceVersion=$N&resourceVersionMatch=NotOlderThan",
			plan{rule: "list-not-older-than", from: cache, await: 7, revision: revReached, keys: page}, nil},
		{"list", secrets + "?resourceVersion=$N&resourceVersionMatch=Exact",
			plan{rule: "list-exact", from: cache, await: 7, revision: 7, exact: true}, nil},
		{"list", secrets + "?limit=1&resourceVersion=$N",
			plan{rule: "list-exact-by-limit", from: cache, await: 7, revision: 7, exact: true, keys: page}, nil},
		{"list", secrets + "?resourceVersion=00&resourceVersionMatch=Exact",
			plan{rule: "list-exact", from: cache, revision: revHead}, nil},
		{"list", secrets + "?limit=1&resourceVersion=00",
			plan{rule: "list-exact-by-limit", from: cache, revision: revHead, keys: page}, nil},

		{"list", secrets + "?limit=1&continue=$TOKEN",
			plan{rule: "list-continue", from: cache, await: 7, revision: 7, exact: true, keys: next}, nil},
		{"list", secrets + "?resourceVersion=0&continue=$TOKEN",
			plan{rule: "list-continue", from: cache, await: 7, revision: 7, exact: true, keys: rest}, nil},
		{"list", secrets + "?limit=1&resourceVersion=0&continue=$TOKEN",
			plan{rule: "list-continue-any", from: cache, await: 7, revision: 7, exact: true, keys: rest},
			&plan{rule: "list-continue", from: etcd, await: 7, revision: 7, exact: true, keys: next}},
		{"list", secrets + "?limit=1&resourceVersion=0&continue=$FRESH",
			plan{rule: "list-continue-inconsistent", from: cache, await: revHead, orEtcd: true, revision: revReached,
				keys: rest},
			&plan{rule: "list-continue-inconsistent", from: etcd, await: revHead, revision: revReached, keys: next}},
		{"list", secrets + "?continue=$TOKEN&" + oneName,
			plan{rule: "list-continue", from: cache, await: 7, revision: 7, exact: true,
				keys: keys{name: "b", start: "default/a\x00"}}, nil},

		{"list", secrets + "?resourceVersion=$N&" + oneName,
			plan{rule: "list-not-older-than", from: cache, await: 7, revision: revReached, keys: b}, nil},
		{"list", secrets + "?limit=1&resourceVersion=$N&" + oneName,
			plan{rule: "list-one-name", from: etcd, await: 7, revision: revReached,
				keys: keys{key: "default/b", limit: 1}}, nil},
		{"list", secrets + "?resourceVersion=$N&resourceVersionMatch=Exact&" + oneName,
			plan{rule: "list-exact", from: etcd, await: 7, revision: 7, exact: true, keys: b}, nil},
		{"list", "/api/v1/secrets?limit=1&resourceVersion=$N&" + oneName,
			plan{rule: "list-exact-by-limit", from: cache, await: 7, revision: 7, exact: true,
				keys: keys{name: "b", limit: 1}}, nil},
		{"list", "/api/v1/secrets?resourceVersion=0&" + oneName + ",metadata.namespace%3Ddefault",
			plan{rule: "list-any", from: cache, revision: revReached, keys: b}, nil},
		{"list", events, plan{rule: "list-uncached", from: etcd, await: revHead, revision: revReached}, nil},
		{"list", events + "?limit=1&resourceVersion=0",
			plan{rule: "list-uncached", from: etcd, revision: revReached, keys: page}, nil},

		{"watch", secrets + "?watch=1",
			plan{rule: "watch-latest", from: cache, await: revHead, revision: revReached, initial: true}, nil},
		{"watch", secrets + "?watch=1&resourceVersion=0",
			plan{rule: "watch-any", from: cache, revision: revReached, initial: true}, nil},
		{"watch", secrets + "?watch=1&resourceVersion=$N" + send + "true",
			plan{rule: "watch-not-older-than", from: cache, await: 7, revision: revReached, initial: true}, nil},
		{"watch", secrets + "?watch=1&resourceVersion=$N",
			plan{rule: "watch-from", from: cache, revision: 7, exact: true}, nil},
		{"watch", secrets + "?watch=1" + send + "false",
			plan{rule: "watch-from-now", from: cache, revision: revHead}, nil},
		{"watch", secrets + "?watch=1&resourceVersion=0" + send + "false",
			plan{rule: "watch-from-any", from: cache, revision: revReached}, nil},
		{"watch", "/api/v1/watch/namespaces/default/secrets",
			plan{rule: "watch-older", from: cache, revision: revReached, initial: true}, nil},
		{"watch", events + "?watch=1",
			plan{rule: "watch-uncached", from: etcd, await: revHead, revision: revReached, initial: true}, nil},
		{"watch", events + "?watch=1&resourceVersion=0" + send + "false",
			plan{rule: "watch-from-now", from: etcd, revision: revReached}, nil},
	} {
		for _, cached := range []bool{true, false} {
			want := row.want
			uncached := strings.HasPrefix(row.request, events)
			switch {
			case cached && uncached:
				continue
			case !cached && row.without != nil:
				want = *row.without
			case !cached:
				want.from = etcd
			}
			t.Run(fmt.Sprintf("%s cached=%v", row.request, cached), func(t *testing.T) {
				if got := planOf(t, row.verb, row.request, state{cached: cached}); got != want {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
			})
		}
	}
}

// A refusal has a rule and an error, and plans nothing.
func TestPlanRefuses(t *testing.T) {
	const secrets = "/api/v1/namespaces/default/secrets"
	const garbage = `resourceVersion: Invalid value: "garbage": strconv.ParseUint: parsing "garbage": invalid syntax`
	for _, row := range []struct {
		verb, request string
		cached        bool
		rule, err     string
		code          int
	}{
		{"get", secrets + "/b?resourceVersion=garbage", true, "get-invalid", garbage, 500},
		{"get", secrets + "/b?resourceVersion=garbage", false, "get-invalid", "invalid resource version: " + garbage, 400},
		{"list", secrets + "?resourceVersion=garbage", true, "list-invalid", "invalid resource version: " + garbage, 400},
		{"list", secrets + "?continue=$TOKEN&resourceVersion=$N", true, "list-invalid",
			"specifying resource version is not allowed when using continue", 400},
		{"list", secrets + "?continue=garbage", true, "list-invalid", "invalid continue token: continue key is not valid: " +
			`invalid character '\u0081' looking for beginning of value`, 400},
		{"watch", secrets + "?watch=1&resourceVersion=garbage", true, "watch-invalid", garbage, 500},
	} {
		p := planOf(t, row.verb, row.request, state{cached: row.cached})
		if p.err == nil || p.err.Error() != row.err || status.From(p.err).Status.Code != row.code {
			t.Errorf("%s: %v, want %d %s", row.request, p.err, row.code, row.err)
		}
		if p != refuse(row.rule, p.err) {
			t.Errorf("%s: %+v is more than a refusal by %s", row.request, p, row.rule)
		}
	}
}
