package plugins_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func newServiceAccount() plugins.ServiceAccount {
	return plugins.ServiceAccount{
		Always: true,
		Store:  mvcc.New(func() time.Time { return time.Time{} }), Table: schema.Builtin(), Clock: clock.Real(),
		Suffix:  func(string) string { return "xxxxx" },
		Waiting: func(context.Context) func() { return func() {} },
	}
}

// account stores a ServiceAccount in the namespace n.
func account(t *testing.T, p plugins.ServiceAccount, name, rest string) {
	t.Helper()
	text := `{"metadata":{"name":"` + name + `","namespace":"n"` + rest + `}`
	bucket := p.Table.Resource("", "v1", "serviceaccounts").Bucket()
	if _, err := p.Store.Put(bucket, "n/"+name, 0, func(int64) ([]byte, any) { return []byte(text), nil }); err != nil {
		t.Fatal(err)
	}
}

// TestServiceAccount passes new pods through both phases. A phrase in braces of a wanted spec stands for what follows
// from it.
func TestServiceAccount(t *testing.T) {
	p := newServiceAccount()
	account(t, p, "default", `}`)
	account(t, p, "pulls", `},"imagePullSecrets":[{"name":"a"},{"name":"b"}]`)
	account(t, p, "tokenless", `},"automountServiceAccountToken":false`)
	account(t, p, "strict", `,"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}},`+
		`"secrets":[{"name":"own"}],"imagePullSecrets":[{"name":"pull"}],"automountServiceAccountToken":false`)
	pods := p.Table.Resource("", "v1", "pods")
	shorten := strings.NewReplacer(
		"<volume>", `{"name":"kube-api-access-xxxxx","projected":{"defaultMode":420,"sources":[`+
			`{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},`+
			`{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},`+
			`{"downwardAPI":{"items":[{"path":"namespace",`+
			`"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}}`,
		"<mount>", `{"name":"kube-api-access-xxxxx","readOnly":true,`+
			`"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}`,
		"<as default>", `"serviceAccountName":"default","serviceAccount":"default"`,
		"<as strict>", `"serviceAccountName":"strict","serviceAccount":"strict"`)
	parse := func(text string) map[string]any {
		t.Helper()
		obj, _, err := object.Decode([]byte(`{"metadata":{"name":"p"`+shorten.Replace(text)+`}`), pods.Type())
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	const mirror = `,"annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{`
	const refused = `pods "p" is forbidden: `
	const strict = ` is not allowed because service account strict does not reference that secret`
	for _, c := range []struct{ pod, want, refused string }{
		{`},"spec":{"containers":[{"name":"c"}]}`,
			`},"spec":{<as default>,"containers":[{"name":"c","volumeMounts":[<mount>]}],"volumes":[<volume>]}`, ""},
		{`},"spec":{"volumes":[{"name":"v"}],"initContainers":[{"name":"i","volumeMounts":[{"name":"v",` +
			`"mountPath":"/v"}]}],"containers":[{"name":"c","volumeMounts":[{"name":"v",` +
			`"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]}`,
			`},"spec":{<as default>,"volumes":[{"name":"v"},<volume>],"initContainers":[{"name":"i","volumeMounts":[` +
				`{"name":"v","mountPath":"/v"},<mount>]}],"containers":[{"name":"c","volumeMounts":[{"name":"v",` +
				`"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]}`, ""},
		{`},"spec":{"automountServiceAccountToken":false,"containers":[{"name":"c"}]}`,
			`},"spec":{<as default>,"automountServiceAccountToken":false,"containers":[{"name":"c"}]}`, ""},
		{`},"spec":{"serviceAccountName":"tokenless","containers":[{"name":"c"}]}`,
			`},"spec":{"serviceAccountName":"tokenless","serviceAccount":"tokenless","containers":[{"name":"c"}]}`, ""},
		{`},"spec":{"serviceAccountName":"pulls","automountServiceAccountToken":false}`,
			`},"spec":{"serviceAccountName":"pulls","serviceAccount":"pulls","automountServiceAccountToken":false,` +
				`"imagePullSecrets":[{"name":"a"},{"name":"b"}]}`, ""},
		{`},"spec":{"serviceAccountName":"pulls","automountServiceAccountToken":false,"imagePullSecrets":[{"name":"c"}]}`,
			`},"spec":{"serviceAccountName":"pulls","serviceAccount":"pulls","automountServiceAccountToken":false,` +
				`"imagePullSecrets":[{"name":"c"}]}`, ""},
		{`},"spec":{"serviceAccountName":"none"}`, `},"spec":{"serviceAccountName":"none","serviceAccount":"none"}`,
			refused + `error looking up service account n/none: serviceaccount "none" not found`},
		{`},"spec":{"serviceAccountName":"strict","volumes":[{"name":"v","secret":{"secretName":"other"}}]}`,
			`},"spec":{<as strict>,"imagePullSecrets":[{"name":"pull"}],` +
				`"volumes":[{"name":"v","secret":{"secretName":"other"}}]}`,
			refused + `volume with secret.secretName="other"` + strict},
		{`},"spec":{"serviceAccountName":"strict","containers":[{"name":"c","env":[{"name":"A","valueFrom":{"secretKeyRef":` +
			`{"name":"own"}}},{"name":"B","valueFrom":{"secretKeyRef":{"name":"other"}}}]}]}`,
			`},"spec":{<as strict>,"imagePullSecrets":[{"name":"pull"}],"containers":[{"name":"c","env":[{"name":"A",` +
				`"valueFrom":{"secretKeyRef":{"name":"own"}}},{"name":"B","valueFrom":{"secretKeyRef":{"name":"other"}}}]}]}`,
			refused + `container c with envVar B referencing secret.secretName="other"` + strict},
		{`},"spec":{"serviceAccountName":"strict","imagePullSecrets":[{"name":"other"}]}`,
			`},"spec":{<as strict>,"imagePullSecrets":[{"name":"other"}]}`,
			refused + `imagePullSecrets[0].name="other" is not allowed because service account strict does not reference ` +
				`that imagePullSecret`},
		{mirror + `"containers":[{"name":"c"}]}`, mirror + `"containers":[{"name":"c"}]}`, ""},
		{mirror + `"serviceAccountName":"default"}`, mirror + `"serviceAccountName":"default"}`,
			refused + "a mirror pod may not reference service accounts"},
		{mirror + `"volumes":[{"name":"v","rbd":{"secretRef":{"name":"s"}}}]}`,
			mirror + `"volumes":[{"name":"v","rbd":{"secretRef":{"name":"s"}}}]}`,
			refused + "a mirror pod may not reference secrets"},
		{mirror + `"volumes":[<volume>]}`, mirror + `"volumes":[<volume>]}`,
			refused + "a mirror pod may not use ServiceAccountToken volume projections"},
	} {
		a := &admission.Attributes{
			Resource: pods, Namespace: "n", Name: "p", Operation: admission.Create, Object: parse(c.pod),
		}
		if got := message(p.Mutate(t.Context(), a)); got != c.refused {
			t.Errorf("%s: mutating %q, want %q", c.pod, got, c.refused)
		}
		if want := parse(c.want); !object.Equal(a.Object, want) {
			t.Errorf("%s: got %v, want %v", c.pod, a.Object["spec"], want["spec"])
		}
		if got := message(p.Validate(t.Context(), a)); got != c.refused {
			t.Errorf("%s: validating %q, want %q", c.pod, got, c.refused)
		}
	}
}

// TestServiceAccountOfDebugging has ephemeral containers refused for secrets that the account does not have.
func TestServiceAccountOfDebugging(t *testing.T) {
	p := newServiceAccount()
	account(t, p, "strict", `,"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}}`)
	a := &admission.Attributes{
		Resource: p.Table.Resource("", "v1", "pods"), Namespace: "n", Name: "p", Operation: admission.Update,
		Subresource: "ephemeralcontainers",
		Object: map[string]any{"spec": map[string]any{"serviceAccountName": "strict", "ephemeralContainers": []any{
			map[string]any{"name": "e", "envFrom": []any{map[string]any{"secretRef": map[string]any{"name": "s"}}}},
		}}},
	}
	const want = `ephemeral container e with envFrom referencing secret.secretName="s" is not allowed ` +
		`because service account strict does not reference that secret`
	if got := message(p.Validate(t.Context(), a)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Subresource = "" // what is there already is not looked at again
	if got := message(p.Validate(t.Context(), a)); got != "" {
		t.Error(got)
	}
}

// TestServiceAccountIsWaitedFor has a pod wait until there is an account default, or for long enough.
func TestServiceAccountIsWaitedFor(t *testing.T) {
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := newServiceAccount()
			begun := time.Now()
			if comes {
				time.AfterFunc(time.Second, func() { account(t, p, "default", `}`) })
			}
			a := &admission.Attributes{
				Resource: p.Table.Resource("", "v1", "pods"), Namespace: "n", Name: "p", Operation: admission.Create,
				Object: map[string]any{"spec": map[string]any{}},
			}
			want := ""
			if !comes {
				want = `pods "p" is forbidden: error looking up service account n/default: serviceaccount "default" not found`
			}
			if got := message(p.Mutate(t.Context(), a)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if took := time.Since(begun); took < time.Second || took > 2*time.Second {
				t.Errorf("it waits for %v", took)
			}
		})
	}
}
