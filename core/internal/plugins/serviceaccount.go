package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

const (
	mirrorAnnotation  = "kubernetes.io/config.mirror"
	enforceAnnotation = "kubernetes.io/enforce-mountable-secrets"
	// tokenVolume begins the name of the volume with a pod's token, and tokenPath is where it is mounted.
	tokenVolume = "kube-api-access-"
	tokenPath   = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenSeconds is how long that token is said to be valid.
	tokenSeconds = int64(3607)
)

// The account default is made by a controller: a new pod waits for it, so often and so long each time.
const (
	looks    = 10
	lookPace = 150 * time.Millisecond
)

// ServiceAccount is the admission plugin ServiceAccount: a new pod has an account that exists, default if it names
// none, gets its pull secrets, and a volume with its token that all containers mount. A mirror pod has none of these.
//
// A new pod costs two lookups and decodings of the account, one in each phase. Without its account, if that is default,
// it waits for more than a second.
//
// Set its fields before use.
type ServiceAccount struct {
	// Always says that it does so at all times, otherwise while Now reports that.
	Always bool
	Now    func() bool
	// Store has the ServiceAccounts, and Table their type.
	Store *mvcc.Store
	Table *schema.Table
	Clock clock.Clock
	// Suffix is a random one for the volume's name of a pod in a namespace.
	Suffix func(namespace string) string
	// Waiting is called before a request waits, and what it returns afterwards.
	Waiting func(ctx context.Context) func()
}

var (
	_ admission.Mutator   = ServiceAccount{}
	_ admission.Validator = ServiceAccount{}
)

// Mutate completes a new pod.
func (p ServiceAccount) Mutate(ctx context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || !a.Is("", "pods") || !p.active() {
		return nil
	}
	if isMirror(a.Object) {
		return p.Validate(ctx, a)
	}
	spec := tree.Make(a.Object, "spec")
	if tree.Text(spec, "serviceAccountName") == "" {
		spec["serviceAccountName"] = "default"
	}
	spec["serviceAccount"] = spec["serviceAccountName"]
	account, err := p.account(ctx, a, spec)
	if err != nil {
		return err
	}
	if mounts(account, spec) {
		p.mount(a, spec)
	}
	if len(tree.List(spec, "imagePullSecrets")) == 0 {
		if secrets := tree.Objects(account, "imagePullSecrets"); len(secrets) > 0 {
			var all []any
			for _, s := range secrets {
				all = append(all, map[string]any{"name": tree.Text(s, "name")})
			}
			spec["imagePullSecrets"] = all
		}
	}
	return p.Validate(ctx, a)
}

// Validate refuses a pod that its account does not allow.
func (p ServiceAccount) Validate(ctx context.Context, a *admission.Attributes) error {
	isNew := a.Operation == admission.Create && a.Is("", "pods")
	debugs := a.Operation == admission.Update && a.Plural == "pods" && a.Group == "" &&
		a.Subresource == "ephemeralcontainers"
	if !isNew && !debugs || !p.active() {
		return nil
	}
	spec := tree.Object(a.Object, "spec")
	if isNew && isMirror(a.Object) {
		if why := refusedMirror(spec); why != "" {
			return a.Forbidden(why)
		}
		return nil
	}
	if tree.Text(spec, "serviceAccountName") == "" {
		if !p.Always {
			return nil // it began when none was needed
		}
		return a.Forbidden(fmt.Sprintf("no service account specified for pod %s/%s", a.Namespace, object.Name(a.Object)))
	}
	account, err := p.account(ctx, a, spec)
	if err != nil {
		return err
	}
	if on, _ := strconv.ParseBool(object.GetString(account, "metadata", "annotations", enforceAnnotation)); !on {
		return nil
	}
	why := notMountable(account, spec, debugs)
	switch {
	case why == "":
		return nil
	case debugs: // a plain error, which the real server answers with a 500
		return errors.New(why)
	}
	return a.Forbidden(why)
}

func (p ServiceAccount) active() bool { return p.Always || p.Now() }

