package plugins_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// quotas are the quotas of namespace a, by name, with what of each hard limit is in use.
var quotas = map[string]string{
	"counts": `"status":{"hard":{"configmaps":"2","secrets":"9"},"used":{"configmaps":"1","secrets":"9"}}`,
	"fresh":  `"spec":{"hard":{"configmaps":"0"}}`,
	"pods":   `"status":{"hard":{"pods":"5","requests.cpu":"1"},"used":{"pods":"5","requests.cpu":"900m"}}`,
	"ending": `"spec":{"scopes":["Terminating"]},"status":{"hard":{"pods":"0"},"used":{"pods":"0"}}`,
	"torn":   `"status":{"hard":{"services":"5","services.nodeports":"5"},"used":{"services":"2"}}`,
	"claims": `"status":{"hard":{"requests.storage":"2Gi"},"used":{"requests.storage":"1Gi"}}`,
}

// A server has the quotas and carries out the changes of the plugin.
type server struct {
	plugin  plugins.ResourceQuota
	changes map[string]string
	meet    func(name string, quota map[string]any) error
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{changes: map[string]string{}}
	store, table := mvcc.New(func() time.Time { return time.Time{} }), schema.Builtin()
	row := table.Resource("", "v1", "resourcequotas")
	quota := func(name string) string {
		return `{"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"` + name + `"},` + quotas[name] + `}`
	}
	for name := range quotas {
		put := func(int64) ([]byte, any) { return []byte(quota(name)), nil }
		if _, err := store.Put(row.Bucket(), "a/"+name, 0, put); err != nil {
			t.Fatal(err)
		}
	}
	s.plugin = plugins.ResourceQuota{Store: store, Table: table, Now: func() time.Time { return time.Time{} },
		Update: func(_ context.Context, _, name string, change func(map[string]any) (map[string]any, error)) error {
			q, _, err := object.Decode([]byte(quota(name)), row.Type())
			if err != nil {
				return err
			}
			if s.meet != nil {
				if err := s.meet(name, q); err != nil {
					return err
				}
			}
			q, err = change(q)
			if used, _ := json.Marshal(object.GetMap(q, "status", "used")); err == nil {
				s.changes[name] = string(used)
			}
			return err
		},
	}
	return s
}

