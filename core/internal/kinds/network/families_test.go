package network

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Violations of addresses and their families are reported alone.
func TestFamilies(t *testing.T) {
	const loose = `{"spec":{"clusterIP":"None"}}`
	services := schema.Builtin().Resource("", "v1", "services")
	for _, c := range []struct{ old, object, want string }{
		{"", `{"metadata":{"name":"-"},"spec":{"clusterIP":"x","ports":[]}}`,
			`spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`},
		{"", `{"spec":{"clusterIP":"::1"}}`,
			`spec.clusterIPs[0]: Invalid value: ["::1"]: IPv6 is not configured on this cluster`},
		{"", `{"spec":{"ipFamilies":["IPv6"]}}`, `spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`},
		{"", `{"spec":{"ipFamilyPolicy":"RequireDualStack"}}`, `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": ` +
			"this cluster is not configured for dual-stack services"},
		{"", `{"spec":{"ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4","IPv6"]}}`,
			`spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when ` +
				"multiple IP families are specified"},
		{"", `{"spec":{"ipFamilyPolicy":""}}`, `spec.ipFamilyPolicy: Unsupported value: "": supported values: ` +
			`"PreferDualStack", "RequireDualStack", "SingleStack"`},
		{"", `{"spec":{"type":"ExternalName","externalName":"a.b","ipFamilyPolicy":""}}`,
			"spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services"},
		{"", `{"spec":{"type":"ExternalName","externalName":"a.b","internalTrafficPolicy":""}}`,
			`spec.internalTrafficPolicy: Unsupported value: "": supported values: "Cluster", "Local"`},
		{"", `{"spec":{"type":"ExternalName","externalName":"a.b","internalTrafficPolicy":"Local"}}`, ""},
		{"", `{"spec":{"ports":[{"port":1}],"trafficDistribution":""}}`, `spec.trafficDistribution: Unsupported value: "": ` +
			`supported values: "PreferClose", "PreferSameZone", "PreferSameNode"`},
		{"", loose, ""},
		{loose, loose, ""},
		{loose, `{"spec":{"clusterIP":"None","ipFamilies":["IPv6"]}}`, `spec.ipFamilyPolicy: Invalid value: ` +
			`"RequireDualStack": must be 'SingleStack' to release the secondary IP family`},
		{loose, `{"spec":{"clusterIP":"None","ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4","IPv6"]}}`, ""},
		{loose, `{"spec":{"type":"x","clusterIP":"None","ipFamilyPolicy":"RequireDualStack"}}`, `spec.type: Unsupported ` +
			`value: "x": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"`},
	} {
		ctx := &strategy.Context{Now: func() time.Time { return time.Unix(0, 0) }}
		read := func(text string) map[string]any {
			obj, _, err := object.Decode([]byte(text), services.Type())
			if err != nil {
				t.Fatal(err)
			}
			meta := object.Meta(obj)
			meta["namespace"], meta["uid"], meta["resourceVersion"] = "n", "u", "1"
			if meta["name"] == nil {
				meta["name"] = "a"
			}
			Service.Fill(obj)
			return obj
		}
		obj, old := read(c.object), map[string]any(nil)
		var got []string
		if c.old == "" {
			got = Service.Create(ctx, services, obj).Texts()
		} else {
			if old = read(c.old); len(Service.Create(ctx, services, old)) > 0 {
				t.Fatal("the old one is wrong")
			}
			got = Service.Update(ctx, services, obj, old).Texts()
		}
		if text := strings.Join(got, "\n"); text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.object, text, c.want)
		}
	}
}
