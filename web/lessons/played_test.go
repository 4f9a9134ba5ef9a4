//go:build !js

package lessons_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lessons"
)

// played is what a step that covers a topic does: one of its requests is like asks, with method, target, headers and
// body on separate lines, and its question or check looks at what looks says. The cells of the tables of get, watch
// and list are not here: their tags say which parameters a request has.
var played = map[string]struct{ asks, looks string }{
	"overview":                   {`^GET /apis?/`, ``},
	"terms.collection":           {`^(GET|POST) /api`, `kind = \w+`},
	"terms.subresource":          {`^\w+ .*/(status|scale|log|eviction)\b`, `/(status|scale|log)`},
	"terms.virtual":              {`^POST .*accessreviews`, `status\.allowed`},
	"terms.virtual.eviction":     {`^POST .*/pods/\w+/eviction`, `/eviction -> 201`},
	"names":                      {`^(POST|GET) .*(secrets|leases)`, `409|/leases`},
	"verbs":                      {`^(PUT|PATCH|DELETE|GET .*watch=)`, ``},
	"uri":                        {`^\w+ /apis?/`, `namespaces/|/apis?/`},
	"uri.core":                   {`^GET /api/v1/|^GET /apis/v1/|/api/v1/deployments`, `404`},
	"uri.namespace":              {`/namespaces/(doomed|family|stuck|[\w-]+)`, `namespaces/`},
	"uri.authorization":          {`Impersonate-User`, `403`},
	"uri.subresource":            {`^\w+ .*/(status|scale|log)\b`, `/(status|scale|log)`},
	"changes":                    {`^(GET .*watch=1|GET .*/pods\b|POST )`, `watch`},
	"changes.history":            {`^GET .*(watch=1|leases)`, `410|ghost|list`},
	"bookmarks":                  {`allowWatchBookmarks=true|restart`, `BOOKMARK|ended|code = 410|ERROR`},
	"streaming":                  {`sendInitialEvents=true`, `initial-events-end`},
	"streaming.parameters":       {`sendInitialEvents=(true|false)`, `sendInitialEvents|resourceVersion`},
	"chunks":                     {`[?&](limit|continue)=`, `limit|continue`},
	"chunks.expired":             {`continue=`, `410|continue`},
	"chunks.snapshot":            {`[?&](limit|continue)=`, `pod-|items`},
	"chunks.remaining":           {`limit=`, `remainingItemCount`},
	"collections":                {`^GET `, `kind = \w+List`},
	"collections.list":           {`^GET `, `kind = List`},
	"tables":                     {`as=Table;v=v1;`, `kind = Table`},
	"tables.columns":             {`as=Table`, `columnDefinitions`},
	"tables.versions":            {`as=Table;v=v1beta1`, `meta\.k8s\.io/v1beta1`},
	"tables.fallback":            {`^GET .*\n(.*\n)*Accept: `, `406|as=|kind`},
	"encodings":                  {`(Accept|Content-Type): `, `40[06]|415|Accept|accepts|Content-Type`},
	"protobuf":                   {`protobuf`, `bytes|protobuf`},
	"deletion":                   {`^DELETE |finalizers`, `deletionTimestamp|DELETED|404|DELETE`},
	"single":                     {`^DELETE .*labelSelector|^POST `, ``},
	"validation":                 {`^(POST|PUT|PATCH) `, `(40[0-9]|422|warning|Warning|absent|present)`},
	"validation.levels":          {`fieldValidation=`, `fieldValidation|Warning`},
	"validation.kubectl":         {`fieldValidation=Strict`, `fieldManager`},
	"dryrun":                     {`dryRun=All`, `dryRun`},
	"dryrun.request":             {`dryRun`, `422`},
	"dryrun.webhooks":            {`webhook`, `webhook|sideEffects`},
	"dryrun.generated":           {`dryRun=All|generateName|^POST`, `uid|clusterIP|targetPort|name`},
	"dryrun.authorization":       {`dryRun=All`, `403`},
	"apply":                      {`apply-patch`, `fieldManager|managedFields|apply|201`},
	"versions":                   {`^(GET|PUT|PATCH|POST|DELETE) `, `resourceVersion`},
	"versions.metadata":          {`^(GET|PUT|POST) `, `metadata\.resourceVersion`},
	"versions.parameters":        {`resourceVersion`, `resourceVersionMatch|resourceVersion`},
	"versions.advice":            {`resourceVersionMatch=NotOlderThan|resourceVersion=`, `NotOlderThan|resourceVersion`},
	"versions.ignored":           {`resourceVersion`, `410|metadata\.resourceVersion|resourceVersionMatch`},
	"versions.gone":              {`resourceVersion=`, `410`},
	"versions.unavailable":       {`resourceVersion=`, `504`},
	"versions.unavailable.watch": {`watch=1`, `ERROR|ended|events`},
	"kep.motivation":             {`resourceVersion=`, `resourceVersion`},
	"kep.compatibility":          {`resourceVersionMatch=`, `Tabernetes-Replica|compatibility|resourceVersionMatch`},
	"kep.get":                    {`resourceVersionMatch=Exact`, `resourceVersion`},
	"kep.alternatives":           {`(min|exact)ResourceVersion=`, `(min|exact)ResourceVersion`},
	"sharding":                   {`shardSelector=`, `shardInfo`},
}

