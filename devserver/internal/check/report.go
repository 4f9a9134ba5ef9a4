package check

import (
	"cmp"
	"fmt"

	"github.com/tabernetes/tabernetes/devserver/internal/coverage"
)

// Severity is how grave a finding is.
type Severity string

const (
	// Error is what an API server refuses.
	Error Severity = "error"
	// Warning is what it warns of, or what is meant otherwise most likely.
	Warning Severity = "warning"
	// Note is what tests leave out.
	Note Severity = "note"
)

// An Object names the one that a manifest is; of a test it has the name alone.
type Object struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

func (o Object) String() string {
	if o.Kind == "" {
		return o.Name
	}
	if o.Namespace != "" {
		return o.Kind + " " + o.Namespace + "/" + o.Name
	}
	return o.Kind + " " + o.Name
}

// A Finding is what is wrong with a manifest, or how a test fails.
type Finding struct {
	File string `json:"file"`
	// Line is that of the field, or of what would contain it, from 1.
	Line     int      `json:"line"`
	Severity Severity `json:"severity"`
	// Object is nil for a document that is no manifest.
	Object *Object `json:"object,omitempty"`
	// Field is empty if it is about all of the manifest.
	Field string `json:"field,omitempty"`
	// Reason and Code are those of the server's Status.
	Reason  string `json:"reason,omitempty"`
	Code    int    `json:"code,omitempty"`
	Message string `json:"message"`
}

// text returns what is wrong, without the place.
func (f Finding) text() string {
	if f.Object != nil {
		return f.Object.String() + ": " + f.said()
	}
	return f.said()
}

// said returns what a server has said.
func (f Finding) said() string {
	if f.Field != "" {
		return f.Field + ": " + f.Message
	}
	return f.Message
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.text()) }

// A Result is that of one manifest or test.
type Result struct {
	Object
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Outcome Outcome `json:"outcome"`
}

// Outcome is what happened to a manifest or a test.
type Outcome string

const (
	Accepted Outcome = "accepted"
	Refused  Outcome = "refused"
	// Skipped is the outcome of a custom resource without a definition, if those are to be skipped.
	Skipped Outcome = "skipped"
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
)

// A Report is what an API server answers to manifests, or whether tests pass.
type Report struct {
	// Results are in the order of the files.
	Results []Result `json:"results"`
	// Findings are in the order of files and lines.
	Findings []Finding `json:"findings"`
	// Notes are what was assumed.
	Notes []string `json:"notes,omitempty"`
	// Coverage has the expressions of what the tests were given, in the order of files and lines; nil for manifests.
	Coverage []Covered `json:"coverage,omitempty"`

	// what the results are of, if those are neither manifests nor tests.
	what string
}

// Covered is an expression of a policy or a definition.
type Covered struct {
	Object *Object `json:"object"`
	File   string  `json:"file"`
	Line   int     `json:"line"`
	Field  string  `json:"field"`
	Text   string  `json:"expression"`
	coverage.Expression
}

// Failed reports whether something was refused, or a test fails.
func (r *Report) Failed() bool { return r.count(Error) > 0 }

func (r *Report) count(s Severity) (n int) {
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

func (r *Report) outcomes(o Outcome) (n int) {
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// Summary says how many manifests were accepted, or how many tests pass and how many conditions of expressions were
// both true and false in them.
func (r *Report) Summary() string {
	if n := r.outcomes(Passed) + r.outcomes(Failed); n > 0 {
		text := fmt.Sprintf("%s: %d passed, %d failed", number(n, "test"), r.outcomes(Passed), r.outcomes(Failed))
		all, covered := 0, 0
		for _, e := range r.Coverage {
			for _, c := range e.Conditions {
				if all++; c.Problem() == "" {
					covered++
				}
			}
		}
		if all > 0 {
			text += fmt.Sprintf("; %d of %s covered", covered, number(all, "condition"))
		}
		return text
	}
	text := fmt.Sprintf("%s: %d accepted, %d refused", number(len(r.Results), cmp.Or(r.what, "manifest")),
		r.outcomes(Accepted), r.outcomes(Refused))
	if n := r.outcomes(Skipped); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	return text + "; " + number(r.count(Error), "error") + ", " + number(r.count(Warning), "warning")
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
