package room

import (
	"strconv"

	model "github.com/tabernetes/tabernetes/web/room"
)

// A View is what is shown of a room.
type View struct {
	*model.State
	Leader string // whose view others follow; "": any teacher's
	Frozen bool
	Away   bool // requests go to another cluster than the room
	// Follows says that this page goes where the view goes that is shown.
	Follows bool
	Shares  bool // progress is reported
	// Lost says that the connection is lost. Wait is how many seconds are left until the next attempt,
	// 0 during one; Why is what the last one has met.
	// Refused says that the room was reached, and does not let this tab in.
	Lost    bool
	Wait    int
	Why     string
	Refused bool
}

// teaches reports whether this page's member is a teacher.
func (v View) teaches() bool { return v.Role == model.Teacher }

// followable reports whether another's view is shown.
func (v View) followable() bool { return v.Show != nil && !v.Shows() }

// connection says how the connection is.
func (v View) connection() string {
	switch {
	case v.Lost && v.Wait > 0:
		return "The connection to the room is lost. Next attempt in " + strconv.Itoa(v.Wait) + " s."
	case v.Lost:
		return "The connection to the room is lost. Trying again."
	case !v.Synced:
		return "Connecting to the room."
	}
	return ""
}

// short is connection for the bar.
func (v View) short() string {
	s := "Connection lost"
	if v.Refused {
		s = "The room refuses this tab"
	}
	if v.Wait > 0 {
		return s + ", next attempt in " + strconv.Itoa(v.Wait) + " s"
	}
	return s + ", trying again"
}

// presence says whether a member is here.
func presence(m model.Member) string {
	switch {
	case m.Here > 1:
		return "here, " + strconv.Itoa(m.Here) + " pages"
	case m.Here > 0:
		return "here"
	}
	return "away"
}

// reports returns the members who report their progress.
func (v View) reports() (all []model.Member) {
	for _, m := range v.Members {
		if m.Progress != nil {
			all = append(all, m)
		}
	}
	return all
}

// at says where a member is in a lesson.
func at(p *model.Progress) string {
	switch {
	case p.Lesson == "":
		return "no lesson"
	case p.Step > p.Steps:
		return p.Lesson + ", done"
	}
	return p.Lesson + ", step " + strconv.Itoa(p.Step) + " of " + strconv.Itoa(p.Steps)
}

// predictions says how a member's predictions came out.
func predictions(p *model.Progress) string {
	if p.Right+p.Wrong == 0 {
		return "none yet"
	}
	return strconv.Itoa(p.Right) + " of " + strconv.Itoa(p.Right+p.Wrong) + " right"
}

// An Invitation is a link by which somebody joins.
type Invitation struct {
	Role string
	Link string
	// Path draws the QR code of the link, in a square of Size units; "": it is too long for one.
	Path string
	Size int
	// Local says that the link names this machine, so that it leads nowhere on others.
	Local bool
}

// box returns the viewBox of the QR code, with the margin that readers need.
func (i Invitation) box() string {
	n := strconv.Itoa(i.Size + 8)
	return "-4 -4 " + n + " " + n
}
