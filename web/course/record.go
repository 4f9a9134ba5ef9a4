package course

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// A Record is all that is kept of a learner's progress: what the page stores, and what can be saved as a file and
// loaded elsewhere.
type Record struct {
	// Version is that of the format.
	Version int `json:"version"`
	// Lessons are how far the lessons are, by their ids.
	Lessons map[string]session.Progress `json:"lessons,omitempty"`
	Queue   Queue                       `json:"queue,omitempty"`
	// Exam is the one that was taken last.
	Exam *Exam `json:"exam,omitempty"`
	// Capstone is the highest level of the capstone that was passed.
	Capstone int `json:"capstone,omitempty"`
}

// recordVersion is the version that this package writes.
const recordVersion = 1

// ErrRecord is the error of a file that is no Record.
var ErrRecord = errors.New("this is not saved progress")

// NewRecord returns the record of a learner who has done nothing.
func NewRecord() *Record {
	return &Record{Version: recordVersion, Lessons: map[string]session.Progress{}, Queue: Queue{}}
}

// ParseRecord reads what Record.String wrote, maybe when templates had other names. Errors wrap ErrRecord.
func (x *Index) ParseRecord(text string) (*Record, error) {
	r := NewRecord()
	r.Version = 0
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("%w: version %d is not supported here", ErrRecord, r.Version)
	}
	if r.Lessons == nil {
		r.Lessons = map[string]session.Progress{}
	}
	r.Queue = r.Queue.renamed(x)
	if r.Exam != nil {
		r.Exam.complete(x)
	}
	for id, p := range r.Lessons { // where it came from, a cluster had these values
		p.Saved, p.Cluster, p.Ran, p.Done = nil, "", nil, nil
		r.Lessons[id] = p
	}
	return r, nil
}

// String returns the record as JSON.
func (r *Record) String() string {
	b, err := json.Marshal(r)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// Predictions counts a learner's answers to the lessons' questions.
type Predictions struct{ Right, Wrong, Skipped int }

// Predictions sums up the answers of all lessons.
func (r *Record) Predictions() Predictions {
	var out Predictions
	for _, p := range r.Lessons {
		for _, a := range p.Answers {
			switch {
			case !a.Known():
			case a.Skipped:
				out.Skipped++
			case a.Correct():
				out.Right++
			default:
				out.Wrong++
			}
		}
	}
	return out
}
