package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// A Call is one POST to a webhook.
type Call struct {
	// URL is the whole address; its scheme is https.
	URL    string
	Header http.Header
	Body   []byte
	// Service marks the address of a Service, which can only be resolved in the cluster's own network.
	// Address is where that network has it: a host or an IP address, with the port.
	Service bool
	Address string
	// CABundle are the certificates, in PEM, that must have signed the server's; empty: those that the
	// host trusts.
	CABundle []byte
}

// A Reply is the HTTP answer of a webhook.
type Reply struct {
	Code        int
	ContentType string
	Body        []byte
}

// A Caller makes calls. It follows redirects, as net/http does, and returns when the context ends. Its error is the
// reason that the call failed, without method and URL: clients see it in the answer.
type Caller func(context.Context, *Call) (*Reply, error)

// A callError says that a webhook could not be called, or returned an invalid answer: failurePolicy
// decides on the request.
type callError struct {
	hook   string
	reason string
}

func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %s", e.hook, e.reason)
}

// errDeadline ends a call that takes too long.
var errDeadline = errors.New("context deadline exceeded")

// post sends a review to a webhook and returns the body of the answer.
func (w *Plugin) post(ctx context.Context, h *hook, q *encodedReview) ([]byte, error) {
	if h.invalid != nil {
		return nil, h.invalid
	}
	call, err := w.newCall(h, q)
	if err == nil {
		var reply *Reply
		if reply, err = w.send(ctx, h.timeout, call); err == nil {
			return reply.content()
		}
	}
	return nil, fmt.Errorf("failed to call webhook: Post %q: %w", call.URL, err)
}

func (w *Plugin) newCall(h *hook, q *encodedReview) (*Call, error) {
	address := *h.url
	address.RawQuery = url.Values{"timeout": {h.timeout.String()}}.Encode()
	call := &Call{
		URL: address.String(), Body: q.body, CABundle: h.ca,
		Header: http.Header{
			"Accept":       {"application/json, */*"},
			"Content-Type": {"application/json"},
			"User-Agent":   {"kube-apiserver-admission"},
		},
	}
	var err error
	if h.service != nil {
		call.Service = true
		call.Address, err = w.resolve(h.service)
	}
	return call, err
}

// resolve finds the address of a service.
func (w *Plugin) resolve(s *service) (string, error) {
	t := w.Table.Resource("", "v1", "services")
	v, _, err := w.Store.Get(t.Bucket(), s.namespace+"/"+s.name, 0)
	if err != nil {
		return "", err
	}
	if v == nil {
		return "", fmt.Errorf("service %q not found", s.name)
	}
	obj, err := decode(v.Value, t.Type())
	if err != nil {
		return "", err
	}
	port := strconv.FormatInt(s.port, 10)
	address := object.GetString(obj, "spec", "clusterIP")
	switch {
	case object.GetString(obj, "spec", "type") == "ExternalName":
		return net.JoinHostPort(object.GetString(obj, "spec", "externalName"), port), nil
	case address == "None":
		return "", errors.New(`cannot route to service with ClusterIP "None"`)
	}
	for _, entry := range object.GetList(obj, "spec", "ports") {
		if tree, ok := entry.(map[string]any); ok {
			if n, _ := object.GetInt(tree, "port"); n == s.port {
				return net.JoinHostPort(address, port), nil
			}
		}
	}
	return "", fmt.Errorf("no service port %d found for service %q", s.port, s.name)
}

// send makes a call, which may take until timeout by the host's clock.
func (w *Plugin) send(ctx context.Context, timeout time.Duration, call *Call) (*Reply, error) {
	if w.Caller == nil {
		host := call.URL
		if u, err := url.Parse(call.URL); err == nil {
			host = u.Hostname()
		}
		return nil, fmt.Errorf("dial tcp: lookup %s: no such host", host)
	}
	ctx, cancel := clock.WithTimeout(ctx, w.Clock, timeout, errDeadline)
	defer cancel()
	reply, err := w.Caller(ctx, call)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return reply, err
}

// content returns the body of a reply; the error is that of the real server's client if the reply
// is not JSON.
func (r *Reply) content() ([]byte, error) {
	if r.Code < http.StatusOK || r.Code > http.StatusPartialContent {
		return nil, fmt.Errorf("failed to call webhook: %s", r.failure())
	}
	if len(r.Body) == 0 {
		return nil, fmt.Errorf("failed to call webhook: 0-length response with status code: %d and content type: %s",
			r.Code, r.ContentType)
	}
	return r.Body, nil
}

// failure returns the message of a reply that is an error: of the Status in it, or else the usual
// one of its code.
func (r *Reply) failure() string {
	var s status.Status
	if json.Unmarshal(r.Body, &s) == nil && s.Kind == "Status" && s.APIVersion == "v1" && s.Status != "Success" {
		return s.Message
	}
	said := "unknown"
	if media, _, err := mime.ParseMediaType(r.ContentType); err == nil && strings.HasPrefix(media, "text/") {
		said = strings.TrimSpace(string(r.Body[:min(len(r.Body), maxQuoted)]))
	}
	_, message := status.Answered(r.Code, said)
	return message
}

// maxQuoted is how much of a text is quoted, in bytes.
const maxQuoted = 2048
