package podsecurity

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// labelPrefix is that of the labels of namespaces, and of annotations in the audit log.
const labelPrefix = "pod-security.kubernetes.io/"

// The levels, the least strict first.
const (
	privileged = iota
	baseline
	restricted
)

var levels = []string{"privileged", "baseline", "restricted"}

// latest is the version of a policy that follows the server's, newest that of the newest check.
const (
	latest = 1 << 30
	newest = 35
)

// A standard is a level as it is in a minor version of Kubernetes.
type standard struct{ level, version int }

func (s standard) String() string {
	if s.version == latest {
		return levels[s.level] + ":latest"
	}
	return fmt.Sprintf("%s:v1.%d", levels[s.level], s.version)
}

// A policy is what the labels of a namespace ask for.
type policy struct{ enforce, audit, warn standard }

// policyOf returns the policy of a namespace with these labels, and the violations of labels that cannot be read: the
// strictest level is enforced then, and nothing audited or warned of.
func policyOf(labels map[string]string) (p policy, errs field.ErrorList) {
	set := map[string]bool{}
	for _, mode := range []struct {
		name     string
		standard *standard
		failed   int
	}{{"enforce", &p.enforce, restricted}, {"audit", &p.audit, privileged}, {"warn", &p.warn, privileged}} {
		mode.standard.version = latest
		read := func(suffix string, parse func(string) error) {
			label := labelPrefix + mode.name + suffix
			value, ok := labels[label]
			if !ok {
				return
			}
			err := parse(value)
			if err != nil {
				errs.Add(field.Invalid(field.Path("metadata.labels").Key(label), value, err.Error()))
			}
			set[mode.name+suffix] = err == nil || mode.name == "warn"
		}
		read("", func(value string) error {
			for level, name := range levels {
				if name == value {
					mode.standard.level = level
					return nil
				}
			}
			mode.standard.level = mode.failed
			return errors.New("must be one of " + strings.Join(levels, ", "))
		})
		read("-version", func(value string) error {
			digits, ok := strings.CutPrefix(value, "v1.")
			minor, err := strconv.ParseUint(digits, 10, 30)
			switch {
			case value == "latest":
			case !ok || err != nil || strconv.FormatUint(minor, 10) != digits:
				return errors.New(`must be "latest" or "v1.x"`)
			default:
				mode.standard.version = int(minor)
			}
			return nil
		})
	}
	if !set["warn"] && set["enforce"] && p.enforce.level > p.warn.level {
		p.warn.level = p.enforce.level
		if !set["warn-version"] {
			p.warn.version = p.enforce.version
		}
	}
	return p, errs
}
