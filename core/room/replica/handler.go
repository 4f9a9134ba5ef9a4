package replica

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Path is where Handler takes the lines of a room's relay, by POST. A body may end within a
// line; one with the parameter begin=1 is the beginning of another stream. The answer is a Replayed.
const Path = "/apis/" + wellknown.Group + "/v1/controlplanes/default/replay"

// maxBody is the maximum size of a body, in bytes.
const maxBody = 64 << 20

// Handler answers requests to Path, and leaves all others to the cluster.
func (r *Replica) Handler(cluster http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == Path && req.Method == http.MethodPost {
			r.serve(w, req)
			return
		}
		cluster.ServeHTTP(w, req)
	})
}

func (r *Replica) serve(w http.ResponseWriter, req *http.Request) {
	code, text := http.StatusOK, []byte(nil)
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = fmt.Errorf("the body has more than %d bytes", maxBody)
	}
	if err == nil {
		var done Replayed
		if done, err = r.Replay(body, req.URL.Query().Get("begin") != ""); err == nil {
			text, err = json.Marshal(done)
		}
	}
	if err != nil {
		e := status.NewBadRequest(err.Error())
		code, text = e.Status.Code, e.Status.JSON()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write(text) // a client that left is no concern of ours
}