// TestCoverageIsPlayed wants each step to do what COVERAGE says that it shows.
func TestCoverageIsPlayed(t *testing.T) {
	places, err := lessons.Coverage(ordered(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range lessons.Topics {
		pattern, listed := played[topic.Tag]
		if listed == cell.MatchString(topic.Tag) {
			t.Errorf("%s: it is a cell, or what is played for it is listed", topic.Tag)
			continue
		}
		for _, p := range places[topic.Tag] {
			step := &p.Lesson.Steps[p.Step]
			where := fmt.Sprintf("%s, step %d covers %s", p.Lesson.File, p.Step+1, topic.Tag)
			fits := func(r *format.Request) bool {
				if !listed {
					return inCell(r, topic.Tag)
				}
				return regexp.MustCompile(pattern.asks).MatchString(sent(r))
			}
			if !slices.ContainsFunc(requestsOf(step), fits) {
				t.Errorf("%s, and no request of it does that", where)
			}
			if listed && !regexp.MustCompile(pattern.looks).MatchString(looked(t, p)) {
				t.Errorf("%s, and neither its question nor its check looks at %s", where, pattern.looks)
			}
		}
	}
	for tag := range played {
		if !slices.ContainsFunc(lessons.Topics, func(topic lessons.Topic) bool { return topic.Tag == tag }) {
			t.Errorf("%s is no topic", tag)
		}
	}
}

// cell is what tags of cells are like.
var cell = regexp.MustCompile(`^(get|watch|list(\.exact|\.not)?(\.limit|\.token)?)\.(unset|0|N)$`)

// inCell reports whether a request is one of a cell of the tables.
func inCell(r *format.Request, tag string) bool {
	path, query, _ := strings.Cut(r.Target, "?")
	q, err := url.ParseQuery(query)
	if err != nil || r.Method != "GET" || path == "" {
		return false
	}
	version := "N"
	if v := q.Get("resourceVersion"); v == "" {
		version = "unset"
	} else if v == "0" {
		version = "0"
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	at := slices.Index(segments, "namespaces")
	named := at >= 0 && len(segments) == at+4
	is := "list"
	switch {
	case q.Has("watch"):
		is = "watch"
	case named:
		is = "get"
	default:
		is += map[string]string{"Exact": ".exact", "NotOlderThan": ".not"}[q.Get("resourceVersionMatch")]
		if q.Has("continue") {
			is += ".token"
		} else if q.Has("limit") {
			is += ".limit"
		}
	}
	return is+"."+version == tag
}

// requestsOf returns all requests that a step gives, and those of its solutions.
func requestsOf(s *format.Step) []*format.Request {
	all := s.Given()
	for _, way := range s.Ways() {
		all = append(all, way...)
	}
	return all
}

func sent(r *format.Request) string {
	return regexp.MustCompile(`\n\s+([?&])`).ReplaceAllString(r.Method+" "+r.Target+"\n"+r.Source, "$1")
}

// looked returns what a step's question and check look at.
func looked(t *testing.T, p lessons.Place) string {
	t.Helper()
	text, err := os.ReadFile(p.Lesson.File)
	if err != nil {
		t.Fatal(err)
	}
	steps := strings.Split("\n"+string(text), "\n## ")
	var out strings.Builder
	for _, block := range regexp.MustCompile("(?s)```(?:predict|check)\n(.*?)```").FindAllString(steps[p.Step+1], -1) {
		out.WriteString(block)
	}
	return out.String()
}
