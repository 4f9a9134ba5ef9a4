package podsecurity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// profiles names those with a profile of a type that is not allowed, and these types.
func (p *pod) profiles(name string) (setters string, types []string) {
	setters = p.setters(func(security map[string]any) bool {
		profile := tree.Object(security, name)
		kind := tree.Text(profile, "type")
		if profile == nil || kind == "RuntimeDefault" || kind == "Localhost" {
			return false
		}
		types = append(types, kind)
		return true
	})
	return setters, unique(types)
}

func appArmor(p *pod) (reason, detail string) {
	setters, values := p.profiles("appArmorProfile")
	annotations := 0
	for _, key := range tree.SortedKeys(p.annotations) {
		value := tree.Text(p.annotations, key)
		if strings.HasPrefix(key, "container.apparmor.security.beta.kubernetes.io/") && value != "" &&
			value != "runtime/default" && !strings.HasPrefix(value, "localhost/") {
			values = append(values, fmt.Sprintf("%s=%q", key, value))
			annotations++
		}
	}
	if annotations > 0 {
		if setters != "" {
			setters += " and "
		}
		setters += count("annotation", annotations)
	}
	return by(setters, count("forbidden AppArmor profile", len(values)),
		"must not set AppArmor profile type to "+quoted(values))
}

const defaultCapabilities = " AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP " +
	"SETGID SETPCAP SETUID SYS_CHROOT "

// adds returns the containers that add other capabilities than these, and how that is said.
func (p *pod) adds(allowed string) (names []string, mustNot string) {
	var others []string
	names = p.where(func(security map[string]any) bool {
		before := len(others)
		for _, c := range tree.Texts(tree.Object(security, "capabilities"), "add") {
			if !strings.Contains(allowed, " "+c+" ") {
				others = append(others, c)
			}
		}
		return len(others) > before
	})
	return names, "must not include " + quoted(unique(others)) + " in securityContext.capabilities.add"
}

func capabilities(p *pod) (reason, detail string) {
	names, mustNot := p.adds(defaultCapabilities)
	return of(names, "non-default capabilities", mustNot)
}

func droppedCapabilities(p *pod) (reason, detail string) {
	if p.windows() {
		return "", ""
	}
	var details []string
	_, missing := of(p.where(func(security map[string]any) bool {
		return !slices.Contains(tree.Texts(tree.Object(security, "capabilities"), "drop"), "ALL")
	}), "", `must set securityContext.capabilities.drop=["ALL"]`)
	names, mustNot := p.adds(" NET_BIND_SERVICE ")
	_, added := of(names, "", mustNot)
	for _, text := range []string{missing, added} {
		if text != "" {
			details = append(details, text)
		}
	}
	return violated("unrestricted capabilities", strings.Join(details, "; "))
}

func hostNamespaces(p *pod) (reason, detail string) {
	var shared []string
	for _, name := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		if tree.Bool(p.spec, name) {
			shared = append(shared, name+"=true")
		}
	}
	return violated("host namespaces", strings.Join(shared, ", "))
}

func hostPaths(p *pod) (reason, detail string) {
	var names []string
	for _, v := range tree.Objects(p.spec, "volumes") {
		if v["hostPath"] != nil {
			names = append(names, tree.Text(v, "name"))
		}
	}
	if len(names) == 0 {
		return "", ""
	}
	return "hostPath volumes", these("volume", names)
}

const allowedVolumes = " configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret "

func volumes(p *pod) (reason, detail string) {
	var names, kinds []string
	for _, v := range tree.Objects(p.spec, "volumes") {
		kind := "unknown"
		for _, key := range tree.SortedKeys(v) {
			if key != "name" {
				kind = key
			}
		}
		if !strings.Contains(allowedVolumes, " "+kind+" ") {
			names, kinds = append(names, tree.Text(v, "name")), append(kinds, kind)
		}
	}
	if len(names) == 0 {
		return "", ""
	}
	return "restricted volume types", these("volume", names) + " " + uses(names) + " " +
		these("restricted volume type", unique(kinds))
}

func hostPorts(p *pod) (reason, detail string) {
	var ports []string
	names := p.named(func(c map[string]any) bool {
		before := len(ports)
		for _, port := range tree.Objects(c, "ports") {
			if n, _ := tree.Int(port, "hostPort"); n != 0 {
				ports = append(ports, strconv.FormatInt(n, 10))
			}
		}
		return len(ports) > before
	})
	ports = unique(ports)
	return of(names, "hostPort", uses(names)+" "+count("hostPort", len(ports))+" "+strings.Join(ports, ", "))
}

func hostsOfProbes(p *pod) (reason, detail string) {
	const what = "probe or lifecycle host"
	var hosts []string
	names := p.named(func(c map[string]any) bool {
		before := len(hosts)
		for _, at := range []string{"livenessProbe", "readinessProbe", "startupProbe", "lifecycle.postStart",
			"lifecycle.preStop"} {
			for _, kind := range []string{"httpGet", "tcpSocket"} {
				if host := tree.Text(tree.Object(tree.At(c, at), kind), "host"); host != "" {
					hosts = append(hosts, host)
				}
			}
		}
		return len(hosts) > before
	})
	names = unique(names)
	return of(names, what, uses(names)+" "+these(what, unique(hosts)))
}

func privilegedContainers(p *pod) (reason, detail string) {
	return of(p.where(func(security map[string]any) bool { return tree.Bool(security, "privileged") }), "privileged",
		"must not set securityContext.privileged=true")
}

