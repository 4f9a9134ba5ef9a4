package room

import (
	"math"
	"strconv"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/text"
)

// A View is what is shown of a room.
type View struct {
	*room.State
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

	// Out says why the page is in the room no longer; "": it is, or was in none.
	Out outOf

	// Exam is the exam that is open in the room; nil: none. Taken is how far this page's member is in it, as reported,
	// and Asked says that a question of it is on the page.
	Exam  *course.ClassExam
	Taken string
	Asked bool
	// Column says that the column is open, where all is that the bar says.
	Column bool

	// Most is how many members the room takes; 0: not known.
	Most int64
	// Links are the invitations, to teachers.
	Links []room.Link
	// Copied says that the link back was copied from this tab.
	Copied bool
	// Chosen is the member whose row is open, and Stop the one on whose row Tab stops; "": the first.
	Chosen, Stop string
	// Asking is what was pressed that is asked about first; "": nothing.
	Asking question
	// Made is how many objects the chosen member has made, or -1 if the room has not reported that.
	Made int64
}

// A question is an act that is asked about in its own row, and the name of what it is about.
type question struct{ What, Name string }

// id returns the id of the button that was pressed.
func (q question) id() string { return "room-ask-" + q.What + "-" + q.Name }

// The acts that are asked about.
const (
	askPurge  = "purge"
	askRemove = "remove"
	askEnd    = "end"
	askLeave  = "leave"
)

// outOf is why the page is in a room no longer.
type outOf string

const (
	outRemoved outOf = "removed"
	outLeft    outOf = "left" // from another page
	outRefused outOf = "refused"
)

// outWords says why the page is in the room no longer.
func (v View) outWords() string {
	switch v.Out {
	case outRemoved:
		return "A teacher removed you"
	case outLeft:
		return "You have left the room"
	}
	return "The room no longer knows this tab"
}

// asks reports whether an act is asked about.
func (v View) asks(what, name string) bool { return v.Asking == question{what, name} }

// stops reports whether Tab stops at a member's row.
func (v View) stops(m room.Member) bool {
	if v.Stop != "" && v.Find(v.Stop) != nil {
		return m.Name == v.Stop
	}
	return m.Name == v.Members[0].Name
}

// alone reports whether this page's member is the only teacher.
func (v View) alone() bool {
	all, _ := v.Teachers()
	return v.Synced && v.teaches() && all == 1
}

// governs reports whether nobody but this page could govern the room: it is a teacher's, no other teacher is here, and
// its link back was not copied.
func (v View) governs() bool {
	if !v.teaches() || v.Copied {
		return false
	}
	for _, m := range v.Members {
		if m.Role == room.Teacher && m.Name != v.You && m.Here > 0 {
			return false
		}
	}
	return true
}

// people says how many there are.
func (v View) people() string {
	s := strconv.Itoa(len(v.Members))
	if v.Most > 0 {
		s += " of " + text.Count(v.Most)
	}
	s += " people, " + strconv.Itoa(v.Here()) + " here · "
	all, _ := v.Teachers()
	return s + plural(int64(all), "teacher")
}

// absent names the one whose view is shown, if no page of that member is here; "": one is.
func (v View) absent() string {
	if v.Show == nil {
		return ""
	}
	if m := v.Find(v.Show.By); m != nil && m.Here == 0 {
		return m.Title()
	}
	return ""
}

// floods says who floods the room; "": nobody.
func (v View) floods() string {
	all := v.Flooding()
	switch {
	case len(all) == 0 || !v.teaches():
		return ""
	case len(all) == 1:
		return all[0].Title() + " floods the room"
	}
	return strconv.Itoa(len(all)) + " people flood the room"
}

// caption says what bars stand for, by the smallest share that is known; "": none is.
func (v View) caption() string {
	share := int64(0) // a teacher's is larger
	for _, m := range v.Members {
		if m.Usage != nil && m.Usage.Share.Bytes > 0 && (share == 0 || m.Usage.Share.Bytes < share) {
			share = m.Usage.Share.Bytes
		}
	}
	if share == 0 {
		return ""
	}
	return "share of " + size(share) + " each, requests"
}

// full reports whether a member has taken its share, or more than its part of the requests.
func full(m room.Member) bool {
	return m.Flooded() || m.Usage != nil && m.Usage.Part() >= room.Full
}

// percent returns how much of the share is taken, as a text.
func percent(u *room.Usage) string { return strconv.Itoa(int(math.Round(u.Part() * 100))) }

// takes says how much a member has.
func takes(u *room.Usage) string { return plural(u.Objects, "object") + ", " + size(u.Bytes) }

// rate says how many requests a member makes.
func rate(u *room.Usage) string {
	r := u.RequestsPerSecond
	if r > 0 && r < 1 {
		return "<1/s"
	}
	return strconv.FormatFloat(math.Round(r), 'f', -1, 64) + "/s"
}

// size returns a number of bytes as a text: up to 9,999 KB, since shares are compared in them.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return text.Count(bytes>>20) + " MB"
	case bytes >= 10_000<<10:
		return text.Count(bytes>>20) + " MB"
	case bytes > 0 && bytes < 1<<10:
		return "1 KB"
	}
	return text.Count((bytes+512)>>10) + " KB"
}

// plural returns a number of things.
func plural(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return text.Count(n) + " " + what
}

// whom names those whom a link is for.
func whom(role string) string {
	switch role {
	case room.Teacher:
		return "Teachers"
	case room.Learner:
		return "Learners"
	case room.Spectator:
		return "Spectators"
	}
	return role
}

// roles are those that a member may have.
var roles = []string{room.Learner, room.Spectator, room.Teacher, "program"}

// teaches reports whether this page's member is a teacher.
func (v View) teaches() bool { return v.Role == room.Teacher }

// followable reports whether another's view is shown.
func (v View) followable() bool { return v.Show != nil && !v.Shows() }

// connection says how the connection is.
func (v View) connection() string {
	switch {
	case v.Out != "":
		return v.outWords() + ": a teacher may have removed you, or ended its token. Your own cluster is in this tab."
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
func presence(m room.Member) string {
	switch {
	case m.Here > 1:
		return "here, " + strconv.Itoa(m.Here) + " pages"
	case m.Here > 0:
		return "here"
	}
	return "away"
}

// reports returns the members who report their progress.
func (v View) reports() (all []room.Member) {
	for _, m := range v.Members {
		if m.Progress != nil {
			all = append(all, m)
		}
	}
	return all
}

// at says where a member is in a lesson.
func at(p *room.Progress) string {
	switch {
	case p.Lesson == "":
		return "no lesson"
	case p.Step > p.Steps:
		return p.Lesson + ", done"
	}
	return p.Lesson + ", step " + strconv.Itoa(p.Step) + " of " + strconv.Itoa(p.Steps)
}

// predictions says how a member's predictions came out.
func predictions(p *room.Progress) string {
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

// exam reports whether the member has an exam to take, and says what is to be pressed for that.
func (v View) exam() (word string, ok bool) {
	if v.Exam == nil || v.Role != room.Learner {
		return "", false
	}
	r, begun := course.ParseReport(v.Taken)
	if begun && r.Done() == len(r.Marks) && len(r.Marks) == v.Exam.Questions {
		return "See my result", true
	}
	if begun {
		return "Continue the exam", true
	}
	return "Take the exam", true
}

func (v View) examWord() string { word, _ := v.exam(); return word }
func (v View) examining() bool  { _, ok := v.exam(); return ok }
