package live

import "encoding/json"

// Progress is how far a member has come in a lesson, as it says itself.
type Progress struct {
	Lesson string `json:"lesson"`
	Step   int64  `json:"step"`
	Steps  int64  `json:"steps"`
	// Right and Wrong count predictions.
	Right int64 `json:"right"`
	Wrong int64 `json:"wrong"`
	// Beliefs are the lesson's predictions that were wrong, Exam is how far the member is in an exam, each as the
	// member's page writes it.
	Beliefs string `json:"beliefs,omitempty"`
	Exam    string `json:"exam,omitempty"`
}

// Usage is what a member takes of the room.
type Usage struct {
	Amount
	// RequestsPerSecond is how many requests it has made in the last second, also such that were refused.
	RequestsPerSecond int64 `json:"requestsPerSecond"`
	// Watches is how many watches and other streams it has open.
	Watches int64 `json:"watches"`
	// Share is what its objects may take.
	Share Amount `json:"share"`
}

// An Amount is a number of objects and their size as JSON.
type Amount struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// The frames without content.
var (
	synced = []byte(`{"type":"SYNCED"}` + "\n")
	beat   = []byte(`{"type":"BEAT"}` + "\n")
)

func (f *Follower) hello() []byte {
	return frame(struct {
		Type  string `json:"type"`
		Epoch string `json:"epoch"`
		You   string `json:"you"`
		Role  string `json:"role"`
	}{"HELLO", f.hub.epoch, f.member.Name, f.member.Role})
}

func (m *member) frame() []byte {
	type content struct {
		Member
		Here int `json:"here"`
	}
	return frame(struct {
		Type   string  `json:"type"`
		Member content `json:"member"`
	}{"MEMBER", content{m.Member, m.here}})
}

func goneFrame(name string, left bool) []byte {
	type content struct {
		Name string `json:"name"`
		Gone bool   `json:"gone"`
		Left bool   `json:"left,omitempty"`
	}
	return frame(struct {
		Type   string  `json:"type"`
		Member content `json:"member"`
	}{"MEMBER", content{name, true, left}})
}

func (s show) frame() []byte {
	type content struct {
		By   string          `json:"by"`
		View json.RawMessage `json:"view"`
	}
	var c *content
	if s.view != nil {
		c = &content{s.member, s.view}
	}
	return frame(struct {
		Type string   `json:"type"`
		Show *content `json:"show"`
	}{"SHOW", c})
}

func (m *member) progressFrame() []byte {
	return frame(struct {
		Type     string    `json:"type"`
		Member   string    `json:"member"`
		Progress *Progress `json:"progress"`
	}{"PROGRESS", m.Name, m.progress})
}

func (m *member) usageFrame() []byte {
	return frame(struct {
		Type   string `json:"type"`
		Member string `json:"member"`
		Usage  Usage  `json:"usage"`
	}{"USAGE", m.Name, m.usage})
}

// frame encodes a frame as a line.
func frame(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers, and a view that is JSON
	}
	return append(line, '\n')
}
