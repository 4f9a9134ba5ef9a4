package core

import "testing"

// TestPrivileged creates privileged Pods, and those of Windows' HostProcess containers, at a server as clusters have it
// and at one that refuses them.
func TestPrivileged(t *testing.T) {
	const (
		privileged = `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i",` +
			`"securityContext":{"privileged":true}}]}}`
		hostProcess = `{"metadata":{"name":"b"},"spec":{"hostNetwork":true,"os":{"name":"windows"},` +
			`"securityContext":{"windowsOptions":{"hostProcess":true}},"containers":[{"name":"c","image":"i"}]}}`
	)
	for body, refusal := range map[string]string{
		privileged: `Pod "a" is invalid: spec.containers[0].securityContext.privileged: Forbidden: ` +
			"disallowed by cluster policy",
		hostProcess: `Pod "b" is invalid: spec: Forbidden: hostProcess containers are disallowed by cluster policy`,
	} {
		allows, _ := newCluster(t, Options{})
		must(t, allows, 201, "POST", pods, body)
		refuses, _ := newCluster(t, Options{Flags: Flags{RefusePrivileged: true}})
		if got := at(must(t, refuses, 422, "POST", pods, body), "message"); got != refusal {
			t.Errorf("%q, want %q", got, refusal)
		}
	}
}
