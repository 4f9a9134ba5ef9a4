package index

import (
	"encoding/json"
	"strings"
	"unicode"
)

// File is the site's file that holds the index.
const File = "course/search.json"

// A Group is a kind of entries. They are shown in this order.
type Group int

// The groups.
const (
	Lessons Group = iota
	Steps
	Scenes
	Rules
	Keys
	groups
)

// Name returns the heading of a group.
func (g Group) Name() string {
	return [...]string{"Lessons", "Steps", "Scenes", "Rules", "Keys and levers"}[g]
}

// An Entry is something that can be found. What it leads to is one of Href, Rule, Press and Key.
type Entry struct {
	Group Group  `json:"g"`
	Title string `json:"t"`
	// Note stands at its end: "7.3", a key, the verb of a rule.
	Note string `json:"n,omitempty"`
	// Words are those that it is about, besides its title; Text are others that it has.
	Words string `json:"w,omitempty"`
	Text  string `json:"x,omitempty"`

	// Href is a fragment of the page's address.
	Href string `json:"h,omitempty"`
	// Rule is the ID of a rule of package semantics.
	Rule string `json:"r,omitempty"`
	// Press is a CSS selector of the button that does it.
	Press string `json:"p,omitempty"`
	// At is the id of the part that is led to of what Press opens.
	At string `json:"a,omitempty"`
	// Key is that of the keyboard which does it.
	Key string `json:"k,omitempty"`

	title, words, text string // as find compares them
}

// An Index is all that can be found, by groups.
type Index struct{ entries []Entry }

// Parse reads an index as Build has written it.
func Parse(text string) (*Index, error) {
	var all []Entry
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, err
	}
	return New(all), nil
}

// New returns the index of entries.
func New(all []Entry) *Index {
	for i := range all {
		e := &all[i]
		e.title, e.words, e.text = plain(e.Title), plain(e.Words), plain(e.Text)
	}
	return &Index{all}
}

// String returns the index as JSON.
func (x *Index) String() string {
	b, err := json.Marshal(x.entries)
	if err != nil {
		return "[]"
	}
	return string(b)
}

// plain returns the words of a text in lower case, with a space around each. A word of the API is also taken apart:
// "sendInitialEvents" is found by "initial".
func plain(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	word := func(s string) {
		b.WriteString(strings.ToLower(s))
		b.WriteByte(' ')
	}
	for _, w := range strings.FieldsFunc(text, apart) {
		word(w)
		from := 0
		for i, r := range w {
			if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(w[i-1])) {
				word(w[from:i])
				from = i
			}
		}
		if from > 0 {
			word(w[from:])
		}
	}
	return b.String()
}

// apart reports whether a character is between words.
func apart(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
