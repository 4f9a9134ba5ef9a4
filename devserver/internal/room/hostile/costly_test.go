package hostile

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A costly request has a body of some 100 KB, whose entries once cost the square of their number.
type costly struct {
	name   string
	before string // an object that is created first, if it is not there
	request
}

// listOf returns n items of a JSON list.
func listOf(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// costlyRequests are for a learner, whose objects have its name in theirs.
func costlyRequests(p *person) []costly {
	const (
		pods    = "/api/v1/namespaces/default/pods"
		entries = 10_000
	)
	pod := func(name, container, more string) string {
		return fmt.Sprintf(`{"metadata":{"name":"%s-%s"},"spec":{"containers":[{"name":"c","image":"i"%s}]%s}}`, p.name, name,
			container, more)
	}
	args := func(format string) string { return pod("args", `,"args":`+listOf(entries, format), "") }
	path := pods + "/" + p.name
	// Every other argument is changed, so that the blocks that both have are short.
	every := listOf(entries/2, `"a#","b#"`)
	changed := pod("args", `,"args":`+strings.ReplaceAll(every, `"b`, `"c`), "")
	return []costly{
		{"difference of args", pod("args", `,"args":`+every, ""),
			request{method: "PATCH", path: path + "-args", body: []byte(changed)}},
		{"difference of other args", args(`"a#"`), request{method: "PUT", path: path + "-args", body: []byte(args(`"b#"`))}},
		{"paths in the way", "", request{method: "POST", path: pods + "?dryRun=All", body: []byte(pod("paths", "",
			`,"volumes":[{"name":"v","secret":{"secretName":"s","items":`+listOf(entries/5, `{"key":"k#","path":"a"}`)+`}}]`))}},
		{"ports of one number", "", request{method: "POST", path: pods + "?dryRun=All", body: []byte(pod("ports",
			`,"ports":`+listOf(entries/2, `{"containerPort":1}`), ""))}},
		{"claims", "", request{method: "POST", path: pods + "?dryRun=All", body: []byte(pod("claims",
			`,"resources":{"claims":`+listOf(entries, `{"name":"n#"}`)+`}`, ""))}},
	}
}

// costs makes requests whose work could be out of proportion. Every other time it does not wait for the answer.
func (a *attack) costs(p *person) {
	requests := costlyRequests(p)
	a.goes("cost", func(spent func()) {
		a.again(20*time.Millisecond, func(n int) {
			q := requests[n%len(requests)]
			if q.before != "" {
				a.insists(p, "cost: create", request{method: "POST", path: "/api/v1/namespaces/default/pods",
					body: []byte(q.before)})
			}
			if n >= len(requests) && n%2 == 1 {
				ctx, leave := context.WithTimeout(a.ctx, 10*time.Millisecond)
				_, _ = p.send(ctx, q.request) // it does not wait for the result
				leave()
				return
			}
			if got := a.insists(p, "cost: "+q.name, q.request); got.code == http.StatusGatewayTimeout {
				a.fault("cost: "+q.name, got)
			}
			if n == len(requests)-1 {
				spent()
			}
		})
	})
}
