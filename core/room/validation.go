package room

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	// maxDisplayName is how long a member's display name may be, in characters.
	maxDisplayName = 60
	// most is how many members a Room may allow, and usual how many it allows at first.
	most, usual = wellknown.MaxMembers, wellknown.UsualMembers
)

// validateRoom says what is wrong with a Room.
func validateRoom(_ context.Context, obj map[string]any) field.ErrorList {
	spec, at, errs := specOf(obj, "exam", "frozen", "leader", "maxMembers", "quotas")
	if v, given := spec["frozen"]; given {
		if _, ok := v.(bool); !ok {
			errs.Add(field.Invalid(at.Child("frozen"), v, "must be true or false"))
		}
	}
	if v, given := spec["leader"]; given {
		name, ok := v.(string)
		if wrong := syntax.Subdomain(name); !ok || name != "" && wrong != nil {
			errs.Add(field.Invalid(at.Child("leader"), v, "must be the name of a Member: "+strings.Join(wrong, "; ")))
		}
	}
	if v, given := spec["maxMembers"]; given {
		if n, ok := v.(int64); !ok || n < 1 || n > most {
			errs.Add(field.Invalid(at.Child("maxMembers"), v, fmt.Sprintf("must be a number from 1 to %d", most)))
		}
	}
	if v, given := spec["quotas"]; given {
		errs = append(errs, validateQuotas(v, at.Child("quotas"))...)
	}
	if v, given := spec["exam"]; given {
		errs = append(errs, validateExam(v, at.Child("exam"))...)
	}
	return errs
}

const (
	// maxExamSeed is the largest seed of an exam, maxQuestions how many questions one may have.
	maxExamSeed, maxQuestions = 999_999_999, 30
)

// validateExam checks the exam that is open: the seed that its questions are drawn from, how many they are, and whether
// each member gets its own questions.
func validateExam(v any, at field.Path) (errs field.ErrorList) {
	exam, ok := v.(map[string]any)
	if !ok {
		errs.Add(field.Invalid(at, v, "must be an object"))
	}
	most := map[string]int64{"seed": maxExamSeed, "questions": maxQuestions}
	for _, name := range slices.Sorted(maps.Keys(exam)) {
		value := exam[name]
		n, isNumber := value.(int64)
		_, isBool := value.(bool)
		switch {
		case name == "each" && isBool:
		case name == "each":
			errs.Add(field.Invalid(at.Child(name), value, "must be true or false"))
		case most[name] == 0:
			errs.Add(field.NotSupported(at, name, "each", "questions", "seed"))
		case !isNumber || n < 1 || n > most[name]:
			errs.Add(field.Invalid(at.Child(name), value, fmt.Sprintf("must be a number from 1 to %d", most[name])))
		}
	}
	for _, name := range []string{"questions", "seed"} {
		if _, given := exam[name]; ok && !given {
			errs.Add(field.Required(at.Child(name), ""))
		}
	}
	return errs
}

// validateMember says what is wrong with a Member.
func validateMember(_ context.Context, obj map[string]any) field.ErrorList {
	spec, at, errs := specOf(obj, "displayName", "invitation", "network", "role")
	for _, name := range []string{"invitation", "network"} {
		if v, given := spec[name]; given {
			if _, ok := v.(string); !ok {
				errs.Add(field.Invalid(at.Child(name), v, "must be a string"))
			}
		}
	}
	errs = append(errs, validateDisplayName(spec["displayName"], at.Child("displayName"))...)
	return append(errs, validateRole(spec["role"], at.Child("role"))...)
}

// WithoutTokens refuses bearer tokens in the settings of the ControlPlane: every member can read them.
func WithoutTokens(s *controlplane.Settings) (errs field.ErrorList) {
	if len(s.Access.Tokens) > 0 {
		errs.Add(field.Forbidden(field.NewPath("spec", "authentication", "tokens"),
			"every member of a room can read this: its tokens are RoomTokens"))
	}
	return errs
}

// validateDisplayName checks what a member is called, which others see.
func validateDisplayName(v any, at field.Path) (errs field.ErrorList) {
	name, ok := v.(string)
	switch {
	case v == nil || ok && strings.TrimSpace(name) == "":
		errs.Add(field.Required(at, ""))
	case !ok:
		errs.Add(field.Invalid(at, v, "must be a string"))
	case utf8.RuneCountInString(name) > maxDisplayName:
		errs.Add(field.TooLongCharacters(at, maxDisplayName))
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || isBlank(r) }):
		errs.Add(field.Invalid(at, name, "must consist of characters that can be printed"))
	case hasPile(name):
		errs.Add(field.Invalid(at, name, fmt.Sprintf("must have at most %d marks on a letter", maxMarks)))
	}
	return errs
}

func validateRole(v any, at field.Path) (errs field.ErrorList) {
	name, _ := v.(string)
	switch {
	case v == nil:
		errs.Add(field.Required(at, ""))
	case !slices.Contains(roleNames(), name):
		errs.Add(field.NotSupported(at, v, roleNames()...))
	}
	return errs
}

// validateToken says what is wrong with a RoomToken.
func validateToken(_ context.Context, obj map[string]any) field.ErrorList {
	spec, at, errs := specOf(obj, "hash", "invites", "member")
	hash, _ := spec["hash"].(string)
	switch {
	case spec["hash"] == nil:
		errs.Add(field.Required(at.Child("hash"), ""))
	case len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "":
		errs.Add(field.Invalid(at.Child("hash"), spec["hash"], "must be a SHA-256 hash in 64 lower-case hexadecimal digits"))
	case object.Name(obj) != nameOf(hash):
		errs.Add(field.Invalid(field.NewPath("metadata", "name"), object.Name(obj),
			fmt.Sprintf("must be the hash's first digits, %q", nameOf(hash))))
	}
	invites, isInvitation := spec["invites"]
	member, isMembers := spec["member"]
	switch name, _ := member.(string); {
	case isInvitation == isMembers:
		errs.Add(field.Invalid(at, spec, "must have one of member and invites"))
	case isInvitation:
		errs = append(errs, validateRole(invites, at.Child("invites"))...)
	case name == "":
		errs.Add(field.Invalid(at.Child("member"), member, "must be the name of a Member"))
	}
	return errs
}

// specOf returns an object's spec, in which there must be nothing but the known fields.
func specOf(obj map[string]any, known ...string) (map[string]any, field.Path, field.ErrorList) {
	at, errs := field.NewPath("spec"), field.ErrorList(nil)
	spec, ok := obj["spec"].(map[string]any)
	if !ok && obj["spec"] != nil {
		errs.Add(field.Invalid(at, obj["spec"], "must be an object"))
	}
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		if !slices.Contains(known, name) {
			errs.Add(field.NotSupported(at, name, known...))
		}
	}
	return spec, at, errs
}
