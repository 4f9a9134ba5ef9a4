package front

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/core/lasting"
)

// logged prints each request when it has ended, if requests are logged.
func (f *Front) logged(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.opt.Log == nil {
			api.ServeHTTP(w, r)
			return
		}
		start := time.Now()
		status := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer lasting.End(r.Context(), func() {
			fmt.Fprintf(f.opt.Log, "%s %s %d %s %s\n", start.Format("15:04:05.000"), r.Method, status.status,
				time.Since(start).Round(100*time.Microsecond), r.URL.RequestURI())
		})
		api.ServeHTTP(status, r)
	})
}

// A statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the Flusher.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what was written; handlers ask for it by interface.
func (w *statusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // every server's writer can
}
