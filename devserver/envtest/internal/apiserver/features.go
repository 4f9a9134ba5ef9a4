package apiserver

import (
	_ "embed" // for gates.txt
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
)

//go:embed gates.txt
var gateTable string

// inside are the gates of how a server works inside: answers are the same.
var inside = strings.Fields(`APIServerTracing APIServingWithRoutine AtomicFIFO ComponentFlagz ComponentStatusz
	ConcurrentWatchObjectDecode ContextualLogging DetectCacheInconsistency InOrderInformers LoggingAlphaOptions
	LoggingBetaOptions SizeBasedListCostEstimate StorageNamespaceIndex UnauthenticatedHTTP2DOSMitigation
	WatchCacheInitializationPostStartHook`)

// featureGates reads --feature-gates: NAME=true, or COMPONENT:NAME=true for a component, of which there is one.
func featureGates(given map[string]string) (gates.Set, error) {
	values := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		on, err := strconv.ParseBool(given[name])
		if err != nil {
			return gates.Set{}, fmt.Errorf("--feature-gates: invalid value of %s=%s, err: %w", name, given[name], err)
		}
		gate := strings.TrimPrefix(name, "kube:")
		if gate == "AllAlpha" || gate == "AllBeta" || effective(gate) {
			values[gate] = on
			continue
		}
		switch byDefault, locked, known := gateOf(gate); {
		case !known:
			return gates.Set{}, fmt.Errorf("--feature-gates: unrecognized feature gate: %s", gate)
		case on == byDefault || !locked && slices.Contains(inside, gate):
		case locked:
			return gates.Set{}, fmt.Errorf("--feature-gates: cannot set feature gate %s to %t, feature is locked to %t",
				gate, on, byDefault)
		default:
			return gates.Set{}, fmt.Errorf("--feature-gates: %s=%t cannot be had here: what that gate changes is always as "+
				"it is by default", gate, on)
		}
	}
	set, errs := gates.Set{}.With(values)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		return set, fmt.Errorf("--feature-gates: %w", errs[name])
	}
	return set, nil
}

// effective reports whether a gate has an effect.
func effective(name string) bool {
	return slices.ContainsFunc(gates.Specs(), func(s gates.Spec) bool { return s.Name == name })
}

// gateOf returns the default of one of Kubernetes' gates.
func gateOf(name string) (byDefault, locked, known bool) {
	for line := range strings.Lines(gateTable) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == name {
			return fields[1] == "true", len(fields) > 2, true
		}
	}
	return false, false, false
}

// defaultPlugins are the admission plugins that the real server enables by default, and otherPlugins its others.
var (
	defaultPlugins = strings.Fields(`CertificateApproval CertificateSigning CertificateSubjectRestriction
		ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds JobValidation
		LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceLifecycle NodeDeclaredFeatureValidator
		PersistentVolumeClaimResize PodGroupProtection PodGroupWorkloadExists PodResizeValidator PodSecurity
		PodTopologyLabels Priority ResourceQuota RuntimeClass ServiceAccount StorageObjectInUseProtection
		TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook`)
	otherPlugins = strings.Fields(`AlwaysAdmit AlwaysDeny AlwaysPullImages DenyServiceExternalIPs EventRateLimit
		ExtendedResourceToleration ImagePolicyWebhook LimitPodHardAntiAffinityTopology NamespaceAutoProvision
		NamespaceExists NodeRestriction OwnerReferencesPermissionEnforcement PodNodeSelector PodTolerationRestriction`)
)

// plugins returns the plugins that do not run, and those that run only if they are asked for, which the real server
// runs by default.
func plugins(v *flags.Values, notes io.Writer) (off, on []string, err error) {
	enabled, disabled := v.List("enable-admission-plugins"), v.List("disable-admission-plugins")
	known := slices.Concat(defaultPlugins, otherPlugins)
	for flag, names := range map[string][]string{"enable": enabled, "disable": disabled} {
		for _, name := range names {
			if !slices.Contains(known, name) {
				return nil, nil, fmt.Errorf("%s-admission-plugins plugin %q is unknown", flag, name)
			}
			if flag == "enable" && slices.Contains(disabled, name) {
				return nil, nil, fmt.Errorf("[%s] in enable-admission-plugins and disable-admission-plugins overlapped", name)
			}
		}
	}
	for _, name := range enabled {
		if slices.Contains(core.Plugins(), name) || name == "AlwaysAdmit" {
			continue
		}
		if slices.Contains(defaultPlugins, name) { // which nobody had to ask for
			fmt.Fprintf(notes, "%s: --enable-admission-plugins: %s does not run here\n", Name, name)
			continue
		}
		return nil, nil, fmt.Errorf("--enable-admission-plugins: %s does not run here; these do: %s", name,
			strings.Join(core.Plugins(), ", "))
	}
	return disabled, defaultPlugins, nil
}

