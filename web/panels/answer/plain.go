package answer

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// plainly says what an answer is that no verdict is on: a path outside of the resources.
func plainly(e *tap.Exchange) string {
	said := e.Method + " " + e.URL + ": " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	body := e.Text()
	for _, name := range [...]string{`"kind":`, `"gitVersion":`} {
		if _, rest, ok := strings.Cut(body, name); ok {
			if part := strings.SplitN(rest, `"`, 3); len(part) == 3 {
				return said + ", " + part[1] + "."
			}
		}
	}
	if 0 < len(body) && len(body) < 40 {
		said += ", " + strings.TrimSpace(body)
	}
	return said + "."
}
