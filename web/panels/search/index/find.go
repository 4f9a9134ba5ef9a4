package index

import (
	"slices"
	"strings"
)

// A Found is an entry that was found, with the parts of its title that the query has.
type Found struct {
	Entry
	Parts []Part
}

// A Part is a piece of a title; Hit says that it was searched for.
type Part struct {
	Text string
	Hit  bool
}

// A Result is what a query finds: by groups, the best first. Near says that nothing was found, and that these are the
// entries whose words are nearest.
type Result struct {
	Groups [][]Found
	Total  int
	Near   bool
}

// How much it counts where a word was found.
const (
	inTitle = 12
	inWords = 6
	inText  = 1
	// whole is added where it is not only the beginning of a word.
	whole = 2
)

// Find returns what has all words of a query, or words that mean the same.
func (x *Index) Find(query string) Result {
	terms := termsOf(query)
	if len(terms) == 0 {
		return Result{}
	}
	type hit struct {
		Found
		score int
	}
	byGroup := make([][]hit, groups)
	total := 0
	for _, e := range x.entries {
		score := 0
		for _, t := range terms {
			n := t.score(&e)
			if n == 0 {
				score = 0
				break
			}
			score += n
		}
		if score == 0 {
			continue
		}
		total++
		byGroup[e.Group] = append(byGroup[e.Group], hit{Found{e, marked(e.Title, terms)}, score})
	}
	if total == 0 {
		return x.near(terms)
	}
	r := Result{Total: total, Groups: make([][]Found, groups)}
	for g, hits := range byGroup {
		slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
		for _, h := range hits {
			r.Groups[g] = append(r.Groups[g], h.Found)
		}
	}
	return r
}

// A term is one word or phrase of a query, with those that mean the same. The first one was typed.
type term []string

// termsOf takes a query apart. Phrases that have others of the same meaning are one term.
func termsOf(query string) []term {
	text := " "
	for _, w := range strings.FieldsFunc(strings.ToLower(query), apart) {
		if !strings.Contains(text, " "+w+" ") {
			text += w + " "
		}
	}
	var terms []term
	for _, set := range same {
		for _, phrase := range set {
			if at := " " + phrase + " "; strings.Contains(text, at) {
				text = strings.Replace(text, at, " ", 1)
				terms = append(terms, append(term{phrase}, slices.DeleteFunc(slices.Clone(set),
					func(s string) bool { return s == phrase })...))
				// "410 gone" is one thing, said twice.
				for _, other := range set {
					text = strings.Replace(text, " "+other+" ", " ", 1)
				}
				break
			}
		}
	}
	for _, w := range strings.Fields(text) {
		if !filler[w] {
			terms = append(terms, term{w})
		}
	}
	return terms
}

// filler are words that say nothing of what is searched for.
var filler = map[string]bool{"a": true, "an": true, "the": true, "is": true, "of": true, "to": true, "in": true,
	"how": true, "why": true, "what": true, "i": true, "do": true, "does": true, "my": true, "and": true, "for": true}

// score says how well an entry has the term; 0: it has not.
func (t term) score(e *Entry) int {
	best := 0
	for i, phrase := range t {
		for _, place := range []struct {
			text string
			n    int
		}{{e.title, inTitle}, {e.words, inWords}, {e.text, inText}} {
			// The last word may be unfinished, if it is what was typed.
			at := strings.Contains(place.text, " "+phrase+" ")
			if !at && (i > 0 || !strings.Contains(place.text, " "+phrase)) {
				continue
			}
			n := place.n
			if at {
				n += whole
			}
			best = max(best, n)
			break
		}
	}
	return best
}

// marked returns a title in parts.
func marked(title string, terms []term) []Part {
	lower := strings.ToLower(title)
	if len(lower) != len(title) {
		return []Part{{Text: title}}
	}
	hit := make([]bool, len(title))
	for _, t := range terms {
		for _, phrase := range t {
			for from := 0; ; {
				i := strings.Index(lower[from:], phrase)
				if i < 0 {
					break
				}
				i += from
				from = i + len(phrase)
				if i == 0 || !letter(lower[i-1]) {
					for k := i; k < from; k++ {
						hit[k] = true
					}
				}
			}
		}
	}
	var parts []Part
	for i := 0; i < len(title); {
		j := i
		for j < len(title) && hit[j] == hit[i] {
			j++
		}
		parts = append(parts, Part{title[i:j], hit[i]})
		i = j
	}
	return parts
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// nearest is how many entries are offered where nothing is found.
const nearest = 3

// near returns the entries whose titles have the words that are most like those of the query.
func (x *Index) near(terms []term) Result {
	type hit struct {
		Found
		far int
	}
	var hits []hit
	for _, e := range x.entries {
		far := 0
		for _, t := range terms {
			best := 2 * len(t[0])
			for w := range strings.FieldsSeq(e.title) {
				best = min(best, 2*distance(t[0], w))
			}
			for w := range strings.FieldsSeq(e.words) {
				best = min(best, 2*distance(t[0], w)+1)
			}
			far += best
		}
		hits = append(hits, hit{Found{e, []Part{{Text: e.Title}}}, far})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.far - b.far })
	r := Result{Near: true, Groups: make([][]Found, groups)}
	for _, h := range hits[:min(nearest, len(hits))] {
		r.Groups[h.Group] = append(r.Groups[h.Group], h.Found)
	}
	return r
}

// distance returns how many letters have to be changed, added or removed to turn one word into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		corner := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			n := corner
			if a[i-1] != b[j-1] {
				n++
			}
			corner = row[j]
			row[j] = min(n, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
