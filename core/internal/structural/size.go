package structural

import (
	"fmt"
	"iter"
	"unicode/utf8"
)

// Anyone who may define resources may write a schema whose parts take far more memory than its text, or
// in which everything that is done for each level costs the length of the way to it. So schemas are
// limited; the real server has no such limits.
const (
	// MaxDepth is the maximum number of levels of a schema: schemas within schemas, whatever keyword they
	// are of. Those of the largest definitions in use have about 30.
	MaxDepth = 64
	// MaxMemory is the maximum Memory of a schema, in bytes. Those of the largest definitions in use take
	// about a third.
	MaxMemory = 32 << 20
)

// The approximate memory of parts of a parsed schema, in bytes, with all that is made of it: the rows and
// types of its resource. TestMemory measures them.
const (
	memoryOfSchema = 1536
	memoryOfValue  = 128
	memoryOfMap    = 256 // besides that of a value
	memoryOfStep   = 64  // of a pattern's program
	// The rules of a schema, an expression, and a byte of one: the program of a short one takes some
	// kilobytes, and that of a long one up to 120 times its length.
	memoryOfRules      = 4 << 10
	memoryOfExpression = 8 << 10
	memoryOfCode       = 128
)

// Memory returns the approximate memory that a schema takes once it is parsed and in use, in bytes: many
// times the length of its text.
func Memory(tree map[string]any) int64 {
	var all int64
	each(tree, 1, func(tree map[string]any, _ int) bool {
		all += memoryOf(tree)
		return true
	})
	return all
}

// Oversized returns why a schema is beyond the limits of all schemas; empty if it is not. It stops once it
// knows.
func Oversized(tree map[string]any) string {
	var all int64
	why := ""
	each(tree, 1, func(tree map[string]any, level int) bool {
		switch all += memoryOf(tree); {
		case level > MaxDepth:
			why = fmt.Sprintf("must have at most %d levels of schemas within schemas", MaxDepth)
		case all > MaxMemory:
			why = fmt.Sprintf("must be smaller: in use it would take more than %d MiB of memory", MaxMemory>>20)
		}
		return why == ""
	})
	return why
}

// each calls f for a tree and the schemas within, with their levels, until f returns false.
func each(tree map[string]any, level int, f func(tree map[string]any, level int) bool) bool {
	if tree == nil {
		return true
	}
	if !f(tree, level) {
		return false
	}
	for _, part := range parts(tree) {
		if !each(part, level+1, f) {
			return false
		}
	}
	return true
}

// parts ranges over the schemas in a tree, with the keywords that have them.
func parts(tree map[string]any) iter.Seq2[string, map[string]any] {
	return func(yield func(string, map[string]any) bool) {
		next := func(key string, v any) bool {
			part, _ := v.(map[string]any)
			return part == nil || yield(key, part)
		}
		for key, v := range tree {
			switch holds[key] {
			case aSchema:
				if !next(key, v) {
					return
				}
			case schemas:
				list, _ := v.([]any)
				for _, e := range list {
					if !next(key, e) {
						return
					}
				}
			case namedSchemas:
				m, _ := v.(map[string]any)
				for _, e := range m {
					if !next(key, e) {
						return
					}
				}
			}
		}
	}
}

// A content is what the value of a keyword has.
type content int

const (
	values content = iota
	aSchema
	schemas
	namedSchemas
)

// holds are the keywords with schemas.
var holds = map[string]content{
	"items": aSchema, "additionalProperties": aSchema, "not": aSchema,
	"allOf": schemas, "anyOf": schemas, "oneOf": schemas, "properties": namedSchemas,
}

// memoryOf returns the memory of a schema without those within.
func memoryOf(tree map[string]any) int64 {
	all := int64(memoryOfSchema)
	for key, v := range tree {
		switch {
		case key == "x-kubernetes-validations":
			rules, _ := v.([]any)
			all += memoryOfRules + memoryOfValues(v)
			for text := range expressions(rules) {
				all += memoryOfProgram(text)
			}
		case key == "pattern":
			source, _ := v.(string)
			all += int64(ProgramSize(source))*memoryOfStep + memoryOfValues(v)
		case holds[key] == values:
			all += memoryOfValues(v)
		case holds[key] == namedSchemas:
			m, _ := v.(map[string]any)
			for name := range m {
				all += int64(len(name))
			}
		}
	}
	return all
}

// memoryOfProgram returns the memory of the program of an expression; one that is too long has none.
func memoryOfProgram(text string) int64 {
	if utf8.RuneCountInString(text) > MaxExpression {
		return 0
	}
	return memoryOfExpression + int64(len(text))*memoryOfCode
}

func memoryOfValues(v any) int64 {
	all := int64(memoryOfValue)
	switch v := v.(type) {
	case string:
		all += int64(len(v))
	case []any:
		for _, e := range v {
			all += memoryOfValues(e)
		}
	case map[string]any:
		all += memoryOfMap
		for name, e := range v {
			all += int64(len(name)) + memoryOfValues(e)
		}
	}
	return all
}
