package session

import "encoding/json"

// maxSaved bounds one saved value: progress is kept in the browser's small
// storage.
const maxSaved = 4096

// Progress is what is kept of a Session between visits.
type Progress struct {
	// Passed are the ids of the passed steps.
	Passed []string `json:"passed,omitempty"`
	// Done are the names of the rows that are done of the first step that is not
	// passed.
	Done []string `json:"done,omitempty"`
	// Failed are the names of that step's rows which want no request, and for which there was one.
	Failed []string `json:"failed,omitempty"`
	// Ran are the addresses of the requests that were run, with their steps' ids.
	Ran []string `json:"ran,omitempty"`
	// Answers are those to the steps' questions, by the steps' ids.
	Answers map[string]Answer `json:"answers,omitempty"`
	// Scores are how many requests were made for the steps' goals, by the steps' ids.
	Scores map[string]int `json:"scores,omitempty"`
	// Saved are the values of the lesson's references, by their text.
	Saved map[string]string `json:"saved,omitempty"`
	// Cluster is the one that the values come from.
	Cluster string `json:"cluster,omitempty"`
}

// ParseProgress reads what Progress.String wrote. Anything else, such as the
// leavings of an older version, is no progress.
func ParseProgress(s string) Progress {
	var p Progress
	if err := json.Unmarshal([]byte(s), &p); err != nil {
		return Progress{}
	}
	return p
}

// String returns the progress as JSON.
func (p Progress) String() string {
	b, err := json.Marshal(p)
	if err != nil {
		return "{}"
	}
	return string(b)
}
