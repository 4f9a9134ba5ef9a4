package audit

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
)

// A Log writes the events of requests.
type Log struct {
	Policy *Policy
	// Write is given each event, in JSON without a line end. It is called by several goroutines.
	Write func(event []byte)
	// Now is the time, and NewID makes an id for a request that has none.
	Now   func() time.Time
	NewID func() string
}

// A Request is one that is being audited.
type Request struct {
	log      *Log
	level    Level
	omit     []Stage
	managed  bool
	record   *Record
	asked    auth.Attributes
	version  string
	received time.Time
	id       string
	uri      string
	agent    string
	sources  []string
}

// Begin returns the request for the events of r, which has these attributes, for a version of the API, and comes from
// some addresses; its Record belongs into the request's context. What is written of it is decided when its user is
// known, which is when the event of its receipt is written.
func (l *Log) Begin(r *http.Request, asked auth.Attributes, version string, sources []string) *Request {
	q := &Request{
		log: l, asked: asked, version: version, received: l.Now(), id: r.Header.Get("Audit-Id"), uri: r.URL.RequestURI(),
		agent: r.Header.Get("User-Agent"), sources: sources,
	}
	if q.id == "" {
		q.id = l.NewID()
	}
	q.record = &Record{decide: q.decide}
	return q
}

// decide decides what is written of a request of a user, who is nil if nobody knows who it is.
func (q *Request) decide(u *auth.User) {
	q.asked.User = u
	q.level, q.omit, q.managed = q.log.Policy.For(q.asked)
	q.record.Bodies = Bodies{q.level == RequestLevel || q.level == RequestResponse, q.level == RequestResponse}
	q.at(Received, 0)
}

// Record returns what the server notes.
func (q *Request) Record() *Record { return q.record }

// ID returns the id of the request, which the answer's header Audit-Id has.
func (q *Request) ID() string { return q.id }

// event is an Event of audit.k8s.io/v1.
type event struct {
	Kind        string            `json:"kind"`
	APIVersion  string            `json:"apiVersion"`
	Level       Level             `json:"level"`
	AuditID     string            `json:"auditID"`
	Stage       Stage             `json:"stage"`
	RequestURI  string            `json:"requestURI"`
	Verb        string            `json:"verb"`
	User        *user             `json:"user"`
	As          *user             `json:"impersonatedUser,omitempty"`
	SourceIPs   []string          `json:"sourceIPs,omitempty"`
	UserAgent   string            `json:"userAgent,omitempty"`
	ObjectRef   *objectRef        `json:"objectRef,omitempty"`
	Status      json.RawMessage   `json:"responseStatus,omitempty"`
	Request     json.RawMessage   `json:"requestObject,omitempty"`
	Response    json.RawMessage   `json:"responseObject,omitempty"`
	Received    string            `json:"requestReceivedTimestamp"`
	Staged      string            `json:"stageTimestamp"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type user struct {
	Username string              `json:"username,omitempty"`
	UID      string              `json:"uid,omitempty"`
	Groups   []string            `json:"groups,omitempty"`
	Extra    map[string][]string `json:"extra,omitempty"`
}

type objectRef struct {
	Resource    string `json:"resource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	UID         string `json:"uid,omitempty"`
	Group       string `json:"apiGroup,omitempty"`
	Version     string `json:"apiVersion,omitempty"`
	Revision    string `json:"resourceVersion,omitempty"`
	Subresource string `json:"subresource,omitempty"`
}

// userOf returns a user as events have it.
func userOf(u *auth.User) *user {
	if u == nil {
		return nil
	}
	return &user{u.Name, u.UID, u.Groups, u.Extra}
}

const microseconds = "2006-01-02T15:04:05.000000Z07:00"

// At writes the event of a stage; status is the code of the answer, or 0 before there is one.
func (q *Request) At(stage Stage, status int) {
	q.record.By(nil) // unless that is known
	q.at(stage, status)
}

func (q *Request) at(stage Stage, status int) {
	if q.level == None || slices.Contains(q.omit, stage) {
		return
	}
	known, annotations := q.record.noted()
	asker := known.User
	if asker == nil {
		asker = q.asked.User
	}
	e := event{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: q.level, AuditID: q.id, Stage: stage, RequestURI: q.uri,
		Verb: q.asked.Verb, User: userOf(asker), As: userOf(known.Impersonated), SourceIPs: q.sources, UserAgent: q.agent,
		Received: q.received.UTC().Format(microseconds), Staged: q.log.Now().UTC().Format(microseconds),
	}
	if e.User == nil {
		e.User = &user{}
	}
	if a := &q.asked; a.IsResource {
		e.ObjectRef = &objectRef{
			Resource: a.Resource, Namespace: a.Namespace, Name: a.Name, Group: a.Group, Version: q.version,
			Subresource: a.Subresource,
		}
	}
	if stage != Received {
		e.Annotations = annotations
		q.objects(&e, known)
		e.Status = statusOf(status, known.Failure)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return // objects are JSON already
	}
	q.log.Write(text)
}

// objects adds the objects of the request and of its answer, and what they say of the object that it is about.
func (q *Request) objects(e *event, known Known) {
	if q.managed {
		e.Request, e.Response = known.Request, known.Response
	} else {
		e.Request, e.Response = withoutManagers(known.Request), withoutManagers(known.Response)
	}
	if e.ObjectRef == nil || known.Request == nil {
		return
	}
	var object struct {
		Metadata struct{ Name, UID, ResourceVersion string } `json:"metadata"`
	}
	if json.Unmarshal(known.Request, &object) == nil {
		m := object.Metadata
		if e.ObjectRef.Name == "" {
			e.ObjectRef.Name = m.Name
		}
		e.ObjectRef.UID, e.ObjectRef.Revision = m.UID, m.ResourceVersion
	}
}

// withoutManagers returns an object, or a list of objects, without managed fields.
func withoutManagers(text []byte) []byte {
	if text == nil {
		return nil
	}
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return text
	}
	drop := func(object map[string]any) {
		if meta, ok := object["metadata"].(map[string]any); ok {
			delete(meta, "managedFields")
		}
	}
	drop(object)
	if items, ok := object["items"].([]any); ok {
		for _, item := range items {
			if one, ok := item.(map[string]any); ok {
				drop(one)
			}
		}
	}
	less, err := json.Marshal(object)
	if err != nil {
		return text
	}
	return less
}

// statusOf returns the status of an answer: that of a failure, without what is not bounded.
func statusOf(code int, failure []byte) json.RawMessage {
	if code == 0 {
		return nil
	}
	var s struct {
		Metadata struct{}        `json:"metadata"`
		Status   string          `json:"status,omitempty"`
		Message  string          `json:"message,omitempty"`
		Reason   string          `json:"reason,omitempty"`
		Details  json.RawMessage `json:"details,omitempty"`
		Code     int             `json:"code"`
	}
	if failure != nil {
		_ = json.Unmarshal(failure, &s) // what it is not, it does not say
	}
	s.Code = code
	text, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return text
}
