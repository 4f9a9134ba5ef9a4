package verdict

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// claims are the sentences that say that something was stored, with what that was: a commit with such a verb at the
// revision that they name.
var claims = []struct {
	*regexp.Regexp
	verb revisions.Verb
}{
	{regexp.MustCompile(`^Created at (\d+)\b`), revisions.Added},
	{regexp.MustCompile(`^Changed at (\d+)\b`), revisions.Modified},
	{regexp.MustCompile(`^(?:Deleted|Removed) at (\d+)\b`), revisions.Deleted},
	{regexp.MustCompile(`^Marked for deletion at (\d+)\b`), revisions.Modified},
	{regexp.MustCompile(`^Evicted: .* is deleted at (\d+)\b`), revisions.Deleted},
	{regexp.MustCompile(`^Evicted: .* is marked for deletion at (\d+)\b`), revisions.Modified},
	{regexp.MustCompile(`^Bound at (\d+)\b`), revisions.Modified},
	{regexp.MustCompile(`^(?:Stored|Evicted) at (\d+)\b`), ""},
	{regexp.MustCompile(`removed, up to (\d+)\b`), revisions.Deleted},
	{regexp.MustCompile(`^\d+, and yet .* up to (\d+)\b`), ""},
	{regexp.MustCompile(`^There was no answer, but it is stored, at (\d+)\b`), ""},
	{regexp.MustCompile(`^[\d,]+ revisions?(?:,| from| at).* (\d+)\b`), ""},
}

var (
	// collections are the sentences about deletions of a collection.
	collections = regexp.MustCompile(`^(?:([\d,]+) deleted)?(?:, )?(?:([\d,]+) marked for deletion)?` +
		`(?: at (\d+)|, from (\d+) to (\d+))`)
	// nothings are those that say that nothing was stored.
	nothings = regexp.MustCompile(`(?i)nothing (is|was) stored|nothing changed|nothing was deleted|nothing is stored`)
	sentOld  = regexp.MustCompile(`^409: you sent (\d+); it is at (\d+)`)
	stills   = regexp.MustCompile(`(?:still at|last written at|for deletion, at|pinned to) (\d+)`)
)

// contradiction returns what is wrong with a verdict, by the commits that the exchange has made; empty if nothing is.
func contradiction(v Verdict, e *tap.Exchange, made []revisions.Commit) string {
	wrong := func(format string, args ...any) string {
		return fmt.Sprintf("%s %s: %d, %q %q: ", e.Method, e.URL, e.Status, v.Title, v.Words) + fmt.Sprintf(format, args...)
	}
	if unlike := asWanted(v, e); unlike != "" {
		return wrong("%s", unlike)
	}
	if _, what, says := strings.Cut(v.Words, "watch that it concerns receives "); says && len(made) > 0 {
		both := strings.HasPrefix(what, "MODIFIED, then DELETED")
		for _, c := range revisions.Changes(slices.Values(made)) {
			if last := made[len(made)-1]; c.Ref() == last.Ref() && both != (c.Verb == revisions.Deleted && c.Writes > 1) {
				return wrong("it made %v", made)
			}
		}
	}
	if m := sentOld.FindStringSubmatch(v.Title); m != nil && m[1] == m[2] {
		return wrong("it is")
	}
	title := strings.TrimSuffix(v.Title, ".")
	said := title + ". " + v.Words
	if nothings.MatchString(said) && len(made) > 0 {
		return wrong("it made %d revisions", len(made))
	}
	if m := collections.FindStringSubmatch(title); m != nil && m[0] != "" && (m[1] != "" || m[2] != "") {
		var count [2]int
		for _, c := range revisions.Changes(slices.Values(made)) {
			switch {
			case c.Resource != e.Info.Resource:
			case c.Verb == revisions.Modified:
				count[1]++
			default:
				count[0]++
			}
		}
		for i, n := range count {
			if given, _ := strconv.Atoi(strings.ReplaceAll("0"+m[i+1], ",", "")); given != n {
				return wrong("%d were deleted, %d marked", count[0], count[1])
			}
		}
		return ""
	}
	for _, c := range claims {
		m := c.FindStringSubmatch(title)
		if m == nil {
			continue
		}
		rev, _ := strconv.ParseInt(m[1], 10, 64)
		for _, made := range made {
			if made.Revision == rev && (c.verb == "" || made.Verb == c.verb) {
				return ""
			}
		}
		return wrong("it made %v", made)
	}
	if len(made) > 0 && e.Phase != tap.Pending {
		return wrong("it does not say that %v was made", made)
	}
	switch verb, _, _ := strings.Cut(title, " "); verb {
	case "Created", "Changed", "Deleted", "Removed", "Marked", "Stored", "Evicted", "Bound":
		return wrong("nothing was made")
	}
	if m := stills.FindStringSubmatch(said); m != nil && e.Source.Head > 0 {
		if rev, _ := strconv.ParseInt(m[1], 10, 64); rev == 0 || rev > e.Source.Head {
			return wrong("the head is %d", e.Source.Head)
		}
	}
	if v.Tone == Bad && e.Status < 400 && e.Status > 0 && e.Info.Verb != "watch" && !strings.HasPrefix(title, "Denied") &&
		!strings.HasPrefix(title, "The token belongs to no user") {
		return wrong("it was not refused")
	}
	if v.Tone != Bad && e.Status >= 400 {
		return wrong("it was refused")
	}
	return ""
}

// asWanted returns what of an answer is not as a request wants it, if the verdict says that it is: of the status,
// unless that is what its path is for, and of what only the server sets. It patches the answer to see that.
func asWanted(v Verdict, e *tap.Exchange) string {
	if !strings.Contains(v.Words, "The object is as the request wants it.") || e.Info.Subresource != "" {
		return ""
	}
	type set struct {
		Generation        json.RawMessage `json:"generation,omitempty"`
		CreationTimestamp json.RawMessage `json:"creationTimestamp,omitempty"`
	}
	var sent struct {
		Metadata set             `json:"metadata"`
		Status   json.RawMessage `json:"status,omitempty"`
	}
	_ = json.Unmarshal([]byte(asJSON(e.Header, e.Body)), &sent)
	if e.Method == "PUT" {
		sent.Metadata = set{}
	}
	got := asJSON(e.ResHeader, e.Text())
	wants, _ := json.Marshal(sent)
	patched, _, err := patch.Merge([]byte(got), wants, false)
	var is, want any
	if err != nil || json.Unmarshal([]byte(got), &is) != nil || json.Unmarshal(patched, &want) != nil ||
		!reflect.DeepEqual(is, want) {
		return fmt.Sprintf("it wants %s, and has %s: %v", wants, got, err)
	}
	return ""
}
