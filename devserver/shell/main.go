// Command shell renders the page as it is before any script has run, with its
// lessons. It reads what the page refers to from standard input, as JSON
// (site.Shell), and writes HTML. The site builder compiles and runs it, in the
// project's directory, so that a page always comes from the templates and
// lessons as they are now.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/tabernetes/tabernetes/web/lab"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
	"github.com/tabernetes/tabernetes/web/page"
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
	return page.Page(page.Data{
		Panels:    lab.Panels(lessons, d.Devserver),
		Assets:    d.Assets,
		WasmBytes: d.WasmBytes,
		CSP:       d.CSP,
	}).Render(context.Background(), out)
}
