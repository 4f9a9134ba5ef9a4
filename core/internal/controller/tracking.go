package controller

import (
	"context"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

const (
	trackingConfigMap = "kube-apiserver-legacy-service-account-token-tracking"
	trackingSince     = "since"
	// trackingEvery is the time between two creations at least: servers that do not track would delete it each time.
	trackingEvery = 30 * time.Minute
)

// Tracking returns the ConfigMap that says since which day the API server notes when the tokens of Secrets are used.
func Tracking(now time.Time) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": trackingConfigMap, "namespace": "kube-system"},
		"data":     map[string]any{trackingSince: day(now)},
	}
}

func day(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// track creates that ConfigMap again if it was deleted, and writes the day if that cannot be read.
func track(r *registry.Registry) plan {
	t := &tracker{client: client{r}, at: registry.Target{
		Resource: r.Table.Resource("", "v1", "configmaps"), Namespace: "kube-system", Name: trackingConfigMap,
	}}
	return one(t.at, t.reconcile)
}

type tracker struct {
	client
	at registry.Target
	// created is when it was last created, as far as is known.
	created time.Time
}

func (t *tracker) reconcile(ctx context.Context, _ string) (time.Duration, error) {
	o := options("")
	o.Manager = definitionManager
	obj, err := t.get(ctx, t.at)
	if err != nil {
		return 0, err
	}
	now := t.registry.Clock.Now()
	if obj == nil {
		if wait := t.created.Add(trackingEvery).Sub(now); wait > 0 {
			return wait, nil
		}
		o.Tree["kind"] = "CreateOptions"
		if _, err = t.registry.Create(ctx, t.at, Tracking(now), o); err == nil {
			t.created = now
		}
		return 0, err
	}
	if made, err := time.Parse(time.RFC3339, object.GetString(obj, "metadata", "creationTimestamp")); err == nil {
		t.created = made
	}
	if _, err := time.Parse(time.DateOnly, object.GetString(obj, "data", trackingSince)); err == nil {
		return 0, nil
	}
	o.Tree["kind"] = "UpdateOptions"
	return 0, t.changeWith(ctx, t.at, object.UID(obj), func(old map[string]any) (map[string]any, error) {
		object.SetNested(old, day(now), "data", trackingSince)
		return old, nil
	}, o)
}
