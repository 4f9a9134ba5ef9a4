package hostile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A person makes requests from its own address.
type person struct {
	*host
	name  string // of its Member
	token string
	// at is the URL of its room, without a slash at its end.
	at     string
	client *http.Client
	dialer net.Dialer
	// asks is the host that it asks; "": that of the URL.
	asks string
	// rude is one whose requests a server may cut off, since it does not read the answers as it should.
	rude bool
}

// person returns one whose address is 127.0.0.n.
func (h *host) person(n byte) *person {
	p := &person{host: h, dialer: net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}}
	// workerd closes connections that were idle for 5 s, and what is written to one then is not answered.
	transport := &http.Transport{
		DialContext: p.dialer.DialContext, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Second,
	}
	p.client = &http.Client{Transport: transport, Timeout: time.Minute}
	h.Cleanup(transport.CloseIdleConnections)
	return p
}

// An answer is one of a server.
type answer struct {
	code int
	text []byte
	// again is after how long a refused request may be repeated.
	again time.Duration
}

func (a answer) String() string { return fmt.Sprintf("%d %.250s", a.code, a.text) }

// into decodes an answer, which has to be as expected.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.text, v); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
}

// A request is what somebody asks. Its kind is the type of its body: JSON if it is empty, or a merge patch.
type request struct {
	method, path, kind, accept string
	body                       []byte
}

// try makes a request.
func (p *person) try(ctx context.Context, method, path string, body []byte) (answer, error) {
	return p.send(ctx, request{method: method, path: path, body: body})
}

// send is try for a request of any kind.
func (p *person) send(ctx context.Context, q request) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, p.at+q.path, bytes.NewReader(q.body))
	if err != nil {
		return answer{}, err
	}
	r.Host = p.asks
	usual := "application/json"
	if q.method == http.MethodPatch {
		usual = "application/merge-patch+json"
	}
	r.Header.Set("Content-Type", cmp.Or(q.kind, usual))
	if q.accept != "" {
		r.Header.Set("Accept", q.accept)
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	res, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After")) // none: 0
	return answer{res.StatusCode, text, time.Duration(seconds) * time.Second}, err
}

// ask makes a request, again after as long as a 429 says. If the connection is cut off, which who does nothing wrong
// need not expect, that is an answer without a code.
func (p *person) ask(method, path, body string) answer {
	p.Helper()
	for end := time.Now().Add(patience); ; {
		a, err := p.try(p.Context(), method, path, []byte(body))
		if err != nil {
			return answer{text: []byte(err.Error())}
		}
		if a.code != http.StatusTooManyRequests || time.Now().After(end) {
			return a
		}
		pause(p.Context(), max(a.again, 50*time.Millisecond))
	}
}

// pause waits for some time, or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// wants is ask for an answer with a code, whose failure is one of the test at a point.
func (p *person) wants(code int, point, method, path, body string) answer {
	p.Helper()
	a := p.ask(method, path, body)
	if a.code != code {
		p.Errorf("%s: %s %s: %v, want %d", point, method, path, a, code)
	}
	return a
}

const (
	sandbox    = "/apis/" + wellknown.Group + "/v1"
	theRoom    = sandbox + "/rooms/default"
	configMaps = "/api/v1/namespaces/default/configmaps"
	crds       = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// opens opens a room, whose teacher the person is then.
func (p *person) opens() {
	p.Helper()
	var opened struct{ Path, Token string }
	p.at = p.url
	a := p.ask("POST", "/rooms", "")
	if a.code != http.StatusCreated {
		p.Fatalf("opening a room: %v", a)
	}
	a.into(p.T, &opened)
	p.at, p.token = p.url+strings.TrimSuffix(opened.Path, "/"), opened.Token
}

// A link is an invitation.
type link struct{ name, token string }

// invites makes a link.
func (p *person) invites(point string) link {
	p.Helper()
	a := p.wants(http.StatusCreated, point, "POST", theRoom+"/invite", `{"role":"learner"}`)
	var made struct {
		Metadata struct{ Name string }
		Status   struct{ Token string }
	}
	if a.code == http.StatusCreated {
		a.into(p.T, &made)
	}
	return link{made.Metadata.Name, made.Status.Token}
}

// joins joins a room by a link, or returns the answer that refuses it.
func (p *person) joins(room *person, invitation link, called string) answer {
	p.at, p.token = room.at, invitation.token
	a := p.ask("POST", theRoom+"/join", fmt.Sprintf(`{"displayName":%q}`, called))
	p.joined(a)
	return a
}

// joined takes the name and the token of an answer that has them.
func (p *person) joined(a answer) {
	var made struct {
		Spec   struct{ Member string }
		Status struct{ Token string }
	}
	if a.code == http.StatusCreated {
		a.into(p.T, &made)
		p.name, p.token = made.Spec.Member, made.Status.Token
	}
}
