package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A room is one that was opened for the measurement.
type room struct {
	url    string // without a slash at its end
	token  string // the teacher's
	client *http.Client
	// cut counts the requests whose connection the server has closed, which were made again.
	cut atomic.Int64
}

const (
	rooms      = "/apis/" + wellknown.Group + "/v1/rooms/default"
	configMaps = "/api/v1/namespaces/default/configmaps"
)

// open opens a room that takes as many members and requests as rooms may.
func open(ctx context.Context, url string, client *http.Client) (*room, error) {
	url = strings.TrimSuffix(url, "/")
	r := &room{url: url, client: client}
	var opened struct{ Path, Token string }
	if err := r.do(ctx, "", "POST", "/rooms", nil, &opened); err != nil {
		return nil, err
	}
	r.url, r.token = url+strings.TrimSuffix(opened.Path, "/"), opened.Token
	var err error
	for _, spec := range []string{
		`{"maxMembers":1000,"quotas":{"requestsPerSecond":100000,"watches":100000,"watchesPerMember":10000,` +
			`"membersPerAddress":1000,"requestsPerAddress":1000000,"watchesPerAddress":100000}}`,
		`{"maxMembers":1000}`, // a server that has no quotas
	} {
		if err = r.do(ctx, r.token, "PATCH", rooms, []byte(`{"spec":`+spec+`}`), nil); err == nil {
			break
		}
	}
	return r, err
}

// members lets learners join, and returns their tokens.
func (r *room) members(ctx context.Context, n int) ([]string, error) {
	var invitation, member struct{ Status struct{ Token string } }
	if err := r.do(ctx, r.token, "POST", rooms+"/invite", []byte(`{"role":"learner"}`), &invitation); err != nil {
		return nil, err
	}
	tokens := make([]string, n)
	for i := range tokens {
		name := fmt.Appendf(nil, `{"displayName":"Learner %d"}`, i)
		if err := r.do(ctx, invitation.Status.Token, "POST", rooms+"/join", name, &member); err != nil {
			return nil, err
		}
		tokens[i] = member.Status.Token
	}
	return tokens, nil
}

// padding makes the objects as large as most are.
var padding = strings.Repeat("x", 700)

// write changes a writer's object, and returns the revision.
func (r *room) write(ctx context.Context, token string, writer int, sequence int64) (int64, error) {
	var obj struct {
		Metadata struct{ ResourceVersion string }
	}
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"writer-%d"},`+
		`"data":{"n":"%d","x":%q}}`, writer, sequence, padding)
	path := fmt.Sprintf("%s/writer-%d?fieldManager=bench&force=true", configMaps, writer)
	if err := r.do(ctx, token, "PATCH", path, body, &obj); err != nil {
		return 0, err
	}
	return strconv.ParseInt(obj.Metadata.ResourceVersion, 10, 64)
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// do makes a request, again after as long as a 429 says or if the connection was closed, and decodes
// the answer.
func (r *room) do(ctx context.Context, token, method, path string, body []byte, into any) error {
	for cut := 0; ; {
		req, err := http.NewRequestWithContext(ctx, method, r.url+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		if method == http.MethodPatch {
			req.Header.Set("Content-Type", "application/merge-patch+json")
			if strings.Contains(path, "fieldManager") {
				req.Header.Set("Content-Type", "application/apply-patch+yaml")
			}
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := r.client.Do(req)
		if (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) && cut < 3 {
			cut++
			r.cut.Add(1)
			continue
		}
		if err != nil {
			return err
		}
		text := buffers.Get().(*bytes.Buffer)
		text.Reset()
		_, err = io.Copy(text, res.Body)
		res.Body.Close()
		switch {
		case err != nil:
		case res.StatusCode == http.StatusTooManyRequests:
			err = wait(ctx, res.Header.Get("Retry-After"))
			buffers.Put(text)
			if err != nil {
				return err
			}
			continue
		case res.StatusCode >= 300:
			err = fmt.Errorf("%s %s: %s: %.300s", method, path, res.Status, text)
		case into != nil:
			err = json.Unmarshal(text.Bytes(), into)
		}
		buffers.Put(text)
		return err
	}
}

// wait waits for as many seconds as a Retry-After says, at least one.
func wait(ctx context.Context, seconds string) error {
	n, _ := strconv.Atoi(seconds)
	timer := time.NewTimer(max(time.Second, time.Duration(n)*time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
