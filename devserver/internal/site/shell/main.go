// Command shell renders the page as it is before any script has run, and the course's
// files: the lessons, what there is to practise, the list of both, and the scenes. It reads what the
// page refers to from standard input, as JSON (site.Shell), and writes the files as a JSON
// object, content by name. The site builder compiles and runs it, in the project's
// directory, so that a page always comes from the templates and lessons as they are now.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/course/practice"
	"github.com/tabernetes/tabernetes/web/lab"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/page"
	"github.com/tabernetes/tabernetes/web/panels/scenes"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

func main() {
	if err := render(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// data is site.Shell, which is not imported: it would bring all of the builder.
type data struct {
	Assets    map[string]string
	WasmBytes int
	Packed    string
	CSP       string
	Devserver bool
}

func render(in io.Reader, out io.Writer) error {
	var d data
	if err := json.NewDecoder(in).Decode(&d); err != nil {
		return err
	}
	lessons, err := markdown.Load(os.DirFS("web/lessons"))
	if err != nil {
		return err
	}
	for i := range lessons {
		lessons[i].Source = markdown.Lean(lessons[i].Source)
	}
	lists, err := practice.Index(lessons)
	if err != nil {
		return err
	}
	shown, err := format.Scenes(os.DirFS("web/scenes"))
	if err != nil {
		return err
	}
	files := map[string]string{}
	var cards strings.Builder
	if err := scenes.File(shown).Render(context.Background(), &cards); err != nil {
		return err
	}
	files[scenes.FileName] = cards.String()
	if err := addCourse(files, lists, lessons); err != nil {
		return err
	}
	files[index.File] = index.Build(lists, lessons, shown, page.Found()).String()
	var html strings.Builder
	err = page.Page(page.Data{
		Panels:    lab.Panels(lists, lessons[0], shown, d.Devserver),
		Assets:    d.Assets,
		WasmBytes: d.WasmBytes,
		Packed:    d.Packed,
		CSP:       d.CSP,
	}).Render(context.Background(), &html)
	if err != nil {
		return err
	}
	files["index.html"] = html.String()
	return json.NewEncoder(out).Encode(files)
}

// addCourse adds a file for each lesson and each practice template.
func addCourse(files map[string]string, index *course.Index, lessons []format.Lesson) error {
	for _, l := range lessons {
		var html strings.Builder
		if err := view.Article(l, index.After(l.ID), l.Source).Render(context.Background(), &html); err != nil {
			return err
		}
		files[course.LessonFile(l.ID)] = html.String()
	}
	templates, err := practice.All()
	if err != nil {
		return err
	}
	for _, t := range templates {
		deck, err := t.Deck()
		if err != nil {
			return err
		}
		text, err := json.Marshal(deck)
		if err != nil {
			return err
		}
		files[course.DeckFile(t.ID)] = string(text)
	}
	return nil
}
