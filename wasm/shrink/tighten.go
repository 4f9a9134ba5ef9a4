package shrink

import (
	"encoding/binary"
	"slices"
)

// A change of a function's code keeps what the function does. It returns other
// instructions, or those given.
type change func([]instruction) []instruction

// tighten applies the changes, in their order, to the code of all functions of a module. What Go's compiler writes for
// WebAssembly has a few redundant forms that repeat all over the code. With all changes the code is a seventh smaller;
// browsers have less to compile, and jumps are direct.
//
// A function with an instruction that is not known here stays as it is.
func tighten(module []byte, changes ...change) ([]byte, error) {
	return mapSection(module, codeSection, func(section []byte) ([]byte, error) {
		r := reader{data: section}
		n := r.number()
		out := binary.AppendUvarint(make([]byte, 0, len(section)), uint64(n))
		for range n {
			function := r.bytes(r.number())
			if r.failed {
				return nil, errModule
			}
			function = tightenFunction(function, changes...)
			out = append(binary.AppendUvarint(out, uint64(len(function))), function...)
		}
		return out, nil
	})
}

// tightenFunction applies the changes to one function.
func tightenFunction(function []byte, changes ...change) []byte {
	r := reader{data: function}
	for n := r.number(); n > 0 && !r.failed; n-- {
		r.number() // how many locals
		r.byte()   // of which type
	}
	code, ok := readInstructions(r.data)
	if r.failed || !ok {
		return function
	}
	out := slices.Clone(function[:len(function)-len(r.data)])
	for _, change := range changes {
		code = change(code)
	}
	for _, in := range code {
		out = append(out, in.text...)
	}
	return out
}

// addresses adds to an address in 32 bits where the compiler converts it to 64 bits, adds, and converts it back.
func addresses(code []instruction) []instruction {
	out := code[:0:0]
	for _, in := range code {
		last := len(out) - 1
		if in.op == opI32WrapI64 && last >= 2 &&
			out[last].op == opI64Add && out[last-1].op == opI64Const && out[last-2].op == opI64ExtendU {
			out = append(out[:last-2], i32Constant(int32(out[last-1].n)), plain(opI32Add))
			continue
		}
		out = append(out, in)
	}
	return out
}

// farthest is what is added at most to an address by the instruction that uses it.
// No address that is used is so near the end of all that there can be.
const farthest = 1 << 20

// offsets leaves adding a constant to the instruction that uses the address, which has an offset for it.
func offsets(code []instruction) []instruction {
	out := slices.Clone(code)
	const other = -1
	var stack []int // what lies there: the sum that out[i] made, or other
	pop := func() int {
		if len(stack) == 0 {
			return other // from before what was not followed
		}
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return top
	}
	use := func(i, sum int) {
		if sum != other {
			out[i] = out[i].moved(out[sum-1].n)
			out[sum-1], out[sum] = instruction{}, instruction{}
		}
	}
	for i, in := range code {
		switch op := in.op; {
		case op == opLocalGet, op == opGlobalGet, opI32Const <= op && op <= opF64Const:
			stack = append(stack, other)
		case opLoads <= op && op < opStores:
			use(i, pop())
			stack = append(stack, other)
		case opStores <= op && op < opMemorySize:
			pop()
			use(i, pop())
		case op == opLocalSet, op == opGlobalSet, op == opDrop:
			pop()
		case op == opI32Add && i > 1 && code[i-2].op == opLocalGet && code[i-1].op == opI32Const &&
			0 <= code[i-1].n && code[i-1].n < farthest:
			pop()
			pop()
			stack = append(stack, i)
		case op == opLocalTee, opI32Eqz <= op && op <= opLast:
			for range operands(op) {
				pop()
			}
			stack = append(stack, other)
		default:
			stack = stack[:0]
		}
	}
	return slices.DeleteFunc(out, func(in instruction) bool { return in.text == nil })
}

// jumps lets jumps ahead leave the blocks in their way at once. The compiler gives
// each function that jumps a loop around all its code, which begins with as many
// blocks as there are places to jump to, and with a br_table that leaves as many
// of them as the number in local 0 says; a jump sets that number and goes back
// to the loop. Jumps back do so still.
func jumps(code []instruction) []instruction {
	at := slices.IndexFunc(code, func(in instruction) bool { return in.op == opBrTable })
	if at < 1 || code[at-1].op != opLocalGet || code[at-1].n != 0 {
		return code
	}
	first := at - 1
	for first > 0 && code[first-1].op == opBlock {
		first--
	}
	if first == 0 || code[first-1].op != opLoop {
		return code
	}
	// The blocks that code is in, by number; the loop is one of them.
	var within []int
	for _, in := range code[:first] {
		switch in.op {
		case opBlock, opLoop:
			within = append(within, len(within))
		case opIf, opEnd:
			return code
		}
	}
	loop := len(within) - 1
	for range at - 1 - first {
		within = append(within, len(within))
	}
	blocks := len(within)
	r := reader{data: code[at].text[1:]}
	places := make([]int, 0, blocks) // the block that is left, by what local 0 says
	for range r.number() + 1 {
		places = append(places, blocks-1-r.number())
	}
	out := slices.Clone(code[:at+1])
	for i := at + 1; i < len(code); i++ {
		in := code[i]
		switch in.op {
		case opBlock, opLoop, opIf:
			within = append(within, blocks)
			blocks++
		case opEnd:
			if len(within) > 0 { // else it is the function's
				within = within[:len(within)-1]
			}
		case opBrTable:
			return code
		case opBr, opBrIf:
			if outer := len(within) - 1 - int(in.n); outer < 0 || within[outer] != loop {
				break
			}
			set, to := code[i-1], code[i-2]
			if in.op != opBr || set.op != opLocalSet || set.n != 0 || to.op != opI32Const || to.n < 0 {
				return code
			}
			place := slices.Index(within, places[min(int(to.n), len(places)-1)])
			if place < 0 {
				break // it is behind
			}
			in = about(opBr, int64(len(within)-1-place))
			out = out[:len(out)-2]
			if last := len(out) - 1; out[last].op == opIf && code[i+1].op == opEnd {
				in = about(opBrIf, in.n-1)
				out = out[:last]
				within = within[:len(within)-1]
				i++
			}
		}
		out = append(out, in)
	}
	return out
}
