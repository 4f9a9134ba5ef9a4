package protobuf

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

var errShort = errors.New("unexpected EOF")

// An Unknown is the envelope of an object.
type Unknown struct {
	APIVersion, Kind string
	Message          []byte
}

// Open reads an envelope. The message shares memory with data.
func Open(data []byte) (u Unknown, err error) {
	if len(data) < len(Magic) || string(data[:len(Magic)]) != Magic {
		return u, errors.New("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
	}
	err = each(data[len(Magic):], func(number uint64, f value) error {
		switch number {
		case 1:
			return each(f.bytes, func(number uint64, f value) error {
				switch number {
				case 1:
					u.APIVersion = string(f.bytes)
				case 2:
					u.Kind = string(f.bytes)
				}
				return nil
			})
		case 2:
			u.Message = f.bytes
		}
		return nil
	})
	return u, err
}

// Decode reads a message of a type. The object is as object.Decode returns it, without apiVersion
// and kind, which are in the envelope. The error is object.ErrTooDeep, wrapped, if it nests deeper than
// object.MaxDecoded, and object.ErrTooMany if it has more than object.MaxValues values.
func Decode(message []byte, t *schema.Type) (map[string]any, error) {
	d := decoder{}
	obj := map[string]any{}
	if err := d.object(message, schema.MessageOf(t), obj); err != nil {
		return nil, err
	}
	obj, _, err := object.Normalize(obj, t)
	return obj, err
}

// value is a field's value on the wire: a number, or bytes.
type value struct {
	wire   uint64
	number uint64
	bytes  []byte
}

// each calls f with the fields of a message.
func each(data []byte, f func(number uint64, v value) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return errShort
		}
		data = data[n:]
		v := value{wire: tag & 7}
		switch v.wire {
		case wireVarint:
			if v.number, n = binary.Uvarint(data); n <= 0 {
				return errShort
			}
		case wireFixed64, wireFixed32:
			n = 8
			if v.wire == wireFixed32 {
				n = 4
			}
			if len(data) < n {
				return errShort
			}
			if v.wire == wireFixed64 {
				v.number = binary.LittleEndian.Uint64(data)
			}
		case wireBytes:
			size, m := binary.Uvarint(data)
			if m <= 0 || size > uint64(len(data)-m) {
				return errShort
			}
			v.bytes = data[m : m+int(size)]
			n = m + int(size)
		default:
			return fmt.Errorf("proto: illegal wireType %d", v.wire)
		}
		if tag>>3 == 0 {
			return fmt.Errorf("proto: illegal tag %d (wire type %d)", tag>>3, v.wire)
		}
		data = data[n:]
		if err := f(tag>>3, v); err != nil {
			return err
		}
	}
	return nil
}

// A decoder knows how deep the value nests that is being read, and how many values there were.
type decoder struct{ depth, values int }

// count counts values.
func (d *decoder) count(n int) error {
	if d.values += n; d.values > object.MaxValues {
		return object.ErrTooMany
	}
	return nil
}

// enter counts an object or a list that is read until leave is called.
func (d *decoder) enter() error {
	if d.depth++; d.depth > object.MaxDecoded {
		return object.ErrTooDeep
	}
	return nil
}

func (d *decoder) leave() { d.depth-- }

// object reads a message that is a complete object.
func (d *decoder) object(data []byte, p *schema.Message, obj map[string]any) error {
	if err := cmp.Or(d.enter(), d.count(max(0, 1-len(data)))); err != nil {
		return err
	}
	defer d.leave()
	return d.message(data, p, obj)
}

// message reads the fields of a message into obj.
func (d *decoder) message(data []byte, p *schema.Message, obj map[string]any) error {
	return each(data, func(number uint64, v value) error {
		f := p.ByNumber(number)
		switch {
		case f == nil:
			return nil
		case f.Embed != nil:
			if err := v.must(wireBytes, "embedded"); err != nil {
				return err
			}
			return d.message(v.bytes, f.Embed, obj)
		}
		if err := d.field(f.Field, v, obj); err != nil {
			return fmt.Errorf("%s: %w", f.Field.Name, err)
		}
		return nil
	})
}

// must checks the wire type of a field.
func (v value) must(wire uint64, name string) error {
	if v.wire != wire {
		return fmt.Errorf("proto: wrong wireType = %d for field %s", v.wire, name)
	}
	return nil
}

// field reads one occurrence of a field into obj.
func (d *decoder) field(f *schema.Field, v value, obj map[string]any) error {
	if err := d.count(1); err != nil {
		return err
	}
	switch f.Type.Kind {
	case schema.List:
		before, _ := obj[f.Name].([]any)
		items, err := d.items(f.Type, v, before)
		obj[f.Name] = items
		return err
	case schema.Map:
		m, _ := obj[f.Name].(map[string]any)
		if m == nil {
			m = map[string]any{}
			obj[f.Name] = m
		}
		return d.entry(f.Type, v, m)
	}
	got, err := d.value(f.Type, v, obj[f.Name])
	obj[f.Name] = got
	return err
}

