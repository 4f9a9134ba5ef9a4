package catalog

import (
	"slices"
	"strings"
)

// Meant returns the path that is meant by one that leads nowhere, with its query: that of the resource type whose name
// is nearest to a segment of it, in its group and version. It returns "" if nothing is near, or if that is the path.
func (c *Catalog) Meant(target string) string {
	path, query, asked := strings.Cut(target, "?")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	namespace := ""
	rest := segments[:0:0]
	for i := 0; i < len(segments); i++ {
		if s := segments[i]; i+2 < len(segments) && near("namespaces", s) <= typo(s) {
			namespace = segments[i+1]
			i++
			continue
		}
		rest = append(rest, segments[i])
	}
	best, at, distance := (*Resource)(nil), 0, 0
	for i, s := range rest {
		if s == "api" || s == "apis" || isVersion(s) || strings.Contains(s, ".") {
			continue
		}
		r, d := c.nearest(s, rest[:i])
		if r != nil && (best == nil || d < distance) {
			best, at, distance = r, i, d
		}
	}
	if best == nil {
		return ""
	}
	out := best.Collection(namespace)
	if at+1 < len(rest) && rest[at+1] != "" {
		out += "/" + rest[at+1]
		if at+2 < len(rest) {
			if sub := strings.Join(rest[at+2:], "/"); slices.Contains(best.Subresources, sub) {
				out += "/" + sub
			}
		}
	}
	if out == "/"+strings.Join(segments, "/") {
		return ""
	}
	if asked {
		out += "?" + query
	}
	return out
}

// nearest returns the type whose name is nearest to a word, and how far it is; nil if none is near. Of several that are
// as near it is the one in a group that is named before, else the first.
func (c *Catalog) nearest(word string, before []string) (best *Resource, distance int) {
	word = strings.ToLower(word)
	for _, r := range c.Preferred() {
		d := min(near(r.Plural, word), near(strings.ToLower(r.Kind), word))
		if slices.Contains(r.ShortNames, word) {
			d = 0
		}
		switch {
		case d > typo(word):
		case best == nil || d < distance, d == distance && !slices.Contains(before, best.Group) && slices.Contains(before,
			r.Group):
			best, distance = r, d
		}
	}
	return best, distance
}

// typo is how many letters may be wrong in a word.
func typo(word string) int { return min(2, len(word)/4) }

// isVersion reports whether a segment is a version: v1, v2beta1.
func isVersion(s string) bool { return len(s) > 1 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9' }

// near returns how many letters have to be changed, added or left out to make one word the other.
func near(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
