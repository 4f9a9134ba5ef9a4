package cbor

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"sync"

	"github.com/tabernetes/tabernetes/core/cbor/item"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The supported primitives: the first byte of an item.
const (
	codeFalse   = 0xf4
	codeTrue    = 0xf5
	codeNull    = 0xf6
	codeFloat16 = 0xf9
	codeFloat32 = 0xfa
	codeFloat64 = 0xfb
)

// The supported tags. The tags of expected encodings say how bytes are represented as text.
const (
	tagTime      = 0
	tagEpoch     = 1
	tagBignum    = 2
	tagNegBignum = 3
	tagBase64URL = 21
	tagBase64    = 22
	tagHex       = 23
)

// selfDescribed begins every document: the tag for CBOR.
const selfDescribed = "\xd9\xd9\xf7"

// FromJSON converts a JSON document that has an apiVersion and kind. Of equal names in an object
// the last one counts.
func FromJSON(document []byte) ([]byte, error) {
	apiVersion, kind, err := object.TypeMeta(document)
	if err != nil {
		return nil, err
	}
	group, version := object.SplitGroupVersion(apiVersion)
	e := encoders.Get().(*encoder)
	defer e.release()
	e.document = document
	if err := e.build(); err != nil {
		return nil, err
	}
	e.dst = append(make([]byte, 0, len(document)), selfDescribed...)
	if err := e.value(0, schema.TypeOf(group, version, kind)); err != nil {
		return nil, err
	}
	return e.dst, nil
}

// AppendEvent adds a watch event to a sequence. The object is a CBOR document.
func AppendEvent(dst []byte, kind string, object []byte) []byte {
	dst = append(dst, selfDescribed...)
	dst = appendHead(dst, item.Map, 2)
	for _, s := range [...]string{"type", kind, "object"} {
		dst = append(appendHead(dst, item.Bytes, uint64(len(s))), s...)
	}
	return append(dst, object...)
}

// An encoder makes one document.
type encoder struct {
	index
	dst []byte
	// members are those of the objects that are being written, and sorted those of the last one.
	members, sorted []member
}

// A member is a member of an object: its name, and the node of its value.
type member struct {
	name  []byte
	value int
}

// encoders is a pool. BenchmarkFromJSON shows its worth: 4 allocations instead of 18, and a
// third of the time.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// release returns the encoder to the pool, without the memory of large lists.
func (e *encoder) release() {
	const most = 1 << 16
	clear(e.members[:cap(e.members)])
	e.document, e.dst, e.sorted, e.depth, e.nodes, e.members = nil, nil, nil, 0, e.nodes[:0], e.members[:0]
	if cap(e.nodes) <= most && cap(e.members) <= most {
		encoders.Put(e)
	}
}

// appendHead adds the head of an item with its number, in the shortest form.
func appendHead(dst []byte, major byte, n uint64) []byte {
	first := major << 5
	switch {
	case n < 24:
		return append(dst, first|byte(n))
	case n <= math.MaxUint8:
		return append(dst, first|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, first|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, first|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, first|27), n)
}

func (e *encoder) head(major byte, n int) { e.dst = appendHead(e.dst, major, uint64(n)) }

// value writes a node of a type; nil if the type is not known.
func (e *encoder) value(n int, t *schema.Type) error {
	at := e.nodes[n].at
	switch e.document[at] {
	case '{':
		return e.object(n, t.OfKind(schema.Struct))
	case '[':
		return e.array(n, t.OfKind(schema.List))
	case '"':
		s, err := e.string(at)
		if err != nil {
			return err
		}
		e.bytes(s, t)
		return nil
	}
	end := at
	for end < len(e.document) && plain(e.document[end]) {
		end++
	}
	switch word := string(e.document[at:end]); word {
	case "null":
		e.dst = append(e.dst, codeNull)
	case "true":
		e.dst = append(e.dst, codeTrue)
	case "false":
		e.dst = append(e.dst, codeFalse)
	default:
		return e.number(word, t)
	}
	return nil
}

