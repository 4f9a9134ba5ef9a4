package podsecurity

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// A check returns the reason why a pod violates a standard, and in which way; no reason if it does not.
type check func(p *pod) (reason, detail string)

// always is after all versions.
const always = latest + 1

// The checks of the two levels, in the order of their names in the real server, by which violations are listed. Each is
// made from a minor version on. Of the baseline, those whose place a restricted check takes are made at the restricted
// level until that begins.
var (
	ofBaseline = []struct {
		from, until int
		check
	}{
		{0, always, appArmor}, {0, 22, capabilities}, {0, always, hostNamespaces}, {0, 0, hostPaths}, {0, always, hostPorts},
		{34, always, hostsOfProbes}, {0, always, privilegedContainers}, {0, 35, procMountUnlessRelaxed}, {0, always, seLinux},
		{0, 19, seccomp}, {0, always, sysctls}, {0, always, hostProcesses},
	}
	ofRestricted = []struct {
		from int
		check
	}{
		{8, escalation}, {22, droppedCapabilities}, {35, procMount}, {0, volumes}, {0, nonRoot}, {23, rootUser},
		{19, requiredSeccomp},
	}
)

// A pod is checked in a version of a standard.
type pod struct {
	version                     int
	spec, security, annotations map[string]any
	containers                  []map[string]any // of all three kinds
}

// violations returns the reasons for which a pod violates a standard, and the same with their details.
func (s standard) violations(meta, spec map[string]any) (reasons, details []string) {
	if s.level == privileged {
		return nil, nil
	}
	p := &pod{min(s.version, newest), spec, tree.Object(spec, "securityContext"), tree.Object(meta, "annotations"), nil}
	for _, kind := range []string{"initContainers", "containers", "ephemeralContainers"} {
		p.containers = append(p.containers, tree.Objects(spec, kind)...)
	}
	run := func(c check) {
		reason, detail := c(p)
		if reason == "" {
			return
		}
		if reasons = append(reasons, reason); detail != "" {
			reason += " (" + detail + ")"
		}
		details = append(details, reason)
	}
	for _, c := range ofBaseline {
		if p.version >= c.from && (s.level == baseline || p.version < c.until) {
			run(c.check)
		}
	}
	for _, c := range ofRestricted {
		if s.level == restricted && p.version >= c.from {
			run(c.check)
		}
	}
	return reasons, details
}

// relaxed reports whether the pod's users are not those of the host.
func (p *pod) relaxed() bool { return p.version >= 35 && p.spec["hostUsers"] == false }

func (p *pod) windows() bool {
	return p.version >= 25 && tree.Text(tree.Object(p.spec, "os"), "name") == "windows"
}

// where returns the names of the containers whose security context is bad.
func (p *pod) where(bad func(security map[string]any) bool) []string {
	return p.named(func(c map[string]any) bool { return bad(tree.Object(c, "securityContext")) })
}

func (p *pod) named(bad func(container map[string]any) bool) (names []string) {
	for _, c := range p.containers {
		if bad(c) {
			names = append(names, tree.Text(c, "name"))
		}
	}
	return names
}

// setters names the pod, if its security context is bad, and the containers whose one is; it is empty if none is.
func (p *pod) setters(bad func(security map[string]any) bool) string {
	var who []string
	if bad(p.security) {
		who = append(who, "pod")
	}
	if names := p.where(bad); len(names) > 0 {
		who = append(who, these("container", names))
	}
	return strings.Join(who, " and ")
}

func count(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func these(noun string, names []string) string { return count(noun, len(names)) + " " + quoted(names) }

func quoted(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return `"` + strings.Join(names, `", "`) + `"`
}

func uses(names []string) string {
	if len(names) == 1 {
		return "uses"
	}
	return "use"
}

// unique sorts values, each once.
func unique(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

// violated returns a reason if there is a detail.
func violated(reason, detail string) (string, string) {
	if detail == "" {
		return "", ""
	}
	return reason, detail
}

// of is violated for containers.
func of(names []string, reason, must string) (string, string) {
	if len(names) == 0 {
		return "", ""
	}
	return reason, these("container", names) + " " + must
}

// by is violated for those that setters names.
func by(setters, reason, mustNot string) (string, string) {
	if setters == "" {
		return "", ""
	}
	return reason, setters + " " + mustNot
}
