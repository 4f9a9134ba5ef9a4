package reflector

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// refusal returns what an answer that is an error says in short, and whether it says that
// the server has not reached the version that was asked for.
func refusal(a Answer) (why string, tooLarge bool) {
	_, why = statusOf(a.Body)
	if why == "" {
		why = strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)
	}
	return why, strings.Contains(a.Body, `"ResourceVersionTooLarge"`) ||
		strings.Contains(a.Body, "Too large resource version")
}

// statusOf returns the code of a Status, or of one in an event, and its code and reason
// as text, such as "410 Expired". It returns 0 and "" if body has no such code.
func statusOf(body string) (code int64, why string) {
	reason := ""
	c := scan.New(body)
	member := func(key string) (err error) {
		switch key {
		case "code":
			code, err = c.Int()
		case "reason":
			reason, err = c.String()
		default:
			err = c.Skip()
		}
		return err
	}
	err := c.Object(func(key string) error {
		if key == "object" {
			return c.Object(member)
		}
		return member(key)
	})
	if err != nil || code == 0 {
		return 0, ""
	}
	return code, strings.TrimSpace(strconv.FormatInt(code, 10) + " " + reason)
}
