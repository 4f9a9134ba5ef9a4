package kubectl

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A limit is something of kubectl's that this cluster, or a page, cannot do, or that does less than on a cluster with
// nodes, with the sentence that says what is missing and where it would come from.
type limit struct {
	// command is the command without "kubectl", with its subcommand; "": all.
	command string
	// when says for which arguments of it; nil: for all.
	when func(arguments) bool
	// says is what kubectl's error has to match, or, of what has succeeded, its output.
	says *regexp.Regexp
	// how says what is done.
	how manner
	// alone says that it is no limit where controllers, scheduler and nodes run.
	alone bool
	// bare says that it is one because no container runs, which is said first.
	bare bool
	// text is the sentence.
	text string
}

// sentence returns what is said of a limit.
func (l *limit) sentence() string {
	switch {
	case !l.bare:
		return l.text
	case ControlPlane:
		return standIns + l.text
	}
	return noNodes + l.text
}

// A manner is what is done about a limit.
type manner int

const (
	// refuse does not let kubectl try: it would wait forever, or fail with an error that helps nobody.
	refuse manner = iota
	// before gives a note when the command begins, which will wait.
	before
	// after gives a note when it has succeeded.
	after
	// failed adds the sentence to kubectl's error.
	failed
)

const (
	noNodes   = "No node runs pods in this cluster: it is an API server, and pods stay as they are stored. "
	standIns  = "No program runs in this cluster's containers: its nodes only report what kubelets would. "
	noHost    = "A page can open connections to its own cluster only. "
	noHistory = "The history of a Deployment is in its ReplicaSets, which its controller would make: it does not run here."
	byHand    = "What would change then can be changed by hand: kubectl edit or patch, with --subresource=status."
)

// workloads are kinds for which nothing here does what their controllers do.
var workloads = regexp.MustCompile(`(?i)(^|[ ,])(deployments?|deploy|replicasets?|rs|statefulsets?|sts|daemonsets?|` +
	`ds|jobs?|cronjobs?|cj|pods?|po|nodes?|no|persistentvolumeclaims?|pvc|services?|svc|horizontalpodautoscalers?|hpa)` +
	`(\.[a-z0-9.]+)?([ /,]|$)`)

// attached reports whether kubectl is to be connected with a container.
func attached(a arguments) bool {
	return a.flag("i", "stdin") || a.flag("it", "") || a.flag("ti", "") || a.flag("", "attach")
}

