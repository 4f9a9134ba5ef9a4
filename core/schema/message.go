package schema

import (
	"slices"
	"sync"
)

// Message is the protobuf message of a struct: fields are looked up by their numbers, and embedded
// structs, whose fields JSON shows as the outer one's, are separate messages. Messages are
// immutable and shared.
type Message struct {
	// Fields are in the order of their numbers.
	Fields   []MessageField
	byNumber map[uint64]*MessageField
}

// MessageField is one field of a message. Either Field or Embed is set.
type MessageField struct {
	Number uint64
	Field  *Field
	// Embed is the message of an embedded struct, and EmbedName the struct's name in Go.
	Embed     *Message
	EmbedName string
}

var messages sync.Map // of *Type

// MessageOf returns the message of a struct or a union. It is made when it is first needed, and
// cached.
func MessageOf(t *Type) *Message {
	if m, ok := messages.Load(t); ok {
		return m.(*Message)
	}
	var fields []embedded
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Proto > 0 {
			fields = append(fields, embedded{f, f.Embeds})
		}
	}
	made, _ := messages.LoadOrStore(t, newMessage(fields))
	return made.(*Message)
}

// ByNumber returns the field of that number, or nil.
func (m *Message) ByNumber(number uint64) *MessageField { return m.byNumber[number] }

// embedded is a field with the embedded structs that still enclose it.
type embedded struct {
	field  *Field
	embeds []Embed
}

func newMessage(fields []embedded) *Message {
	m := &Message{byNumber: map[uint64]*MessageField{}}
	inner := map[Embed][]embedded{}
	for _, f := range fields {
		// An embedded struct without a number is not in protobuf, nor are its fields: the type's own name,
		// which the envelope has.
		switch {
		case len(f.embeds) == 0:
			m.Fields = append(m.Fields, MessageField{Number: uint64(f.field.Proto), Field: f.field})
		case f.embeds[0].Proto > 0:
			e := f.embeds[0]
			inner[e] = append(inner[e], embedded{f.field, f.embeds[1:]})
		}
	}
	for e, fields := range inner {
		m.Fields = append(m.Fields, MessageField{Number: uint64(e.Proto), Embed: newMessage(fields), EmbedName: e.Name})
	}
	slices.SortFunc(m.Fields, func(a, b MessageField) int { return int(a.Number) - int(b.Number) })
	for i := range m.Fields {
		m.byNumber[m.Fields[i].Number] = &m.Fields[i]
	}
	return m
}
