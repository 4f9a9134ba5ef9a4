//go:build !js

// Package practice makes the situations that learners practise with. A template is a lesson of one step (see
// web/lessons/README.md) with placeholders. Their values are the rows of its tables or, where they have to be worked
// out, drawn by a Generator. The page is built with the values of all seeds: the tests have played every situation that
// a learner meets, and the page computes none.
//
// Invariants:
//   - A seed always gives the same situation.
//   - The choices of a question come from typical mistakes, never from chance; the run decides which
//     one is right, as in a lesson.
//
// Costs: everything is done when the page is built or tested.
package practice

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// Seeds is how many situations a template makes: those of the seeds from 1 on.
const Seeds = 200

// Values are the values of a template's placeholders, by name.
type Values map[string]string

// A Generator draws the values of one situation. It returns nil if they make no good situation, for example since two
// choices would be the same; it is then called again, up to maxDraws times.
type Generator func(r *rand.Rand) Values

// maxDraws limits how often a Generator is called for one seed.
const maxDraws = 100

// A Template makes situations: a lesson of one step with placeholders, and the cases of their values, or a Generator.
type Template struct {
	// ID is the name of its file without the ending: path-from-discovery.
	ID string
	// Was are its former names, the oldest first.
	Was []string
	// Source is the file's content, without its cases.
	Source string
	draw   Generator
	cases  *cases
}

//go:embed templates
var files embed.FS

// All returns the templates, in the order of their first names. They are read once: to work out the values of their
// cases takes a second of a processor.
func All() ([]Template, error) {
	all, err := readOnce()
	return slices.Clone(all), err
}

var readOnce = sync.OnceValues(read)

// read returns the templates of the files.
func read() ([]Template, error) {
	names, err := fs.Glob(files, "templates/*.md")
	if err != nil {
		return nil, err
	}
	var out []Template
	for _, name := range names {
		src, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		id := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".md")
		rest, c, err := readCases(string(src))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if (generators[id] == nil) == (c == nil) {
			return nil, fmt.Errorf("%s: it needs cases or a Generator, one of them", name)
		}
		out = append(out, Template{ID: id, Was: former[id], Source: rest, draw: generators[id], cases: c})
	}
	slices.SortFunc(out, func(a, b Template) int { return strings.Compare(a.first(), b.first()) })
	for id := range generators {
		if !slices.ContainsFunc(out, func(t Template) bool { return t.ID == id }) {
			return nil, fmt.Errorf("%s: there is a Generator, and no file", id)
		}
	}
	return out, nil
}

// Values returns the values of a seed's situation.
func (t Template) Values(seed int) (Values, error) {
	if t.cases != nil {
		return t.cases.values(t, seed)
	}
	r := rand.New(rand.NewPCG(uint64(seed), hash(t.first())))
	for range maxDraws {
		if v := t.draw(r); v != nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s: nothing was drawn for seed %d", t.ID, seed)
}

// first returns the name that the template had first.
func (t Template) first() string {
	if len(t.Was) > 0 {
		return t.Was[0]
	}
	return t.ID
}

// hash returns a number that differs between templates, so that they draw differently from the same seed.
func hash(id string) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(id) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// Situation returns the lesson that the template makes of a seed.
func (t Template) Situation(seed int) (*format.Lesson, error) {
	v, err := t.Values(seed)
	if err != nil {
		return nil, err
	}
	src, err := course.Fill(t.Source, v)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", t.ID, seed, err)
	}
	l, err := format.ParseAs(t.ID, t.file(), src)
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", seed, err)
	}
	return l, nil
}

// file returns the path of the template's file, for errors.
func (t Template) file() string { return "web/course/practice/templates/" + t.ID + ".md" }
