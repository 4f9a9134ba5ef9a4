package programs

import "fmt"

// refused are programs that people try and that cannot be here, with the sentence that says so.
var refused = map[string]string{
	"apt":     "No programs can be installed here. help lists those that there are.",
	"apt-get": "No programs can be installed here. help lists those that there are.",
	"argocd":  "argocd is not here: no controller that follows a repository runs in this cluster.",
	"awk": "awk is not here. A column: tr -s ' ' | cut -d ' ' -f 2, or kubectl's own -o custom-columns= and " +
		"-o jsonpath=. What else it is used for: sed, grep, paste, jq.",
	"bind":     "The keys of this terminal cannot be bound otherwise.",
	"brew":     "No programs can be installed here. help lists those that there are.",
	"compgen":  "Completion needs no setting here: Tab completes commands, resources, names and files.",
	"complete": "Completion needs no setting here: Tab completes commands, resources, names and files.",
	"crictl": "crictl is not here: no containers run in this cluster, which has an API server and no " +
		"nodes.",
	"dig": "dig is not here: names of services are resolved by a DNS server that runs in a cluster's " +
		"pods.",
	"docker": "docker is not here: no containers run in this cluster, which has an API server and no " +
		"nodes.",
	"etcd": "There is no etcd: the API server in this tab keeps the objects itself.",
	"etcdctl": "There is no etcd: the API server in this tab keeps the objects itself, and shows each " +
		"revision on the page.",
	"flux": "flux is not here: no controller that follows a repository runs in this cluster.",
	"git": "git is not here: a page can reach its own cluster only. Drop files into this window to " +
		"have them here.",
	"go": "go is not here, but the page shows how a client in Go would ask the same.",
	"helm": "helm is not here. What a chart makes can be applied: helm template CHART > all.yaml on " +
		"your machine, then drop the file into this window and kubectl apply -f all.yaml.",
	"istioctl":   "istioctl is not here: no pods run, so there is nothing between which a mesh could be.",
	"journalctl": "journalctl is not here: the page's log shows what the API server does.",
	"k3d": "k3d is not needed: the cluster runs in this tab. kubectl get namespaces shows that it is " +
		"there.",
	"k9s": "k9s needs a terminal that programs draw in, which this one is not; kubectl get -w and " +
		"the page show what changes.",
	"kind": "kind is not needed: the cluster runs in this tab. kubectl get namespaces shows that it " +
		"is there.",
	"kube-apiserver": "The API server runs in this tab already: curl /version says which.",
	"kubeadm": "kubeadm sets up machines of a cluster. This cluster is an API server in a tab: there are " +
		"no machines.",
	"kubectx": "There is one cluster here, the one that the page's switch names, so there are no " +
		"contexts to change.",
	"kubelet": "The kubelet runs on a node, and runs its pods. This cluster has no nodes that run " +
		"anything.",
	"kubens": "kubens is not here. To have a namespace kept: kubectl config set-context --current --namespace=NAME. " +
		"For one command: -n NAME.",
	"kustomize": "kustomize is part of kubectl: kubectl kustomize DIR shows its result, kubectl apply -k " +
		"DIR applies it.",
	"make": "make is not here: sh FILE runs a file of commands.",
	"man": "There are no pages of the manual here: kubectl COMMAND --help and kubectl explain KIND " +
		"say most of what one needs.",
	"minikube": "minikube is not needed: the cluster runs in this tab. kubectl get namespaces shows that " +
		"it is there.",
	"nc": "nc is not here: a page cannot open such connections.",
	"node": "node is not here. jq, sed, grep, sort and the shell itself are; the page has an editor " +
		"for requests in JavaScript.",
	"npm": "No programs can be installed here. help lists those that there are.",
	"nslookup": "nslookup is not here: names of services are resolved by a DNS server that runs in a " +
		"cluster's pods.",
	"oc": "oc is OpenShift's client. kubectl is here, and this is a plain Kubernetes API server.",
	"openssl": "openssl is not here: make keys and certificates on your machine, and drop the files into " +
		"this window.",
	"ping": "ping is not here: a page cannot send such packets, and pods have no network in this " +
		"cluster.",
	"pip": "No programs can be installed here. help lists those that there are.",
	"podman": "podman is not here: no containers run in this cluster, which has an API server and no " +
		"nodes.",
	"ps":      "ps is not here: a command runs until it ends, or Ctrl-C ends it.",
	"python":  "python is not here. jq, sed, grep, sort and the shell itself are.",
	"python3": "python3 is not here. jq, sed, grep, sort and the shell itself are.",
	"screen":  "screen is not here: open another terminal beside this one.",
	"ssh":     "ssh is not here: there is no machine to go to, and a page cannot open such connections.",
	"stern":   "stern is not here, and pods have no logs in this cluster: no containers run.",
	"su":      "There is one user here. kubectl --as NAME acts as another user of the cluster.",
	"sudo": "sudo is not needed: in this terminal you may do what the page's user may do in the " +
		"cluster.",
	"systemctl": "systemctl is not here: there is no machine with services.",
	"telnet":    "telnet is not here: a page cannot open such connections.",
	"terraform": "terraform is not here: kubectl apply does for this cluster what it would be used for.",
	"tmux":      "tmux is not here: open another terminal beside this one.",
	"top": "top is not here: nothing runs in this cluster that takes processor time. The page shows " +
		"what the server does.",
	"ulimit": "There are no limits to set here: the browser has its own.",
	"umask":  "umask is not here: files have their modes from chmod alone.",
	"wget":   "wget is not here: use curl, which reaches the cluster of the page (curl -O /version).",
	"yq":     "yq is not here: kubectl get -o json with jq does what it is used for.",
}

// refusal is the program of a name that is refused.
func refusal(c *Call) int {
	fmt.Fprintln(c.Stderr, refused[c.Args[0]])
	return 1
}

// Refused reports whether the program of a name says only why it is not here.
func Refused(name string) bool { return refused[name] != "" }