// limits are all of them. The first that fits is taken.
var limits = []limit{
	{command: "exec", when: given(1), how: refuse, bare: true,
		text: "On a cluster with machines the kubelet starts the command in the pod's container, and kubectl is connected " +
			"with it."},
	{command: "attach", when: given(1), how: refuse, bare: true,
		text: "On a cluster with machines kubectl is connected with the process that runs in the container."},
	{command: "cp", when: given(2), how: refuse, bare: true,
		text: "On a cluster with machines kubectl runs tar in the container to copy files."},
	{command: "port-forward", when: given(2), how: refuse, bare: true,
		text: "On a cluster with machines the kubelet passes connections on to the pod, and kubectl listens on your " +
			"machine, which a page cannot."},
	{command: "proxy", how: refuse, text: "A page cannot listen on a port. It needs no proxy either: " +
		"curl /api/v1/namespaces asks the API server directly."},
	{command: "debug", when: attached, how: refuse, bare: true,
		text: "On a cluster with machines the kubelet starts the debugging container, and kubectl is connected with it. " +
			"Leave out -i, -t and --attach, and what it would make is stored: the container in the pod, or a new pod."},
	{command: "run", when: func(a arguments) bool { return attached(a) || a.flag("", "rm") }, how: refuse,
		bare: true, text: "So there is nothing to be connected with: leave out -i, -t, --attach and --rm, " +
			"and the pod is created."},
	{when: func(a arguments) bool { return slices.ContainsFunc(a.values("f", "filename"), remote) }, how: refuse,
		text: noHost + "Download the file on your machine and drop it into this window, or type it in: " +
			"kubectl apply -f - <<EOF, the manifest, and a line with EOF."},
	{when: func(a arguments) bool { return slices.ContainsFunc(a.values("k", "kustomize"), remote) }, how: refuse,
		text: noHost + "Drop the kustomization's files into this window, and name their directory."},
	{command: "kustomize", when: func(a arguments) bool { return slices.ContainsFunc(a.plain, remote) }, how: refuse,
		text: noHost + "Drop the kustomization's files into this window, and name their directory."},
	{when: func(a arguments) bool { return slices.ContainsFunc(a.values("s", "server"), elsewhere) }, how: refuse,
		text: noHost + "Leave out --server; the page's switch says which cluster that is."},

	{command: "rollout status", how: before, alone: true,
		text: "Nothing reconciles Deployments, StatefulSets and DaemonSets in this cluster: " +
			"their controllers, of the kube-controller-manager, would make pods and count them in the status. " +
			"Ctrl-C ends the wait. " +
			byHand},
	{command: "wait", when: func(a arguments) bool {
		return workloads.MatchString(strings.Join(a.plain, " ")) && !strings.HasPrefix(strings.Join(a.values("",
			"for"), " "), "delete")
	}, how: before, alone: true,
		text: "No controller and no node of this cluster changes the status of what you wait for. " +
			"The wait ends with Ctrl-C, at its --timeout, or by a change by hand, in another terminal: " +
			"kubectl patch KIND NAME --subresource=status --type=merge -p '{\"status\":{…}}'."},

	{command: "drain", when: given(1), how: before, alone: true, bare: true,
		text: "A pod that is bound to the node stays Terminating, since no kubelet ends it, and drain waits for that. " +
			"In another terminal: kubectl delete pod NAME --force --grace-period=0."},

	{command: "logs", how: after, alone: true, bare: true,
		text: "So there are no logs. On a cluster with machines the kubelet keeps what containers print."},
	{command: "debug", when: given(1), how: after, bare: true,
		text: "On a cluster with machines the kubelet starts the debugging container."},
	{says: stored(`deployment\.apps`), how: after, alone: true,
		text: "The Deployment is stored, and nothing else happens: its controller, of the " +
			"kube-controller-manager, would make a ReplicaSet, and that one's would make pods. No such controller runs here."},
	{says: stored(`(replicaset|statefulset|daemonset)\.apps`), how: after, alone: true,
		text: "It is stored, and nothing else happens: its controller, of the kube-controller-manager, would make pods. " +
			"No such controller runs here."},
	{says: stored(`job\.batch`), how: after, alone: true,
		text: "The Job is stored, and nothing else happens: its controller, which would make pods, " +
			"does not run here."},
	{says: stored(`cronjob\.batch`), how: after, alone: true,
		text: "The CronJob is stored, and nothing else happens: its controller, which would make " +
			"Jobs in time, does not run here."},
	{says: stored(`pod`), how: after, alone: true,
		text: "The Pod is stored, and stays Pending: the scheduler, which would choose a node for it, and " +
			"the kubelet, which would run it there, are not here."},
	{command: "rollout history", says: regexp.MustCompile(`No rollout history found`), how: after, alone: true,
		text: noHistory},
	{command: "scale", how: after, alone: true,
		text: "The number of replicas is stored; no controller of this cluster makes or deletes pods for it."},
	{command: "autoscale", how: after,
		text: "The HorizontalPodAutoscaler is stored; its controller, and the metrics that it goes by, " +
			"are not here."},
	{command: "expose", how: after, alone: true,
		text: "The Service is stored, and has its address. Its endpoints would be written by a controller " +
			"of the kube-controller-manager, and traffic passed on by nodes: neither is here."},
	{command: "set image", how: after, alone: true,
		text: "The new image is stored; the Deployment's controller, which would roll it out, does not run " +
			"here."},
	{command: "rollout restart", how: after, alone: true,
		text: "The annotation that asks for a restart is stored; the controller that would replace " +
			"the pods does not run here."},
	{command: "drain", how: after, alone: true,
		text: "The node is marked as unschedulable; no scheduler of this cluster looks at that."},
	{command: "certificate approve", how: after,
		text: "The request is approved; the controller that would sign the certificate, of the " +
			"kube-controller-manager, does not run here."},
	{command: "completion", how: after,
		text: "This terminal needs no such script: Tab completes kubectl's commands, resources and names."},

	{command: "top", says: regexp.MustCompile(`Metrics API`), how: failed,
		text: "Metrics are served by metrics-server, which asks kubelets what containers use: it is not here."},
	{command: "rollout", says: regexp.MustCompile(`(?i)no rollout history|revision \d+ in history`), how: failed,
		alone: true, text: noHistory},
	{command: "plugin", says: regexp.MustCompile(`plugins`), how: failed,
		text: "Plugins are programs named kubectl-NAME, and none can be " +
			"installed here."},
	{says: regexp.MustCompile(`unknown command`), how: failed,
		text: "Plugins, which add commands, cannot be installed here. " +
			"kubectl --help lists the commands that there are."},
	{command: "config", says: regexp.MustCompile(`current.context`), how: failed,
		text: "No context is needed: " +
			"without one kubectl speaks with the cluster that the page's switch names. To have a namespace kept: " +
			"kubectl config set-context tab --namespace=NAME && kubectl config use-context tab."},
	{says: regexp.MustCompile(`fetch\(\) failed|dial tcp|Failed to fetch`), how: failed, text: noHost +
		"If a kubeconfig or --server names " +
		"another one, leave that out; if not, the page's server has stopped."},
	{says: regexp.MustCompile(`not found$|NotFound`), command: "create token", how: failed,
		text: "A token is for a ServiceAccount that " +
			"exists: kubectl get serviceaccounts lists them."},
}

