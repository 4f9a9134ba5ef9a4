//go:build !js

package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A Topic is a part of the documentation that the course covers: a section of the page on
// API concepts or of the KEP on resourceVersionMatch, or a cell of a table there.
type Topic struct {
	// Tag is what steps name it by, in their covers blocks.
	Tag string
	// Title is the section's, or the row and column of the cell.
	Title string
}

// Topics are all of them, in the order of the pages.
var Topics = append([]Topic{
	{"overview", "Kubernetes API: resource-based, verbs, subresources, representations, watches, lists"},
	{"terms.collection", "Terminology: resource type, kind, collection, resource"},
	{"terms.subresource", "Terminology: sub-resource"},
	{"terms.virtual", "Terminology: virtual resource types: permission checks"},
	{"terms.virtual.eviction", "Terminology: virtual resource types: evictions"},
	{"names", "Object names"},
	{"verbs", "API verbs; a PUT that creates; get, list and watch"},
	{"uri", "Resource URIs, cluster-scoped and namespaced"},
	{"uri.core", "Resource URIs: the core group"},
	{"uri.namespace", "Resource URIs: what is in a namespace goes along with it"},
	{"uri.authorization", "Resource URIs: authorization by namespace"},
	{"uri.subresource", "Resource URIs: subresources, whose verbs differ, and not across resources"},
	{"changes", "Efficient detection of changes: list, then watch"},
	{"changes.history", "Efficient detection of changes: a limited history, 410 Gone, starting over"},
	{"bookmarks", "Watch bookmarks: no interval, and no promise"},
	{"streaming", "Streaming lists: state, end mark, news"},
	{"streaming.parameters", "Streaming lists: what sendInitialEvents requires; empty, unset and a version"},
	{"chunks", "Retrieving large results sets in chunks: limit and continue"},
	{"chunks.expired", "Retrieving large results sets in chunks: a token that has expired"},
	{"chunks.snapshot", "Retrieving large results sets in chunks: one snapshot, whatever is written in the meantime"},
	{"chunks.remaining", "Retrieving large results sets in chunks: remainingItemCount"},
	{"collections", "Collections: a kind of list for each type, and its items"},
	{"collections.list", "Collections: kind List, which is kubectl's"},
	{"tables", "Receiving resources as Tables: rows, cells, and the objects beside them"},
	{"tables.columns", "Receiving resources as Tables: default columns"},
	{"tables.versions", "Receiving resources as Tables: v1 and v1beta1"},
	{"tables.fallback", "Receiving resources as Tables: types without, and Accept with a fallback"},
	{"encodings", "Alternate representations of resources: Accept, Content-Type, 406, 415"},
	{"protobuf", "Kubernetes Protobuf encoding: the envelope, and a prefix that one does not know"},
	{"deletion", "Resource deletion: two phases, finalizers in any order"},
	{"single", "Single resource API: no request for several objects but of one collection"},
	{"validation", "Field validation: types, required fields, fields that are dropped"},
	{"validation.levels", "Field validation: Ignore, Warn, Strict"},
	{"validation.kubectl", "Field validation: what kubectl asks for"},
	{"dryrun", "Dry-run: all stages, and no side effects"},
	{"dryrun.request", "Make a dry-run request: All, no value, anything else"},
	{"dryrun.webhooks", "Make a dry-run request: webhooks with and without side effects"},
	{"dryrun.generated", "Generated values: names, times, uids, versions, what admission sets"},
	{"dryrun.authorization", "Dry-run authorization"},
	{"apply", "Server Side Apply"},
	{"versions", "Resource versions: opaque, passed on unmodified, compared for equality"},
	{"versions.metadata", "resourceVersion fields in metadata: of an object, of a collection"},
	{"versions.parameters", "resourceVersion parameters in query strings, and their match"},
	{"versions.advice", "Set the match whenever a version is set; prefer NotOlderThan with a known version"},
	{"versions.ignored", "Be prepared for servers that ignore the match: 410 of a page, the version of an exact list"},
	{"versions.gone", "“410 Gone” responses, which depend on what a cache has"},
	{"versions.unavailable", "Unavailable resource versions: waiting, 504, Retry-After, the message"},
	{"versions.unavailable.watch", "Unavailable resource versions: a watch waits"},
	{"sharding", "Sharded lists and watches: selectors, shardInfo, a server that does not know them"},
	{"kep.motivation", "KEP-2523: motivation, goals, proposal"},
	{"kep.compatibility", "KEP-2523: backward compatibility"},
	{"kep.get", "KEP-2523: get has no match"},
	{"kep.alternatives", "KEP-2523: risks, and parameters that were not chosen"},
	{"get.unset", "get, resourceVersion unset: most recent"},
	{"get.0", "get, resourceVersion 0: any"},
	{"get.N", "get, another resourceVersion: not older than"},
	{"watch.unset", "watch, resourceVersion unset: state at most recent, then changes"},
	{"watch.0", "watch, resourceVersion 0: state at any, then changes"},
	{"watch.N", "watch, another resourceVersion: start at exactly"},
}, listCells()...)

