package linearizable

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

const collection = "/api/v1/namespaces/default/secrets"

// comparable is a resourceVersion as KEP-5504 defines it: a decimal number without leading zeros.
var comparable = regexp.MustCompile(`^[1-9][0-9]*$`)

// client sends requests to a cluster's http.Handler.
type client struct {
	t      testing.TB
	server http.Handler
}

// object is the used part of a Secret, a list of them, or a Status.
type object struct {
	Metadata struct{ Name, ResourceVersion string }
	Data     map[string][]byte
	Items    []object
	Reason   string
}

func (c client) entry(o object) entry {
	return entry{string(o.Data["v"]), c.version(o)}
}

func (c client) version(o object) int64 {
	text := o.Metadata.ResourceVersion
	if !comparable.MatchString(text) {
		c.t.Errorf("resourceVersion %q cannot be compared", text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.t.Error(err)
	}
	return n
}

// do makes a request and returns its outcome.
func (c client) do(in input) (out output) {
	name := fmt.Sprintf("k%d", in.key)
	path, body := collection+"/"+name, ""
	meta := map[string]any{"name": name}
	if in.version != 0 {
		meta["resourceVersion"] = strconv.FormatInt(in.version, 10)
	}
	if in.value != "" {
		b, err := json.Marshal(map[string]any{"metadata": meta, "data": map[string][]byte{"v": []byte(in.value)}})
		if err != nil {
			c.t.Error(err)
		}
		body = string(b)
	}
	method := [verbs]string{"POST", "PUT", "DELETE", "GET", "GET"}[in.verb]
	if in.verb == create || in.verb == list {
		path = collection
	}
	w := apitest.Do(c.server, method, path, body)
	var answer object
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		c.t.Errorf("%s %s: %v in %s", method, path, err, w.Body)
	}
	switch {
	case w.Code >= 300:
		if answer.Reason == "" {
			c.t.Errorf("%s %s: %d without a reason: %s", method, path, w.Code, w.Body)
		}
		out.reason = answer.Reason
	case in.verb == list:
		out.version = c.version(answer)
		for _, item := range answer.Items {
			key, err := strconv.Atoi(strings.TrimPrefix(item.Metadata.Name, "k"))
			if err != nil || key >= keys {
				c.t.Errorf("an object %q that nobody made", item.Metadata.Name)
				continue
			}
			out.objects[key] = c.entry(item)
		}
	case in.verb != remove:
		out.entry = c.entry(answer)
	}
	return out
}
