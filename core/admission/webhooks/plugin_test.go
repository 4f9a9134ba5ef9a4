package webhooks_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// stored is the plugin over a store that a webhook was written into directly, and the requests that
// the webhook got.
func stored(t *testing.T, kind string, hook tree) (*webhooks.Plugin, *[]tree) {
	t.Helper()
	table, manual := schema.Builtin(), clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	store := mvcc.New(manual.Now)
	row := table.Resource("admissionregistration.k8s.io", "v1", strings.ToLower(kind)+"webhookconfigurations")
	body, err := json.Marshal(tree{"kind": kind + "WebhookConfiguration", "apiVersion": "admissionregistration.k8s.io/v1",
		"metadata": tree{"name": "x"}, "webhooks": []any{hook}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put(row.Bucket(), "x", 0, func(int64) ([]byte, any) { return body, nil }); err != nil {
		t.Fatal(err)
	}
	var seen []tree
	w := &webhooks.Plugin{
		Store: store, Table: table, NewUID: func() string { return "5d2b1f9e-0000-4000-8000-000000000001" }, Clock: manual,
		Caller: func(_ context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
			var review tree
			if err := json.Unmarshal(c.Body, &review); err != nil {
				return nil, err
			}
			request := review["request"].(tree)
			seen = append(seen, request)
			answer, err := json.Marshal(tree{"kind": "AdmissionReview", "apiVersion": review["apiVersion"],
				"response": tree{"uid": request["uid"], "allowed": true}})
			return &webhooks.Reply{Code: 200, Body: answer}, err
		},
	}
	w.Enable()
	return w, &seen
}

func newWrite(w *webhooks.Plugin, dryRun bool) *admission.Attributes {
	return &admission.Attributes{
		Resource: w.Table.Resource("", "v1", "configmaps"), Namespace: "default", Name: "a",
		Operation: admission.Create, Object: tree{"kind": "ConfigMap", "apiVersion": "v1", "metadata": tree{"name": "a"}},
		DryRun: dryRun, Warn: func(string) {},
	}
}

// Webhooks of an older API may have side effects. They cannot take part in a dry run, which fails
// whatever failurePolicy says.
func TestSideEffects(t *testing.T) {
	for _, kind := range []string{"Mutating", "Validating"} {
		for _, effects := range []string{"Some", "Unknown", "Other"} {
			w, seen := stored(t, kind, config("wh", tree{"sideEffects": effects, "failurePolicy": "Ignore"}))
			act := w.Validate
			if kind == "Mutating" {
				act = w.Mutate
			}
			err := act(context.Background(), newWrite(w, true))
			if want := `admission webhook "wh.example.com" does not support dry run`; err == nil || err.Error() != want ||
				len(*seen) > 0 {
				t.Errorf("%s %s: %v after %d calls", kind, effects, err, len(*seen))
			}
			if err := act(context.Background(), newWrite(w, false)); err != nil || len(*seen) != 1 {
				t.Errorf("%s %s, not dry: %v after %d calls", kind, effects, err, len(*seen))
			}
		}
	}
}

// A webhook gets the user who makes the request.
func TestUserInfo(t *testing.T) {
	w, seen := stored(t, "Validating", config("wh", nil))
	ctx := auth.WithUser(context.Background(),
		&auth.User{Name: "jane", UID: "7", Groups: []string{"g"}, Extra: map[string][]string{"scopes": {"s1"}}})
	if err := w.Validate(ctx, newWrite(w, false)); err != nil {
		t.Fatal(err)
	}
	want := tree{"username": "jane", "uid": "7", "groups": []any{"g"}, "extra": tree{"scopes": []any{"s1"}}}
	if got := (*seen)[0]["userInfo"]; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

// Without a caller the hosts of webhooks are unknown. Writes before Enable are sent to no webhook.
func TestNoCaller(t *testing.T) {
	w, _ := stored(t, "Validating", config("wh", tree{"clientConfig": tree{"url": "https://hooks.example/wh"}}))
	w.Caller = nil
	want := `Internal error occurred: failed calling webhook "wh.example.com": failed to call webhook: Post ` +
		`"https://hooks.example/wh?timeout=10s": dial tcp: lookup hooks.example: no such host`
	if err := w.Validate(context.Background(), newWrite(w, false)); err == nil || err.Error() != want {
		t.Error(err)
	}
	idle := &webhooks.Plugin{Store: w.Store, Table: w.Table}
	if err := idle.Validate(context.Background(), newWrite(w, false)); err != nil {
		t.Error(err)
	}
}