func (d *decoder) items(t *schema.Type, v value, items []any) ([]any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if t.Wrapped {
		if err := v.must(wireBytes, t.GoName); err != nil {
			return nil, err
		}
		items = []any{}
		err := each(v.bytes, func(number uint64, v value) error {
			if number != 1 {
				return nil
			}
			item, err := d.value(t.Elem, v, nil)
			items = append(items, item)
			return cmp.Or(err, d.count(1))
		})
		return items, err
	}
	item, err := d.value(t.Elem, v, nil)
	return append(items, item), err
}

// entry reads one entry of a map.
func (d *decoder) entry(t *schema.Type, v value, m map[string]any) error {
	if err := v.must(wireBytes, t.GoName); err != nil {
		return err
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	key, got := "", any(nil)
	err := each(v.bytes, func(number uint64, v value) error {
		switch number {
		case 1:
			key = string(v.bytes)
		case 2:
			var err error
			if t.Elem.Kind == schema.List {
				got, err = d.items(t.Elem, v, nil)
			} else {
				got, err = d.value(t.Elem, v, nil)
			}
			return err
		}
		return nil
	})
	m[key] = got
	return err
}

// value reads one value. before is the value of an earlier occurrence of the field, into which
// messages are merged.
func (d *decoder) value(t *schema.Type, v value, before any) (any, error) {
	wire := uint64(wireBytes)
	switch t.Kind {
	case schema.Bool, schema.Int32, schema.Int64:
		wire = wireVarint
	case schema.Float64:
		wire = wireFixed64
	}
	if err := v.must(wire, t.GoName); err != nil {
		return nil, err
	}
	switch t.Kind {
	case schema.Struct:
		m, _ := before.(map[string]any)
		if m == nil {
			m = map[string]any{}
		}
		return m, d.object(v.bytes, schema.MessageOf(t), m)
	case schema.String:
		return string(v.bytes), nil
	case schema.Bool:
		return v.number != 0, nil
	case schema.Int32:
		return int64(int32(v.number)), nil
	case schema.Int64:
		return int64(v.number), nil
	case schema.Float64:
		return math.Float64frombits(v.number), nil
	case schema.Bytes:
		return base64.StdEncoding.EncodeToString(v.bytes), nil
	case schema.Union:
		return d.union(t, v.bytes)
	}
	return d.special(t, v.bytes)
}

// special reads the messages of types that are not JSON objects.
func (d *decoder) special(t *schema.Type, data []byte) (any, error) {
	var fields [4]value
	var given [4]bool
	err := each(data, func(number uint64, v value) error {
		if number < uint64(len(fields)) {
			fields[number], given[number] = v, true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch t.Kind {
	case schema.Time, schema.MicroTime:
		if len(data) == 0 {
			return nil, nil
		}
		at := time.Unix(int64(fields[1].number), int64(int32(fields[2].number))).UTC()
		if at.Year() < 0 || at.Year() > 9999 {
			return nil, errors.New("the year is out of range")
		}
		if t.Kind == schema.MicroTime {
			return at.Format("2006-01-02T15:04:05.000000Z07:00"), nil
		}
		return at.Format(time.RFC3339), nil
	case schema.Duration:
		return time.Duration(fields[1].number).String(), nil
	case schema.Quantity:
		if len(fields[1].bytes) == 0 {
			return "0", nil
		}
		return string(fields[1].bytes), nil
	case schema.IntOrString:
		if fields[1].number == 1 {
			return string(fields[3].bytes), nil
		}
		return int64(int32(fields[2].number)), nil
	case schema.Raw:
		if !given[1] {
			return nil, nil
		}
		return d.raw(fields[1].bytes)
	}
	return nil, errors.New("a field cannot be a " + t.GoName)
}

// raw reads JSON inside a message. An object with its own envelope is not allowed there.
func (d *decoder) raw(data []byte) (any, error) {
	values, err := object.Measure(data, object.MaxDecoded-d.depth, object.MaxValues-d.values)
	if err != nil {
		return nil, err
	}
	d.values += values
	if strings.HasPrefix(string(data), Magic) {
		return nil, errors.New("protobuf inside of a raw field is not supported")
	}
	v, err := object.DecodeAny(data)
	if err != nil {
		return nil, errors.New(strconv.Quote(string(data[:min(len(data), 30)])) + " is no JSON")
	}
	return v, nil
}

func (d *decoder) union(t *schema.Type, data []byte) (any, error) {
	var is any
	err := each(data, func(number uint64, v value) error {
		for i := range t.Fields {
			f := &t.Fields[i]
			if uint64(f.Proto) != number {
				continue
			}
			err := d.count(1)
			if err != nil {
				return err
			}
			switch f.Type.Kind {
			case schema.List:
				before, _ := is.([]any)
				is, err = d.items(f.Type, v, before)
			case schema.Struct:
				is, err = d.value(f.Type, v, nil)
			default:
				if _, isObject := is.(map[string]any); !isObject {
					is, err = d.value(f.Type, v, nil)
				}
			}
			return err
		}
		return nil
	})
	return is, err
}
