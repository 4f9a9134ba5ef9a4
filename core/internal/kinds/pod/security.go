package pod

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// podSecurity returns the violations of the securityContext of a pod.
func (c *specCheck) podSecurity(at field.Path) field.ErrorList {
	sc := tree.Object(c.spec, "securityContext")
	if len(sc) == 0 {
		return nil
	}
	errs := podSecurityRules.Check(sc, at)
	if tree.Bool(c.spec, "hostPID") && tree.Bool(c.spec, "shareProcessNamespace") {
		errs.Add(field.Invalid(at.Child("shareProcessNamespace"), true,
			"ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	seen := map[string]bool{}
	for i, s := range tree.Objects(sc, "sysctls") {
		name, at := tree.Text(s, "name"), at.Child("sysctls").Index(i).Child("name")
		switch {
		case name == "":
			errs.Add(field.Required(at, ""))
		case !sysctlName(name):
			errs.Add(field.Invalid(at, name, `must have at most 253 characters and match regex `+
				`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`))
		case seen[name]:
			errs.Add(field.Duplicate(at, name))
		}
		seen[name] = true
		for _, host := range hostSysctls {
			if tree.Bool(c.spec, host.field) && strings.HasPrefix(strings.ReplaceAll(name, "/", "."), host.prefix) {
				errs.Add(field.Invalid(at, name, "may not be specified when '"+host.field+"' is true"))
			}
		}
	}
	errs.Add(fsGroupPolicyRules.Check(sc, at)...)
	errs.Add(validateSeccomp(tree.Object(sc, "seccompProfile"), at.Child("seccompProfile"))...)
	errs.Add(validateWindowsOptions(tree.Object(sc, "windowsOptions"), at.Child("windowsOptions"))...)
	errs.Add(validateAppArmor(tree.Object(sc, "appArmorProfile"), at.Child("appArmorProfile"))...)
	return append(errs, securityPolicyRules.Check(sc, at)...)
}

var podSecurityRules = rule.Fields{
	{Key: "fsGroup", Is: valid.POSIXID},
	{Key: "runAsUser", Is: valid.POSIXID},
	{Key: "runAsGroup", Is: valid.POSIXID},
	{Key: "supplementalGroups", Is: rule.Each{Is: valid.POSIXID}},
}

var fsGroupPolicyRules = rule.Fields{
	{Key: "fsGroupChangePolicy", Is: rule.All{rule.IfSet{}, rule.Enum(enum.PodFSGroupChangePolicy)}},
}

var securityPolicyRules = rule.Fields{
	{Key: "supplementalGroupsPolicy", Is: rule.All{rule.IfSet{}, rule.Enum(enum.SupplementalGroupsPolicy)}},
	{Key: "seLinuxChangePolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Recursive"}}},
}

// hostSysctls are the prefixes of sysctls that affect the host if a field is set.
var hostSysctls = []struct{ field, prefix string }{
	{"hostNetwork", "net."},
	{"hostIPC", "kernel.shm"}, {"hostIPC", "kernel.msg"}, {"hostIPC", "kernel.sem"}, {"hostIPC", "fs.mqueue."},
}

// sysctlName reports whether a text is the name of a sysctl.
func sysctlName(name string) bool {
	for _, part := range strings.Split(strings.ReplaceAll(name, "/", "."), ".") {
		if part == "" || strings.Trim(part, "-_") != part ||
			strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return len(name) <= 253
}

// containerSecurity returns the violations of the securityContext of a container.
func (c *specCheck) containerSecurity(sc map[string]any, at field.Path) field.ErrorList {
	if sc == nil {
		return nil
	}
	var errs field.ErrorList
	if tree.Bool(sc, "privileged") {
		errs.Add(strategy.Privileged(at.Child("privileged"), ""))
	}
	errs.Add(containerSecurityRules.Check(sc, at)...)
	if mount := tree.Text(sc, "procMount"); mount == "Unmasked" && c.spec["hostUsers"] != false {
		errs.Add(field.Invalid(at.Child("procMount"), mount, "`hostUsers` must be false to use `Unmasked`"))
	}
	errs.Add(validateSeccomp(tree.Object(sc, "seccompProfile"), at.Child("seccompProfile"))...)
	if sc["allowPrivilegeEscalation"] == false {
		if tree.Bool(sc, "privileged") {
			errs.Add(field.Invalid(at, shape.SecurityContext.Print(sc),
				"cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
		}
		for _, capability := range tree.Texts(tree.Object(sc, "capabilities"), "add") {
			if capability == "CAP_SYS_ADMIN" {
				errs.Add(field.Invalid(at, shape.SecurityContext.Print(sc),
					"cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
			}
		}
	}
	errs.Add(validateWindowsOptions(tree.Object(sc, "windowsOptions"), at.Child("windowsOptions"))...)
	return append(errs, validateAppArmor(tree.Object(sc, "appArmorProfile"), at.Child("appArmorProfile"))...)
}

var containerSecurityRules = rule.Fields{
	{Key: "runAsUser", Is: valid.POSIXID},
	{Key: "runAsGroup", Is: valid.POSIXID},
	{Key: "procMount", Is: rule.All{rule.IfSet{}, rule.Enum(enum.ProcMountType)}},
}

var profileTypes = []string{"Localhost", "RuntimeDefault", "Unconfined"}

func validateSeccomp(p map[string]any, at field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	local := at.Child("localhostProfile")
	errs := validateProfileType(p, at, "type is required when seccompProfile is set")
	switch path, set := p["localhostProfile"].(string); {
	case tree.Text(p, "type") != "Localhost":
		if set {
			errs.Add(field.Invalid(local, shape.SeccompProfile.Print(p),
				"can only be set when seccomp type is Localhost"))
		}
	case !set:
		errs.Add(field.Required(local, "must be set when seccomp type is Localhost"))
	default:
		errs.Add(rule.Invalid(local, path, valid.RelativePath(path))...)
	}
	return errs
}

// validateProfileType returns the violation of the type of a profile.
func validateProfileType(p map[string]any, at field.Path, missing string) field.ErrorList {
	if tree.Text(p, "type") == "" {
		return field.ErrorList{field.Required(at.Child("type"), missing)}
	}
	return rule.RequireOneOf(p, at, "type", profileTypes...)
}

func validateAppArmor(p map[string]any, at field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	local := at.Child("localhostProfile")
	path, set := p["localhostProfile"].(string)
	errs := validateProfileType(p, at, "type is required when appArmorProfile is set")
	switch trimmed := strings.TrimSpace(path); {
	case errs != nil:
	case tree.Text(p, "type") != "Localhost":
		if set {
			errs.Add(field.Invalid(local, path, "can only be set when AppArmor type is Localhost"))
		}
	case trimmed != path:
		errs.Add(field.Invalid(local, path, "must not be padded with whitespace"))
	case path == "":
		errs.Add(field.Required(local, "must be set when AppArmor type is Localhost"))
	case len(path) > 4095:
		errs.Add(field.TooLong(local, 4095))
	}
	return errs
}

func validateWindowsOptions(o map[string]any, at field.Path) field.ErrorList {
	if o == nil {
		return nil
	}
	var errs field.ErrorList
	if name, ok := o["gmsaCredentialSpecName"].(string); ok {
		errs.Add(rule.Invalid(at.Child("gmsaCredentialSpecName"), name, syntax.Subdomain(name))...)
	}
	if spec, ok := o["gmsaCredentialSpec"].(string); ok {
		if spec == "" {
			errs.Add(field.Invalid(at.Child("gmsaCredentialSpec"), spec, "gmsaCredentialSpec cannot be an empty string"))
		} else if len(spec) > 64<<10 {
			errs.Add(field.Invalid(at.Child("gmsaCredentialSpec"), spec, "gmsaCredentialSpec size must be under 64 KiB"))
		}
	}
	if name, ok := o["runAsUserName"].(string); ok {
		for _, wrong := range windowsUser(name) {
			errs.Add(field.Invalid(at.Child("runAsUserName"), name, "runAsUserName"+wrong))
		}
	}
	return errs
}

// windowsUser returns the violation of a Windows user name, which may have a domain.
func windowsUser(name string) (wrong []string) {
	domain, user, hasDomain := strings.Cut(name, `\`)
	switch {
	case name == "":
		return []string{" cannot be an empty string"}
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return []string{" cannot contain control characters"}
	case strings.Contains(user, `\`):
		return []string{" cannot contain more than one backslash"}
	case !hasDomain:
		domain, user = "", name
	}
	if len(domain) >= 256 {
		wrong = append(wrong, "'s Domain length must be under 256 characters")
	}
	netBIOS := domain != "" && len([]rune(domain)) <= 15 && domain[0] != '.' && !strings.ContainsAny(domain, `/:*?"<>|`)
	if hasDomain && !netBIOS && syntax.Subdomain(strings.ToLower(domain)) != nil {
		wrong = append(wrong, "'s Domain doesn't match the NetBios nor the DNS format")
	}
	if user == "" {
		wrong = append(wrong, "'s User cannot be empty")
	} else if len(user) > 104 {
		wrong = append(wrong, "'s User length must not be longer than 104 characters")
	}
	if user != "" && strings.Trim(user, ". ") == "" {
		wrong = append(wrong, "'s User cannot contain only periods or spaces")
	}
	if strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`) {
		wrong = append(wrong, `'s User cannot contain the following characters: "/\:;|=,+*?<>@[]`)
	}
	return wrong
}

// hostProcess returns the violations of Windows HostProcess containers: all or none must be.
func (c *specCheck) hostProcess(at field.Path) field.ErrorList {
	var errs field.ErrorList
	whole, some := tree.At(c.spec, "securityContext.windowsOptions")["hostProcess"].(bool)
	all := placed(c.spec, at)
	n := 0
	for _, p := range all {
		is, set := tree.At(p.c, "securityContext.windowsOptions")["hostProcess"].(bool)
		if some && set && is != whole {
			errs.Add(field.Invalid(p.at.Child("securityContext", "windowsOptions", "hostProcess"), is,
				fmt.Sprintf("pod hostProcess value must be identical if both are specified, was %v", whole)))
		}
		if set && is || !set && whole {
			n++
		}
	}
	if n == 0 {
		return errs
	}
	if n != len(all) {
		errs.Add(field.Invalid(at, "",
			"If pod contains any hostProcess containers then all containers must be HostProcess containers"))
	}
	if !tree.Bool(c.spec, "hostNetwork") {
		errs.Add(field.Invalid(at.Child("hostNetwork"), false,
			"hostNetwork must be true if pod contains any hostProcess containers"))
	}
	return append(errs, strategy.Privileged(at, "hostProcess containers are "))
}

// The fields that a pod and a container for Windows must not have: of the securityContext, or after
// a slash of the spec.
var (
	notOnWindows = strings.Fields(`appArmorProfile seLinuxOptions /hostUsers /hostPID /hostIPC seccompProfile fsGroup
		fsGroupChangePolicy sysctls /shareProcessNamespace runAsUser runAsGroup supplementalGroups
		supplementalGroupsPolicy seLinuxChangePolicy`)
	notInWindows = strings.Fields(`appArmorProfile seLinuxOptions seccompProfile capabilities readOnlyRootFilesystem
		privileged allowPrivilegeEscalation procMount runAsUser runAsGroup`)
)

// system returns the violations of the operating system of a pod, and of fields that are
// for another.
func (c *specCheck) system(at field.Path) field.ErrorList {
	var errs field.ErrorList
	os := tree.Object(c.spec, "os")
	if os == nil {
		return nil
	}
	forbid := func(sc map[string]any, at field.Path, names []string, text string) {
		for _, name := range names {
			from, path := sc, at.Child("securityContext", name)
			if bare, ok := strings.CutPrefix(name, "/"); ok {
				from, name, path = c.spec, bare, at.Child(bare)
			}
			if from[name] != nil {
				errs.Add(field.Forbidden(path, text))
			}
		}
	}
	names, inside, text := notOnWindows, notInWindows, "cannot be set for a windows pod"
	switch name := tree.Text(os, "name"); name {
	case "":
		return field.ErrorList{field.Required(at.Child("os", "name"), "")}
	case "linux":
		names, text = []string{"windowsOptions"}, "windows options cannot be set for a linux pod"
		inside = names
	case "windows":
	default:
		return field.ErrorList{field.NotSupported(at.Child("os"), name, "linux", "windows")}
	}
	forbid(tree.Object(c.spec, "securityContext"), at, names, text)
	for _, p := range placed(c.spec, at) {
		forbid(tree.Object(p.c, "securityContext"), p.at, inside, text)
	}
	return errs
}
