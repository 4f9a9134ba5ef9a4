package core

import (
	"io"
	"maps"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// explained sends a request that asks for its source.
func (s *fixture) explained(path string, nap time.Duration) *reply {
	s.t.Helper()
	r := httptest.NewRequest("GET", s.fill(path), nil)
	r.Header.Set("Tabernetes-Explain", "1")
	return s.send(r, nap)
}

// sourceOf returns the source header of an answer, with the names of versions in place of the
// versions.
func (s *fixture) sourceOf(r *reply) string {
	s.t.Helper()
	text := r.header.Get(wellknown.SourceHeader)
	if text == "" {
		return ""
	}
	if _, err := source.Parse(text); err != nil {
		s.t.Errorf("%s: %v", text, err)
	}
	text = regexp.MustCompile(`(revision|head)=\d+`).ReplaceAllStringFunc(text, func(member string) string {
		name, version, _ := strings.Cut(member, "=")
		return name + "=" + s.nameOf(version)
	})
	return strings.TrimPrefix(text, "server=0, ")
}

// Sources of reads, with a cache that is up to date and with one that is behind.
func TestExplainReads(t *testing.T) {
	const (
		b      = secrets + "/b"
		none   = secrets + "/e"
		name   = secrets + "?fieldSelector=metadata.name%3Db"
		events = "/api/v1/namespaces/default/events"
		watch  = secrets + "?watch=1"
		send   = "&resourceVersionMatch=NotOlderThan&sendInitialEvents="

		now     = "from=cache, revision=HEAD, head=HEAD, rule="
		stale   = "from=cache, revision=CACHE, head=HEAD, rule="
		etcd    = "from=etcd, revision=HEAD, head=HEAD, rule="
		at      = "from=cache, revision=N, head=HEAD, rule="
		without = "from=cache, head=HEAD, rule="
		waited  = ", waited=3000"

		etcd410   = "from=etcd, head=HEAD, rule=" // the caches do not have it either
		compacted = ", gone=compacted"
	)
	for _, row := range []cell{
		{b, etcd + "get-latest", ""},
		{b + "?resourceVersion=0", now + "get-any", stale + "get-any"},
		{b + "?resourceVersion=$N", now + "get-not-older-than", stale + "get-not-older-than"},
		{b + "?resourceVersion=$HEAD", now + "get-not-older-than", without + "get-not-older-than" + waited},
		{b + "?resourceVersion=$FUTURE", without + "get-not-older-than" + waited, ""},
		{b + "?resourceVersion=garbage", "rule=get-invalid", ""},
		{none + "?resourceVersion=0", now + "get-any", stale + "get-any"}, // a 404 from the cache, if it is behind
		{secrets + "/missing", etcd + "get-latest", ""},

		{secrets, now + "list-latest", etcd + "list-latest" + waited},
		{secrets + "?limit=1", now + "list-latest", etcd + "list-latest" + waited},
		{secrets + "?resourceVersion=0&limit=1", now + "list-any", stale + "list-any"},
		{secrets + "?resourceVersion=$N", now + "list-not-older-than", stale + "list-not-older-than"},
		{secrets + "?resourceVersion=$FUTURE", without + "list-not-older-than" + waited, ""},
		{secrets + "?resourceVersion=$N&resourceVersionMatch=Exact", at + "list-exact", ""},
		{secrets + "?resourceVersion=$N&limit=1", at + "list-exact-by-limit", ""},
		{secrets + "?resourceVersion=$OLD&resourceVersionMatch=Exact", etcd410 + "list-exact" + compacted, ""},
		{secrets + "?resourceVersion=$OLD&limit=1", etcd410 + "list-exact-by-limit" + compacted, ""},
		{secrets + "?limit=1&continue=$TOKEN", at + "list-continue", ""},
		{secrets + "?continue=$TOKEN&resourceVersion=0", at + "list-continue", ""}, // there is no limit to be ignored
		{secrets + "?limit=1&continue=$TOKEN&resourceVersion=0", at + "list-continue-any", ""},
		{secrets + "?limit=1&continue=$EXPIRED", etcd410 + "list-continue" + compacted, ""},
		{secrets + "?limit=1&continue=$FRESH", now + "list-continue-inconsistent", etcd + "list-continue-inconsistent" +
			waited},
		{secrets + "?limit=1&continue=$AHEAD", now + "list-continue", without + "list-continue" + waited},
		{secrets + "?limit=1&continue=garbage", "rule=list-invalid", ""},
		{secrets + "?continue=$TOKEN&resourceVersion=$N", "rule=list-invalid", ""},
		{secrets + "?resourceVersion=garbage", "rule=list-invalid", ""},
		{secrets + "?resourceVersionMatch=Exact", "rule=list-invalid", ""},
		{secrets + "?limit=x", "", ""},
		{secrets + "?labelSelector=((", "", ""},

		{name, now + "list-latest", etcd + "list-latest" + waited},
		{name + "&resourceVersion=$N", now + "list-not-older-than", stale + "list-not-older-than"},
		{name + "&resourceVersion=$N&limit=1", etcd + "list-one-name", ""},
		{name + "&resourceVersion=$N&resourceVersionMatch=Exact", "from=etcd, revision=N, head=HEAD, rule=list-exact", ""},
		{name + "&resourceVersion=$FUTURE&resourceVersionMatch=Exact", "from=etcd, head=HEAD, rule=list-exact", ""},
		{name + "&limit=1&continue=$TOKEN", at + "list-continue", ""},

		{events + "/x", etcd + "get-latest", ""},
		{events + "/x?resourceVersion=0", etcd + "get-uncached", ""},
		{events + "/x?resourceVersion=$FUTURE", "from=etcd, head=HEAD, rule=get-uncached", ""},
		{events, etcd + "list-uncached", ""},
		{events + "?resourceVersion=0", etcd + "list-uncached", ""},
		{events + "?resourceVersion=$FUTURE", "from=etcd, head=HEAD, rule=list-uncached", ""},
		{events + "?resourceVersion=$N&limit=1", "from=etcd, revision=N, head=HEAD, rule=list-exact-by-limit", ""},
		{events + "?watch=1", etcd + "watch-uncached", ""},
		{events + "?watch=1&resourceVersion=0" + send + "false", etcd + "watch-from-now", ""},
		{events + "?watch=1&resourceVersion=$N", "from=etcd, revision=N, head=HEAD, rule=watch-from", ""},
		{events + "?watch=1&resourceVersion=$OLD", etcd410 + "watch-from" + compacted, ""},

		{watch, now + "watch-latest", without + "watch-latest" + waited},
		{watch + send + "true", now + "watch-latest", without + "watch-latest" + waited},
		{watch + "&resourceVersion=0", now + "watch-any", stale + "watch-any"},
		{watch + "&resourceVersion=$N" + send + "true", now + "watch-not-older-than", stale + "watch-not-older-than"},
		{watch + "&resourceVersion=$HEAD" + send + "true", now + "watch-not-older-than", without + "watch-not-older-than" +
			waited},
		{watch + "&resourceVersion=$N", at + "watch-from", ""},
		{watch + "&resourceVersion=$FUTURE", "from=cache, revision=FUTURE, head=HEAD, rule=watch-from", ""},
		{watch + "&resourceVersion=9223372036854775807", without + "watch-from", ""}, // longer than such a header's numbers
		{watch + "&resourceVersion=$OLD", without + "watch-from, gone=forgotten", ""},
		{watch + "&resourceVersion=garbage", "rule=watch-invalid", ""},
		{watch + "&sendInitialEvents=true", "rule=watch-invalid", ""},
		{watch + send + "false", now + "watch-from-now", "from=cache, revision=HEAD, head=HEAD, rule=watch-from-now"},
		{watch + "&resourceVersion=0" + send + "false", now + "watch-from-any", stale + "watch-from-any"},
		{"/api/v1/watch/namespaces/default/secrets", now + "watch-older", stale + "watch-older"},

		{"/version", "", ""},
		{"/api/v1", "", ""},
		{"/readyz", "", ""},
		{"/nowhere", "", ""},
		{plane, etcd + "get-latest", ""},
		{plane + "/revisions", "", ""}, // has more revisions than a header can list
		{plane + "/snapshot", "", ""},
	} {
		row.each(t, func(t *testing.T, s *fixture, want string) {
			if got := s.sourceOf(s.explained(row.request, freshness)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// A read waits for a late cache.
func TestExplainWaits(t *testing.T) {
	for _, request := range []string{secrets, secrets + "?resourceVersion=$HEAD", secrets + "/f?resourceVersion=$HEAD",
		secrets + "?watch=1"} {
		t.Run(request, func(t *testing.T) {
			s := newFixture(t, false)
			setSpec(t, s, `{"cache":{"replicas":[{"lagSeconds":2}]}}`)
			s.vars["HEAD"] = s.create("f")
			got := s.sourceOf(s.explained(request, 2*time.Second))
			if !strings.HasPrefix(got, "from=cache, revision=HEAD, head=HEAD, rule=") ||
				!strings.HasSuffix(got, ", waited=2000") {
				t.Error(got)
			}
		})
	}
}

// The source names the server that answers, however it was chosen.
func TestExplainServers(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"cache":{"replicas":[{},{"frozen":true},{}]}}`)
	for turn, asked := range []string{"1", "2", "0", "", "", ""} {
		w := apitest.Do(c, "GET", configMaps+"?resourceVersion=0", "", "Tabernetes-Explain", "true", "Tabernetes-Replica",
			asked)
		got, who := w.Header().Get(wellknown.SourceHeader), w.Header().Get("Tabernetes-Replica")
		if !strings.HasPrefix(got, "server="+who+", from=cache, ") || asked != "" && who != asked {
			t.Errorf("turn %d: %s from %s", turn, got, who)
		}
	}
}

// Without the header, there is no source, and the rest of the answer is the same.
func TestExplainChangesNothingElse(t *testing.T) {
	for _, request := range []string{
		secrets, secrets + "/b", secrets + "/missing", secrets + "?resourceVersion=$N&limit=1", secrets +
			"?resourceVersion=$OLD&limit=1",
		secrets + "?watch=1&timeoutSeconds=-1&resourceVersion=$N", secrets + "?pretty=true", "/version", secrets +
			"?resourceVersionMatch=Exact",
	} {
		s := newFixture(t, false)
		asked, plain := s.explained(request, freshness), s.get(request)
		if plain.header[wellknown.SourceHeader] != nil {
			t.Errorf("%s: %q unasked", request, plain.header[wellknown.SourceHeader])
		}
		was, err := io.ReadAll(plain.body)
		is, err2 := io.ReadAll(asked.body)
		if err != nil || err2 != nil || string(is) != string(was) || asked.code != plain.code {
			t.Errorf("%s: %d %s, %v; without asking %d %s, %v", request, asked.code, is, err2, plain.code, was, err)
		}
		asked.header.Del(wellknown.SourceHeader)
		if !maps.EqualFunc(asked.header, plain.header,
			func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }) {
			t.Errorf("%s: headers %v; without asking %v", request, asked.header, plain.header)
		}
	}
}
