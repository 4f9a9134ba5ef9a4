package shrink

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// farApart is how many zeroes between two segments of data are left out.
const farApart = 1 << 16

// joinSegments writes the zeroes into a module's data that Go's linker leaves out. The linker cuts the data into pieces
// at every eight zeroes, up to a hundred thousand pieces, each with its address: that saves a tenth of the file, but
// addresses compress badly and zeroes compress to nothing, so in brotli the pieces are a hundred kilobytes larger than
// the whole.
func joinSegments(module []byte) ([]byte, error) {
	return mapSegments(module, func(s segment) []segment { return []segment{s} })
}

// mapSegments writes a module's data in pieces, as parseSegments reads them and to divides each.
func mapSegments(module []byte, to func(segment) []segment) ([]byte, error) {
	return mapSection(module, dataSection, func(section []byte) ([]byte, error) {
		segments, err := parseSegments(section)
		if err != nil {
			return nil, err
		}
		var parts []segment
		for _, s := range segments {
			parts = append(parts, to(s)...)
		}
		return encodeSegments(parts), nil
	})
}

// manyZeroes is how many zeroes in a row are left out of the data. Memory is zero anyway, and the engine neither loads
// nor copies them; a further segment takes ten bytes.
const manyZeroes = 1 << 12

// leaveOutZeroes writes a module's data without what is zero for long.
func leaveOutZeroes(module []byte) ([]byte, error) {
	return mapSegments(module, segment.parts)
}

// parts returns the segments that a segment is without what is zero for long.
func (s segment) parts() []segment {
	var parts []segment
	begin, zeroes := 0, 0 // of the part, and before i
	for i, b := range s.data {
		switch {
		case b == 0:
			zeroes++
			continue
		case zeroes >= manyZeroes:
			if begin < i-zeroes {
				parts = append(parts, segment{s.address + begin, s.data[begin : i-zeroes]})
			}
			begin = i
		}
		zeroes = 0
	}
	if zeroes < manyZeroes {
		zeroes = 0
	}
	if end := len(s.data) - zeroes; begin < end {
		parts = append(parts, segment{s.address + begin, s.data[begin:end]})
	}
	return parts
}

// A segment is a piece of data and the address where it goes.
type segment struct {
	address int
	data    []byte
}

func (s segment) end() int { return s.address + len(s.data) }

// The parts of an active segment of memory 0 at a constant address.
const (
	activeSegment = 0x00
	i32Const      = 0x41
	endExpression = 0x0b
)

// parseSegments reads a data section into segments, in the order of their
// addresses and joined where they are near each other.
func parseSegments(section []byte) ([]segment, error) {
	r := reader{data: section}
	var pieces []segment
	for range r.number() {
		if r.byte() != activeSegment || r.byte() != i32Const {
			return nil, errModule
		}
		address := r.address()
		if r.byte() != endExpression {
			return nil, errModule
		}
		pieces = append(pieces, segment{address, r.bytes(r.number())})
		if r.failed {
			return nil, errModule
		}
	}
	slices.SortStableFunc(pieces, func(a, b segment) int { return cmp.Compare(a.address, b.address) })
	var joined []segment
	for i, piece := range pieces {
		if i == 0 || piece.address-joined[len(joined)-1].end() >= farApart {
			joined = append(joined, segment{piece.address, slices.Clone(piece.data)})
			continue
		}
		last := &joined[len(joined)-1]
		gap := piece.address - last.end()
		if gap < 0 {
			return nil, errModule // later ones would have to win
		}
		last.data = append(append(last.data, make([]byte, gap)...), piece.data...)
	}
	return joined, nil
}

func encodeSegments(segments []segment) []byte {
	out := binary.AppendUvarint(nil, uint64(len(segments)))
	for _, s := range segments {
		out = appendAddress(append(out, activeSegment, i32Const), s.address)
		out = binary.AppendUvarint(append(out, endExpression), uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}

// signBit is the bit of the last byte of a signed LEB128 number that is set when
// the number is negative.
const signBit = 0x40

// address reads a signed LEB128 number that is not negative.
func (r *reader) address() int {
	before := r.data
	n := r.number()
	if read := len(before) - len(r.data); !r.failed && before[read-1]&signBit != 0 {
		r.failed = true
		return 0
	}
	return n
}

// appendAddress writes a signed LEB128 number that is not negative.
func appendAddress(out []byte, n int) []byte {
	out = binary.AppendUvarint(out, uint64(n))
	if last := len(out) - 1; out[last]&signBit != 0 {
		out[last] |= 0x80
		out = append(out, 0)
	}
	return out
}
