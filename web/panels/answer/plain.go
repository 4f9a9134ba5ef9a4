package answer

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// plainly says what an answer is that no verdict is on: a path outside of the resources.
func plainly(e *tap.Exchange) string {
	said := e.Method + " " + e.URL + ": " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	var a struct{ Kind, GitVersion string }
	switch body := e.Text(); {
	case json.Unmarshal([]byte(body), &a) == nil && a.Kind+a.GitVersion != "":
		said += ", " + a.Kind + a.GitVersion
	case len(body) > 0 && len(body) < 40:
		said += ", " + strings.TrimSpace(body)
	}
	return said + "."
}
