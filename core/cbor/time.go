package cbor

import (
	"math"
	"time"

	"github.com/tabernetes/tabernetes/core/cbor/item"
	"github.com/tabernetes/tabernetes/core/object"
)

// time reads the item after a tag for times: text, or seconds since 1970. It is written as text.
func (d *decoder) time() (byte, error) {
	start, again := len(d.dst), decoder{data: d.data, at: d.at}
	if major, err := d.value(); err != nil || d.unrepresentable != nil {
		return major, err
	}
	h, err := again.head()
	if err != nil {
		return 0, err
	}
	var at time.Time
	switch h.major {
	case item.Text:
		s, err := again.string(h)
		if err != nil {
			return 0, err
		}
		if at, err = time.Parse(time.RFC3339, s); err != nil {
			d.refuse("cannot set %s for time.Time: %w", s, err)
		}
	case item.Primitive:
		whole, rest := math.Modf(item.Float(h.code, h.n))
		at = time.Unix(int64(whole), int64(rest*1e9)).UTC()
	case item.Negative:
		at = time.Unix(^int64(h.n), 0).UTC()
	default:
		at = time.Unix(int64(h.n), 0).UTC()
	}
	shown, err := at.MarshalText()
	if err != nil {
		d.refuse("decoded time cannot be represented in RFC3339 format with sub-second precision: %w", err)
	}
	d.dst = object.EncodeAny(d.dst[:start], string(shown))
	return item.Text, nil
}
