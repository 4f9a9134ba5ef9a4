package verdict

import "strconv"

// A Step is a step of the course.
type Step struct {
	Lesson string // its ID
	Number int    // of the lesson
	Step   int    // from 1
	Title  string // of the step
}

// String returns how the step is called: 16.1.
func (s Step) String() string { return strconv.Itoa(s.Number) + "." + strconv.Itoa(s.Step) }

// steps are the steps that teach what the rows say, by the rows' words for them.
var steps = map[string]Step{
	"created":   {"versions", 3, 1, "In which order?"},
	"no path":   {"addresses", 1, 3, "What exactly was not found?"},
	"not there": {"addresses", 1, 3, "What exactly was not found?"},
	"taken":     {"addresses", 1, 4, "When is a name taken?"},
	"empty":     {"addresses", 1, 5, "What does an empty answer prove?"},

	"created by PUT": {"verbs", 2, 2, "PUT of an object that does not exist"},
	"patch":          {"verbs", 2, 3, "One body, three times"},
	"collection":     {"verbs", 2, 5, "Clean up with few requests"},
	"subresource":    {"verbs", 2, 4, "A path below an object"},
	"method":         {"verbs", 2, 4, "A path below an object"},
	"virtual":        {"who-may", 17, 3, "The log of a Pod"},

	"list":         {"versions", 3, 2, "The version of a list"},
	"unchanged":    {"versions", 3, 3, "A write that changes nothing"},
	"get":          {"versions", 3, 2, "The version of a list"},
	"conflict":     {"versions", 3, 4, "Two of us write"},
	"precondition": {"versions", 3, 4, "Two of us write"},

	"watch":   {"list-then-watch", 4, 2, "What is the first event?"},
	"changed": {"list-then-watch", 4, 5, "What does a selector select?"},
	"deleted": {"list-then-watch", 4, 4, "Lose the connection"},
	"closed":  {"list-then-watch", 4, 4, "Lose the connection"},

	"restart":     {"410-gone", 7, 2, "A server that started later"},
	"compaction":  {"410-gone", 7, 5, "Is it gone for every request?"},
	"gone watch":  {"410-gone", 7, 1, "A busy type and a quiet one"},
	"error event": {"streaming-lists", 8, 4, "A server that is late"},

	"page":         {"paging", 9, 2, "The first page"},
	"next page":    {"paging", 9, 3, "Write while you read"},
	"last page":    {"paging", 9, 3, "Write while you read"},
	"gone token":   {"paging", 9, 4, "A token expires"},
	"inconsistent": {"paging", 9, 5, "The rest of what?"},
	"advance":      {"paging", 9, 4, "A token expires"},

	"settings":   {"stale-reads", 10, 1, "A cache that is stopped"},
	"stale get":  {"stale-reads", 10, 2, "The light, read from both"},
	"waiting":    {"stale-reads", 10, 6, "Without a version"},
	"stale list": {"stale-reads", 10, 5, "Not older than what you have seen"},

	"exact by limit":       {"grid", 20, 2, "Row 2: with a limit"},
	"exact":                {"grid", 20, 4, "Rows 4 and 5: exactly"},
	"gone list":            {"grid", 20, 7, "When V is gone"},
	"resourceVersionMatch": {"grid", 20, 4, "Rows 4 and 5: exactly"},

	"not yet":      {"too-new", 11, 1, "Four billion"},
	"future watch": {"too-new", 11, 2, "A watch from there"},
	"try again":    {"too-new", 11, 3, "Retry-After"},
	"snapshot":     {"too-new", 11, 4, "Yesterday's backup"},

	"format":       {"shapes", 12, 4, "A Table of the future"},
	"bytes":        {"bytes", 22, 1, "What comes first"},
	"content type": {"bytes", 22, 6, "One byte missing"},

	"marked":               {"two-phase", 13, 1, "Delete it"},
	"still marked":         {"two-phase", 13, 1, "Delete it"},
	"changed while marked": {"two-phase", 13, 2, "Can it be undone?"},
	"removed":              {"two-phase", 13, 5, "Incident: a Secret that will not go"},
	"grace":                {"two-phase", 13, 3, "A Pod on a node"},
	"marked namespace":     {"namespaces", 14, 1, "Delete a namespace"},
	"terminating":          {"namespaces", 14, 2, "While it is terminating"},
	"quota":                {"namespaces", 14, 6, "Incident: a tenant without a quota"},

	"fieldValidation": {"field-validation", 15, 2, "Three levels"},

	"dry run":      {"rehearsal", 18, 1, "A name for a Secret"},
	"invalid":      {"rehearsal", 18, 1, "A name for a Secret"},
	"dryRun":       {"rehearsal", 18, 3, "Four spellings"},
	"dry deletion": {"rehearsal", 18, 1, "A name for a Secret"},
	"webhook":      {"rehearsal", 18, 4, "A webhook that is not there"},

	"apply":              {"apply", 16, 1, "The first to apply"},
	"created by apply":   {"apply", 16, 1, "The first to apply"},
	"unchanged by apply": {"apply", 16, 1, "The first to apply"},
	"force":              {"apply", 16, 2, "A difference of opinion"},
	"apply conflict":     {"apply", 16, 2, "A difference of opinion"},

	"forbidden":    {"who-may", 17, 1, "Nothing so far"},
	"log":          {"who-may", 17, 3, "The log of a Pod"},
	"review":       {"who-may", 17, 3, "The log of a Pod"},
	"rules review": {"who-may", 17, 1, "Nothing so far"},
}
