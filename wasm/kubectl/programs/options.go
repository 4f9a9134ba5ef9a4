package programs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// options are what a call's flags say.
type options struct {
	values map[string][]string
	// rest are the arguments that are no flags.
	rest []string
}

// has reports whether a flag is given.
func (o options) has(name string) bool { return len(o.values[name]) > 0 }

// value returns the last value of a flag, or another text if it is not given.
func (o options) value(name, otherwise string) string {
	if all := o.values[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return otherwise
}

// number returns the value of a flag as a number that is not negative.
func (o options) number(name string, otherwise int) (int, error) {
	if !o.has(name) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(o.value(name, ""))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("invalid number: ‘%s’", o.value(name, ""))
	}
	return n, nil
}

// A usage says which flags a program has: their names, one after another. "n:" takes a value, "color?" may take one, by
// "=" alone, "ignore-case=i" is another name of i, and "#" stands for a number, as in head -5. With "+" flags end
// at the first argument that is not a flag.
type usage string

// options reads the flags of a call. If it says false, it has complained.
func (c *Call) options(u usage) (options, bool) {
	o := options{values: map[string][]string{}}
	known := strings.Fields(string(u))
	wrong := func(format string, args ...any) (options, bool) {
		c.complain(format, args...)
		return o, false
	}
	for args := c.Args[1:]; len(args) > 0; {
		arg := args[0]
		args = args[1:]
		long, isLong := strings.CutPrefix(arg, "--")
		switch {
		case arg == "--":
			o.rest = append(o.rest, args...)
			return o, true
		case isLong:
			name, value, given := strings.Cut(long, "=")
			flag, kind := lookUp(known, name)
			if flag == "" {
				return wrong("unrecognized option '--%s'", name)
			}
			if kind == ':' && !given {
				if len(args) == 0 {
					return wrong("option '--%s' requires an argument", name)
				}
				value, args = args[0], args[1:]
			}
			if kind == 0 && given {
				return wrong("option '--%s' doesn't allow an argument", name)
			}
			o.values[flag] = append(o.values[flag], value)
		case slices.Contains(known, "#") && len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "0123456789") == "":
			o.values["#"] = append(o.values["#"], arg[1:])
		case len(arg) > 1 && arg[0] == '-':
			for rest := []rune(arg[1:]); len(rest) > 0; {
				name := string(rest[0])
				rest = rest[1:]
				flag, kind := lookUp(known, name)
				value := ""
				if flag == "" {
					return wrong("invalid option -- '%s'", name)
				}
				if kind == ':' {
					if value = string(rest); value == "" {
						if len(args) == 0 {
							return wrong("option requires an argument -- '%s'", name)
						}
						value, args = args[0], args[1:]
					}
					rest = nil
				}
				o.values[flag] = append(o.values[flag], value)
			}
		case slices.Contains(known, "+"):
			o.rest = append(append(o.rest, arg), args...)
			return o, true
		default:
			o.rest = append(o.rest, arg)
		}
	}
	return o, true
}

// lookUp finds a flag by its name, and says whether it takes a value: ':' always, '?' if one is given, 0 never.
func lookUp(known []string, name string) (flag string, kind byte) {
	for _, k := range known {
		if alias, flagName, ok := strings.Cut(k, "="); ok {
			if alias == name {
				return lookUp(known, flagName)
			}
			continue
		}
		switch kind := k[len(k)-1]; kind {
		case ':', '?':
			if k[:len(k)-1] == name {
				return name, kind
			}
		default:
			if k == name && k != "#" && k != "+" {
				return k, 0
			}
		}
	}
	return "", 0
}
