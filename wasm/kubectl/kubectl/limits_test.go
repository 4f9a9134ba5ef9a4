package kubectl

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestLimits wants each command that cannot do its work here to be answered by its own sentence, and others not.
func TestLimits(t *testing.T) {
	Server = "http://tab.example"
	command := New(genericiooptions.NewTestIOStreamsDiscard(), []string{"kubectl"})
	used := map[string]bool{}
	for _, c := range []struct {
		line    string
		problem string // the error, or the output
		how     manner
		want    string // what the sentence has in it; "": no sentence
	}{
		{line: "exec web -- ls", how: refuse, want: "kubelet starts the command"},
		{line: "exec web -- ls -h", how: refuse, want: "kubelet starts the command"},
		{line: "exec", how: refuse},
		{line: "-n x exec web -- ls", how: refuse, want: "kubelet starts the command"},
		{line: "--namespace=x exec -it web -- sh", how: refuse, want: "kubelet starts the command"},
		{line: "-n x rollout status deployment/web", how: before, want: "Nothing reconciles"},
		{line: "exec --help", how: refuse},
		{line: "attach web", how: refuse, want: "connected with the process"},
		{line: "cp web:/a b", how: refuse, want: "tar"},
		{line: "cp a", how: refuse},
		{line: "port-forward svc/web 80", how: refuse, want: "listens on your machine"},
		{line: "proxy", how: refuse, want: "curl /api/v1/namespaces"},
		{line: "run web --image=x", problem: "pod/web created\n", how: after, want: "stays Pending"},
		{line: "run web --image=x --dry-run=client", how: after},
		{line: "create deployment web --image=x --dry-run=server -o yaml", how: after},
		{line: "debug -it web --image=x", how: refuse, want: "debugging container"},
		{line: "debug web --image=x --attach=false", how: after, want: "debugging container"},
		{line: "run web --image=x -it", how: refuse, want: "leave out -i"},
		{line: "run web --image=x --rm", how: refuse, want: "leave out -i"},
		{line: "run web --image=x --rm=false", how: refuse},
		{line: "run web --image=x", problem: "pod/web created\n", how: after, want: "stays Pending"},
		{line: "apply -f https://k8s.io/x.yaml", how: refuse, want: "drop it into this window"},
		{line: "apply -fhttps://k8s.io/x.yaml", how: refuse, want: "drop it into this window"},
		{line: "create --filename=https://k8s.io/x.yaml", how: refuse, want: "drop it into this window"},
		{line: "apply -f x.yaml", how: refuse},
		{line: "logs web -f", how: refuse},
		{line: "apply -k https://github.com/x", how: refuse, want: "name their directory"},
		{line: "kustomize github.com/x/y", how: refuse, want: "name their directory"},
		{line: "kustomize dir", how: refuse},
		{line: "get pods -s https://other.example", how: refuse, want: "Leave out --server"},
		{line: "get pods -s http://tab.example", how: refuse},
		{line: "get pods", how: refuse},
		{line: "config set-cluster x --server=https://other.example", how: refuse},
		{line: "rollout status deployment/web", how: before, want: "Nothing reconciles Deployments"},
		{line: "wait deployment/web --for=condition=Available", how: before, want: "No controller"},
		{line: "wait pod web --for condition=Ready", how: before, want: "No controller"},
		{line: "wait deployment/web --for=delete", how: before},
		{line: "wait crd/x --for=condition=Established", how: before},
		{line: "drain n1 --force", how: before, want: "stays Terminating"},
		{line: "drain", how: before},
		{line: "logs web", how: after, want: "no logs"},
		{line: "create deployment web --image=x", problem: "deployment.apps/web created\n", how: after, want: "ReplicaSet"},
		{line: "create job j --image=x", problem: "job.batch/j created\n", how: after, want: "make pods"},
		{line: "create cronjob j --image=x", problem: "cronjob.batch/j created\n", how: after, want: "make Jobs"},
		{line: "create configmap x", problem: "configmap/x created\n", how: after},
		{line: "apply -f x.yaml", problem: "service/x created\ndeployment.apps/x created\n", how: after, want: "ReplicaSet"},
		{line: "apply -f x.yaml", problem: "deployment.apps/x configured\n", how: after},
		{line: "apply -f x.yaml --dry-run=server", problem: "deployment.apps/x created (server dry run)\n", how: after},
		{line: "apply --server-side -f -", problem: "statefulset.apps/x serverside-applied\n", how: after, want: "make pods"},
		{line: "replace --force -f x.yaml", problem: "pod/x replaced\n", how: after, want: "stays Pending"},
		{line: "create -f x.yaml", problem: "cronjob.batch/x created\n", how: after, want: "make Jobs"},
		{line: "rollout history deployment/web", problem: "deployment.apps/web \nNo rollout history found.\n", how: after,
			want: "ReplicaSets"},
		{line: "rollout history deployment/web", problem: "REVISION  CHANGE-CAUSE\n", how: after},
		{line: "scale deployment web --replicas=2", how: after, want: "replicas is stored"},
		{line: "autoscale deployment web --max=2", how: after, want: "HorizontalPodAutoscaler"},
		{line: "expose deployment web --port=80", how: after, want: "endpoints"},
		{line: "set image deployment/web c=x", how: after, want: "roll it out"},
		{line: "set env deployment/web A=b", how: after},
		{line: "rollout restart deployment/web", how: after, want: "restart"},
		{line: "drain node", how: after, want: "unschedulable"},
		{line: "certificate approve x", how: after, want: "sign"},
		{line: "completion bash", how: after, want: "Tab"},
		{line: "top pods", problem: "error: Metrics API not available", how: failed, want: "metrics-server"},
		{line: "top pods", problem: "error: x", how: failed},
		{line: "rollout undo deployment/web", problem: "error: no rollout history found", how: failed,
			want: "ReplicaSets"},
		{line: "rollout undo deployment/web --to-revision=2",
			problem: "error: unable to find specified revision 2 in history", how: failed, want: "ReplicaSets"},
		{line: "plugin list", problem: "error: unable to find any kubectl plugins in your PATH", how: failed,
			want: "kubectl-NAME"},
		{line: "krew", problem: `error: unknown command "krew" for "kubectl"`, how: failed, want: "Plugins"},
		{line: "config current-context", problem: "error: current-context is not set", how: failed, want: "switch"},
		{line: "config set-context --current --namespace=x", problem: "error: no current context is set", how: failed,
			want: "use-context"},
		{line: "get pods", problem: "net/http: fetch() failed: TypeError: Failed to fetch", how: failed,
			want: "its own cluster"},
		{line: "get pods", problem: "dial tcp 127.0.0.1:80: connect: Connection refused", how: failed,
			want: "its own cluster"},
		{line: "create token x", problem: `serviceaccounts "x" not found`, how: failed, want: "ServiceAccount"},
		{line: "get pod x", problem: `pods "x" not found`, how: failed},
	} {
		path, rest := pathOf(command, strings.Fields(c.line))
		l := find(path, rest, c.problem, c.how)
		if l == nil {
			if c.want != "" {
				t.Errorf("%s: nothing is said", c.line)
			}
			continue
		}
		if used[l.text+l.command] = true; c.want == "" || !strings.Contains(l.text, c.want) {
			t.Errorf("%s: %q, and not %q", c.line, l.text, c.want)
		}
		if !strings.HasSuffix(l.text, ".") {
			t.Errorf("%q is no sentence", l.text)
		}
		if l.bare && !strings.HasPrefix(l.sentence(), "No node runs pods") {
			t.Errorf("%s: %q", c.line, l.sentence())
		}
	}
	ControlPlane = true
	defer func() { ControlPlane = false }()
	for line, want := range map[string]string{
		"exec web -- ls": "No program runs", "port-forward svc/web 80": "No program runs", "debug web": "No program runs",
		"proxy": "cannot listen", "autoscale deployment web": "not here", "logs web": "", "drain n1": "",
		"rollout status deployment/web": "", "wait pod web --for condition=Ready": "", "scale deployment web": "",
	} {
		path, rest := pathOf(command, strings.Fields(line))
		l := find(path, rest, "", refuse, before, after)
		if (l == nil) != (want == "") || l != nil && !strings.Contains(l.sentence(), want) {
			t.Errorf("%s, where nodes are: %+v, and not %q", line, l, want)
		}
	}
	for _, l := range limits {
		if !used[l.text+l.command] {
			t.Errorf("no case meets %q", l.text)
		}
	}
}
