package verdict

// A Step is a step of the course, by the ids of its lesson and of the step there, as web/lesson/format makes them of
// the file's name and of the step's title.
type Step struct{ Lesson, ID string }

// steps are the steps that teach what the rows say, by the rows' words for them.
var steps = map[string]Step{
	"created":   {"versions", "in-which-order"},
	"no path":   {"addresses", "what-exactly-was-not-found"},
	"not there": {"addresses", "what-exactly-was-not-found"},
	"taken":     {"addresses", "when-is-a-name-taken"},
	"empty":     {"addresses", "what-does-an-empty-answer-prove"},

	"created by PUT": {"verbs", "put-of-an-object-that-does-not-exist"},
	"patch":          {"verbs", "one-body-three-times"},
	"collection":     {"verbs", "clean-up-with-few-requests"},
	"subresource":    {"verbs", "a-path-below-an-object"},
	"method":         {"verbs", "a-path-below-an-object"},
	"virtual":        {"who-may", "the-log-of-a-pod"},

	"list":         {"versions", "the-version-of-a-list"},
	"unchanged":    {"versions", "a-write-that-changes-nothing"},
	"get":          {"versions", "the-version-of-a-list"},
	"conflict":     {"versions", "two-of-us-write"},
	"precondition": {"versions", "two-of-us-write"},

	"watch":   {"list-then-watch", "what-is-the-first-event"},
	"changed": {"list-then-watch", "what-does-a-selector-select"},
	"deleted": {"list-then-watch", "lose-the-connection"},
	"closed":  {"list-then-watch", "lose-the-connection"},

	"restart":     {"410-gone", "a-server-that-started-later"},
	"compaction":  {"410-gone", "is-it-gone-for-every-request"},
	"gone watch":  {"410-gone", "a-busy-type-and-a-quiet-one"},
	"error event": {"streaming-lists", "a-server-that-is-late"},

	"page":         {"paging", "the-first-page"},
	"next page":    {"paging", "write-while-you-read"},
	"last page":    {"paging", "write-while-you-read"},
	"gone token":   {"paging", "a-token-expires"},
	"inconsistent": {"paging", "a-token-expires"},
	"advance":      {"paging", "a-token-expires"},

	"settings":   {"stale-reads", "a-cache-that-is-stopped"},
	"stale get":  {"stale-reads", "the-light-read-from-both"},
	"waiting":    {"stale-reads", "without-a-version"},
	"stale list": {"stale-reads", "not-older-than-what-you-have-seen"},

	"exact by limit":       {"grid", "row-2-with-a-limit"},
	"exact":                {"grid", "rows-4-and-5-exactly"},
	"gone list":            {"grid", "when-v-is-gone"},
	"resourceVersionMatch": {"grid", "rows-4-and-5-exactly"},

	"not yet":      {"too-new", "four-billion"},
	"future watch": {"too-new", "retry-after"},
	"try again":    {"too-new", "retry-after"},
	"snapshot":     {"too-new", "yesterday-s-backup"},

	"format":       {"shapes", "a-table-of-the-future"},
	"bytes":        {"bytes", "what-comes-first"},
	"content type": {"bytes", "one-byte-missing"},

	"marked":               {"two-phase", "delete-it"},
	"still marked":         {"two-phase", "delete-it"},
	"changed while marked": {"two-phase", "can-it-be-undone"},
	"removed":              {"two-phase", "incident-a-secret-that-will-not-go"},
	"grace":                {"two-phase", "a-pod-on-a-node"},
	"marked namespace":     {"namespaces", "delete-a-namespace"},
	"terminating":          {"namespaces", "while-it-is-terminating"},
	"quota":                {"namespaces", "incident-a-tenant-without-a-quota"},

	"fieldValidation": {"field-validation", "three-levels"},

	"dry run":      {"rehearsal", "a-name-for-a-secret"},
	"invalid":      {"rehearsal", "a-name-for-a-secret"},
	"dryRun":       {"rehearsal", "four-spellings"},
	"dry deletion": {"rehearsal", "a-name-for-a-secret"},
	"webhook":      {"rehearsal", "a-webhook-that-is-not-there"},

	"apply":              {"apply", "the-first-to-apply"},
	"created by apply":   {"apply", "the-first-to-apply"},
	"unchanged by apply": {"apply", "the-first-to-apply"},
	"force":              {"apply", "a-difference-of-opinion"},
	"apply conflict":     {"apply", "a-difference-of-opinion"},

	"forbidden":    {"who-may", "nothing-so-far"},
	"log":          {"who-may", "the-log-of-a-pod"},
	"review":       {"who-may", "the-log-of-a-pod"},
	"rules review": {"who-may", "nothing-so-far"},
}
