package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// others come from their own addresses while a room is attacked: by the link that is flooded, and by another one.
func (h *host) others(teacher *person, class, other link) {
	for i, invitation := range []link{class, other} {
		p := h.person(byte(20 + i))
		if a := p.joins(teacher, invitation, fmt.Sprint("Newcomer ", i)); a.code != http.StatusCreated {
			h.Errorf("join of another, by link %d: %v", i, a)
			continue
		}
		if code, err := p.watches(h.Context()); code != http.StatusOK {
			h.Errorf("watch of another: %d %v", code, err)
		}
		p.wants(http.StatusCreated, "create of a newcomer", "POST", configMaps, string(configMap(p.name, 300)))
	}
}

// governs has the teacher act while its room is attacked.
func (h *host) governs(teacher, works, flooder *person, class link) {
	start := time.Now()
	const frozen = `{"spec":{"frozen":%v}}`
	teacher.wants(http.StatusOK, "freeze", "PATCH", theRoom, fmt.Sprintf(frozen, true))
	works.wants(http.StatusForbidden, "frozen", "POST", configMaps, string(configMap("frozen", 300)))
	teacher.wants(http.StatusOK, "end of the freeze", "PATCH", theRoom, fmt.Sprintf(frozen, false))
	works.wants(http.StatusCreated, "create after a freeze", "POST", configMaps, string(configMap("thawed", 300)))
	teacher.invites("invite")

	teacher.wants(http.StatusOK, "end a link", "DELETE", sandbox+"/roomtokens/"+class.name, "")
	late := h.person(30)
	late.at, late.token = teacher.at, class.token
	late.wants(http.StatusUnauthorized, "a link that was ended", "POST", theRoom+"/join", `{"displayName":"Late"}`)

	teacher.wants(http.StatusOK, "remove", "DELETE", sandbox+"/members/"+flooder.name, "")
	flooder.wants(http.StatusUnauthorized, "removed", "GET", configMaps, "")
	mine := fmt.Sprintf("/%s-flood-0", flooder.name)
	teacher.wants(http.StatusOK, "purge, what there is", "GET", configMaps+mine, "")
	purge := fmt.Sprintf(`{"member":%q}`, flooder.name)
	if a := teacher.ask("POST", theRoom+"/purge", purge); a.code/100 != 2 {
		h.Errorf("purge: %v", a)
	} else {
		h.Logf("purge: %v", a)
	}
	teacher.wants(http.StatusNotFound, "purged", "GET", configMaps+mine, "")
	works.wants(http.StatusOK, "what others made stays", "GET", configMaps+"/attacked-0", "")
	h.Logf("the teacher governed in %v", time.Since(start).Round(time.Millisecond))

	usage, err := teacher.usage(h.Context())
	if err != nil || !slices.ContainsFunc(usage.Members, func(m taken) bool { return m.Name == works.name }) {
		h.Errorf("usage: %v %v", usage, err)
	}
	slices.SortFunc(usage.Members, func(a, b taken) int { return int(b.Bytes - a.Bytes) })
	for _, m := range usage.Members[:min(6, len(usage.Members))] {
		h.Logf("usage: %s has %d objects, %d bytes", m.DisplayName, m.Objects, m.Bytes)
	}
}

// taken is what a member or a room has, or may have.
type taken struct {
	Name, DisplayName string
	Objects, Bytes    int64
}

// A usage is what those have of whom somebody may know, and what a learner may have.
type usage struct {
	Members []taken
	Share   taken
}

// usage asks for the usage of the room.
func (p *person) usage(ctx context.Context) (u usage, err error) {
	for {
		a, err := p.try(ctx, "GET", theRoom+"/usage", nil)
		switch {
		case err != nil:
			return u, err
		case a.code == http.StatusOK:
			return u, json.Unmarshal(a.text, &u)
		case a.code != http.StatusTooManyRequests:
			return u, errors.New(a.String())
		}
		pause(ctx, max(a.again, 50*time.Millisecond))
		if ctx.Err() != nil {
			return u, ctx.Err()
		}
	}
}