// write asks the plugin about a write; parts are operation, namespace, plural, subresource, object and old object.
func (s *server) write(t *testing.T, parts [6]string, dryRun bool) string {
	t.Helper()
	tree := func(text string) (obj map[string]any) {
		if text != "" {
			if err := json.Unmarshal([]byte(text), &obj); err != nil {
				t.Fatal(err)
			}
		}
		return obj
	}
	err := s.plugin.Validate(context.Background(), &admission.Attributes{
		Resource: s.plugin.Table.Resource("", "v1", parts[2]), Namespace: parts[1], Name: "x", Operation: parts[0],
		Subresource: parts[3], Object: tree(parts[4]), Old: tree(parts[5]), DryRun: dryRun,
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

const (
	create, update = admission.Create, admission.Update
	cpu            = `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"200m"}}}]}}`
	less           = `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"150m"}}}]}}`
	ends           = `{"spec":{"activeDeadlineSeconds":1,"containers":[{"name":"c",` +
		`"resources":{"requests":{"cpu":"0"}}}]}}`
	endless = `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"0"}}}]}}`
	claim   = `{"spec":{"resources":{"requests":{"storage":"1Gi"}}}}`
	granted = `{"spec":{"resources":{"requests":{"storage":"1Gi"}}},` +
		`"status":{"allocatedResources":{"storage":"9Gi"}}}`
)

func TestResourceQuota(t *testing.T) {
	for _, test := range []struct {
		write   [6]string
		refusal string
		changes string
	}{
		{[6]string{create, "a", "configmaps", "", `{}`}, "", `{"counts":"{\"configmaps\":\"2\",\"secrets\":\"9\"}"}`},
		{[6]string{create, "b", "configmaps", "", `{}`}, "", `{}`},
		{[6]string{update, "a", "configmaps", "", `{}`, `{}`}, "", `{}`},
		{[6]string{admission.Delete, "a", "configmaps", "", "", `{}`}, "", `{}`},
		{[6]string{create, "", "namespaces", "", `{}`}, "", `{}`},
		{[6]string{create, "a", "events", "", `{}`}, "", `{}`},
		{[6]string{create, "a", "serviceaccounts", "token", `{}`}, "", `{}`},
		{[6]string{create, "a", "secrets", "", `{}`}, `secrets "x" is forbidden: exceeded quota: counts, requested: ` +
			`secrets=1, used: secrets=9, limited: secrets=9`, `{}`},
		{[6]string{create, "a", "services", "", `{}`}, `services "x" is forbidden: status unknown for quota: torn, ` +
			`resources: services,services.nodeports`, `{}`},
		{[6]string{create, "a", "pods", "", `{"spec":{"containers":[{"name":"c"}]}}`}, `pods "x" is forbidden: failed ` +
			`quota: pods: must specify requests.cpu for: c`, `{}`},
		{[6]string{create, "a", "pods", "", cpu}, `pods "x" is forbidden: exceeded quota: pods, requested: pods=1,` +
			`requests.cpu=200m, used: pods=5,requests.cpu=900m, limited: pods=5,requests.cpu=1`, `{}`},
		{[6]string{update, "a", "pods", "", cpu, less}, "", `{}`},
		{[6]string{update, "a", "pods", "status", cpu, less}, "", `{}`},
		{[6]string{update, "a", "pods", "resize", cpu, less}, "",
			`{"pods":"{\"pods\":\"5\",\"requests.cpu\":\"950m\"}"}`},
		{[6]string{update, "a", "pods", "resize", less, cpu}, "", `{}`},
		{[6]string{update, "a", "pods", "resize", cpu, endless}, `pods "x" is forbidden: exceeded quota: pods, ` +
			`requested: requests.cpu=200m, used: requests.cpu=900m, limited: requests.cpu=1`, `{}`},
		{[6]string{update, "a", "pods", "", ends, endless}, `pods "x" is forbidden: exceeded quota: ending, ` +
			`requested: pods=1, used: pods=0, limited: pods=0`, `{}`},
		{[6]string{update, "a", "pods", "", endless, ends}, "", `{}`},
		{[6]string{create, "a", "persistentvolumeclaims", "", claim}, "", `{"claims":"{\"requests.storage\":\"2Gi\"}"}`},
		{[6]string{update, "a", "persistentvolumeclaims", "", granted, claim}, `persistentvolumeclaims "x" is forbidden: ` +
			`exceeded quota: claims, requested: requests.storage=8Gi, used: requests.storage=1Gi, limited: ` +
			`requests.storage=2Gi`, `{}`},
		{[6]string{update, "a", "persistentvolumeclaims", "status", granted, claim}, "",
			`{"claims":"{\"requests.storage\":\"9Gi\"}"}`},
	} {
		for _, dryRun := range []bool{true, false} {
			s := newServer(t)
			got := s.write(t, test.write, dryRun)
			changes, _ := json.Marshal(s.changes)
			want := test.changes
			if dryRun {
				want = `{}`
			}
			if got != test.refusal || string(changes) != want {
				t.Errorf("%q, dry run %v:\n%s\n%s", test.write, dryRun, got, changes)
			}
		}
	}
}

// TestMeanwhile checks writes that meet others at the quota.
func TestMeanwhile(t *testing.T) {
	request := [6]string{create, "a", "configmaps", "", `{}`}
	failed := errors.New("no space")
	for name, test := range map[string]struct {
		meet          func(name string, quota map[string]any) error
		refusal, used string
	}{
		"used by another": {func(_ string, q map[string]any) error {
			object.SetNested(q, "2", "status", "used", "configmaps")
			return nil
		}, `configmaps "x" is forbidden: exceeded quota: counts, requested: configmaps=1, used: configmaps=2, limited: ` +
			`configmaps=2`, ""},
		"given back": {func(_ string, q map[string]any) error {
			object.SetNested(q, "0", "status", "used", "configmaps")
			return nil
		}, "", `{"configmaps":"1","secrets":"9"}`},
		"lifted": {func(_ string, q map[string]any) error {
			object.RemoveNested(q, "status")
			return nil
		}, "", `null`},
		"deleted": {func(name string, _ map[string]any) error {
			return status.NewNotFound(status.GroupResource{Resource: "resourcequotas"}, name)
		}, "", ""},
		"failed": {func(string, map[string]any) error { return failed }, failed.Error(), ""},
	} {
		s := newServer(t)
		s.meet = test.meet
		if got := s.write(t, request, false); got != test.refusal || s.changes["counts"] != test.used {
			t.Errorf("%s: %q, %q", name, got, s.changes["counts"])
		}
	}
}
