package podsecurity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestPolicies(t *testing.T) {
	for _, c := range []struct{ labels, want, violations string }{
		{"", "privileged:latest privileged:latest privileged:latest", ""},
		{"enforce=baseline", "baseline:latest privileged:latest baseline:latest", ""},
		{"enforce=restricted enforce-version=v1.20", "restricted:v1.20 privileged:latest restricted:v1.20", ""},
		{"enforce=restricted enforce-version=v1.20 warn-version=v1.9",
			"restricted:v1.20 privileged:latest restricted:v1.9", ""},
		{"enforce=restricted warn=baseline", "restricted:latest privileged:latest baseline:latest", ""},
		{"warn=restricted audit=baseline", "privileged:latest baseline:latest restricted:latest", ""},
		{"enforce=Baseline audit=x warn=y enforce-version=1.2", "restricted:latest privileged:latest privileged:latest",
			"metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"Baseline\": must be one of privileged, " +
				"baseline, restricted; metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: \"1.2\": " +
				"must be \"latest\" or \"v1.x\"; metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: \"x\": must " +
				"be one of privileged, baseline, restricted; metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: " +
				"\"y\": must be one of privileged, baseline, restricted"},
		{"warn-version=v1.01", "privileged:latest privileged:latest privileged:latest",
			"metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"v1.01\": must be \"latest\" or " +
				"\"v1.x\""},
	} {
		labels := map[string]string{}
		for _, label := range strings.Fields(c.labels) {
			name, value, _ := strings.Cut(label, "=")
			labels[labelPrefix+name] = value
		}
		p, errs := policyOf(labels)
		if got := fmt.Sprint(p.enforce, " ", p.audit, " ", p.warn); got != c.want {
			t.Errorf("%s: %s, want %s", c.labels, got, c.want)
		}
		if got := strings.Join(errs.Texts(), "; "); got != c.violations {
			t.Errorf("%s: violations\n%s\nwant\n%s", c.labels, got, c.violations)
		}
	}
}

// kept are the settings of a container that keeps the restricted standard.
const kept = `"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"runAsNonRoot":true,` +
	`"seccompProfile":{"type":"RuntimeDefault"}`

// TestVersions checks in which versions of a standard a pod violates it, and how: from the first on that is
// named, until the next.
func TestVersions(t *testing.T) {
	for _, c := range []struct{ level, spec, want string }{
		{"baseline", `{"containers":[{"name":"a","securityContext":{"procMount":"Unmasked"}}],"hostUsers":false}`,
			`0 procMount (container "a" must not set securityContext.procMount to "Unmasked"); 35`},
		{"restricted", `{"containers":[{"name":"a","securityContext":{"procMount":"Unmasked",` + kept + `}}],` +
			`"hostUsers":false}`,
			`0 procMount (container "a" must not set securityContext.procMount to "Unmasked")`},
		{"restricted", `{"containers":[{"name":"a"}],"os":{"name":"windows"},"securityContext":{"runAsNonRoot":true}}`,
			`0; 8 allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false); ` +
				`19 allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ` +
				`seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or ` +
				`"Localhost"); 22 allowPrivilegeEscalation != false (container "a" must set ` +
				`securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set ` +
				`securityContext.capabilities.drop=["ALL"]), seccompProfile (pod or container "a" must set ` +
				`securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"); 25`},
		{"restricted", `{"containers":[{"name":"a","securityContext":{"runAsUser":0,` + kept + `}}],"hostUsers":false}`,
			`0; 23 runAsUser=0 (container "a" must not set runAsUser=0); 35`},
		{"baseline", `{"securityContext":{"sysctls":[{"name":"net.ipv4.tcp_wmem"},{"name":"net.ipv4.tcp_fin_timeout"}]}}`,
			"0 forbidden sysctls (net.ipv4.tcp_wmem, net.ipv4.tcp_fin_timeout); 29 forbidden sysctls (net.ipv4.tcp_wmem); 32"},
		{"baseline", `{"securityContext":{"seLinuxOptions":{"type":"container_engine_t"}}}`,
			`0 seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t"); 31`},
		{"baseline", `{"containers":[{"name":"a","lifecycle":{"preStop":{"httpGet":{"host":"h"}}}}]}`,
			`0; 34 probe or lifecycle host (container "a" uses probe or lifecycle host "h")`},
		{"baseline", `{"securityContext":{"seccompProfile":{"type":"Unconfined"}}}`,
			`0; 19 seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")`},
		{"restricted", `{"initContainers":[{"name":"a","securityContext":{"capabilities":{"add":["SYS_TIME"],` +
			`"drop":["ALL"]},"allowPrivilegeEscalation":false,"runAsNonRoot":true,"seccompProfile":{"type":"Localhost"}}}]}`,
			`0 non-default capabilities (container "a" must not include "SYS_TIME" in securityContext.capabilities.add); ` +
				`22 unrestricted capabilities (container "a" must not include "SYS_TIME" in securityContext.capabilities.add)`},
		{"restricted", `{"volumes":[{"name":"v","hostPath":{}},{"name":"w","nfs":{}},{"name":"x","csi":{}}]}`,
			`0 restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")`},
		{"baseline", `{"volumes":[{"name":"v","hostPath":{}},{"name":"w","nfs":{}}]}`, `0 hostPath volumes (volume "v")`},
		{"privileged", `{"hostNetwork":true}`, "0"},
	} {
		spec := objecttest.Parse(t, c.spec)
		var got []string
		last := "-"
		for minor := 0; minor <= newest+1; minor++ {
			_, details := standard{slices.Index(levels, c.level), minor}.violations(nil, spec)
			if text := strings.Join(details, ", "); text != last {
				last = text
				got = append(got, strings.TrimSpace(fmt.Sprint(minor, " ", text)))
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s of %s\n got %s\nwant %s", c.level, c.spec, text, c.want)
		}
	}
}

// TestManyPods checks that of many pods some are looked at, and that this is said.
func TestManyPods(t *testing.T) {
	store := mvcc.New(time.Now)
	table := schema.Builtin()
	pods := table.Resource("", "v1", "pods")
	const n = most + 2
	for i := range n {
		name := fmt.Sprintf("p%04d", i)
		value := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"containers":[],"hostIPC":true}}`, name)
		put := func(int64) ([]byte, any) { return []byte(value), nil }
		if _, err := store.Put(pods.Bucket(), "n/"+name, 0, put); err != nil {
			t.Fatal(err)
		}
	}
	var warnings []string
	a := &admission.Attributes{Resource: table.Resource("", "v1", "namespaces"), Name: "n", Operation: admission.Update,
		Warn:   func(text string) { warnings = append(warnings, text) },
		Object: objecttest.Parse(t, `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"baseline"}}}`),
		Old:    map[string]any{},
	}
	if err := (Plugin{Store: store, Table: table}).Validate(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	want := []string{
		fmt.Sprintf("new PodSecurity enforce level only checked against the first %d of %d existing pods", most, n),
		`existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"`,
		fmt.Sprintf("p0000 (and %d other pods): host namespaces", most-1),
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("it warns of\n%q\nwant\n%q", warnings, want)
	}
}