func procMount(p *pod) (reason, detail string) {
	var kinds []string
	names := p.where(func(security map[string]any) bool {
		kind, set := security["procMount"].(string)
		if set = set && kind != "Default"; set {
			kinds = append(kinds, kind)
		}
		return set
	})
	return of(names, "procMount", "must not set securityContext.procMount to "+quoted(unique(kinds)))
}

func procMountUnlessRelaxed(p *pod) (reason, detail string) {
	if p.relaxed() {
		return "", ""
	}
	return procMount(p)
}

func seLinux(p *pod) (reason, detail string) {
	allowed := "  container_t container_init_t container_kvm_t "
	if p.version >= 31 {
		allowed += "container_engine_t "
	}
	var types []string
	user, role := false, false
	setters := p.setters(func(security map[string]any) bool {
		options := tree.Object(security, "seLinuxOptions")
		kind := tree.Text(options, "type")
		ok := strings.Contains(allowed, " "+kind+" ")
		if !ok {
			types = append(types, kind)
		}
		hasUser, hasRole := tree.Text(options, "user") != "", tree.Text(options, "role") != ""
		user, role = user || hasUser, role || hasRole
		return !ok || hasUser || hasRole
	})
	var bad []string
	if types = unique(types); len(types) > 0 {
		bad = append(bad, these("type", types))
	}
	if user {
		bad = append(bad, "user may not be set")
	}
	if role {
		bad = append(bad, "role may not be set")
	}
	return by(setters, "seLinuxOptions", "set forbidden securityContext.seLinuxOptions: "+strings.Join(bad, "; "))
}

func seccomp(p *pod) (reason, detail string) {
	if p.version >= 19 {
		setters, types := p.profiles("seccompProfile")
		return by(setters, "seccompProfile", "must not set securityContext.seccompProfile.type to "+quoted(types))
	}
	var bad []string
	keys := []string{"seccomp.security.alpha.kubernetes.io/pod"}
	for _, c := range p.containers {
		keys = append(keys, "container.seccomp.security.alpha.kubernetes.io/"+tree.Text(c, "name"))
	}
	for _, key := range keys {
		value, ok := p.annotations[key].(string)
		if ok && value != "runtime/default" && value != "docker/default" && !strings.HasPrefix(value, "localhost/") {
			bad = append(bad, fmt.Sprintf("%s=%q", key, value))
		}
	}
	if bad = unique(bad); len(bad) == 0 {
		return "", ""
	}
	return "seccompProfile", "forbidden " + count("annotation", len(bad)) + " " + strings.Join(bad, ", ")
}

func requiredSeccomp(p *pod) (reason, detail string) {
	if p.windows() {
		return "", ""
	}
	if reason, detail = seccomp(p); reason != "" {
		return reason, detail
	}
	unset := func(security map[string]any) bool { return security["seccompProfile"] == nil }
	if !unset(p.security) {
		return "", ""
	}
	reason, detail = of(p.where(unset), "seccompProfile",
		`must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`)
	return violated(reason, podOr(detail))
}

// podOr says that the pod may do so too.
func podOr(detail string) string {
	if detail == "" {
		return ""
	}
	return "pod or " + detail
}

// safeSysctls are the sysctls that are allowed, each group from a minor version on.
var safeSysctls = []struct {
	from  int
	names string
}{
	{0, " kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range " +
		"net.ipv4.ip_unprivileged_port_start "},
	{27, " net.ipv4.ip_local_reserved_ports "},
	{29, " net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl " +
		"net.ipv4.tcp_keepalive_probes "},
	{32, " net.ipv4.tcp_rmem net.ipv4.tcp_wmem "},
}

func sysctls(p *pod) (reason, detail string) {
	var bad []string
	for _, s := range tree.Objects(p.security, "sysctls") {
		name, safe := tree.Text(s, "name"), false
		for _, group := range safeSysctls {
			safe = safe || p.version >= group.from && strings.Contains(group.names, " "+name+" ")
		}
		if !safe {
			bad = append(bad, name)
		}
	}
	return violated("forbidden sysctls", strings.Join(bad, ", "))
}

func hostProcesses(p *pod) (reason, detail string) {
	return by(p.setters(func(security map[string]any) bool {
		return tree.Bool(tree.Object(security, "windowsOptions"), "hostProcess")
	}), "hostProcess", "must not set securityContext.windowsOptions.hostProcess=true")
}

func escalation(p *pod) (reason, detail string) {
	if p.windows() {
		return "", ""
	}
	return of(p.where(func(security map[string]any) bool { return security["allowPrivilegeEscalation"] != false }),
		"allowPrivilegeEscalation != false", "must set securityContext.allowPrivilegeEscalation=false")
}

func nonRoot(p *pod) (reason, detail string) {
	const why = "runAsNonRoot != true"
	if p.relaxed() {
		return "", ""
	}
	setters := p.setters(func(security map[string]any) bool { return security["runAsNonRoot"] == false })
	if setters != "" || p.security["runAsNonRoot"] == true {
		return by(setters, why, "must not set securityContext.runAsNonRoot=false")
	}
	reason, detail = of(p.where(func(security map[string]any) bool { return security["runAsNonRoot"] == nil }), why,
		"must set securityContext.runAsNonRoot=true")
	return violated(reason, podOr(detail))
}

func rootUser(p *pod) (reason, detail string) {
	if p.relaxed() {
		return "", ""
	}
	return by(p.setters(func(security map[string]any) bool {
		user, set := tree.Int(security, "runAsUser")
		return set && user == 0
	}), "runAsUser=0", "must not set runAsUser=0")
}
