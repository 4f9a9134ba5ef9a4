package apiserver

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
)

// An auditor writes the audit log: one event a line.
type auditor struct {
	log *audit.Log

	mu   sync.Mutex
	out  io.Writer
	file io.Closer
}

// newAuditor reads the flags of the audit log. Without a path, or without a policy, it returns nil, as with the real
// server.
func newAuditor(v *flags.Values, notes io.Writer) (*auditor, error) {
	path, policy := v.Text("audit-log-path", ""), v.Text("audit-policy-file", "")
	if format := v.Text("audit-log-format", "json"); format != "json" {
		return nil, fmt.Errorf("--audit-log-format: %s cannot be had here: it is json", format)
	}
	a := &auditor{}
	if policy != "" {
		text, err := os.ReadFile(policy)
		if err != nil {
			return nil, fmt.Errorf("--audit-policy-file: %w", err)
		}
		parsed, err := audit.ParsePolicy(text)
		if err != nil {
			return nil, fmt.Errorf("--audit-policy-file: %s: %w", policy, err)
		}
		newID := func() string { return registry.NewUID(rand.Reader) }
		a.log = &audit.Log{Policy: parsed, Write: a.write, Now: time.Now, NewID: newID}
	}
	switch {
	case path == "" || policy == "":
		if path != "" {
			fmt.Fprintf(notes, "%s: --audit-log-path: nothing is audited without --audit-policy-file\n", Name)
		}
		a.log = nil
	case path == "-":
		a.out = os.Stdout
	default:
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("--audit-log-path: %w", err)
		}
		a.out, a.file = f, f
	}
	return a, nil
}

// close ends the log.
func (a *auditor) close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

func (a *auditor) write(event []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.out.Write(append(event, '\n')); err != nil {
		fmt.Fprintf(os.Stderr, "%s: --audit-log-path: %v\n", Name, err)
	}
}

// audited returns a handler whose requests are audited.
func (a *auditor) audited(api http.Handler) http.Handler {
	if a.log == nil {
		return api
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, version := apiserver.AttributesOf(r)
		q := a.log.Begin(r, asked, version, addresses(r))
		w.Header().Set("Audit-Id", q.ID())
		seen := &auditedWriter{ResponseWriter: w, request: q, long: asked.Verb == "watch", code: http.StatusOK}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // it is that value
					q.At(audit.Complete, seen.code)
				} else {
					q.At(audit.Panic, http.StatusInternalServerError)
				}
				panic(p)
			}
			q.At(audit.Complete, seen.code)
		}()
		api.ServeHTTP(seen, r.WithContext(audit.WithRecord(r.Context(), q.Record())))
	})
}

// addresses are those that a request comes from.
func addresses(r *http.Request) (all []string) {
	for _, forwarded := range strings.Split(r.Header.Get("X-Forwarded-For"), ",") {
		if ip := net.ParseIP(strings.TrimSpace(forwarded)); ip != nil {
			all = append(all, ip.String())
		}
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		all = append(all, host)
	}
	return all
}

// An auditedWriter notes the code of an answer, and the moment in which a stream begins.
type auditedWriter struct {
	http.ResponseWriter
	request *audit.Request
	long    bool
	code    int
	begun   bool
}

func (w *auditedWriter) begin(code int) {
	if w.begun {
		return
	}
	w.begun, w.code = true, code
	if w.long {
		w.request.At(audit.Started, code)
	}
}

func (w *auditedWriter) WriteHeader(code int) {
	if code >= http.StatusOK || code == http.StatusSwitchingProtocols {
		w.begin(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *auditedWriter) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// FlushError sends what was written.
func (w *auditedWriter) FlushError() error {
	w.begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush is for handlers that ask for it by interface.
func (w *auditedWriter) Flush() { _ = w.FlushError() } // whose failure the next write has too

// Hijack is for WebSockets.
func (w *auditedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.begin(http.StatusSwitchingProtocols)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap is for http.ResponseController.
func (w *auditedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
