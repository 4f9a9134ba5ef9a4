// Command shell renders the page as it is before any script has run. It reads
// what the page refers to from standard input, as JSON (site.Shell), and writes
// HTML. The site builder compiles and runs it, so that a page always comes from
// the templates and lessons as they are now.
package main

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
)

func main() {
	if err := render(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(in io.Reader, out io.Writer) error {
	var data struct {
		Assets map[string]string
		CSP    string
		Dev    bool
	}
	if err := json.NewDecoder(in).Decode(&data); err != nil {
		return err
	}
	return page.Execute(out, data)
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{.CSP}}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tabernetes</title>
<link rel="icon" href="{{index .Assets "icon.svg"}}" type="image/svg+xml">
<link rel="manifest" href="{{index .Assets "manifest.webmanifest"}}">
<link rel="stylesheet" href="{{index .Assets "app.css"}}">
<script type="module" src="{{index .Assets "app.js"}}"></script>
</head>
<body>
<h1>Tabernetes</h1>
</body>
</html>
`))
