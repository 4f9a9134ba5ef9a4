package controller

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
)

// TestTracking wants the ConfigMap to exist, half an hour after the last creation at the earliest, with a date.
func TestTracking(t *testing.T) {
	const path = "configmaps/kube-system/" + trackingConfigMap
	c := newCluster(t, false)
	c.create("namespaces/kube-system")
	c.expect("ADDED namespaces/kube-system")
	s := newSet(c.Registry, track(c.Registry))
	s.Switch(true)
	s.Start()
	t.Cleanup(s.Stop)
	c.expect("ADDED " + path)
	since := func() string {
		t.Helper()
		obj := c.read(path)
		managers := object.GetList(obj, "metadata", "managedFields")
		last, _ := managers[len(managers)-1].(map[string]any)
		return object.GetString(last, "manager") + " " + object.GetString(obj, "data", "since")
	}
	if got := since(); got != "kube-apiserver 2026-11-20" {
		t.Error(got)
	}
	c.clock.Advance(24 * time.Hour)
	c.update(path, func(obj map[string]any) { object.SetNested(obj, "yesterday", "data", "since") })
	c.expect("MODIFIED "+path, "MODIFIED "+path)
	if got := since(); got != "kube-apiserver 2026-11-21" {
		t.Error(got)
	}
	c.delete(path) // a day after its creation
	c.expect("DELETED "+path, "ADDED "+path)
	c.delete(path)
	c.expect("DELETED " + path)
	c.clock.AwaitTimers(1)
	c.pass(29 * time.Minute)
	c.pass(time.Minute)
	c.expect("ADDED " + path)
}
