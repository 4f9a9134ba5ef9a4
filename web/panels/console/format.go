package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// format lays a JSON body out, a field a line, with all values as they are written. What it cannot lay out it returns
// as it is, with words that say why.
func format(body string) (laidOut, words string) {
	switch {
	case strings.TrimSpace(body) == "":
		return body, "There is nothing to format."
	case !jsonish(body):
		return body, "Only JSON is formatted. YAML stays as you wrote it."
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(strings.TrimSpace(body)), "", "  "); err != nil {
		at := len(body)
		if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
			at = len(body) - len(strings.TrimLeft(body, " \t\r\n")) + int(e.Offset)
		}
		line := 1 + strings.Count(body[:max(0, min(at-1, len(body)))], "\n")
		return body, fmt.Sprintf("Line %d is not JSON: %v", line, err)
	}
	return b.String(), ""
}

// jsonish reports whether a body is JSON rather than YAML.
func jsonish(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] == '{' || s[0] == '[')
}
