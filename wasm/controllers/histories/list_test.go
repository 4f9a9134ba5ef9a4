package histories

import "fmt"

// Paths of a history's requests.
const (
	apps        = "/apis/apps/v1/namespaces/NAMESPACE/deployments"
	batch       = "/apis/batch/v1/namespaces/NAMESPACE/"
	core        = "/api/v1/namespaces/NAMESPACE/"
	web         = apps + "/web"
	budgets     = "/apis/policy/v1/namespaces/NAMESPACE/poddisruptionbudgets"
	webService  = `{"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}`
	background  = `{"propagationPolicy":"Background"}`
	foreground  = `{"propagationPolicy":"Foreground"}`
	orphan      = `{"propagationPolicy":"Orphan"}`
	imageFailed = "pod-image-pull-failed.stage.kwok.x-k8s.io"
	exitFailed  = "pod-container-running-failed.stage.kwok.x-k8s.io"
)

// create creates the Deployment web.
func create(replicas int) step {
	body := fmt.Sprintf(`{"metadata":{"name":"web"},"spec":{"replicas":%d,"progressDeadlineSeconds":10,
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
		"spec":{"containers":[{"name":"web","image":"nginx:1"}]}}}}`, replicas)
	return step{do: []call{{"POST", apps, body}}, until: available(replicas)}
}

// roll sets the image of the Deployment web, and a label of its Pods that says whether it can be pulled.
func roll(image string, fails bool) []call {
	label := "null"
	if fails {
		label = `"true"`
	}
	return []call{{"PATCH", web, fmt.Sprintf(`{"spec":{"template":{"metadata":{"labels":{%q:%s}},
		"spec":{"containers":[{"name":"web","image":%q}]}}}}`, imageFailed, label, image)}}
}

// scale sets the replicas of the Deployment web.
func scale(n int) step {
	body := fmt.Sprintf(`{"spec":{"replicas":%d}}`, n)
	until := available(n)
	if n == 0 {
		until = all(is("deployments/web", "status.replicas", nil), has("pods", 0))
	}
	return step{do: []call{{"PATCH", web + "/scale", body}}, until: until}
}

// deletion deletes the Deployment web, of which so many ReplicaSets and Pods stay.
func deletion(options string, replicaSets, pods int) step {
	return step{do: []call{{"DELETE", web, options}},
		until: all(has("deployments", 0), has("replicasets", replicaSets), has("pods", pods))}
}

// template is that of a Job's Pods.
func template(labels string) string {
	return `"template":{"metadata":{"labels":{` + labels + `}},"spec":{"restartPolicy":"Never",` +
		`"containers":[{"name":"work","image":"busybox"}]}}`
}

// workload is a StatefulSet or DaemonSet named db, with an image.
func workload(image, more string) string {
	return fmt.Sprintf(`{"metadata":{"name":"db"},"spec":{%s"selector":{"matchLabels":{"app":"db"}},"template":{"metadata":
		{"labels":{"app":"db"}},"spec":{"containers":[{"name":"db","image":%q}]}}}}`, more, image)
}

