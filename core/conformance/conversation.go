package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A conversation is one run of a scenario: its variables, its open watches and its outcomes so far.
type conversation struct {
	server         Server
	client         *http.Client
	recorded, live string // name of the scenario's namespace
	vars           map[string]string
	watches        map[string]*watch
	outcomes       []Outcome
}

func newConversation(s *Scenario, server Server) *conversation {
	c := &conversation{
		server:  server,
		vars:    map[string]string{},
		watches: map[string]*watch{},
		client: &http.Client{
			Transport:     &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	c.recorded, c.live = namespaceOf(s)
	c.vars["ns"] = c.live
	return c
}

func (c *conversation) close() {
	for _, w := range c.watches {
		w.close()
	}
	c.client.CloseIdleConnections()
}

func (c *conversation) log(format string, args ...any) {
	if c.server.Log != nil {
		c.server.Log(format, args...)
	}
}

// step performs one step. It may return both an outcome to compare and an error
// that ends the scenario.
func (c *conversation) step(ctx context.Context, st *Step) (*Outcome, error) {
	switch st.Do {
	case doRequest:
		return c.request(ctx, st)
	case doWatchOpen:
		return c.openWatch(ctx, st)
	case doWatchRead, doWatchQuiet, doWatchEOF, doWatchClose:
		w := c.watches[st.Watch]
		if w == nil {
			return nil, fmt.Errorf("the watch %s is not open", st.Watch)
		}
		return c.followWatch(ctx, st, w)
	case doSleep:
		time.Sleep(st.pause())
	case doCompact:
		if c.server.Compact == nil {
			return nil, errors.New("there is no way to compact this server")
		}
		if err := c.server.Compact(ctx, c.client); err != nil {
			return nil, fmt.Errorf("compacting: %w", err)
		}
	}
	return &Outcome{}, nil
}

func (c *conversation) request(ctx context.Context, st *Step) (*Outcome, error) {
	for end := time.Now().Add(untilLimit); ; time.Sleep(untilPause) {
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
		res, err := c.send(attempt, st.Request)
		var p *Response
		if err == nil {
			p, err = read(res)
		}
		cancel()
		if err != nil {
			return nil, err
		}
		if st.Until.holds(p) || time.Now().After(end) {
			return c.keep(st, p)
		}
	}
}

func (u *Condition) holds(p *Response) bool {
	if u == nil {
		return true
	}
	if u.Status != 0 && u.Status != p.Status {
		return false
	}
	if u.Path == "" {
		return true
	}
	v, ok := lookup(p.Body, u.Path)
	return ok && (u.Equals == nil || literal(v) == literal(u.Equals))
}

// keep captures variables from a whole answer and reduces it to the parts that are compared.
func (c *conversation) keep(st *Step, p *Response) (*Outcome, error) {
	captured, err := c.capture(st, p.Body)
	if err != nil {
		err = fmt.Errorf("status %d: %w", p.Status, err)
	}
	p.Body = c.asRecorded(p.Body)
	if p.Text != nil {
		text := c.renamed(*p.Text)
		p.Text = &text
	}
	for h, v := range p.Headers {
		p.Headers[h] = c.asRecorded(v)
	}
	st.Compare.settleOrder(p.Body)
	st.Compare.narrow(p)
	return &Outcome{Captured: captured, Response: p}, err
}

func (c *conversation) capture(st *Step, from any) (map[string]string, error) {
	captured := map[string]string{}
	var missing []string
	for name, path := range st.Capture {
		v, ok := lookup(from, path)
		if !ok {
			missing = append(missing, path)
			continue
		}
		c.vars[name] = literal(v)
		captured[name] = c.renamed(literal(v))
	}
	if missing != nil {
		slices.Sort(missing)
		return captured, fmt.Errorf("there is no %s to capture", strings.Join(missing, ", no "))
	}
	return captured, nil
}

func (c *conversation) renamed(s string) string { return strings.ReplaceAll(s, c.live, c.recorded) }

// asRecorded replaces this run's namespace by the one in recordings.
func (c *conversation) asRecorded(v any) any { return mapTexts(v, c.renamed) }

func mapTexts(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = mapTexts(x, f)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[f(k)] = mapTexts(x, f)
		}
		return out
	}
	return v
}