// stored returns what kubectl prints of an object of a kind that has just been stored.
func stored(kind string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + kind + `/\S+ (created|replaced|serverside-applied)$`)
}

// given returns a condition: at least n arguments are no flags.
func given(n int) func(arguments) bool { return func(a arguments) bool { return len(a.plain) >= n } }

// remote reports whether a name is of something elsewhere.
func remote(name string) bool {
	return strings.Contains(name, "://") || strings.HasPrefix(name, "github.com/") || strings.HasPrefix(name, "git@")
}

// ControlPlane is whether controllers, the scheduler and what stands in for kubelets work in this cluster.
var ControlPlane bool

// Server is the cluster's address, of those that can be reached.
var Server string

// elsewhere reports whether an address is that of another server.
func elsewhere(address string) bool {
	u, err := url.Parse(address)
	own, ownErr := url.Parse(Server)
	return err == nil && ownErr == nil && u.Host != "" && u.Host != own.Host
}

// arguments are those of a command, behind its name.
type arguments struct{ all, plain []string }

// newArguments takes arguments apart, as far as that can be done without knowing each flag: a flag that has its value
// behind a space leaves that among the plain ones.
func newArguments(args []string) arguments {
	a := arguments{all: args}
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			a.plain = append(a.plain, arg)
		}
	}
	return a
}

// flag reports whether a flag is given, by its short or long name.
func (a arguments) flag(short, long string) bool {
	for _, arg := range a.all {
		if arg == "--" {
			return false
		}
		name, value, valued := strings.Cut(arg, "=")
		if (short != "" && name == "-"+short || long != "" && name == "--"+long) && !(valued && value == "false") {
			return true
		}
	}
	return false
}

// values returns what a flag is given.
func (a arguments) values(short, long string) (values []string) {
	for i, arg := range a.all {
		if arg == "--" {
			break
		}
		if name, value, ok := strings.Cut(arg, "="); ok && (name == "--"+long || short != "" && name == "-"+short) {
			values = append(values, value)
		} else if (arg == "--"+long || short != "" && arg == "-"+short) && i+1 < len(a.all) {
			values = append(values, a.all[i+1])
		} else if short != "" && len(arg) > 2 && strings.HasPrefix(arg, "-"+short) && !strings.HasPrefix(arg, "--") {
			values = append(values, arg[2:])
		}
	}
	return values
}

// dry reports whether nothing is to be stored.
func (a arguments) dry() bool {
	return slices.ContainsFunc(a.values("", "dry-run"), func(value string) bool { return value != "none" })
}

// find returns the first limit of a command that is met in one of some manners, or nil. For failed, said is the error,
// for after the output.
func find(command string, args []string, said string, manners ...manner) *limit {
	a := newArguments(args)
	if a.flag("h", "help") {
		return nil
	}
	for i, l := range limits {
		if strings.HasPrefix(command, "config") && l.command == "" && l.how == refuse { // it sets what others use
			continue
		}
		if !slices.Contains(manners, l.how) || l.command != "" && l.command != command &&
			!strings.HasPrefix(command+" ", l.command+" ") {
			continue
		}
		if l.alone && ControlPlane {
			continue
		}
		if l.how == after && a.dry() { // it has done nothing
			continue
		}
		if (l.when == nil || l.when(a)) && (l.says == nil || l.says.MatchString(said)) {
			return &limits[i]
		}
	}
	return nil
}