func (e *encoder) object(n int, t *schema.Type) error {
	base := len(e.members)
	for k, i := n+1, 0; i < e.nodes[n].count; i++ {
		name, err := e.string(e.nodes[k].at)
		if err != nil {
			return err
		}
		e.members = append(e.members, member{name, k + 1})
		k = e.nodes[k+1].next
	}
	e.sorted = e.members[base:]
	sort.Sort((*inOrder)(e))
	members, kept := e.sorted, base
	for i, m := range members {
		if i+1 == len(members) || !bytes.Equal(m.name, members[i+1].name) {
			e.members[kept] = m
			kept++
		}
	}
	e.members = e.members[:kept]
	e.head(item.Map, kept-base)
	for i := base; i < kept; i++ {
		m := e.members[i]
		e.bytes(m.name, nil)
		if err := e.value(m.value, typeIn(t, m.name)); err != nil {
			return err
		}
	}
	e.members = e.members[:base]
	return nil
}

// inOrder sorts the members that are sorted: by the encoding of their names, which
// begins with the length, and then by where they are.
type inOrder encoder

func (e *inOrder) Len() int { return len(e.sorted) }

func (e *inOrder) Swap(i, j int) { e.sorted[i], e.sorted[j] = e.sorted[j], e.sorted[i] }

func (e *inOrder) Less(i, j int) bool {
	a, b := &e.sorted[i], &e.sorted[j]
	if len(a.name) != len(b.name) {
		return len(a.name) < len(b.name)
	}
	if order := bytes.Compare(a.name, b.name); order != 0 {
		return order < 0
	}
	return a.value < b.value
}

// typeIn returns the type of a member of an object of a type.
func typeIn(t *schema.Type, name []byte) *schema.Type {
	switch {
	case t == nil:
	case t.Kind == schema.Map:
		return t.Elem
	case t.Kind == schema.Struct:
		if i := t.Position(name); i >= 0 {
			return t.Fields[i].Type
		}
	}
	return nil
}

func (e *encoder) array(n int, t *schema.Type) error {
	var elem *schema.Type
	if t != nil && t.Kind == schema.List {
		elem = t.Elem
	}
	e.head(item.Array, e.nodes[n].count)
	for k, i := n+1, 0; i < e.nodes[n].count; i++ {
		if err := e.value(k, elem); err != nil {
			return err
		}
		k = e.nodes[k].next
	}
	return nil
}

// string returns the content of the string at i.
func (e *encoder) string(i int) ([]byte, error) {
	end, _ := e.text(i)
	s := e.document[i+1 : end-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var unescaped string
	if err := json.Unmarshal(e.document[i:end], &unescaped); err != nil {
		return nil, fmt.Errorf("cbor: the string at byte %d: %w", i, err)
	}
	return []byte(unescaped), nil
}

// bytes writes a string, or the bytes that it encodes if its type says so.
func (e *encoder) bytes(s []byte, t *schema.Type) {
	if t != nil && t.Kind == schema.Bytes {
		if raw, err := base64.StdEncoding.AppendDecode(nil, s); err == nil {
			s = raw
			e.head(item.Tag, tagBase64)
		}
	}
	e.head(item.Bytes, len(s))
	e.dst = append(e.dst, s...)
}

// number writes a number: integers as such, unless their type is a float.
func (e *encoder) number(word string, t *schema.Type) error {
	if t == nil || t.Kind != schema.Float64 {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			if n < 0 {
				e.dst = appendHead(e.dst, item.Negative, uint64(^n))
			} else {
				e.dst = appendHead(e.dst, item.Unsigned, uint64(n))
			}
			return nil
		}
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("cbor: %q is not a number: %w", word, err)
	}
	e.dst = appendFloat(e.dst, f)
	return nil
}

// appendFloat adds a float in the shortest of the three formats that represents it exactly.
func appendFloat(dst []byte, f float64) []byte {
	single := float32(f)
	if float64(single) != f {
		return binary.BigEndian.AppendUint64(append(dst, codeFloat64), math.Float64bits(f))
	}
	if half, ok := toHalf(single); ok {
		return binary.BigEndian.AppendUint16(append(dst, codeFloat16), half)
	}
	return binary.BigEndian.AppendUint32(append(dst, codeFloat32), math.Float32bits(single))
}

// toHalf converts a finite number to half precision, if that represents it exactly.
func toHalf(f float32) (uint16, bool) {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	exponent, fraction := int(b>>23&0xff)-127, b&0x7fffff
	switch {
	case b<<1 == 0:
		return sign, true
	case exponent >= -14 && exponent <= 15 && fraction&0x1fff == 0:
		return sign | uint16(exponent+15)<<10 | uint16(fraction>>13), true
	case exponent >= -24 && exponent < -14: // a subnormal one
		fraction |= 1 << 23
		shift := -1 - exponent
		return sign | uint16(fraction>>shift), fraction&(1<<shift-1) == 0
	}
	return 0, false
}
