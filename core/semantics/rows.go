package semantics

import "strings"

// A Row is an example: a request, the rule by which it is answered, and the answer.
//
// The requests are for Secrets a to e of the namespace default, of which d and e were created and b
// was changed after the version $N. $HEAD is the newest version, and versions before $N have been
// compacted. $TOKEN continues a list of one at $N, $EXPIRED one that has been compacted, and $FRESH
// is the token in the 410 for $EXPIRED. core/README.md has commands that create this history.
type Row struct {
	Rule
	// Asked describes the request: the resourceVersion, then the match and the page. With the verb it
	// is unique.
	Asked string
	// Request is its path and query.
	Request string
	// Answer describes the answer, and AnswerBehind that of a server whose watch cache has not yet seen
	// that b was changed and e created; empty if it is the same. Both are Markdown.
	Answer, AnswerBehind string
}

// Rows returns the rows of a verb, in the order in which core/README.md shows them.
func Rows(verb string) []Row {
	short := map[string][]row{Get: getRows, List: listRows, Watch: watchRows}[verb]
	all := make([]Row, len(short))
	for i, r := range short {
		rule, _ := RuleOf(r.rule)
		if !strings.HasPrefix(r.request, "/api/") {
			r.request = secrets + r.request
		}
		all[i] = Row{rule, r.asked, r.request, r.answer, r.behind}
	}
	return all
}

// secrets is the collection of the requests.
const secrets = "/api/v1/namespaces/default/secrets"

// A row is a Row with its rule's ID, and its request without the collection unless that begins with
// /api/.
type row struct{ rule, asked, request, answer, behind string }

// Some answers.
const (
	waits    = "waits " + wait + ", then "
	timeout  = "504, `Retry-After: 1`"
	event504 = "ERROR event 504"
	event410 = "ERROR event 410"
	// Without and with the bookmark that ends the initial events.
	added, addedMark      = "ADDED for all as of now, then changes", "ADDED for all as of now, end mark, then changes"
	addedStale, staleMark = "ADDED for all as the cache has it, then changes",
		"ADDED for all as the cache has it, end mark, then changes"
)

var getRows = []row{
	{GetLatest, "unset", "/b", "as of now", ""},
	{GetAny, "0", "/b?resourceVersion=0", "as of now", "as the cache has it"},
	{GetNotOlderThan, "N", "/b?resourceVersion=$N", "as of now", "as the cache has it"},
	{GetNotOlderThan, "HEAD", "/b?resourceVersion=$HEAD", "as of now", waits + timeout},
	{GetNotOlderThan, "future", "/b?resourceVersion=4000000000", waits + timeout, ""},
	{GetInvalid, "garbage", "/b?resourceVersion=garbage", "500", ""},
}
