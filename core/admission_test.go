package core

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
)

// TestAdmissionOrder lists the plugins in order, each with the phases that it implements.
func TestAdmissionOrder(t *testing.T) {
	c, _ := newCluster(t, Options{})
	var got []string
	for _, plugin := range c.current.Load().registry.Admission {
		shown := any(plugin)
		switch part := plugin.(type) {
		case mutating:
			shown = part.Mutator
		case validating:
			shown = part.Validator
		}
		text := strings.TrimPrefix(fmt.Sprintf("%T", shown), "*")
		for _, phase := range []struct {
			name string
			has  func() bool
		}{
			{"precheck", func() bool { _, ok := plugin.(admission.Prechecker); return ok }},
			{"mutate", func() bool { _, ok := plugin.(admission.Mutator); return ok }},
			{"check", func() bool { _, ok := plugin.(admission.Checker); return ok }},
			{"validate", func() bool { _, ok := plugin.(admission.Validator); return ok }},
		} {
			if phase.has() {
				text += " " + phase.name
			}
		}
		got = append(got, text)
	}
	want := []string{
		"plugins.Terminating precheck",
		"plugins.NamespaceLifecycle precheck check",
		"controlplane.ChaosStart mutate",
		"plugins.LimitRanger mutate validate",
		"plugins.NodeTaint mutate",
		"podsecurity.Plugin validate",
		"plugins.Priority mutate validate",
		"plugins.DefaultTolerations mutate",
		"plugins.DefaultClass mutate",
		"plugins.StorageProtection mutate",
		"plugins.VolumeExpansion validate",
		"plugins.RuntimeClass mutate validate",
		"plugins.Certificates validate",
		"plugins.DefaultClass mutate",
		"plugins.PodTopology mutate",
		"plugins.NodeFeatures validate",
		"plugins.PodResize validate",
		"policies.Plugin mutate",
		"webhooks.Plugin mutate",
		"policies.Plugin validate",
		"webhooks.Plugin validate",
		"plugins.Requestor mutate",
		"plugins.Escalation check",
		"plugins.ResourceQuota validate",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the chain is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