var variable = regexp.MustCompile(`\$\{[A-Za-z0-9_.-]+\}`)

// filled replaces the variables in s. ${fill-N} is N letters; unknown variables stay as they are.
func (c *conversation) filled(s string) string {
	return variable.ReplaceAllStringFunc(s, func(ref string) string {
		name := ref[2 : len(ref)-1]
		if v, ok := c.vars[name]; ok {
			return v
		}
		if digits, ok := strings.CutPrefix(name, "fill-"); ok {
			if n, err := strconv.Atoi(digits); err == nil && n >= 0 && n <= 8<<20 {
				return strings.Repeat("x", n)
			}
		}
		return ref
	})
}

func (c *conversation) body(q *Request) (io.Reader, error) {
	switch {
	case q.BodyBase64 != nil:
		return bytes.NewReader(q.BodyBase64), nil
	case q.BodyText != nil:
		return strings.NewReader(c.filled(*q.BodyText)), nil
	case q.Body == nil:
		return nil, nil
	}
	v, err := decode(q.Body)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode(mapTexts(v, c.filled))
	return bytes.NewReader(bytes.TrimSpace(b.Bytes())), err
}

func (c *conversation) send(ctx context.Context, q *Request) (*http.Response, error) {
	body, err := c.body(q)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, q.Method, c.server.URL+c.filled(q.Path), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "conformance/1.0")
	if c.server.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.server.Token)
	}
	for name, values := range q.Headers {
		name = http.CanonicalHeaderKey(name)
		req.Header[name] = nil // so that not even the client's default is sent
		for _, v := range values {
			if v != "-" {
				req.Header.Add(name, c.filled(v))
			}
		}
	}
	res, err := c.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no answer: %w", err)
	}
	return res, nil
}

// head returns the status and header of an answer.
func head(res *http.Response) *Response {
	p := &Response{Status: res.StatusCode, Headers: map[string]any{}}
	for _, h := range []string{"Content-Type", "Retry-After", "Location"} {
		if v := res.Header.Get(h); v != "" {
			p.Headers[h] = v
		}
	}
	var warnings []any
	for _, v := range res.Header.Values("Warning") {
		warnings = append(warnings, v)
	}
	if warnings != nil {
		p.Headers["Warning"] = warnings
	}
	return p
}

// read reads a whole answer, its body as JSON if it is that, else as text, else as bytes.
func read(res *http.Response) (*Response, error) {
	defer res.Body.Close()
	p := head(res)
	b, err := io.ReadAll(io.LimitReader(res.Body, bodyLimit))
	if err != nil {
		return nil, fmt.Errorf("reading the answer's body: %w", err)
	}
	if len(b) == 0 {
		return p, nil
	}
	if strings.Contains(res.Header.Get("Content-Type"), "json") || b[0] == '{' {
		if v, err := decode(b); err == nil {
			p.Body = v
			return p, nil
		}
	}
	if utf8.Valid(b) && !bytes.Contains(b, []byte{0}) {
		text := string(b)
		p.Text = &text
	} else {
		p.Binary = b
	}
	return p, nil
}

// decode reads exactly one JSON value, with its numbers as they are written.
func decode(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the JSON value")
	}
	return v, nil
}

// sweep deletes, one by one, the objects that earlier runs left in a collection. Its errors are
// ignored.
func (c *conversation) sweep(ctx context.Context, collection string) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	res, err := c.send(ctx, &Request{Method: "GET", Path: collection})
	if err != nil {
		return
	}
	p, err := read(res)
	if err != nil {
		return
	}
	base, resource := collection[:strings.LastIndex(collection, "/")], collection[strings.LastIndex(collection, "/"):]
	items, _ := lookup(p.Body, "items")
	list, _ := items.([]any)
	for _, item := range list {
		name, _ := lookup(item, "metadata.name")
		namespace, namespaced := lookup(item, "metadata.namespace")
		path := base + resource + "/" + literal(name)
		owner := literal(name)
		if namespaced {
			owner = literal(namespace)
			path = base + "/namespaces/" + owner + resource + "/" + literal(name)
		}
		if !strings.HasPrefix(owner, "conf-") {
			continue
		}
		if res, err := c.send(ctx, &Request{Method: "DELETE", Path: path}); err == nil {
			_, _ = read(res)
		}
	}
}
