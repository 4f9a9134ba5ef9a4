package verdict

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// bare returns the URL of a list without version and token.
func bare(u string) string {
	t, ok := tap.ParseTarget(u)
	if !ok {
		return ""
	}
	return t.With()
}

// first returns the URL of a list's first page.
func first(u string) string {
	t, ok := tap.ParseTarget(u)
	if !ok {
		return ""
	}
	return t.With("limit", t.Query.Get("limit"))
}

// with returns a URL with one parameter set, and without some others.
func with(u, name, value string, others ...string) string {
	head, query, _ := strings.Cut(u, "?")
	var kept []string
	for p := range strings.SplitSeq(query, "&") {
		if n, _, _ := strings.Cut(p, "="); n != "" && n != name && !slices.Contains(others, n) {
			kept = append(kept, p)
		}
	}
	return head + "?" + strings.Join(append(kept, name+"="+value), "&")
}

// without returns a URL without some parameters.
func without(u string, names ...string) string {
	u, _ = strings.CutSuffix(with(u, "", "", names...), "=")
	return strings.TrimRight(u, "?&")
}

// NextPage returns a list's URL with the continue token in it.
func NextPage(u, token string) string {
	return with(u, "continue", token, "resourceVersion", "resourceVersionMatch")
}
