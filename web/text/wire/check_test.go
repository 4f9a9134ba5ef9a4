package wire

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// check checks what holds for every document.
func check(t *testing.T, d *Document) {
	t.Helper()
	next := 0
	ends := []int{len(d.Bytes)} // of the spans around, by depth
	for i, s := range d.Spans {
		if s.Offset != next || s.Own() == 0 {
			t.Fatalf("span %d begins at %d and has %d bytes of its own; the one before ends at %d", i, s.Offset, s.Own(), next)
		}
		next = s.Offset + s.Own()
		if s.Depth >= len(ends) || s.Depth > maxDepth+1 {
			t.Fatalf("span %d is at depth %d, below none", i, s.Depth)
		}
		ends = append(ends[:s.Depth+1], s.Offset+s.Length)
		if s.Length < s.Own() || ends[s.Depth+1] > ends[s.Depth] {
			t.Fatalf("span %d has %d bytes from %d on, and the one around it ends at %d", i, s.Length, s.Offset, ends[s.Depth])
		}
	}
	switch {
	case d.Rest != next:
		t.Fatalf("the spans end at %d, the document at %d", next, d.Rest)
	case d.Err == nil && d.Rest < len(d.Bytes) && len(d.Spans) < maxSpans:
		t.Fatalf("%d of %d bytes were read, and nothing is wrong", d.Rest, len(d.Bytes))
	case d.Err != nil && (d.Err.Offset < d.Rest || d.Err.Offset > len(d.Bytes)):
		t.Fatalf("%v, but %d bytes were read", d.Err, d.Rest)
	}
}

// outline returns a document in short.
func outline(d *Document) string {
	var b strings.Builder
	for _, s := range d.Spans {
		b.WriteString(strings.Repeat("  ", s.Depth))
		if s.Number > 0 {
			fmt.Fprint(&b, s.Number, " ")
		}
		for _, part := range []string{s.Name, "(" + s.Type + ")", s.Value} {
			if part != "" {
				b.WriteString(part + " ")
			}
		}
		b.WriteString(strconv.Itoa(s.Length) + "\n")
	}
	if d.Err != nil {
		fmt.Fprintln(&b, d.Err)
	}
	return b.String()
}
