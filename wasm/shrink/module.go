package shrink

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The parts of a WebAssembly module that are read here.
const (
	moduleMagic      = "\x00asm"
	moduleHead       = len(moduleMagic) + 4 // with the version
	customSection    = 0
	importSection    = 2
	codeSection      = 10
	dataSection      = 11
	functionImport   = 0
	functionNamesSub = 1
)

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

// sections calls for each section of a module, in their order, up to the first
// error, which it returns.
func sections(module []byte, each func(id byte, section []byte) error) error {
	if len(module) < moduleHead || string(module[:len(moduleMagic)]) != moduleMagic {
		return errModule
	}
	for r := (reader{data: module[moduleHead:]}); len(r.data) > 0; {
		id := r.byte()
		section := r.bytes(r.number())
		if r.failed {
			return errModule
		}
		if err := each(id, section); err != nil {
			return err
		}
	}
	return nil
}

// mapSection returns a module with the section id as to makes it.
func mapSection(module []byte, id byte, to func([]byte) ([]byte, error)) ([]byte, error) {
	out := slices.Clone(module[:min(len(module), moduleHead)])
	err := sections(module, func(this byte, section []byte) error {
		if this == id {
			var err error
			if section, err = to(section); err != nil {
				return err
			}
		}
		out = binary.AppendUvarint(append(out, this), uint64(len(section)))
		out = append(out, section...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// A Function is a function of a module.
type Function struct {
	// Name is what the linker calls it; empty in a module without names.
	Name string
	// Body is its locals and its code.
	Body []byte
}

// Contents returns a module's functions, but for the imported ones, and its data.
func Contents(module []byte) (functions []Function, data []byte, err error) {
	imports := 0
	var names map[int]string
	err = sections(module, func(id byte, section []byte) error {
		r := reader{data: section}
		switch id {
		case importSection:
			for range r.number() {
				r.bytes(r.number()) // module
				r.bytes(r.number()) // name
				if r.byte() != functionImport {
					return errModule
				}
				r.number() // type
				imports++
			}
		case codeSection:
			for range r.number() {
				functions = append(functions, Function{Body: r.bytes(r.number())})
				if r.failed {
					return errModule
				}
			}
		case dataSection:
			data = section
		case customSection:
			if string(r.bytes(r.number())) == "name" {
				names = r.functionNames()
			}
		}
		if r.failed {
			return errModule
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range functions { // they are numbered from the imported ones on
		functions[i].Name = names[imports+i]
	}
	return functions, data, nil
}

// A reader reads a module's bytes. After a failure it reads nothing but zeroes.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bytes(n int) []byte {
	if r.failed || n < 0 || n > len(r.data) {
		r.failed = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// number reads an unsigned LEB128 number.
func (r *reader) number() int {
	v, n := binary.Uvarint(r.data)
	if r.failed || n <= 0 || v > 1<<31 {
		r.failed = true
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// functionNames reads the rest of a name section.
func (r *reader) functionNames() map[int]string {
	names := map[int]string{}
	for len(r.data) > 0 && !r.failed {
		id := r.byte()
		sub := reader{data: r.bytes(r.number())}
		if id != functionNamesSub {
			continue
		}
		for range sub.number() {
			index := sub.number()
			names[index] = string(sub.bytes(sub.number()))
			if sub.failed {
				r.failed = true
				return nil
			}
		}
	}
	return names
}
