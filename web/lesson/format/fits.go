package format

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// FitsStatus reports whether the answer has a status that the row wants.
func (r *Row) FitsStatus(x *tap.Exchange) bool {
	return len(r.Statuses) == 0 || slices.Contains(r.Statuses, x.Status)
}

// FitsRequest reports whether method and path are the row's.
func (r *Row) FitsRequest(x *tap.Exchange) bool {
	if r.In != "" || r.Method != x.Method && !slices.Contains(r.Or, x.Method) {
		return false
	}
	return slices.ContainsFunc(r.Paths, func(p string) bool { return MatchPath(p, x.Info.Path) })
}

// MatchPath reports whether a path fits a pattern, in which a segment * stands for any
// one segment.
func MatchPath(pattern, path string) bool {
	for {
		p, pRest, pMore := strings.Cut(pattern, "/")
		s, sRest, sMore := strings.Cut(path, "/")
		if p != s && (p != "*" || s == "") || pMore != sMore {
			return false
		}
		if !pMore {
			return true
		}
		pattern, path = pRest, sRest
	}
}

// Has reports whether a request is one of those that the step itself gives.
func (s *Step) Has(x *tap.Exchange) bool {
	return slices.ContainsFunc(s.Blocks, func(b Block) bool {
		return slices.ContainsFunc(b.Requests, func(r Request) bool { return r.Made(x) })
	})
}

// Made reports whether an exchange may be of this request, whatever its references are.
func (r *Request) Made(x *tap.Exchange) bool {
	return r.Method == x.Method && MatchPath(r.target.pathPattern(), x.Info.Path)
}

// pathPattern returns the path of a target, with * for its references.
func (t Template) pathPattern() string {
	pattern, _ := t.Expand("*", func(Ref) (string, error) { return "*", nil })
	pattern, _, _ = strings.Cut(pattern, "?")
	return pattern
}
