package storage

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// fileMode is the rule for the mode of a file in a volume, if set.
var fileMode = rule.All{rule.IfSet{}, rule.Func(func(v any, at field.Path) field.ErrorList {
	if n, ok := v.(int64); ok && (n < 0 || n > 0o777) {
		return field.ErrorList{field.Invalid(at, n, "must be a number between 0 and 0777 (octal), both inclusive")}
	}
	return nil
})}

// keyPath is a rule.Form for the path of a file in a volume whose files come from keys.
func keyPath(path string) []string {
	wrong := valid.RelativePath(path)
	if strings.HasPrefix(path, "..") && !strings.HasPrefix(path, "../") {
		wrong = append(wrong, "must not start with '..'")
	}
	return wrong
}

// absolutePath is a rule.Form.
func absolutePath(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return []string{"must be an absolute path"}
	}
	return nil
}

// iSCSIName is a rule.Form: the name of an iSCSI target or initiator.
func iSCSIName(name string) []string {
	kind, rest := name, ""
	if len(name) > 3 {
		kind, rest = name[:3], name[4:]
	}
	good := false
	switch kind {
	case "iqn":
		date, host, _ := strings.Cut(rest, ".")
		year, month, _ := strings.Cut(date, "-")
		authority, unique, _ := strings.Cut(host, ":")
		good = len(year) == 4 && len(month) == 2 && valid.Digits(year+month) && name[3] == '.' &&
			authority != "" && unique != "" &&
			strings.Trim(authority, valid.Alphanumeric+"-.") == "" && !strings.ContainsAny(unique, "^,;*&$| \t\n")
	case "eui":
		good = len(rest) == 16 && strings.Trim(rest, valid.Alphanumeric) == ""
	case "naa":
		good = len(rest) == 32 && strings.Trim(rest, valid.Alphanumeric) == ""
	default:
		return []string{"must be valid format starting with iqn, eui, or naa"}
	}
	if !good {
		return []string{"must be valid format"}
	}
	return nil
}
