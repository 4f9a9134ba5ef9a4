package jsoniter_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	module "github.com/json-iterator/go"

	"github.com/tabernetes/tabernetes/wasm/overlay/jsoniter"
)

// An iterator is what the module's and this package's have in common, T itself.
type iterator[T any] interface {
	Read() any
	Skip()
	ReadMapCB(func(T, string) bool) bool
	ReadObjectCB(func(T, string) bool) bool
	ReportError(operation, message string)
}

// ways are how structured-merge-diff reads: a set of fields, the value and the
// keys of a path's element, and what it asks for when it has read one.
var ways = []string{"set", "value", "keys"}

// read reads in one of the ways and tells all that was heard up to the first
// error, which it is that structured-merge-diff returns then.
func read[T iterator[T]](way string, iter T, failed func(T) *error, next func(T) int) string {
	var log strings.Builder
	note := func(format string, args ...any) {
		if err := *failed(iter); err == nil || err == io.EOF {
			fmt.Fprintf(&log, format, args...)
		}
	}
	var set func(iter T)
	set = func(iter T) {
		whole := iter.ReadMapCB(func(iter T, key string) bool {
			note("%q ", key)
			switch {
			case strings.HasPrefix(key, "."):
				iter.Skip()
			case strings.HasPrefix(key, "!"):
				iter.ReportError("parsing key as path element", "no element")
				iter.Skip()
			default:
				set(iter)
			}
			return key != "stop"
		})
		note("%v ", whole)
	}
	switch way {
	case "set":
		set(iter)
	case "value":
		note("%#v ", iter.Read())
	case "keys":
		whole := iter.ReadObjectCB(func(iter T, key string) bool {
			note("%q=%#v ", key, iter.Read())
			if err := failed(iter); *err != nil && *err != io.EOF {
				*err = fmt.Errorf("wrapped: %w", *err)
				return false
			}
			return true
		})
		note("%v ", whole)
	}
	note("then %v ", *failed(iter))
	note("next %d ", next(iter))
	return fmt.Sprint(log.String(), *failed(iter))
}

func ours(way string, iter *jsoniter.Iterator) string {
	return read(way, iter,
		func(i *jsoniter.Iterator) *error { return &i.Error },
		func(i *jsoniter.Iterator) int { return int(i.WhatIsNext()) })
}

func theirs(way string, iter *module.Iterator) string {
	return read(way, iter,
		func(i *module.Iterator) *error { return &i.Error },
		func(i *module.Iterator) int { return int(i.WhatIsNext()) })
}

var documents = []string{
	`{}`, `null`, ` { "f:a" : { "." : {} , "f:b" : {} } } `,
	`{"f:a":{".":[1,2.50,-3,0,1e5,true,false,null,"x"]}} x`, `{"!":1,"f:a":{}}`,
	`{"k:{\"name\":\"a\",\"port\":80}":{".":{}}}`, `{"name":"a","port":80,"protocol":null}`,
	`"x"`, `"\u00e9\ud83d\ude00\ud800x\ud800\u0041\n\"\/"`, `1`, `-0`, `01`, `-01`, `1.`,
	`.5`, `1.5e3`, `1e999`, `123456789012345678901234567890`, `0.1000000000000000055511151231257827`, `--1`, `+1`, `1-2`,
	`tru`, `nul`, `falsy`, `[`, `[1,`, `[1,]`, `[1 2]`, `{"a"`,
	`{"a"1}`, `{"a":1,"b"2}`, `{"a":1,}`, `{a:1}`, `{1:2}`, `[]`, `[[[]],{"a":[{}]}]`,
	`"` + "\x01" + `"`, `"\x"`, `"\u12g4"`, `"abc`, "\"\xff\"", `{"stop":{},"f:a":{}}`, ``, ` `, `x`,
	`{".":-}`, `{".":-.}`, `{".":-01x}`, `{".":1e999}`, `{".":1.2.3,"f:a":{}}`, `{".":1.x}`, `{".":"\u0041\q"}`,
	`{".":0.1,"f:b":1}`, `{".":01}`, `{".":{"a" 1}}`, `{null:1}`, `{"a":null,null:1}`,
	strings.Repeat("[", 10001), `{"f:spec":` + strings.Repeat(" ", 100) + `{"f:containers":7}}`,
}

