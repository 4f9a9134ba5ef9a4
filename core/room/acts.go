package room

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// Acts returns how the server answers the subresources.
func (r *Room) Acts() map[apiserver.Subresource]apiserver.Act {
	return map[apiserver.Subresource]apiserver.Act{
		actOf(Rooms, "follow", "get"):    {Serve: r.onRoom(r.follow), Produces: "application/json", Streams: true},
		actOf(Rooms, "invite", "create"): {Serve: r.onRoom(r.invite), Produces: "application/json"},
		actOf(Rooms, "join", "create"):   {Serve: r.onRoom(r.join), Produces: "application/json"},
		actOf(Rooms, "purge", "create"):  {Serve: r.onRoom(r.purge), Produces: "application/json"},
		actOf(Rooms, "report", "create"): {Serve: r.onRoom(r.report)},
		actOf(Rooms, "show", "create"):   {Serve: r.onRoom(r.show)},
		actOf(Rooms, "usage", "get"):     {Serve: r.onRoom(r.usage), Produces: "application/json"},

		actOf(Members, "leave", "create"):  {Serve: r.leave},
		actOf(Members, "rename", "create"): {Serve: r.rename},
		actOf(Members, "token", "create"):  {Serve: r.token, Produces: "application/json"},
	}
}

// relayAct is the subresource that package relay serves.
var relayAct = actOf(Rooms, "relay", "get")

func actOf(row *schema.Resource, name, verb string) apiserver.Subresource {
	return apiserver.Subresource{Group: row.Group, Resource: row.Plural, Name: name, Verb: verb}
}

// onRoom answers 404 for any Room but the one there is.
func (r *Room) onRoom(serve func(http.ResponseWriter, *http.Request, apiserver.Call) error) func(http.ResponseWriter,
	*http.Request, apiserver.Call) error {
	return func(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
		if _, err := r.registry.Get(req.Context(), registry.Target{Resource: Rooms, Name: c.Name}); err != nil {
			return err
		}
		return serve(w, req, c)
	}
}

// invite returns the token of an invitation.
func (r *Room) invite(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	given, err := c.Parameters("role")
	if err != nil {
		return err
	}
	if errs := validateRole(given["role"], field.NewPath("role")); len(errs) > 0 {
		return status.NewBadRequest(errs.Message())
	}
	role, _ := given["role"].(string)
	return r.answerToken(req.Context(), w, c, "", role)
}

// join creates a member for a user with an invitation, and returns the member's token.
func (r *Room) join(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	role := invitedAs(auth.UserOf(req.Context()))
	if role == "" {
		return forbidden("join", c, "joining needs the token of an invitation")
	}
	given, err := c.Parameters("displayName")
	if err != nil {
		return err
	}
	if errs := validateDisplayName(given["displayName"], field.NewPath("displayName")); len(errs) > 0 {
		return status.NewBadRequest(errs.Message())
	}
	displayName, _ := given["displayName"].(string)
	invitation, network := nameOf(auth.CredentialsOf(req).TokenHash()), networkOf(req.RemoteAddr)
	suffix, err := newSuffix(r.random)
	if err != nil {
		return err
	}
	obj := MemberObject(slug(displayName)+"-"+suffix, displayName, role)
	object.SetNested(obj, invitation, "spec", "invitation")
	if network != "" {
		object.SetNested(obj, network, "spec", "network")
	}
	answer, err := r.admit(req, c, obj)
	if err != nil {
		return err
	}
	return writeToken(w, answer)
}

// mayJoin returns 0 if somebody may join at present, and counts it; otherwise after how many seconds.
func (r *Room) mayJoin(network, invitation string) (retryAfter int) {
	r.mu.RLock()
	most := r.most
	r.mu.RUnlock()
	return r.joins.allow(r.shares.clock.Now(), network, invitation, r.shares.present().MembersPerAddress, most)
}

// admit creates a member with a token if the room has a place for one. The token comes first: if what follows
// fails, nobody is left who has a name and no way in.
func (r *Room) admit(req *http.Request, c apiserver.Call, member map[string]any) (map[string]any, error) {
	r.door.Lock()
	defer r.door.Unlock()
	gr := status.GroupResource{Group: group, Resource: Rooms.Plural}
	network := object.GetString(member, "spec", "network")
	switch left, from := r.vacancies(network, r.shares.present().MembersPerAddress); {
	case left <= 0:
		return nil, status.NewForbidden(gr, c.Name, "the room is full: spec.maxMembers says how many it takes")
	case from > 0:
		return nil, status.NewForbidden(gr, c.Name, fmt.Sprintf("%d members have joined from your network, which is all "+
			"that the room takes of one (spec.quotas.membersPerAddress): ask a teacher", from))
	}
	if wait := r.mayJoin(network, object.GetString(member, "spec", "invitation")); wait > 0 {
		return nil, tooMany(wait, "too many have joined lately by this link, or from your network: try again later")
	}
	ctx, t := serverContext(req.Context()), registry.Target{Resource: Members}
	o := registry.WriteOptions{DryRun: true, Manager: "tabernetes"}
	if _, err := r.registry.Create(ctx, t, object.DeepCopy(member), o); err != nil {
		return nil, err
	}
	answer, err := r.newToken(req.Context(), c, object.Name(member), "")
	if o.DryRun = c.DryRun; err == nil {
		_, err = r.registry.Create(ctx, t, member, o)
	}
	return answer, err
}

// token returns another token of a member.
func (r *Room) token(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	if _, err := c.Parameters(); err != nil {
		return err
	}
	if _, err := r.registry.Get(req.Context(), registry.Target{Resource: Members, Name: c.Name}); err != nil {
		return err
	}
	return r.answerToken(req.Context(), w, c, c.Name, "")
}

// answerToken creates a token and writes the answer: the stored RoomToken, with the token in
// status, which is not stored.
func (r *Room) answerToken(ctx context.Context, w http.ResponseWriter, c apiserver.Call, member, invites string) error {
	answer, err := r.newToken(ctx, c, member, invites)
	if err != nil {
		return err
	}
	return writeToken(w, answer)
}

// newToken creates a token, and returns the RoomToken with it.
func (r *Room) newToken(ctx context.Context, c apiserver.Call, member, invites string) (map[string]any, error) {
	text, err := newToken(r.random)
	if err != nil {
		return nil, err
	}
	stored, err := r.registry.Create(serverContext(ctx), registry.Target{Resource: RoomTokens},
		TokenObject(text, member, invites), registry.WriteOptions{DryRun: c.DryRun, Manager: "tabernetes"})
	if err != nil {
		return nil, err
	}
	obj, _, err := object.Decode(stored, RoomTokens.Type())
	if err != nil {
		return nil, err
	}
	obj["status"] = map[string]any{"token": text}
	return obj, nil
}

// writeToken answers with a RoomToken.
func writeToken(w http.ResponseWriter, obj map[string]any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, err := w.Write(object.Encode(nil, obj, RoomTokens.Type()))
	return err
}

// serverContext returns a context in which a user may write members and tokens, which the server does
// for it.
func serverContext(ctx context.Context) context.Context {
	if auth.KnownUser(ctx) == nil {
		return ctx // the host's own
	}
	return auth.WithUser(ctx, &auth.User{Name: auth.UserOf(ctx).Name, Groups: auth.Admin.Groups})
}

// slug returns the beginning of an object's name for a display name.
func slug(displayName string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(displayName) {
		switch {
		case b.Len() == 30: // long enough
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "member"
}
