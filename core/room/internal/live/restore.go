package live

import (
	"bytes"
	"encoding/json"
)

// Epoch returns the epoch of the hub that frames are of; "" if they do not say it.
func Epoch(frames []byte) string {
	for _, f := range parse(frames) {
		if f.Epoch != "" {
			return f.Epoch
		}
	}
	return ""
}

// Restore takes what is shown and reported from frames of another hub, whose place this one takes, with
// the same epoch: its followers continue and do not say it again. What the members may not do, or do no
// longer, is left out.
func (h *Hub) Restore(frames []byte) {
	for _, f := range parse(frames) {
		var name string
		switch {
		case f.Show != nil:
			h.Show(f.Show.By, f.Show.View)
		case f.Progress != nil && json.Unmarshal(f.Member, &name) == nil:
			h.Report(name, f.Progress)
		}
	}
}

// A parsed is a frame, as far as it is restored.
type parsed struct {
	Epoch string `json:"epoch"`
	Show  *struct {
		By   string          `json:"by"`
		View json.RawMessage `json:"view"`
	} `json:"show"`
	Member   json.RawMessage `json:"member"`
	Progress *Progress       `json:"progress"`
}

func parse(frames []byte) (all []parsed) {
	for line := range bytes.Lines(frames) {
		var f parsed
		if json.Unmarshal(line, &f) == nil {
			all = append(all, f)
		}
	}
	return all
}