func FuzzRead(f *testing.F) {
	for _, d := range documents {
		f.Add(d, 64)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(size, 1)%64 + 1
		for _, way := range ways {
			ourPool := jsoniter.NewIterator(jsoniter.ConfigCompatibleWithStandardLibrary).Pool()
			theirPool := module.NewIterator(module.ConfigCompatibleWithStandardLibrary).Pool()
			got := ours(way, ourPool.BorrowIterator([]byte(text)))
			want := theirs(way, theirPool.BorrowIterator([]byte(text)))
			// The module reads what it skips as a large number, and has other words for what is not one.
			if got != want && !strings.Contains(want, "number has no digits") {
				t.Errorf("%s of %q:\n%s, want\n%s", way, text, got, want)
			}
			for _, slow := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.HalfReader} {
				got := ours(way, jsoniter.Parse(jsoniter.ConfigCompatibleWithStandardLibrary, slow(strings.NewReader(text)), size))
				want := theirs(way, module.Parse(module.ConfigCompatibleWithStandardLibrary, slow(strings.NewReader(text)), size))
				if got != want && !strings.Contains(want, "number has no digits") {
					t.Errorf("%s of %q, %d bytes at a time:\n%s, want\n%s", way, text, size, got, want)
				}
			}
		}
	})
}

// A stream is what the module's and this package's have in common.
type stream interface {
	io.Writer
	WriteObjectStart()
	WriteObjectField(string)
	WriteVal(any)
	WriteInt(int)
	WriteMore()
	WriteEmptyObject()
	WriteRaw(string)
	WriteObjectEnd()
	Buffer() []byte
	Flush() error
	SetBuffer([]byte)
}

func write(s stream, key string, v any) string {
	n, err := s.Write([]byte("k:"))
	before := fmt.Sprint(n, err, len(s.Buffer()))
	s.WriteObjectStart()
	s.WriteObjectField(key)
	s.WriteVal(v)
	s.WriteMore()
	s.WriteObjectField("i")
	s.WriteInt(-len(key))
	s.WriteMore()
	s.WriteObjectField("e")
	s.WriteEmptyObject()
	s.WriteRaw(key)
	s.WriteObjectEnd()
	b := s.Buffer()
	err = s.Flush()
	s.SetBuffer(b[:0])
	return fmt.Sprint(before, err)
}

func FuzzWrite(f *testing.F) {
	for _, d := range documents {
		f.Add(d, d)
	}
	f.Add("<\u2028&\x7f\x00\b\\\"\xff>\r\t", `"<\u2028&\u007f\u0000\b\\\">\u2029"`)
	f.Add("k", `{"b":{"z":1e-7,"a":1e21,"":-0},"a\u00e9<":[],"a&":1.5}`)
	f.Fuzz(func(t *testing.T, key, text string) {
		var values []any
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			values = append(values, v)
		}
		values = append(values, key, int64(len(key))<<40, math.NaN(), math.Inf(-1), []any(nil), map[string]any(nil))
		for _, v := range values {
			var got, want bytes.Buffer
			ourPool := jsoniter.NewStream(jsoniter.ConfigCompatibleWithStandardLibrary, nil, 1024).Pool()
			theirPool := module.NewStream(module.ConfigCompatibleWithStandardLibrary, nil, 1024).Pool()
			for range 2 { // the second time with what was returned
				s, m := ourPool.BorrowStream(&got), theirPool.BorrowStream(&want)
				fmt.Fprint(&got, write(s, key, v), s.Error)
				fmt.Fprint(&want, write(m, key, v), m.Error)
				ourPool.ReturnStream(s)
				theirPool.ReturnStream(m)
			}
			if got.String() != want.String() {
				t.Errorf("%q of %#v:\n%s, want\n%s", key, v, &got, &want)
			}
		}
	})
}

func TestWriteOtherTypes(t *testing.T) {
	s := jsoniter.NewStream(jsoniter.ConfigCompatibleWithStandardLibrary, new(bytes.Buffer), 8)
	s.WriteVal(struct{}{})
	if err := s.Flush(); err == nil {
		t.Error("a struct was written")
	}
}
