package history

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// A Column is what the list can be sorted by.
type Column string

// The columns.
const (
	ByStarted  Column = "started"
	ByStatus   Column = "status"
	ByMethod   Column = "method"
	ByPath     Column = "path"
	ByRevision Column = "revision" // that the request made, or is answered as of
	ByServer   Column = "server"
	ByDuration Column = "duration"
	BySize     Column = "size"
)

// An Order is how the list is sorted. The zero Order has the newest first.
type Order struct {
	By        Column // empty: ByStarted
	Ascending bool
}

// Next returns the order after a column's heading is pressed: the column's usual
// direction first, then the other one.
func (o Order) Next(column Column) Order {
	if o.Column() == column {
		return Order{By: column, Ascending: !o.Ascending}
	}
	// Texts are read from A on; of numbers the large ones are looked for.
	return Order{By: column, Ascending: column == ByMethod || column == ByPath || column == ByServer}
}

// Column returns the column that the list is sorted by.
func (o Order) Column() Column {
	if o.By == "" {
		return ByStarted
	}
	return o.By
}

// A key is what an entry is sorted by, as it was when it was last placed.
type key struct {
	num  int64
	text string
}

func (a key) compare(b key) int {
	if c := cmp.Compare(a.num, b.num); c != 0 {
		return c
	}
	return strings.Compare(a.text, b.text)
}

// keyOf returns the entry's key in a column. What is not known yet comes last or, from the
// large end, first: a request that continues is longer than any.
func keyOf(e *tap.Exchange, column Column) key {
	switch column {
	case ByStatus:
		return key{num: int64(e.Status)}
	case ByMethod:
		return key{text: e.Method}
	case ByPath:
		return key{text: short(e)}
	case ByRevision:
		switch {
		case len(e.Source.Wrote) > 0:
			return key{num: e.Source.Wrote[0].First}
		case e.HistoryFrom > 0:
			return key{num: e.HistoryFrom}
		}
		return key{num: e.Source.Revision}
	case ByServer:
		return key{num: int64(e.Source.Server)}
	case ByDuration:
		if e.Live() {
			return key{num: math.MaxInt64}
		}
		return key{num: int64(e.Ended.Sub(e.Started))}
	case BySize:
		return key{num: int64(e.Size)}
	}
	return key{num: int64(e.ID)}
}

// short returns the URL from the resource on: the rest is the same for most requests.
func short(e *tap.Exchange) string { return e.URL[Prefix(e):] }

// Prefix returns how many bytes of the URL come before the resource.
func Prefix(e *tap.Exchange) int {
	if e.Info.Resource == "" {
		return 0
	}
	at := 0
	for at < len(e.URL) && e.URL[at] == '/' {
		at++
	}
	for range e.Info.Before {
		i := strings.IndexByte(e.URL[at:], '/')
		if i < 0 {
			return 0
		}
		at += i + 1
	}
	return at
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
