package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
)

// A Client sends requests to a fork.
type Client interface {
	// Ask sends a request and returns its answer. Time is moved for a read that waits
	// for the cache. Of a watch the answer is what has come when nothing more is under
	// way; then it is ended. The error is that there is no answer.
	Ask(r app.Request) (app.Response, error)
}

// A Write is a version of one of the Secrets.
type Write struct {
	Name    string
	Version int64
}

// A Fixture is what was written into a fork, and the values of what rows write as $N.
type Fixture struct {
	// Writes are the versions of the Secrets in their order: a to d, b again, and e.
	Writes []Write
	// N is a version that is kept, Cache where the watch cache is if it is behind,
	// otherwise 0, and Head the newest.
	N, Cache, Head int64
	// Token continues a list of one at N, Expired one that is gone, and Fresh is what
	// the 410 of that offers.
	Token, Expired, Fresh string
}

const secrets = "/api/v1/namespaces/default/secrets"

// settings are the fork's: nothing in it happens by itself, and it answers as a cluster does whose levers nobody has
// changed.
const settings = `{"spec":{"clock":{"paused":true},"controllers":{"enabled":false},` +
	`"history":{"retentionSeconds":86400},"chaos":null,` +
	`"compatibility":{"resourceVersionMatch":"Honor"},` +
	`"cache":{"replicas":[{"lagSeconds":0,"frozen":false}],"capacity":null,"progressSeconds":null}}}`

// freeze stops the watch cache where it is.
const freeze = `{"spec":{"cache":{"replicas":[{"frozen":true}]}}}`

const mergePatch = "application/merge-patch+json"

// conflicting are the collections whose objects would refuse the Secrets, or be listed with them.
var conflicting = []string{
	"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
	"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
	"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
	"/api/v1/namespaces/default/resourcequotas",
	secrets,
}

// Prepare writes into a fork the Secrets that the rows speak of, with a watch cache that keeps up or, if behind, with
// one that is frozen before b is changed and e created. An error names the request that was refused.
func Prepare(c Client, behind bool) (*Fixture, error) {
	b := builder{client: c}
	b.patch(wellknown.ControlPlane, settings)
	for _, path := range conflicting {
		b.send("DELETE", path, "", "")
	}
	b.create("a")
	b.create("b")
	b.fixture.Expired = b.continues(secrets + "?limit=1")
	b.fixture.N = b.create("c")
	b.fixture.Token = b.continues(secrets + "?limit=1")
	revision := `{"revision":` + strconv.FormatInt(b.fixture.N, 10) + `}`
	b.send("POST", wellknown.ControlPlane+"/compact", "application/json", revision)
	b.fixture.Fresh = b.continues(secrets + "?limit=1&continue=" + b.fixture.Expired)
	b.create("d")
	if behind {
		b.patch(wellknown.ControlPlane, freeze)
		b.fixture.Cache = b.cache()
	}
	b.wrote("b", b.patch(secrets+"/b", `{"stringData":{"v":"2"}}`))
	b.fixture.Head = b.create("e")
	return &b.fixture, b.err
}

// A builder makes a Fixture; after an error it does nothing more.
type builder struct {
	client  Client
	fixture Fixture
	err     error
}

// send sends a request that has to succeed, or to offer a continue token.
func (b *builder) send(method, path, contentType, body string) string {
	if b.err != nil {
		return ""
	}
	r := app.Request{Method: method, Path: path, Body: body}
	if contentType != "" {
		r.Header = app.ContentType(contentType)
	}
	res, err := b.client.Ask(r)
	gone := method == "GET" && res.Status == 410
	if err == nil && (res.Status < 200 || res.Status > 299) && !gone {
		err = fmt.Errorf("%d %s", res.Status, app.Message(res.Body))
	}
	if err != nil {
		short, _, _ := strings.Cut(path, "?")
		b.err = fmt.Errorf("%s %s: %w", method, short, err)
	}
	return res.Body
}

func (b *builder) patch(path, body string) int64 {
	return b.version(b.send("PATCH", path, mergePatch, body))
}

// create makes a Secret and returns its version.
func (b *builder) create(name string) int64 {
	return b.wrote(name, b.version(b.send("POST", secrets, "application/json", `{"metadata":{"name":"`+name+`"}}`)))
}

func (b *builder) wrote(name string, version int64) int64 {
	b.fixture.Writes = append(b.fixture.Writes, Write{name, version})
	return version
}

// version returns the resourceVersion of an object.
func (b *builder) version(body string) int64 {
	if b.err != nil {
		return 0
	}
	var o object
	b.err = json.Unmarshal([]byte(body), &o)
	return o.Metadata.version()
}

// cache returns the version of the Secrets' watch cache.
func (b *builder) cache() int64 {
	version := b.version(b.send("GET", secrets+"?resourceVersion=0", "", ""))
	if b.err == nil && version == 0 {
		b.err = errors.New("the list does not say where its cache stands")
	}
	return version
}

// continues returns the continue token of an answer.
func (b *builder) continues(path string) string {
	body := b.send("GET", path, "", "")
	if b.err != nil {
		return ""
	}
	var o object
	if b.err = json.Unmarshal([]byte(body), &o); b.err == nil && o.Metadata.Continue == "" {
		b.err = errors.New("GET " + secrets + ": the answer has no continue token")
	}
	return o.Metadata.Continue
}

// Fill puts the values into a row's request.
func (p *Fixture) Fill(request string) string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return strings.NewReplacer("$N", number(p.N), "$HEAD", number(p.Head), "$TOKEN", p.Token, "$EXPIRED", p.Expired,
		"$FRESH", p.Fresh).Replace(request)
}

// at returns the Secrets as of a version, in the order of their names.
func (p *Fixture) at(version int64) []Write {
	var all []Write
	for _, w := range p.Writes {
		if w.Version > version {
			continue
		}
		all = slices.DeleteFunc(all, func(o Write) bool { return o.Name == w.Name })
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b Write) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// between returns the writes after one version up to another one.
func (p *Fixture) between(after, upTo int64) []Write {
	var all []Write
	for _, w := range p.Writes {
		if w.Version > after && w.Version <= upTo {
			all = append(all, w)
		}
	}
	return all
}

// asOf says in words which version one is.
func (p *Fixture) asOf(version int64) string {
	switch version {
	case p.Head:
		return "as of now"
	case p.Cache:
		return "as the cache has it"
	case p.N:
		return "as of N"
	}
	return "as of " + strconv.FormatInt(version, 10)
}
