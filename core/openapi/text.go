package openapi

import "slices"

// A Text is an encoded document. It is in pieces, so that a long one is not copied as it grows.
type Text [][]byte

// Len returns the length in bytes.
func (t Text) Len() (n int) {
	for _, piece := range t {
		n += len(piece)
	}
	return n
}

// Bytes returns the document in one piece.
func (t Text) Bytes() []byte { return slices.Concat(t...) }

// pieceLength is the length of all pieces but the last, in bytes.
const pieceLength = 64 << 10

// add appends bytes.
func (t *Text) add(all ...[]byte) {
	for _, b := range all {
		for len(b) > 0 {
			last := len(*t) - 1
			if last < 0 || len((*t)[last]) == pieceLength {
				*t = append(*t, make([]byte, 0, pieceLength))
				last++
			}
			n := min(pieceLength-len((*t)[last]), len(b))
			(*t)[last] = append((*t)[last], b[:n]...)
			b = b[n:]
		}
	}
}

// end gives back what the last piece does not need.
func (t Text) end() Text {
	if last := len(t) - 1; last >= 0 {
		t[last] = append(make([]byte, 0, len(t[last])), t[last]...)
	}
	return t
}
