package core

import (
	"encoding/base64"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPluginsOfTheRealServer makes requests that admission plugins refuse or complete. Violations of
// the object come before the refusals of their last phase, and after those of the phase before.
func TestPluginsOfTheRealServer(t *testing.T) {
	c, _ := newCluster(t, Options{})
	const (
		priorities = "/apis/scheduling.k8s.io/v1/priorityclasses"
		runtimes   = "/apis/node.k8s.io/v1/runtimeclasses"
		signing    = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
		containers = `"containers":[{"name":"c","image":"i"}]`
		client     = `"signerName":"kubernetes.io/kube-apiserver-client","usages":["client auth"]`
	)
	notARequest := base64.StdEncoding.EncodeToString([]byte("no"))
	must(t, c, 201, "POST", priorities, `{"metadata":{"name":"usual"},"value":7,"globalDefault":true}`)
	must(t, c, 201, "POST", runtimes, `{"metadata":{"name":"vm"},"handler":"h","overhead":{"podFixed":{"cpu":"1"}}}`)
	for _, row := range []struct {
		path, body string
		code       int
		want       string
	}{
		{priorities, `{"metadata":{"name":"another"},"value":8,"globalDefault":true}`, 403,
			"PriorityClass usual is already marked as default. Only one default can exist"},
		{priorities, `{"metadata":{"name":"another"},"value":2000000000,"globalDefault":true}`, 422, "value: Forbidden"},
		{pods, `{"metadata":{"name":"a"},"spec":{"priorityClassName":"none"}}`, 403,
			`pods "a" is forbidden: no PriorityClass with name none was found`},
		{pods, `{"metadata":{"generateName":"a-"},"spec":{"runtimeClassName":"none",` + containers + `}}`, 403,
			`pods "a-" is forbidden: pod rejected: RuntimeClass "none" not found`},
		{pods, `{"metadata":{"name":"a"},"spec":{"overhead":{"cpu":"1"},` + containers + `}}`, 403,
			"Pod Overhead set without corresponding RuntimeClass defined Overhead"},
		{pods, `{"metadata":{"name":"a"},"spec":{"overhead":{"cpu":"1"}}}`, 422, "spec.containers: Required value"},
		{signing, `{"metadata":{"name":"a"},"spec":{"request":"` + notARequest + `",` + client + `}}`, 422,
			"PEM block type must be CERTIFICATE REQUEST"},
	} {
		answer := must(t, c, row.code, "POST", row.path, row.body)
		if message, _ := at(answer, "message").(string); !strings.Contains(message, row.want) {
			t.Errorf("%s: %q, want %q", row.body, message, row.want)
		}
	}
	spec := at(must(t, c, 201, "POST", pods, `{"metadata":{"name":"a"},"spec":{"runtimeClassName":"vm",`+containers+`}}`),
		"spec")
	for path, want := range map[string]any{"priority": 7.0, "priorityClassName": "usual", "overhead.cpu": "1"} {
		if got := at(spec, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if got := len(at(spec, "tolerations").([]any)); got != 2 {
		t.Errorf("%d tolerations, want those for five minutes", got)
	}
}

// TestServiceAccountOfPods creates Pods where they have ServiceAccounts, and where they have none.
func TestServiceAccountOfPods(t *testing.T) {
	const pod = `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	const other = `{"metadata":{"name":"b"},"spec":{"serviceAccountName":"b","containers":[{"name":"c","image":"i"}]}}`
	c, _ := newCluster(t, Options{Flags: Flags{WithPlugins: []string{"ServiceAccount"}}})
	if code, text := call(t, c, "POST", pods, other); code != 403 ||
		!strings.Contains(text, `error looking up service account default/b: serviceaccount \"b\" not found`) {
		t.Errorf("%d %s", code, text)
	}
	must(t, c, 201, "POST", "/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"b"}}`)
	spec := at(must(t, c, 201, "POST", pods, other), "spec")
	volume := at(spec, "volumes").([]any)[0]
	mount := at(at(spec, "containers").([]any)[0], "volumeMounts").([]any)[0]
	name, _ := at(volume, "name").(string)
	if !strings.HasPrefix(name, "kube-api-access-") || at(mount, "name") != name || at(spec, "serviceAccount") != "b" {
		t.Errorf("%v", spec)
	}
	c, _ = newCluster(t, Options{})
	if spec = at(must(t, c, 201, "POST", pods, pod), "spec"); at(spec, "serviceAccountName") != nil {
		t.Errorf("%v", spec)
	}
}

// TestDefinitionThatGoes deletes a definition of which an object stays for a while: there are no new
// ones then.
func TestDefinitionThatGoes(t *testing.T) {
	c, _ := newCluster(t, Options{})
	define(t, c, `{"rule":"true"}`)
	const crons = "/apis/example.com/v1/namespaces/default/crons"
	cron := func(name string) string {
		return `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"` + name + `","finalizers":["a.b/c"]}}`
	}
	must(t, c, 201, "POST", crons, cron("a"))
	must(t, c, 200, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crons.example.com", "")
	code, text := 201, ""
	for deadline := time.Now().Add(3 * time.Minute); code == 201; runtime.Gosched() {
		if code, text = call(t, c, "POST", crons+"?dryRun=All", cron("b")); time.Now().After(deadline) {
			t.Fatal("the definition is not going")
		}
	}
	const want = `crons.example.com \"b\" is forbidden: ` +
		`create not allowed while custom resource definition is terminating`
	if code != 403 || !strings.Contains(text, want) {
		t.Errorf("%d %s", code, text)
	}
	must(t, c, 403, "POST", "/apis/example.com/v1/namespaces/nowhere/crons", cron("b"))
}
