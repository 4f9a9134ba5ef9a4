package check

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// Formats write a report, by their names.
var Formats = map[string]func(io.Writer, *Report) error{
	"text": text, "json": asJSON, "junit": junit, "sarif": sarif, "github": github,
}

// text writes a line for each finding, and a summary, for people.
func text(w io.Writer, r *Report) error {
	var out strings.Builder
	for _, f := range r.Findings {
		what, _, _ := strings.Cut(f.text(), "\n") // a difference may follow, which other formats have
		fmt.Fprintf(&out, "%s:%d: %s: %s\n", f.File, f.Line, f.Severity, what)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	_, err := fmt.Fprintf(w, "%s%s\n", &out, r.Summary())
	return err
}

func asJSON(w io.Writer, r *Report) error { return encode(w, r) }

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// junit writes a test case for each manifest, and one for each document that is no manifest. Warnings are their
// output.
func junit(w io.Writer, r *Report) error {
	type message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testCase struct {
		Name    string    `xml:"name,attr"`
		Class   string    `xml:"classname,attr"`
		File    string    `xml:"file,attr"`
		Line    int       `xml:"line,attr"`
		Failure *message  `xml:"failure"`
		Skipped *struct{} `xml:"skipped"`
		Out     string    `xml:"system-out,omitempty"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	type key struct {
		file string
		Object
	}
	s := suite{Name: "manifests", Skipped: r.outcomes(Skipped)}
	if r.Coverage != nil {
		s.Name = "tests"
	}
	at := map[key]int{}
	for _, result := range r.Results {
		at[key{result.File, result.Object}] = len(s.Cases)
		c := testCase{Name: result.Object.String(), Class: cmp.Or(result.APIVersion, result.File), File: result.File,
			Line: result.Line}
		if result.Outcome == Skipped {
			c.Skipped = &struct{}{}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, f := range r.Findings {
		i, known := -1, false
		if f.Object != nil {
			i, known = at[key{f.File, *f.Object}]
		}
		if !known {
			what := "document"
			if f.Object != nil {
				what = "coverage"
			}
			i = len(s.Cases)
			s.Cases = append(s.Cases, testCase{Name: what, Class: what, File: f.File, Line: f.Line})
		}
		c := &s.Cases[i]
		switch {
		case f.Severity != Error:
			c.Out += f.String() + "\n"
		case c.Failure == nil:
			s.Failures++
			c.Failure = &message{f.text(), f.String()}
		default:
			c.Failure.Text += "\n" + f.String()
		}
	}
	s.Tests = len(s.Cases)
	out, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

// sarif writes SARIF 2.1.0, the form that code scanning takes. Its rules are the reasons of the server.
func sarif(w io.Writer, r *Report) error {
	type object = map[string]any
	results, rules, seen := []any{}, []any{}, map[string]bool{}
	for _, f := range r.Findings {
		rule := f.Reason
		switch {
		case f.Object == nil:
			rule = "Unreadable"
		case rule == "" && f.Severity == Note:
			rule = "Coverage"
		case rule == "" && f.Severity == Warning:
			rule = "Warning"
		case rule == "":
			rule = "Refused"
		}
		if !seen[rule] {
			seen[rule], rules = true, append(rules, object{"id": rule})
		}
		results = append(results, object{
			"ruleId": rule, "level": f.Severity, "message": object{"text": f.text()},
			"locations": []any{object{"physicalLocation": object{
				"artifactLocation": object{"uri": uri(f.File)}, "region": object{"startLine": f.Line},
			}}},
		})
	}
	return encode(w, object{
		"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"runs": []any{object{
			"tool": object{"driver": object{"name": "tabernetes", "rules": rules}}, "results": results,
		}},
	})
}

// uri returns the name of a file as a relative reference.
func uri(file string) string {
	if isURL(file) {
		return file
	}
	return (&url.URL{Path: filepath.ToSlash(file)}).String()
}

var (
	githubText = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubName = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// github writes the commands by which a workflow of GitHub annotates lines.
func github(w io.Writer, r *Report) error {
	var out strings.Builder
	for _, f := range r.Findings {
		command := string(f.Severity)
		if f.Severity == Note {
			command = "notice"
		}
		fmt.Fprintf(&out, "::%s file=%s,line=%d::%s\n", command, githubName.Replace(filepath.ToSlash(f.File)), f.Line,
			githubText.Replace(f.text()))
	}
	_, err := fmt.Fprintf(w, "%s%s\n", &out, r.Summary())
	return err
}
