package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// pageSize is how many objects a list asks for at once.
	pageSize = 500
	// maxObject is how long an object, and a line of a watch, may be, in bytes: etcd's limit is far below.
	maxObject = 32 << 20
	// patience is how long a request that is not a watch may take.
	patience = 5 * time.Minute
)

// A statusError is an answer that is an error.
type statusError struct {
	Code    int
	Reason  string
	Message string
	wait    time.Duration // that the server wants
}

func (e *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Code, e.Message))
}

// codeOf returns the code of an answer that is an error; 0 if there was no answer.
func codeOf(err error) int {
	if s := new(statusError); errors.As(err, &s) {
		return s.Code
	}
	return 0
}

// A client makes the requests, and counts them.
type client struct {
	server string
	http   *http.Client
	// lists limits how many lists are read at the same time.
	lists chan struct{}

	requests, watches, received atomic.Int64
}

// open makes a GET request; the answer is a 200.
func (c *client) open(ctx context.Context, path string, query url.Values) (*http.Response, error) {
	target := c.server + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "tabernetes-record")
	c.requests.Add(1)
	answer, err := c.http.Do(r)
	if err != nil {
		if inner := new(url.Error); errors.As(err, &inner) {
			err = inner.Err // without the URL
		}
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		answer.Body = counted{answer.Body, &c.received}
		return answer, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // a part of it is better than nothing
	return nil, statusOf(answer.StatusCode, text, answer.Header.Get("Retry-After"))
}

// statusOf reads an answer that is an error.
func statusOf(code int, text []byte, retryAfter string) *statusError {
	var s struct {
		Kind, Reason, Message string
		Details               struct{ RetryAfterSeconds int }
	}
	e := &statusError{Code: code, Message: http.StatusText(code)}
	if json.Unmarshal(text, &s) == nil && s.Kind == "Status" {
		e.Reason, e.Message = s.Reason, cut(s.Message)
		e.wait = time.Duration(s.Details.RetryAfterSeconds) * time.Second
	}
	if seconds, err := strconv.Atoi(retryAfter); err == nil {
		e.wait = time.Duration(seconds) * time.Second
	}
	e.wait = min(max(e.wait, 0), time.Minute)
	return e
}

// cut shortens what others have written.
func cut(text string) string {
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// get reads an answer into a value.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := c.open(ctx, path, query)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

// list reads a page of a list, and calls each with every item. It returns the list's resourceVersion and where the next
// page begins, "" after the last one.
func (c *client) list(
	ctx context.Context, path string, query url.Values, each func(json.RawMessage) error,
) (rev int64, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := c.open(ctx, path, query)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	return readList(answer.Body, each)
}

var errNoList = errors.New("the answer is no list")

// readList reads a list item by item.
func readList(from io.Reader, each func(json.RawMessage) error) (rev int64, next string, err error) {
	d := json.NewDecoder(from)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 0, "", errors.Join(errNoList, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return 0, "", err
		}
		switch name {
		case "metadata":
			var m struct{ ResourceVersion, Continue string }
			if err := d.Decode(&m); err != nil {
				return 0, "", err
			}
			if rev, err = strconv.ParseInt(m.ResourceVersion, 10, 64); err != nil || rev < 1 {
				return 0, "", fmt.Errorf("the list has the resourceVersion %q, which is no revision of etcd",
					cut(m.ResourceVersion))
			}
			next = m.Continue
		case "items":
			t, err := d.Token()
			if t == nil && err == nil {
				continue // null
			}
			if err != nil || t != json.Delim('[') {
				return 0, "", errors.Join(errNoList, err)
			}
			for d.More() {
				var item json.RawMessage
				if err := d.Decode(&item); err != nil {
					return 0, "", err
				}
				if err := each(item); err != nil {
					return 0, "", err
				}
			}
			if _, err := d.Token(); err != nil {
				return 0, "", err
			}
		default:
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return 0, "", err
			}
		}
	}
	if _, err := d.Token(); err != nil {
		return 0, "", err
	}
	if rev == 0 {
		return 0, "", errNoList
	}
	return rev, next, nil
}

// An event is a line of a watch.
type event struct {
	Type   string
	Object json.RawMessage
}

// watch calls opened when a watch is answered, and each with every event until it ends; it returns why if that is an
// error.
func (c *client) watch(
	ctx context.Context, path string, query url.Values, opened func(), each func(event) error,
) error {
	seconds, _ := strconv.Atoi(query.Get("timeoutSeconds"))
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+patience/4)
	defer cancel()
	answer, err := c.open(ctx, path, query)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	opened()
	c.watches.Add(1)
	defer c.watches.Add(-1)
	return readEvents(answer.Body, each)
}

// readEvents reads the lines of a watch until it ends.
func readEvents(from io.Reader, each func(event) error) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	var long []byte
	for {
		part, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			if long = append(long, part...); len(long) > maxObject {
				return fmt.Errorf("an event has more than %d bytes", maxObject)
			}
			continue
		}
		line := part
		if len(long) > 0 {
			line, long = append(long, part...), nil
		}
		if len(bytes.TrimSpace(line)) > 0 && (err == nil || err == io.EOF) {
			var e event
			if json.Unmarshal(line, &e) != nil {
				if err == io.EOF {
					return io.ErrUnexpectedEOF // in the middle of a line
				}
				return errors.New("a line of the watch is no event")
			}
			if e.Type == "ERROR" {
				var s struct{ Code int }
				_ = json.Unmarshal(e.Object, &s) // then it has none
				return statusOf(s.Code, e.Object, "")
			}
			if err := each(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// counted counts what is read.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}
