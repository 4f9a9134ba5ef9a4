package programs

import (
	"fmt"
	"strings"
)

// helpText is what help says.
const helpText = `This is a shell, and the real kubectl, in your browser. The cluster is the one of this page.

  kubectl get namespaces            or shorter: k get ns
  kubectl get pods -w               shows changes as they happen; Ctrl-C ends it
  kubectl explain pod.spec          what a field means
  curl /api/v1/namespaces           the same API, without kubectl
  kubectl get ns -o json | jq '.items[].metadata.name'
  kubectl apply -f - <<EOF          then a manifest, then a line with EOF

Pipes, redirection, $(…), variables, if, for and functions are those of bash. Files are kept with the cluster.
Tab completes commands, resources, names and files. What begins with / is a path of the API for curl.

Programs: %s
`

// help says what there is.
func help(c *Call) int {
	if len(c.Args) > 1 {
		name := c.Args[1]
		switch {
		case name == "kubectl" || name == "k":
			return c.run([]string{"kubectl", "--help"}, c.Env, strings.NewReader(""))
		case all[name] != nil:
			return c.fail("%s has no page here: it is as on Linux, with the flags that are used most", name)
		}
		return c.fail("no help is there about %s. help says what there is; kubectl --help says what kubectl can do", name)
	}
	var names []string
	line := "Programs: "
	for _, name := range c.Names() {
		if refused[name] != "" || name == "help" {
			continue
		}
		if len(line)+len(name) > 100 {
			names, line = append(names, "\n  "), "  "
		}
		names, line = append(names, name+" "), line+name+" "
	}
	c.printf(helpText, strings.TrimSpace(strings.Join(names, "")))
	return 0
}

// refused are programs that people try and that cannot be here, with the sentence that says so.
var refused = map[string]string{
	"helm": "helm is not here. What a chart makes can be applied: helm template CHART > all.yaml on your machine, " +
		"then drop the file into this window and kubectl apply -f all.yaml.",
	"kustomize":      "kustomize is part of kubectl: kubectl kustomize DIR shows its result, kubectl apply -k DIR applies it.",
	"k9s":            "k9s needs a terminal that programs draw in, which this one is not; kubectl get -w and the page show what changes.",
	"kubectx":        "There is one cluster here, the one that the page's switch names, so there are no contexts to change.",
	"kubens":         "kubens is not here: kubectl config set-context --current --namespace=NAME sets a namespace, if there is a kubeconfig; -n NAME is for one command.",
	"kubeadm":        "kubeadm sets up machines of a cluster. This cluster is an API server in a tab: there are no machines.",
	"kubelet":        "The kubelet runs on a node, and runs its pods. This cluster has no nodes that run anything.",
	"kube-apiserver": "The API server runs in this tab already: curl /version says which.",
	"etcd":           "There is no etcd: the API server in this tab keeps the objects itself.",
	"etcdctl":        "There is no etcd: the API server in this tab keeps the objects itself, and shows each revision on the page.",
	"minikube":       "minikube is not needed: the cluster runs in this tab. kubectl get namespaces shows that it is there.",
	"kind":           "kind is not needed: the cluster runs in this tab. kubectl get namespaces shows that it is there.",
	"k3d":            "k3d is not needed: the cluster runs in this tab. kubectl get namespaces shows that it is there.",
	"docker":         "docker is not here: no containers run in this cluster, which has an API server and no nodes.",
	"podman":         "podman is not here: no containers run in this cluster, which has an API server and no nodes.",
	"crictl":         "crictl is not here: no containers run in this cluster, which has an API server and no nodes.",
	"ssh":            "ssh is not here: there is no machine to go to, and a page cannot open such connections.",
	"sudo":           "sudo is not needed: in this terminal you may do what the page's user may do in the cluster.",
	"su":             "There is one user here. kubectl --as NAME acts as another user of the cluster.",
	"git":            "git is not here: a page can reach its own cluster only. Drop files into this window to have them here.",
	"wget":           "wget is not here: use curl, which reaches the cluster of the page (curl -O /version).",
	"ping":           "ping is not here: a page cannot send such packets, and pods have no network in this cluster.",
	"apt":            "No programs can be installed here. help lists those that there are.",
	"apt-get":        "No programs can be installed here. help lists those that there are.",
	"brew":           "No programs can be installed here. help lists those that there are.",
	"python":         "python is not here. jq, sed, grep, sort and the shell itself are.",
	"python3":        "python3 is not here. jq, sed, grep, sort and the shell itself are.",
	"node":           "node is not here. jq, sed, grep, sort and the shell itself are; the page has an editor for requests in JavaScript.",
	"awk":            "awk is not here. cut, sed, jq, and kubectl's own -o jsonpath= and -o custom-columns= do most of what it is used for.",
	"yq":             "yq is not here: kubectl get -o json with jq does what it is used for.",
	"openssl":        "openssl is not here: make keys and certificates on your machine, and drop the files into this window.",
	"top":            "top is not here: nothing runs in this cluster that takes processor time. The page shows what the server does.",
	"ps":             "ps is not here: a command runs until it ends, or Ctrl-C ends it.",
	"systemctl":      "systemctl is not here: there is no machine with services.",
	"journalctl":     "journalctl is not here: the page's log shows what the API server does.",
	"tmux":           "tmux is not here: open another terminal beside this one.",
	"screen":         "screen is not here: open another terminal beside this one.",
	"man":            "There are no pages of the manual here: kubectl COMMAND --help and kubectl explain KIND say most of what one needs.",
	"stern":          "stern is not here, and pods have no logs in this cluster: no containers run.",
}

// Refused reports whether the program of a name says only why it is not here.
func Refused(name string) bool { return refused[name] != "" }

// refusal is the program of a name that is refused.
func refusal(c *Call) int {
	fmt.Fprintln(c.Stderr, refused[c.Args[0]])
	return 1
}

// editor opens the page's editor.
func editor(c *Call) int {
	var files []string
	for _, arg := range c.Args[1:] {
		if !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+") {
			files = append(files, c.path(arg))
		}
	}
	if len(files) == 0 {
		return c.fail("name a file: %s FILE opens it in the page's editor", c.Args[0])
	}
	for _, file := range files {
		if status := c.run([]string{"edit", file}, c.Env, strings.NewReader("")); status != 0 {
			return status
		}
	}
	return 0
}
