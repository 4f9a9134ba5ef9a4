package persist

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// The versions of the log's content: 2 is that of logs that begin with a recording, which releases from before there
// were any refuse.
const (
	format          = 1
	formatRecording = 2
)

// Header is the first frame of a saved cluster, which identifies it.
type Header struct {
	// Format is the version of the log's content.
	Format int `json:"format"`
	// UID identifies the cluster: a reset makes a new one.
	UID string `json:"uid"`
	// Secret is the seed of the cluster's own keys.
	Secret []byte `json:"secret"`
	// Clock is the cluster's clock when a snapshot was taken. The log of a storage has none.
	Clock *Clock `json:"clock,omitempty"`
	// Recording says what was recorded of which cluster, and what was not, if the log begins with a recording
	// (devserver/internal/record). It is not changed once it is loaded.
	Recording map[string]any `json:"recording,omitempty"`
}

// NewHeader returns the header of a new cluster, with random values.
func NewHeader(random io.Reader) (Header, error) {
	h := Header{Format: format, UID: registry.NewUID(random), Secret: make([]byte, 32)}
	_, err := io.ReadFull(random, h.Secret)
	return h, err
}

// Encode returns the header as it is stored in the log.
func (h Header) Encode() []byte {
	if h.Format = format; h.Recording != nil {
		h.Format = formatRecording
	}
	meta, err := json.Marshal(h)
	if err != nil {
		panic(err) // numbers and strings, and what was read as JSON
	}
	return meta
}

// Snapshot returns the header of a snapshot with the state c of the clock.
func (h Header) Snapshot(c *clock.Adjustable) []byte {
	h.Clock = SaveClock(c)
	return h.Encode()
}

// decode parses the output of Encode.
func (h *Header) decode(meta []byte) error {
	if err := json.Unmarshal(meta, h); err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	switch {
	case h.Format < format || h.Format > formatRecording:
		return fmt.Errorf("%w: the format %d is not known here", journal.ErrOtherRelease, h.Format)
	case h.UID == "":
		return errors.New("the header names no cluster")
	case h.Format == format:
		h.Recording = nil
		return nil
	}
	tree, err := object.DecodeAny(meta) // whose numbers are whole
	root, _ := tree.(map[string]any)
	if h.Recording, _ = root["recording"].(map[string]any); err == nil && h.Recording == nil {
		err = errors.New("it does not say what was recorded")
	}
	if err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	return nil
}