var histories = []history{
	{"create", []step{
		{do: []call{{"POST", core + "services", webService}}, until: has("endpointslices", 1)},
		create(3),
	}},
	{"scale", []step{create(1), scale(3), scale(1), scale(0)}},
	{"roll", []step{create(2), {do: roll("nginx:2", false), until: available(2)}}},
	{"fail", []step{
		create(2),
		{do: roll("nginx:2", true), until: condition("deployments/web", "Progressing", "False", "ProgressDeadlineExceeded")},
		{do: roll("nginx:3", false), until: available(2)},
	}},
	{"undo", []step{
		create(2),
		{do: roll("nginx:2", false), until: available(2)},
		{do: roll("nginx:1", false), until: available(2)},
	}},
	{"delete-background", []step{create(2), deletion(background, 0, 0)}},
	{"delete-foreground", []step{create(2), deletion(foreground, 0, 0)}},
	{"delete-orphan", []step{create(2), deletion(orphan, 1, 2)}},
	{"delete-namespace", []step{
		create(2),
		{do: []call{{"DELETE", "/api/v1/namespaces/NAMESPACE", ""}},
			until: has("namespaces", 0)},
	}},
	{"job", []step{
		{do: []call{{"POST", batch + "jobs", `{"metadata":{"name":"good"},"spec":{"completions":2,"parallelism":1,` +
			template("") + `}}`}}, until: condition("jobs/good", "Complete", "True", "")},
		{do: []call{{"POST", batch + "jobs", `{"metadata":{"name":"bad"},"spec":{"backoffLimit":1,` +
			template(`"`+exitFailed+`":"true"`) + `}}`}},
			until: condition("jobs/bad", "Failed", "True", "BackoffLimitExceeded")},
		{do: []call{{"PATCH", batch + "jobs/good", `{"spec":{"ttlSecondsAfterFinished":1}}`},
			{"DELETE", batch + "jobs/bad", background}}, until: all(has("jobs", 0), has("pods", 0))},
	}},
	{"cronjob", []step{
		{do: []call{{"POST", batch + "cronjobs", `{"metadata":{"name":"tick"},"spec":{"schedule":"* * * * *",` +
			`"concurrencyPolicy":"Forbid","successfulJobsHistoryLimit":1,"jobTemplate":{"spec":{` + template("") + `}}}}`}},
			until: func(o objects) bool { return o.field("cronjobs/tick", "status.lastSuccessfulTime") != nil }},
		{do: []call{{"DELETE", batch + "cronjobs/tick", background}}, until: all(has("cronjobs", 0), has("jobs", 0))},
	}},
	{"quota", []step{
		{do: []call{{"POST", core + "resourcequotas", `{"metadata":{"name":"few"},"spec":{"hard":{"pods":"2",` +
			`"count/deployments.apps":"3"}}}`}}, until: is("resourcequotas/few", "status.used.pods", "0")},
		{do: create(3).do, until: all(is("deployments/web", "status.availableReplicas", 2),
			condition("deployments/web", "Progressing", "False", ""), events("FailedCreate", 10))},
		{do: []call{{"DELETE", web, background}}, until: has("pods", 0)},
	}},
	{"budget", []step{
		create(3),
		{do: []call{{"POST", budgets, `{"metadata":{"name":"web"},"spec":{"minAvailable":2,"selector":{"matchLabels":` +
			`{"app":"web"}}}}`}}, until: is("poddisruptionbudgets/web", "status.disruptionsAllowed", 1)},
		{do: []call{{"POST", core + "pods/{pod}/eviction", `{"apiVersion":"policy/v1","kind":"Eviction",` +
			`"metadata":{"name":"{pod}"}}`}},
			until: all(available(3), is("poddisruptionbudgets/web", "status.disruptionsAllowed", 1))},
	}},
	{"statefulset", []step{
		{do: []call{{"POST", "/apis/apps/v1/namespaces/NAMESPACE/statefulsets", workload("db:1", `"serviceName":"db",
			"replicas":2,`)}}, until: is("statefulsets/db", "status.availableReplicas", 2)},
		{do: []call{{"PATCH", "/apis/apps/v1/namespaces/NAMESPACE/statefulsets/db", workload("db:2", "")}},
			until: all(is("statefulsets/db", "status.updatedReplicas", 2),
				is("statefulsets/db", "status.availableReplicas", 2))},
	}},
	{"daemonset", []step{
		{do: []call{{"POST", "/apis/apps/v1/namespaces/NAMESPACE/daemonsets", workload("db:1", "")}},
			until: is("daemonsets/db", "status.numberAvailable", 1)},
		{do: []call{{"PATCH", "/apis/apps/v1/namespaces/NAMESPACE/daemonsets/db", workload("db:2", "")}},
			until: all(is("daemonsets/db", "status.updatedNumberScheduled", 1),
				is("daemonsets/db", "status.numberAvailable", 1))},
	}},
}
