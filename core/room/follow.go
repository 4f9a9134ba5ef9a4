package room

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/room/internal/live"
	"github.com/tabernetes/tabernetes/core/status"
)

const (
	// maxView is the maximum size of a view that is shown, in bytes.
	maxView = 2 << 10
	// maxLesson is the maximum length of a lesson's name and of other texts, in bytes, and maxCount the largest number
	// in a report.
	maxLesson, maxCount = 100, 10_000
)

// Attach makes the room tell a hub who is a member and who leads, from now on. The hub may be that of
// the cluster whose place this one takes.
func (r *Room) Attach(hub *live.Hub) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hub = hub
	all := make([]live.Member, 0, len(r.members))
	for name, user := range r.members {
		all = append(all, liveMember(name, user))
	}
	hub.Replace(all, func(hash string) bool { return r.tokens[hash].member != "" })
	hub.SetLeader(r.leader)
}

func liveMember(name string, u *auth.User) live.Member {
	m := live.Member{Name: name, DisplayName: u.Extra[displayNameKey][0], Teacher: isTeacher(u)}
	for _, role := range roleNames() {
		if slices.Contains(u.Groups, groupOf(role)) {
			m.Role = role
		}
	}
	return m
}

// notMember is the error for a request that only members may make.
func notMember(what string, c apiserver.Call) error {
	return forbidden(what, c, "only a member of the room may do that, with its own token")
}

// forbidden is the error for an act that is not allowed.
func forbidden(what string, c apiserver.Call, why string) error {
	return status.NewForbidden(status.GroupResource{Group: group, Resource: c.Plural + "/" + what}, c.Name, why)
}

// memberOf returns the name of the member who makes a request with its own token, and the hash of
// the token; an error for another user, and for one who impersonates a member.
func (r *Room) memberOf(req *http.Request, what string, c apiserver.Call) (name, hash string, err error) {
	hash = auth.CredentialsOf(req).TokenHash()
	r.mu.RLock()
	name = r.tokens[hash].member
	r.mu.RUnlock()
	if name == "" || auth.UserOf(req.Context()).Name != memberPrefix+name {
		return "", "", notMember(what, c)
	}
	return name, hash, nil
}

// follow streams who is here, what is shown and how far members have come. It ends with the member and
// its token, when the member's role changes, and with the cluster. With beats=false it is silent while
// nothing changes.
func (r *Room) follow(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	name, hash, err := r.memberOf(req, "follow", c)
	if err != nil {
		return err
	}
	follower, err := r.follower(name, hash, live.Options{
		Silent: req.URL.Query().Get("beats") == "false", Resumed: auth.CredentialsOf(req).Hash != "",
	})
	switch {
	case errors.Is(err, live.ErrTooMany):
		return status.New(http.StatusTooManyRequests, status.TooManyRequests,
			fmt.Sprintf("a member may follow the room %d times at once", live.MaxStreams),
			&status.Details{RetryAfterSeconds: 10})
	case err != nil:
		return notMember("follow", c)
	}
	defer follower.Close()
	return apiserver.Stream(req.Context(), w, func(ctx context.Context, b []byte) ([]byte, error) {
		return follower.Next(ctx, r.registry.Closing, b)
	})
}

// follower opens a stream, unless the token has become invalid meanwhile.
func (r *Room) follower(name, hash string, o live.Options) (*live.Follower, error) {
	r.mu.RLock() // so that nothing is observed between the two
	defer r.mu.RUnlock()
	if r.tokens[hash].member != name || r.hub == nil {
		return nil, live.ErrNoMember
	}
	return r.hub.Follow(name, hash, o)
}

// show shows a view to all members.
func (r *Room) show(_ http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	name, _, err := r.memberOf(req, "show", c)
	if err != nil {
		return err
	}
	given, err := c.Parameters("view")
	if err != nil {
		return err
	}
	view, err := viewOf(given["view"])
	if err != nil {
		return err
	}
	if !r.hub.Leads(name) || !c.DryRun && !r.hub.Show(name, view) {
		return forbidden("show", c,
			"only who leads the room shows a view: spec.leader names the member, otherwise it is any teacher")
	}
	return nil
}

// viewOf returns the JSON of a view, which is an object of texts, numbers and truth values, or
// nil.
func viewOf(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, status.NewBadRequest("view: has to be an object or null")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch fields[name].(type) {
		case nil, string, bool, int64, float64:
		default:
			return nil, status.NewBadRequest(fmt.Sprintf("view: %s: has to be a text, a number, true or false", name))
		}
	}
	encoded, err := json.Marshal(fields)
	if err != nil || len(encoded) > maxView {
		return nil, status.NewBadRequest(fmt.Sprintf("view: may have at most %d bytes", maxView))
	}
	return encoded, nil
}

// report tells teachers how far a member has come.
func (r *Room) report(_ http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	name, _, err := r.memberOf(req, "report", c)
	if err != nil {
		return err
	}
	given, err := c.Parameters("progress")
	if err != nil {
		return err
	}
	progress, err := progressOf(given["progress"])
	if err != nil || c.DryRun {
		return err
	}
	if !r.hub.Report(name, progress) {
		return notMember("report", c)
	}
	return nil
}

// progressOf reads what a member says about itself; nil withdraws it.
func progressOf(v any) (*live.Progress, error) {
	if v == nil {
		return nil, nil
	}
	given, ok := v.(map[string]any)
	if !ok {
		return nil, status.NewBadRequest("progress: has to be an object or null")
	}
	var p live.Progress
	texts := map[string]*string{"lesson": &p.Lesson, "beliefs": &p.Beliefs, "exam": &p.Exam}
	numbers := map[string]*int64{"step": &p.Step, "steps": &p.Steps, "right": &p.Right, "wrong": &p.Wrong}
	at, errs := field.NewPath("progress"), field.ErrorList(nil)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		text, isText := value.(string)
		n, isNumber := value.(int64)
		switch into := numbers[name]; {
		case texts[name] != nil && isText && len(text) <= maxLesson:
			*texts[name] = text
		case texts[name] != nil:
			errs.Add(field.Invalid(at.Child(name), value, fmt.Sprintf("must be a text of at most %d bytes", maxLesson)))
		case into == nil:
			errs.Add(field.NotSupported(at, name, "beliefs", "exam", "lesson", "right", "step", "steps",
				"wrong"))
		case !isNumber || n < 0 || n > maxCount:
			errs.Add(field.Invalid(at.Child(name), value, fmt.Sprintf("must be a number from 0 to %d", maxCount)))
		default:
			*into = n
		}
	}
	if len(errs) > 0 {
		return nil, status.NewBadRequest(errs.Message())
	}
	return &p, nil
}