// listCells returns those of the table of list: match, paging, version.
func listCells() []Topic {
	rows := []struct{ tag, title string }{
		{"list", "no match, no limit"}, {"list.limit", "no match, limit"}, {"list.token", "no match, limit and continue"},
		{"list.exact", "Exact, no limit"}, {"list.exact.limit", "Exact, limit"},
		{"list.not", "NotOlderThan, no limit"}, {"list.not.limit", "NotOlderThan, limit"},
	}
	var out []Topic
	for _, r := range rows {
		for _, version := range [][2]string{{"unset", "unset"}, {"0", "0"}, {"N", "another"}} {
			out = append(out, Topic{r.tag + "." + version[0], fmt.Sprintf("list, %s, resourceVersion %s", r.title, version[1])})
		}
	}
	return out
}

// A Place is a step of a lesson.
type Place struct {
	Lesson *format.Lesson
	Step   int // from 0
}

// Coverage finds the steps that cover each topic, by its tag. The error names the first
// tag that is no topic's, with the lesson's file.
func Coverage(course []*format.Lesson) (map[string][]Place, error) {
	out := map[string][]Place{}
	for _, l := range course {
		for i := range l.Steps {
			for _, tag := range l.Steps[i].Covers {
				if !slices.ContainsFunc(Topics, func(t Topic) bool { return t.Tag == tag }) {
					return nil, fmt.Errorf("%s: step %d covers %q, which is no topic", l.File, i+1, tag)
				}
				if place := (Place{l, i}); !slices.Contains(out[tag], place) {
					out[tag] = append(out[tag], place)
				}
			}
		}
	}
	return out, nil
}

// CoverageTable returns the coverage as a Markdown table, with links to the lessons' files.
func CoverageTable(course []*format.Lesson) (string, error) {
	places, err := Coverage(course)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| the documentation | lessons and steps |\n|---|---|\n")
	for _, t := range Topics {
		fmt.Fprintf(&b, "| %s | %s |\n", t.Title, links(places[t.Tag]))
	}
	return b.String(), nil
}

// links lists the titles of places, those of one lesson after its link.
func links(places []Place) string {
	var b strings.Builder
	for i, p := range places {
		switch {
		case i > 0 && places[i-1].Lesson == p.Lesson:
			b.WriteString(" · " + p.Lesson.Steps[p.Step].Title)
			continue
		case i > 0:
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "[%s](%s): %s", p.Lesson.ID, p.Lesson.File, p.Lesson.Steps[p.Step].Title)
	}
	return b.String()
}

// Gaps returns the topics that no step covers.
func Gaps(course []*format.Lesson) ([]Topic, error) {
	places, err := Coverage(course)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(Topics), func(t Topic) bool { return len(places[t.Tag]) > 0 }), nil
}

// CoveragePage is COVERAGE.md.
func CoveragePage(course []*format.Lesson, f Figures) (string, error) {
	table, err := CoverageTable(course)
	if err != nil {
		return "", err
	}
	return "# What the course covers\n\n" +
		"The sections of the page on API concepts and of KEP-2523, and the cells of their tables, each with the steps " +
		"that show it. Tests\n" +
		"write this page from the `covers` blocks of the lessons: `go test ./web/lessons -run UpToDate -update`.\n\n" +
		f.String() + "\n\n" + table, nil
}
