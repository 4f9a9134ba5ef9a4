package evaluator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A version is a semantic version: major, minor and patch, and its pre-release part. Build metadata is checked and not
// compared.
type version struct {
	numbers [3]uint64
	pre     []string
}

var versionBox = &box[version]{Type: cel.ObjectType("kubernetes.Semver"),
	equal: func(a, b version) bool { return a.compare(b) == 0 }}

// versions are the functions of semantic versions.
var versions = []cel.EnvOption{
	cel.Function("semver",
		cel.Overload("string_to_semver", args(cel.StringType), versionBox.Type,
			unary(func(s string) ref.Val { return orError(parseVersion(s, false))(versionBox.wrap) })),
		cel.Overload("string_bool_to_semver", args(cel.StringType, cel.BoolType), versionBox.Type,
			twoArguments(func(s string, normal bool) ref.Val { return orError(parseVersion(s, normal))(versionBox.wrap) }))),
	cel.Function("isSemver",
		cel.Overload("is_semver_string", args(cel.StringType), cel.BoolType, unary(func(s string) ref.Val {
			_, err := parseVersion(s, false)
			return types.Bool(err == nil)
		})),
		cel.Overload("is_semver_string_bool", args(cel.StringType, cel.BoolType), cel.BoolType,
			twoArguments(func(s string, normal bool) ref.Val {
				_, err := parseVersion(s, normal)
				return types.Bool(err == nil)
			}))),
	versionNumber("major", 0), versionNumber("minor", 1), versionNumber("patch", 2),
	cel.Function("compareTo", cel.MemberOverload("semver_compare_to", args(versionBox.Type, versionBox.Type), cel.IntType,
		twoArguments(func(a, b version) ref.Val { return types.Int(a.compare(b)) }))),
	cel.Function("isGreaterThan", cel.MemberOverload("semver_is_greater_than", args(versionBox.Type, versionBox.Type),
		cel.BoolType,
		twoArguments(func(a, b version) ref.Val { return types.Bool(a.compare(b) > 0) }))),
	cel.Function("isLessThan", cel.MemberOverload("semver_is_less_than", args(versionBox.Type, versionBox.Type),
		cel.BoolType,
		twoArguments(func(a, b version) ref.Val { return types.Bool(a.compare(b) < 0) }))),
}

func versionNumber(name string, i int) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload("semver_"+name, args(versionBox.Type), cel.IntType,
		unary(func(v version) ref.Val { return types.Int(v.numbers[i]) })))
}

func (v version) compare(o version) int {
	if c := slices.Compare(v.numbers[:], o.numbers[:]); c != 0 || len(v.pre) == 0 && len(o.pre) == 0 {
		return c
	}
	if len(v.pre) == 0 || len(o.pre) == 0 {
		return cmp.Compare(len(o.pre), len(v.pre)) // a release is after all that is before it
	}
	return slices.CompareFunc(v.pre, o.pre, func(a, b string) int {
		switch x, y := isNumber(a), isNumber(b); {
		case x && y:
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		case x:
			return -1
		case y:
			return 1
		}
		return cmp.Compare(a, b)
	})
}

const decimals = "0123456789"

func only(s, chars string) bool { return s != "" && strings.Trim(s, chars) == "" }

func isNumber(s string) bool { return only(s, decimals) }

// parseVersion parses a version. If it may be normalized first, it can have a v before it, zeros before numbers, and
// lack the last of them.
func parseVersion(s string, normal bool) (v version, err error) {
	if normal {
		if s, err = normalVersion(s); err != nil {
			return v, err
		}
	}
	if s == "" {
		return v, errors.New("Version string empty")
	}
	s, build, built := strings.Cut(s, "+")
	s, pre, early := strings.Cut(s, "-")
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 {
		return v, errors.New("No Major.Minor.Patch elements found")
	}
	for i, name := range []string{"major", "minor", "patch"} {
		switch part := parts[i]; {
		case !isNumber(part):
			return v, fmt.Errorf("Invalid character(s) found in %s number %q", name, part)
		case len(part) > 1 && part[0] == '0':
			return v, fmt.Errorf("%s number must not contain leading zeroes %q", strings.ToUpper(name[:1])+name[1:], part)
		default:
			if v.numbers[i], err = strconv.ParseUint(part, 10, 64); err != nil {
				return v, err
			}
		}
	}
	if early {
		v.pre = strings.Split(pre, ".")
	}
	for _, part := range v.pre {
		if isNumber(part) && len(part) > 1 && part[0] == '0' {
			return v, fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", part)
		}
		if err := checkPart(part, "Prerelease", "prerelease"); err != nil {
			return v, err
		}
	}
	if built {
		for _, part := range strings.Split(build, ".") {
			if err := checkPart(part, "Build meta data", "build meta data"); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

func checkPart(part, what, in string) error {
	switch {
	case part == "":
		return errors.New(what + " is empty")
	case !only(part, decimals+"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"):
		return fmt.Errorf("Invalid character(s) found in %s %q", in, part)
	}
	return nil
}

func normalVersion(s string) (string, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, part := range parts {
		if len(part) > 1 {
			part = strings.TrimLeft(part, "0")
			if part == "" || !strings.Contains(decimals, part[:1]) {
				part = "0" + part
			}
			parts[i] = part
		}
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return "", errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return strings.Join(parts, "."), nil
}
