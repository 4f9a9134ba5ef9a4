package check

import "fmt"

// Severity is how grave a finding is.
type Severity string

const (
	// Error is what an API server refuses.
	Error Severity = "error"
	// Warning is what it warns of, or what is meant otherwise most likely.
	Warning Severity = "warning"
)

// An Object names the one that a manifest is.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

func (o Object) String() string {
	if o.Namespace != "" {
		return o.Kind + " " + o.Namespace + "/" + o.Name
	}
	return o.Kind + " " + o.Name
}

// A Finding is what is wrong with a manifest.
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
	text := f.Message
	if f.Field != "" {
		text = f.Field + ": " + text
	}
	if f.Object != nil {
		text = f.Object.String() + ": " + text
	}
	return text
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.text()) }

// A Result is that of one manifest.
type Result struct {
	Object
	File string `json:"file"`
	Line int    `json:"line"`
	// Outcome is accepted, refused or skipped.
	Outcome Outcome `json:"outcome"`
}

// Outcome is what happened to a manifest.
type Outcome string

const (
	Accepted Outcome = "accepted"
	Refused  Outcome = "refused"
	// Skipped is the outcome of a custom resource without a definition, if those are to be skipped.
	Skipped Outcome = "skipped"
)

// A Report is what an API server answers to manifests.
type Report struct {
	// Results are in the order of the files.
	Results []Result `json:"results"`
	// Findings are in the order of files and lines.
	Findings []Finding `json:"findings"`
	// Notes are what was assumed.
	Notes []string `json:"notes,omitempty"`
}

// Failed reports whether something was refused.
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

// Summary says how many manifests were accepted.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s: %d accepted, %d refused", number(len(r.Results), "manifest"), r.outcomes(Accepted),
		r.outcomes(Refused))
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
