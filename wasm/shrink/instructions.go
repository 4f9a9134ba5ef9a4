package shrink

import "encoding/binary"

// The instructions of WebAssembly that are distinguished here, and ranges of them.
const (
	opBlock, opLoop, opIf, opElse, opEnd = 0x02, 0x03, 0x04, 0x05, 0x0b

	opBr, opBrIf, opBrTable          = 0x0c, 0x0d, 0x0e
	opReturn, opCall, opCallIndirect = 0x0f, 0x10, 0x11
	opDrop, opSelect                 = 0x1a, 0x1b

	opLocalGet, opLocalSet, opLocalTee = 0x20, 0x21, 0x22
	opGlobalGet, opGlobalSet           = 0x23, 0x24

	opLoads, opStores, opMemorySize, opMemoryGrow = 0x28, 0x36, 0x3f, 0x40

	opI32Const, opI64Const, opF32Const, opF64Const = 0x41, 0x42, 0x43, 0x44

	opI32Eqz, opI64Eqz, opI32Add                 = 0x45, 0x50, 0x6a
	opI64Add, opI32WrapI64, opI64ExtendU, opLast = 0x7c, 0xa7, 0xad, 0xc4
	opMore                                       = 0xfc // a number follows that says which
	moreConversions, moreCopy, moreFill          = 7, 10, 11
)

// An instruction of a function's body.
type instruction struct {
	op byte
	// n is its number: the local or global that it is about, how many blocks further
	// out the one is that it leaves, the constant, or how far behind the address the
	// memory is that it is about.
	n int64
	// text is the instruction as it is written.
	text []byte
}

// readInstructions reads a function's body behind its locals. It fails at what Go's
// compiler does not write.
func readInstructions(body []byte) ([]instruction, bool) {
	out := make([]instruction, 0, len(body)/2)
	r := reader{data: body}
	for len(r.data) > 0 && !r.failed {
		start := r.data
		in := instruction{op: r.byte()}
		switch op := in.op; {
		case op == opBlock || op == opLoop || op == opIf:
			r.byte() // its type
		case op == opBr, op == opBrIf, op == opCall, opLocalGet <= op && op <= opGlobalSet:
			in.n = int64(r.number())
		case op == opBrTable:
			for n := r.number(); n >= 0 && !r.failed; n-- {
				r.number()
			}
		case op == opCallIndirect:
			r.number()
			r.number()
		case opLoads <= op && op < opMemorySize:
			r.number() // its alignment
			in.n = int64(r.number())
		case op == opMemorySize || op == opMemoryGrow:
			r.byte()
		case op == opI32Const || op == opI64Const:
			in.n = r.signed()
		case op == opF32Const:
			r.bytes(4)
		case op == opF64Const:
			r.bytes(8)
		case op == opMore:
			switch n := r.number(); {
			case n == moreCopy:
				r.bytes(2)
			case n == moreFill:
				r.byte()
			case n > moreConversions:
				return nil, false
			}
		case op <= 1, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, opI32Eqz <= op && op <= opLast:
		default:
			return nil, false
		}
		in.text = start[:len(start)-len(r.data)]
		out = append(out, in)
	}
	return out, !r.failed
}

// operands returns from how many values an instruction computes one, if it does nothing else.
func operands(op byte) int {
	switch {
	case op == opLocalTee, op == opI32Eqz, op == opI64Eqz, op >= opI32WrapI64,
		0x67 <= op && op <= 0x69, 0x79 <= op && op <= 0x7b, // bits are counted
		0x8b <= op && op <= 0x91, 0x99 <= op && op <= 0x9f: // abs, neg, sqrt and so on
		return 1
	}
	return 2
}

// about returns an instruction that begins like op and has the number n.
func about(op byte, n int64) instruction {
	return instruction{op, n, binary.AppendUvarint([]byte{op}, uint64(n))}
}

// moved returns an instruction about memory that is n bytes further.
func (in instruction) moved(n int64) instruction {
	r := reader{data: in.text[1:]}
	text := binary.AppendUvarint([]byte{in.op}, uint64(r.number()))
	return instruction{in.op, in.n + n, binary.AppendUvarint(text, uint64(in.n+n))}
}

// plain returns an instruction that has no number.
func plain(op byte) instruction { return instruction{op: op, text: []byte{op}} }

// i32Constant returns the instruction for a constant.
func i32Constant(n int32) instruction {
	return instruction{opI32Const, int64(n), appendSigned([]byte{opI32Const}, int64(n))}
}

// signed reads a signed LEB128 number.
func (r *reader) signed() int64 {
	var n int64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&signBit != 0 && shift < 57 {
				n |= -1 << (shift + 7)
			}
			return n
		}
	}
	r.failed = true
	return 0
}

// appendSigned writes a signed LEB128 number.
func appendSigned(out []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&signBit == 0 || n == -1 && b&signBit != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