// account returns the account of a pod. It must not be changed.
func (p ServiceAccount) account(
	ctx context.Context, a *admission.Attributes, spec map[string]any,
) (map[string]any, error) {
	name := tree.Text(spec, "serviceAccountName")
	accounts := p.Table.Resource("", "v1", "serviceaccounts")
	for look := 1; ; look++ {
		account, err := admission.Stored(p.Store, accounts, a.Namespace+"/"+name)
		if err != nil || account != nil {
			return account, err
		}
		if name != "default" || look == looks {
			return nil, a.Forbidden(fmt.Sprintf("error looking up service account %s/%s: serviceaccount %q not found",
				a.Namespace, name, name))
		}
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
}

func (p ServiceAccount) wait(ctx context.Context) error {
	defer p.Waiting(ctx)()
	timer := p.Clock.NewTimer(lookPace)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mount gives a pod the volume with its token, unless it has one, and mounts that in each container that has nothing at
// its path.
func (p ServiceAccount) mount(a *admission.Attributes, spec map[string]any) {
	name := ""
	for _, v := range tree.Objects(spec, "volumes") {
		if strings.HasPrefix(tree.Text(v, "name"), tokenVolume) {
			name = tree.Text(v, "name")
			break
		}
	}
	has := name != ""
	if !has {
		name = tokenVolume + p.Suffix(a.Namespace)
	}
	needed := false
	for _, kind := range []string{"initContainers", "containers"} {
		for _, c := range tree.Objects(spec, kind) {
			if tree.Has(tree.Objects(c, "volumeMounts"), "mountPath", tokenPath) {
				continue
			}
			needed = true
			c["volumeMounts"] = append(tree.List(c, "volumeMounts"), map[string]any{
				"name": name, "readOnly": true, "mountPath": tokenPath,
			})
		}
	}
	if has || !needed {
		return
	}
	spec["volumes"] = append(tree.List(spec, "volumes"), map[string]any{"name": name, "projected": map[string]any{
		"defaultMode": int64(420),
		"sources": []any{
			map[string]any{"serviceAccountToken": map[string]any{"path": "token", "expirationSeconds": tokenSeconds}},
			map[string]any{"configMap": map[string]any{
				"name": "kube-root-ca.crt", "items": []any{map[string]any{"key": "ca.crt", "path": "ca.crt"}},
			}},
			map[string]any{"downwardAPI": map[string]any{"items": []any{map[string]any{
				"path": "namespace", "fieldRef": map[string]any{"apiVersion": "v1", "fieldPath": "metadata.namespace"},
			}}}},
		},
	}})
}

func isMirror(pod map[string]any) bool {
	_, ok := object.Get(pod, "metadata", "annotations", mirrorAnnotation)
	return ok
}

// mounts reports whether a pod gets its account's token: what it says comes before what the account says.
func mounts(account, spec map[string]any) bool {
	for _, m := range []map[string]any{spec, account} {
		if on, ok := m["automountServiceAccountToken"].(bool); ok {
			return on
		}
	}
	return true
}

// refusedMirror says why a mirror pod is refused; "" if it is not.
func refusedMirror(spec map[string]any) string {
	switch {
	case tree.Text(spec, "serviceAccountName") != "":
		return "a mirror pod may not reference service accounts"
	case hasSecrets(spec):
		return "a mirror pod may not reference secrets"
	}
	for _, v := range tree.Objects(spec, "volumes") {
		for _, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
			if source["serviceAccountToken"] != nil {
				return "a mirror pod may not use ServiceAccountToken volume projections"
			}
		}
	}
	return ""
}

// secretNames are where volumes name secrets.
var secretNames = []string{
	"azureFile.secretName", "cephfs.secretRef.name", "cinder.secretRef.name", "flexVolume.secretRef.name",
	"rbd.secretRef.name", "secret.secretName", "scaleIO.secretRef.name", "iscsi.secretRef.name",
	"storageos.secretRef.name", "csi.nodePublishSecretRef.name",
}

// hasSecrets reports whether a pod names a secret anywhere.
func hasSecrets(spec map[string]any) bool {
	for _, s := range tree.Objects(spec, "imagePullSecrets") {
		if tree.Text(s, "name") != "" {
			return true
		}
	}
	for _, kind := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, c := range tree.Objects(spec, kind) {
			if slices.ContainsFunc(secretsOf(c), func(r reference) bool { return r.secret != "" }) {
				return true
			}
		}
	}
	for _, v := range tree.Objects(spec, "volumes") {
		for _, path := range secretNames {
			if name, _ := tree.Value(v, path).(string); name != "" {
				return true
			}
		}
		for _, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
			if tree.Text(tree.Object(source, "secret"), "name") != "" {
				return true
			}
		}
	}
	return false
}

// A reference is where a container names a secret.
type reference struct{ how, secret string }

// secretsOf returns the secrets that a container names in its environment.
func secretsOf(container map[string]any) (all []reference) {
	for _, e := range tree.Objects(container, "env") {
		if from := tree.At(e, "valueFrom.secretKeyRef"); from != nil {
			all = append(all, reference{
				fmt.Sprintf("%s with envVar %s", tree.Text(container, "name"), tree.Text(e, "name")), tree.Text(from, "name"),
			})
		}
	}
	for _, e := range tree.Objects(container, "envFrom") {
		if from := tree.Object(e, "secretRef"); from != nil {
			all = append(all, reference{tree.Text(container, "name") + " with envFrom", tree.Text(from, "name")})
		}
	}
	return all
}

// notMountable says which secret of a pod its account, that lets it have its own only, does not have; "" if it has all.
// Of a pod that is debugged it says so of ephemeral containers.
func notMountable(account, spec map[string]any, debugs bool) string {
	name, own := object.Name(account), tree.TextSet(tree.Objects(account, "secrets"), "name")
	kinds := [][2]string{{"initContainers", "init container "}, {"containers", "container "}}
	if debugs {
		kinds = [][2]string{{"ephemeralContainers", "ephemeral container "}}
	} else {
		for _, v := range tree.Objects(spec, "volumes") {
			source := tree.Object(v, "secret")
			if secret := tree.Text(source, "secretName"); source != nil && !own[secret] {
				return fmt.Sprintf("volume with secret.secretName=\"%s\" is not allowed because service account %s does "+
					"not reference that secret", secret, name)
			}
		}
	}
	for _, kind := range kinds {
		for _, c := range tree.Objects(spec, kind[0]) {
			for _, r := range secretsOf(c) {
				if !own[r.secret] {
					return fmt.Sprintf("%s%s referencing secret.secretName=\"%s\" is not allowed because service account %s "+
						"does not reference that secret", kind[1], r.how, r.secret, name)
				}
			}
		}
	}
	if debugs {
		return ""
	}
	pulls := tree.TextSet(tree.Objects(account, "imagePullSecrets"), "name")
	for i, s := range tree.Objects(spec, "imagePullSecrets") {
		if secret := tree.Text(s, "name"); !pulls[secret] {
			return fmt.Sprintf("imagePullSecrets[%d].name=\"%s\" is not allowed because service account %s does not "+
				"reference that imagePullSecret", i, secret, name)
		}
	}
	return ""
}
