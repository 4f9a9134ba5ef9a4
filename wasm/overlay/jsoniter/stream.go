package jsoniter

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
)

// A Stream writes JSON piece by piece, through a buffer.
type Stream struct {
	Error error

	out io.Writer
	buf []byte
}

// NewStream returns a stream into out, which may be nil.
func NewStream(_ API, out io.Writer, size int) *Stream {
	return &Stream{out: out, buf: make([]byte, 0, size)}
}

// Pool hands out streams.
func (s *Stream) Pool() StreamPool { return StreamPool{} }

// A StreamPool hands out streams.
type StreamPool struct{}

// streams is a pool, as in the module that this stands in for.
var streams = sync.Pool{New: func() any { return new(Stream) }}

// BorrowStream returns a stream into out.
func (StreamPool) BorrowStream(out io.Writer) *Stream {
	s := streams.Get().(*Stream)
	s.out, s.buf = out, s.buf[:0]
	return s
}

// ReturnStream takes a stream back.
func (StreamPool) ReturnStream(s *Stream) {
	s.out, s.Error = nil, nil
	streams.Put(s)
}

// Buffer returns what has been written since the last Flush.
func (s *Stream) Buffer() []byte { return s.buf }

// SetBuffer has the stream continue behind b.
func (s *Stream) SetBuffer(b []byte) { s.buf = b }

// Write writes p as it is, and all that is in the buffer with it.
func (s *Stream) Write(p []byte) (int, error) {
	s.buf = append(s.buf, p...)
	if s.out == nil {
		return len(p), nil
	}
	n, err := s.out.Write(s.buf)
	s.buf = s.buf[n:]
	return n, err
}

// Flush empties the buffer into the stream's writer.
func (s *Stream) Flush() error {
	if s.out == nil || s.Error != nil {
		return s.Error
	}
	if _, s.Error = s.out.Write(s.buf); s.Error != nil {
		return s.Error
	}
	s.buf = s.buf[:0]
	return nil
}

// WriteRaw writes a text as it is.
func (s *Stream) WriteRaw(text string) { s.buf = append(s.buf, text...) }

// WriteObjectStart begins an object.
func (s *Stream) WriteObjectStart() { s.WriteRaw("{") }

// WriteObjectEnd ends an object.
func (s *Stream) WriteObjectEnd() { s.WriteRaw("}") }

// WriteEmptyObject writes an object with nothing in it.
func (s *Stream) WriteEmptyObject() { s.WriteRaw("{}") }

// WriteMore separates two values.
func (s *Stream) WriteMore() { s.WriteRaw(",") }

// WriteObjectField writes a key. It escapes less than WriteVal does.
func (s *Stream) WriteObjectField(key string) {
	s.text(key, false)
	s.WriteRaw(":")
}

// WriteInt writes a number.
func (s *Stream) WriteInt(n int) { s.buf = strconv.AppendInt(s.buf, int64(n), 10) }

// WriteVal writes a value of the types that JSON is read into, and int64.
func (s *Stream) WriteVal(v any) {
	switch v := v.(type) {
	case nil:
		s.WriteRaw("null")
	case bool:
		s.buf = strconv.AppendBool(s.buf, v)
	case string:
		s.text(v, true)
	case int64:
		s.buf = strconv.AppendInt(s.buf, v, 10)
	case float64:
		s.float(v)
	case []any:
		s.list(v)
	case map[string]any:
		s.object(v)
	default:
		s.Error = fmt.Errorf("jsoniter: a %T cannot be written", v)
	}
}

func (s *Stream) float(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		s.Error = fmt.Errorf("unsupported value: %f", f)
		return
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	s.buf = strconv.AppendFloat(s.buf, f, format, -1, 64)
}

func (s *Stream) list(list []any) {
	if list == nil {
		s.WriteRaw("null")
		return
	}
	s.WriteRaw("[")
	for i, v := range list {
		if i > 0 {
			s.WriteMore()
		}
		s.WriteVal(v)
	}
	s.WriteRaw("]")
}

func (s *Stream) object(object map[string]any) {
	if object == nil {
		s.WriteRaw("null")
		return
	}
	s.WriteObjectStart()
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			s.WriteMore()
		}
		s.text(key, true)
		s.WriteRaw(":")
		s.WriteVal(object[key])
	}
	s.WriteObjectEnd()
}

const hexDigits = "0123456789abcdef"

// text writes a string. For html it escapes what would end a script, and bytes
// that are not UTF-8.
func (s *Stream) text(text string, html bool) {
	s.buf = append(s.buf, '"')
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\\':
			s.buf = append(s.buf, '\\', c)
		case c == '\n':
			s.WriteRaw(`\n`)
		case c == '\r':
			s.WriteRaw(`\r`)
		case c == '\t':
			s.WriteRaw(`\t`)
		case c < ' ' || html && (c == '<' || c == '>' || c == '&'):
			s.WriteRaw(`\u00`)
			s.buf = append(s.buf, hexDigits[c>>4], hexDigits[c&0xf])
		case c < utf8.RuneSelf || !html:
			s.buf = append(s.buf, c)
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				s.WriteRaw(`\ufffd`)
			case r == '\u2028' || r == '\u2029':
				s.WriteRaw(`\u202`)
				s.buf = append(s.buf, hexDigits[r&0xf])
			default:
				s.WriteRaw(text[i : i+size])
			}
			i += size
			continue
		}
		i++
	}
	s.buf = append(s.buf, '"')
}