// runtimeConfig reads --runtime-config, and returns which types are served; nil: all.
func runtimeConfig(given map[string]string, notes io.Writer) (func(group, version, resource string) bool, error) {
	off := map[string]bool{}
	on := map[string]bool{}
	table := schema.Builtin()
	for _, key := range slices.Sorted(maps.Keys(given)) {
		enable, err := strconv.ParseBool(given[key])
		if err != nil {
			return nil, fmt.Errorf("--runtime-config: invalid value %s=%s", key, given[key])
		}
		if name, ok := strings.CutPrefix(key, "api/"); ok && name != "v1" {
			if err := wholeStage(name, enable, notes); err != nil {
				return nil, err
			}
			if !enable && (name == "all" || name == "ga") {
				off[""] = true
			}
			continue
		}
		group, version, resource, err := splitTypes(key)
		if err != nil {
			return nil, err
		}
		there := slices.ContainsFunc(table.GroupVersion(group, version), func(r *schema.Resource) bool {
			return resource == "" || r.Plural == resource
		})
		switch {
		case there && enable:
			on[group+"/"+version] = true
			on[group+"/"+version+"/"+resource] = true
		case there && core.Needs(group):
			return nil, fmt.Errorf("--runtime-config: %s=false cannot be had here: the server itself needs that group", key)
		case there:
			off[group+"/"+version+"/"+resource] = true
		case enable:
			return nil, fmt.Errorf("--runtime-config: %s=true cannot be had here: served are the types that "+
				"kube-apiserver v1.36.3 serves by default", key)
		}
	}
	if len(off) == 0 {
		return nil, nil
	}
	return func(group, version, resource string) bool {
		if schema.Builtin().Resource(group, version, resource) == nil {
			return true // one that Kubernetes does not have
		}
		switch key := group + "/" + version; {
		case off[key+"/"+resource]:
			return false
		case on[key+"/"+resource]:
			return true
		case off[key+"/"]:
			return false
		default:
			return on[key] || !off[""]
		}
	}, nil
}

// wholeStage says what happens to api/all, api/ga, api/beta and api/alpha.
func wholeStage(name string, enable bool, notes io.Writer) error {
	switch {
	case name == "beta" || name == "alpha" || name == "all" && enable:
		if enable {
			fmt.Fprintf(notes, "%s: --runtime-config=api/%s=true: types that are beta or alpha are not there; all others are\n",
				Name, name)
		}
		return nil
	case name == "ga", name == "all":
		return nil
	}
	return fmt.Errorf("--runtime-config: unknown key api/%s", name)
}

// splitTypes reads GROUP/VERSION, GROUP/VERSION/RESOURCE, or api/v1 and below.
func splitTypes(key string) (group, version, resource string, err error) {
	parts := strings.Split(key, "/")
	if len(parts) < 2 || len(parts) > 3 {
		if key == "v1" {
			return "", "v1", "", nil
		}
		return "", "", "", fmt.Errorf("--runtime-config: %q is neither GROUP/VERSION nor GROUP/VERSION/RESOURCE", key)
	}
	if group = parts[0]; group == "api" {
		group = ""
	}
	if len(parts) == 3 {
		resource = parts[2]
	}
	return group, parts[1], resource, nil
}

// authorization returns the mode of the cluster.
func authorization(v *flags.Values, notes io.Writer) (string, error) {
	modes := v.List("authorization-mode")
	if len(modes) == 0 {
		return credentials.AlwaysAllow, nil
	}
	mode := ""
	for _, m := range modes {
		switch m {
		case "RBAC":
			if mode == "" {
				mode = credentials.RBAC
			}
		case "AlwaysAllow":
			mode = credentials.AlwaysAllow
		case "Node":
			fmt.Fprintf(notes, "%s: --authorization-mode: Node has no effect here: kubelets may do what RBAC lets them do\n",
				Name)
		case "AlwaysDeny", "ABAC", "Webhook":
			return "", fmt.Errorf("--authorization-mode: %s cannot be had here: it is RBAC or AlwaysAllow", m)
		default:
			return "", fmt.Errorf("authorization-mode %q is not a valid mode", m)
		}
	}
	if mode == "" {
		return "", errors.New("--authorization-mode: Node alone cannot be had here: add RBAC")
	}
	return mode, nil
}

// serviceRange reads --service-cluster-ip-range.
func serviceRange(text string) (netip.Prefix, error) {
	if text == "" {
		text = "10.0.0.0/24"
	}
	const flag = "--service-cluster-ip-range"
	first, second, two := strings.Cut(text, ",")
	p, err := netip.ParsePrefix(strings.TrimSpace(first))
	switch {
	case err != nil:
		return p, fmt.Errorf("%s: %w", flag, err)
	case two || !p.Addr().Is4():
		return p, fmt.Errorf("%s: %s%s cannot be had here: Services have addresses of IPv4 only", flag, first, second)
	case p.Bits() < 8 || p.Bits() > 30:
		return p, fmt.Errorf("%s: %s: the range has to be from /8 to /30", flag, text)
	}
	return p.Masked(), nil
}
