package persist

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
)

// format is the current version of the log's content.
const format = 1

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
}

// NewHeader returns the header of a new cluster, with random values.
func NewHeader(random io.Reader) (Header, error) {
	h := Header{Format: format, UID: registry.NewUID(random), Secret: make([]byte, 32)}
	_, err := io.ReadFull(random, h.Secret)
	return h, err
}

// Encode returns the header as it is stored in the log.
func (h Header) Encode() []byte {
	meta, err := json.Marshal(h)
	if err != nil {
		panic(err) // a number and strings
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
	case h.Format != format:
		return fmt.Errorf("it has format %d; this version reads format %d", h.Format, format)
	case h.UID == "":
		return errors.New("the header names no cluster")
	}
	return nil
}
