package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A request is one to try.
type request struct {
	Method  string           `json:"method"`
	Path    string           `json:"path"`
	Headers map[string]texts `json:"headers"`
	Body    string           `json:"body"`
}

// texts are one text, or a list of them.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// A tried is what it came to.
type tried struct {
	Code        int               `json:"code"`
	Headers     map[string]string `json:"headers"`
	Warnings    []string          `json:"warnings"`
	Body        string            `json:"body"`
	Annotations map[string]string `json:"annotations"`
	Steps       []json.RawMessage `json:"steps"`
	Omitted     int               `json:"omitted"`
}

// try tries a request.
func (i *instance) try(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
	asked := request{}
	if err := read(c, &asked); err != nil {
		return err
	}
	switch asked.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return status.NewBadRequest("method: only POST, PUT, PATCH and DELETE can be tried")
	}
	if c.DryRun {
		return status.NewBadRequest("dryRun: only the request that is tried can be a dry run, by the query of its path")
	}
	at, err := url.ParseRequestURI(asked.Path)
	if err != nil {
		return status.NewBadRequest("path: " + err.Error())
	}
	if !strings.HasPrefix(asked.Path, "/") || strings.HasPrefix(at.Path, wellknown.APIs+"/"+wellknown.Group+"/") {
		return status.NewBadRequest("path: it has to begin with /, and not to be of the group " + wellknown.Group)
	}
	select {
	case i.running <- struct{}{}:
		defer func() { <-i.running }()
	default:
		return status.NewTooManyRequests("too many requests are being tried, please try again later", 1)
	}
	// The request takes its own seat, which there might not be if trials kept theirs.
	defer apiserver.ReleaseSeat(r.Context())()
	record, seen := new(audit.Record), new(traces.Traces)
	ctx := audit.WithRecord(traces.With(alone{r.Context()}, seen), record)
	got := &recorder{header: http.Header{}}
	i.Handler.ServeHTTP(got, asked.send(ctx, r, at))
	if r.Context().Err() != nil {
		return context.Cause(r.Context())
	}
	made := tried{Code: max(got.code, http.StatusOK), Headers: map[string]string{}, Warnings: []string{},
		Body: got.body.String(), Annotations: record.Annotations(), Steps: []json.RawMessage{}}
	for name, values := range got.header {
		if name == "Warning" {
			for _, v := range values {
				made.Warnings = append(made.Warnings, warningText(v))
			}
			continue
		}
		made.Headers[name] = strings.Join(values, ", ")
	}
	if made.Annotations == nil {
		made.Annotations = map[string]string{}
	}
	steps, omitted := seen.Steps()
	for _, s := range steps {
		if s.Outcome == "" { // the request ended before
			continue
		}
		made.Steps = append(made.Steps, stepText(s))
	}
	made.Omitted = omitted
	return answer(w, made)
}

// An alone context ends when another one does, and has none of its values: the user that asks for a trial, say, is not
// that of the request that is tried.
type alone struct{ context.Context }

// Value implements context.Context.
func (alone) Value(any) any { return nil }

// send returns the request as the client that tries it would send it, by the same connection.
func (q *request) send(ctx context.Context, by *http.Request, at *url.URL) *http.Request {
	sent := by.WithContext(ctx)
	sent.Method, sent.URL, sent.RequestURI, sent.Header = q.Method, at, q.Path, http.Header{}
	sent.Body, sent.ContentLength = io.NopCloser(strings.NewReader(q.Body)), int64(len(q.Body))
	for name, values := range q.Headers {
		for _, v := range values {
			sent.Header.Add(name, v)
		}
	}
	return sent
}

// warningText returns the text of a Warning header, which is quoted.
func warningText(header string) string {
	_, quoted, _ := strings.Cut(header, `"`)
	quoted = strings.TrimSuffix(quoted, `"`)
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(quoted)
}

// maxAnswer is how much is kept of an answer, in bytes: the longest are those of deleted collections, and streams.
const maxAnswer = 32 << 20

var errLong = errors.New("trial: the answer is too long")

// A recorder keeps an answer.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter, as the other methods do.
func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	n := min(len(b), maxAnswer-r.body.Len())
	r.body.Write(b[:n])
	if n < len(b) {
		return n, errLong
	}
	return n, nil
}

// stepText returns a step in JSON.
func stepText(s *traces.Step) json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic("trial: " + err.Error()) // texts and JSON only
	}
	text = append(text[:len(text)-1], `,"evaluations":[`...)
	for i, e := range s.Evaluations {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, evaluationText(e)...)
	}
	return append(text, "]}"...)
}

// evaluationText returns an evaluation in JSON: what is known of it here, and then what its evaluator says.
func evaluationText(e traces.Evaluation) []byte {
	text, err := json.Marshal(struct {
		Field     string `json:"field"`
		Use       string `json:"use"`
		At        string `json:"at,omitempty"`
		Tolerated bool   `json:"tolerated,omitempty"`
	}{e.Field, e.Use, e.At, e.Tolerated})
	if err != nil {
		panic("trial: " + err.Error()) // texts only
	}
	text = append(text[:len(text)-1], ',')
	text = append(text, e.Result[1:len(e.Result)-1]...)
	if len(e.Tree) > 0 {
		text = append(append(text, `,"tree":`...), e.Tree...)
	}
	return append(text, '}')
}
