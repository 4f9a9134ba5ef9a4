package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// A Scenario is one recorded exchange with a server.
type Scenario struct {
	Name         string   `json:"name"`
	Area         string   `json:"area"`
	About        string   `json:"about"`
	RecordedFrom string   `json:"recordedFrom"`
	Sweep        []string `json:"sweep"` // collections from which objects of earlier runs are deleted first
	Steps        []*Step  `json:"steps"`
}

// Step kinds.
const (
	doRequest    = "request"
	doWatchOpen  = "watch-open"
	doWatchRead  = "watch-read"
	doWatchQuiet = "watch-quiet"
	doWatchEOF   = "watch-eof"
	doWatchClose = "watch-close"
	doSleep      = "sleep"
	doCompact    = "compact"
)

// A Step is one step of a scenario, with the recorded outcome.
type Step struct {
	ID        string            `json:"id"`
	Do        string            `json:"do"`
	About     string            `json:"about"`
	Request   *Request          `json:"request"`
	Watch     string            `json:"watch"` // id of the watch-open step that is meant
	Count     int               `json:"count"` // events to read
	ForMillis int               `json:"forMillis"`
	Until     *Condition        `json:"until"`
	Capture   map[string]string `json:"capture"` // variable: path into the answer
	Compare   Scope             `json:"compare"`
	Outcome                     // as recorded
}

// An Outcome is the result of one step.
type Outcome struct {
	Captured map[string]string `json:"captured"`
	Response *Response         `json:"response"`
	Events   []any             `json:"events"`
}

// A Request is one HTTP request, with variables still in it.
type Request struct {
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	Headers    map[string]Values `json:"headers"`
	Body       json.RawMessage   `json:"body"`
	BodyText   *string           `json:"bodyText"`
	BodyBase64 []byte            `json:"bodyBase64"`
}

// Values are those of one header. The value "-" removes a header that is sent by default.
type Values []string

// UnmarshalJSON takes a text or a list of texts.
func (v *Values) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*v = Values{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(v))
}

// A Condition is the condition until which a request is repeated.
type Condition struct {
	Status int    `json:"status"`
	Path   string `json:"path"`
	Equals any    `json:"equals"`
}

// A Scope selects the parts of an answer that are compared.
type Scope struct {
	Ignore        []string `json:"ignore"`
	Only          []string `json:"only"`
	Keys          []string `json:"keys"`
	StatusOnly    bool     `json:"statusOnly"`
	IgnoreHeaders []string `json:"ignoreHeaders"`
	AnyOrder      []string `json:"anyOrder"`
}

// A Response is the recorded part of an answer. At most one of the bodies is set; Selected replaces
// them when the step's Scope selects parts.
type Response struct {
	Status   int            `json:"status"`
	Headers  map[string]any `json:"headers"`
	Body     any            `json:"body"`
	Text     *string        `json:"bodyText"`
	Binary   []byte         `json:"bodyBase64"`
	Selected map[string]any `json:"selected"`
}

// Load reads the recordings that match pattern, in the order of their names.
func Load(fsys fs.FS, pattern string) ([]*Scenario, error) {
	files, err := fs.Glob(fsys, pattern)
	if err != nil {
		return nil, err
	}
	var out []*Scenario
	for _, f := range files {
		b, err := fs.ReadFile(fsys, f)
		if err != nil {
			return nil, err
		}
		s, err := Parse(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if s.Name+".json" != path.Base(f) {
			return nil, fmt.Errorf("%s holds the scenario %q", f, s.Name)
		}
		out = append(out, s)
	}
	return out, nil
}

// Parse reads one recording and checks that it can be replayed.
func Parse(b []byte) (*Scenario, error) {
	s := &Scenario{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(s); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more after the scenario")
	}
	watches, ids := map[string]bool{}, map[string]bool{}
	for _, st := range s.Steps {
		if ids[st.ID] {
			return nil, fmt.Errorf("two steps are called %q", st.ID)
		}
		ids[st.ID] = true
		switch st.Do {
		case doRequest, doWatchOpen:
			if st.Request == nil || st.Response == nil {
				return nil, fmt.Errorf("step %s lacks its request or the recorded answer", st.ID)
			}
			watches[st.ID] = st.Do == doWatchOpen
		case doWatchRead, doWatchQuiet, doWatchEOF, doWatchClose:
			if !watches[st.Watch] {
				return nil, fmt.Errorf("step %s: no watch %q was opened before", st.ID, st.Watch)
			}
		case doSleep, doCompact:
		default:
			return nil, fmt.Errorf("step %s: %q is no kind of step", st.ID, st.Do)
		}
	}
	return s, nil
}

// pause returns how long a quiet or sleep step lasts.
func (st *Step) pause() time.Duration {
	return min(time.Duration(st.ForMillis)*time.Millisecond, stepLimit)
}
