package course

import "strconv"

// A picture shows a moment of a run as the stage would draw it: time goes to the right, writes are at the top, each
// request has a lane, and calls of the store are at the bottom.
type picture struct {
	Width, Height int
	Marks         []pictureMark
	Lanes         []pictureLane
	// Verdict is where the rule was broken; -1 if none was.
	Verdict int
	// StoreY is the height of the store's row.
	StoreY int
}

// A pictureMark is a write, an event, a fault or a call of the store.
type pictureMark struct {
	X, Y  int
	Kind  string // added, modified, deleted, bookmark, error, fault, store
	Title string
}

// A pictureLane is a request, from when it was made until its answer was over.
type pictureLane struct {
	Y, From, To int
	Label       string
	Open        bool
}

const (
	pictureWidth = 680
	pictureLeft  = 56 // for the labels
	laneHeight   = 22
	writesY      = 20
	// pictured is how many entries before the verdict are drawn, mostLanes how many requests.
	pictured  = 60
	mostLanes = 8
)

// picture draws what led to the verdict.
func (r *Run) picture() picture {
	if r.Level == ControllerLevel {
		return picture{Verdict: -1} // many short requests, and no stream: the table says it better
	}
	log := r.Log
	end := len(log)
	if r.Verdict != nil {
		for end > 0 && log[end-1].At > r.Verdict.At {
			end--
		}
	}
	log = log[max(0, end-pictured):end]
	if len(log) == 0 {
		return picture{Verdict: -1}
	}
	first, last := log[0].At, log[len(log)-1].At
	if r.Verdict != nil {
		last = max(last, r.Verdict.At)
	}
	x := func(at float64) int {
		if last == first {
			return pictureWidth / 2
		}
		return pictureLeft + int((at-first)/(last-first)*(pictureWidth-pictureLeft-12))
	}
	p := picture{Width: pictureWidth, Verdict: -1}
	lanes := map[int]int{} // by request
	ids := requestsOf(log)
	ids = ids[max(0, len(ids)-mostLanes):]
	for i, id := range ids {
		lanes[id] = i
		p.Lanes = append(p.Lanes, pictureLane{Y: writesY + (i+1)*laneHeight + 6, From: pictureLeft, To: x(last),
			Label: strconv.Itoa(id), Open: true})
	}
	p.StoreY = writesY + (len(ids)+1)*laneHeight + 12
	p.Height = p.StoreY + 16
	for _, e := range log {
		at, mark := x(e.At), pictureMark{X: x(e.At), Y: writesY, Title: clock(e.At) + " " + e.words()}
		lane, drawn := lanes[e.ID]
		switch e.What {
		case "write":
			mark.Kind = verbKinds[e.Verb]
		case "fault":
			mark.Kind = "fault"
		case "request":
			if drawn {
				p.Lanes[lane].From = at
			}
			continue
		case "over":
			if drawn {
				p.Lanes[lane].To, p.Lanes[lane].Open = at, false
			}
			continue
		case "event", "page", "answer":
			if !drawn {
				continue
			}
			mark.Y, mark.Kind = p.Lanes[lane].Y, eventKinds[e.Type]
			if e.What != "event" {
				mark.Kind = "answer"
			}
		case "store":
			mark.Y, mark.Kind = p.StoreY, "store"
		default:
			continue
		}
		p.Marks = append(p.Marks, mark)
	}
	if r.Verdict != nil {
		p.Verdict = x(r.Verdict.At)
	}
	return p
}

var (
	verbKinds  = map[string]string{"POST": "added", "PUT": "modified", "PATCH": "modified", "DELETE": "deleted"}
	eventKinds = map[string]string{"ADDED": "added", "MODIFIED": "modified", "DELETED": "deleted", "BOOKMARK": "bookmark",
		"ERROR": "error"}
)

// requestsOf returns the ids of the requests that entries are about, in their order.
func requestsOf(log []RunEntry) []int {
	var ids []int
	seen := map[int]bool{}
	for _, e := range log {
		if e.ID > 0 && !seen[e.ID] {
			seen[e.ID] = true
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// shape returns the path of a mark around the origin, as the stage draws events.
func (m pictureMark) shape() string {
	switch m.Kind {
	case "added":
		return "M0,-5 5,4 -5,4Z"
	case "deleted":
		return "M0,5 5,-4 -5,-4Z"
	case "bookmark":
		return "M-3,-5 3,-5 3,5 0,2 -3,5Z"
	case "fault":
		return "M-4,5 0,-5M0,5 4,-5"
	case "error":
		return "M-4,-4 4,4M-4,4 4,-4"
	case "answer", "store":
		return "M0,-4 4,0 0,4 -4,0Z"
	}
	return "M-4,0A4,4 0 1,1 4,0A4,4 0 1,1 -4,0Z"
}

func (m pictureMark) place() string {
	return "translate(" + strconv.Itoa(m.X) + " " + strconv.Itoa(m.Y) + ")"
}
