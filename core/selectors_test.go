package core

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A listable is a resource type in discovery.
type listable struct {
	group, path, kind string
	watch             bool // it can be watched, too
}

// listables returns all types that can be listed, with the path of their list.
func listables(t *testing.T, c *Cluster) []listable {
	t.Helper()
	paths := []string{"/api/v1"}
	for _, g := range must(t, c, 200, "GET", "/apis", "")["groups"].([]any) {
		for _, v := range at(g, "versions").([]any) {
			paths = append(paths, "/apis/"+at(v, "groupVersion").(string))
		}
	}
	var all []listable
	for _, path := range paths {
		for _, r := range must(t, c, 200, "GET", path, "")["resources"].([]any) {
			name, verbs := at(r, "name").(string), fmt.Sprint(at(r, "verbs"))
			if strings.Contains(name, "/") || !strings.Contains(verbs, "list") {
				continue
			}
			group := strings.TrimPrefix(path, "/apis/")
			all = append(all, listable{
				group: group[:strings.LastIndexByte(group, '/')], path: path + "/" + name, kind: at(r, "kind").(string),
				watch: strings.Contains(verbs, "watch"),
			})
		}
	}
	return all
}

// The selectable fields of each kind, where they are not just metadata.name and metadata.namespace,
// and the error for all other fields.
var selectable = map[string]struct{ fields, refusal string }{
	"/Pod": {"metadata.name metadata.namespace spec.nodeName spec.host spec.restartPolicy spec.schedulerName " +
		"spec.serviceAccountName " +
		"spec.hostNetwork status.phase status.podIP status.podIPs status.nominatedNodeName", "field label not supported: %s"},
	"/Node":      {"metadata.name spec.unschedulable", "field label not supported: %s"},
	"/Namespace": {"metadata.name status.phase", "field label not supported: %s"},
	"/Secret":    {"metadata.name metadata.namespace type", "field label not supported: %s"},
	"/Service": {"metadata.name metadata.namespace spec.clusterIP spec.type",
		"field label not supported: %s"},
	"/ReplicationController": {"metadata.name metadata.namespace status.replicas", "field label not supported: %s"},
	"/Event": {"metadata.name metadata.namespace involvedObject.kind involvedObject.namespace involvedObject.name " +
		"involvedObject.uid " +
		"involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent " +
		"source type",
		"field label not supported: %s"},
	"events.k8s.io/Event": {"metadata.name metadata.namespace regarding.kind regarding.namespace regarding.name " +
		"regarding.uid " +
		"regarding.apiVersion regarding.resourceVersion regarding.fieldPath reason reportingController type",
		"field label not supported: %s"},
	"batch/Job": {"metadata.name metadata.namespace status.successful", "field label %q not supported for Job"},
	"certificates.k8s.io/CertificateSigningRequest": {"metadata.name spec.signerName", "field label not supported: %s"},
	"resource.k8s.io/ResourceSlice": {"metadata.name spec.nodeName spec.driver",
		"field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: %s"},
}

// Every type is tried with every field that any type has.
func TestSelectableFieldsOfEveryType(t *testing.T) {
	c, _ := newCluster(t, Options{})
	every := map[string]bool{"metadata.name": true, "metadata.namespace": true, "metadata.uid": true, "spec.nope": true,
		"x": true}
	for _, row := range selectable {
		for _, name := range strings.Fields(row.fields) {
			every[name] = true
		}
	}
	types := listables(t, c)
	if len(types) < 62 {
		t.Fatalf("only %d types", len(types))
	}
	for _, r := range types {
		key := strings.TrimPrefix(r.group, "/api") + "/" + r.kind
		row, ok := selectable[key]
		if !ok {
			row.fields, row.refusal = "metadata.name metadata.namespace",
				`%q is not a known field selector: only "metadata.name", "metadata.namespace"`
		}
		for name := range every {
			for _, options := range []string{"", "&watch=1&timeoutSeconds=-1"} {
				if options != "" && !r.watch {
					continue
				}
				request := r.path + "?fieldSelector=" + url.QueryEscape(name+"=no-such") + options
				code, body := call(t, c, "GET", request, "")
				if strings.Contains(" "+row.fields+" ", " "+name+" ") {
					if code != 200 {
						t.Errorf("%s: %d %s", request, code, body)
					}
					continue
				}
				var refusal map[string]any
				if err := json.Unmarshal([]byte(body), &refusal); err != nil {
					t.Errorf("%s: %d %v", request, code, err)
					continue
				}
				if want := fmt.Sprintf(row.refusal, name); code != 400 || refusal["reason"] != "BadRequest" ||
					refusal["message"] != want {
					t.Errorf("%s: %d %v\nwant %s", request, code, refusal, want)
				}
			}
		}
	}
}

// names lists what a selector selects.
func names(t *testing.T, c *Cluster, path, query string) string {
	t.Helper()
	list := must(t, c, 200, "GET", path+"?"+query, "")
	var all []string
	for _, item := range list["items"].([]any) {
		all = append(all, at(item, "metadata.name").(string))
	}
	return strings.Join(all, " ")
}

// What the fields of each kind are compared with.
func TestFieldValues(t *testing.T) {
	const in = "/namespaces/default/"
	c, _ := newCluster(t, Options{})
	for _, row := range []struct {
		path, object string
		status       string // merged into what was created
		is, isNot    string
	}{
		{"/api/v1" + in + "pods", `{"metadata":{"name":"p"},"spec":{"nodeName":"n1","restartPolicy":"Never",` +
			`"serviceAccountName":"robot","containers":[{"name":"c","image":"i"}]}}`,
			`{"status":{"phase":"Running","podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}]}}`,
			"metadata.name=p metadata.namespace=default spec.nodeName=n1 spec.host=n1 spec.restartPolicy=Never " +
				"spec.schedulerName=default-scheduler " +
				"spec.serviceAccountName=robot spec.hostNetwork=false status.phase=Running status.podIP=10.1.2.3 " +
				"status.nominatedNodeName= status.podIPs=",
			"spec.nodeName=n2 spec.restartPolicy=Always spec.hostNetwork=true status.phase=Pending status.podIPs=10.1.2.3"},
		{"/api/v1/nodes", `{"metadata":{"name":"n1"}}`, "", "spec.unschedulable=false",
			"spec.unschedulable=true spec.unschedulable="},
		{"/api/v1/nodes", `{"metadata":{"name":"n2"},"spec":{"unschedulable":true}}`, "", "spec.unschedulable=true",
			"spec.unschedulable=false"},
		{"/api/v1/namespaces", `{"metadata":{"name":"other"}}`, "", "status.phase=Active", "status.phase=Terminating"},
		{"/api/v1" + in + "secrets", `{"metadata":{"name":"s"},"type":"example.com/t"}`, "", "type=example.com/t",
			"type=Opaque"},
		{"/api/v1" + in + "secrets", `{"metadata":{"name":"o"}}`, "", "type=Opaque", "type="},
		{"/api/v1" + in + "services", `{"metadata":{"name":"h"},"spec":{"clusterIP":"None","selector":{"a":"b"},` +
			`"ports":[{"port":80}]}}`, "",
			"spec.clusterIP=None spec.type=ClusterIP", "spec.type=ExternalName"},
		{"/api/v1" + in + "services", `{"metadata":{"name":"e"},"spec":{"type":"ExternalName","externalName":"example.com"}}`,
			"",
			"spec.type=ExternalName spec.clusterIP=", "spec.clusterIP=None"},
		{"/api/v1" + in + "replicationcontrollers",
			`{"metadata":{"name":"rc"},"spec":{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},` +
				`"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
			`{"status":{"replicas":2}}`, "status.replicas=2", "status.replicas=0"},
		{"/api/v1" + in + "events", `{"metadata":{"name":"ev"},"involvedObject":{"kind":"Pod","namespace":"default",` +
			`"name":"p","uid":"u","apiVersion":"v1","resourceVersion":"7","fieldPath":"spec.x"},` +
			`"reason":"Tested","source":{"component":"me"},"reportingComponent":"it","type":"Warning"}`, "",
			"involvedObject.kind=Pod involvedObject.namespace=default involvedObject.name=p involvedObject.uid=u " +
				"involvedObject.apiVersion=v1 " +
				"involvedObject.resourceVersion=7 involvedObject.fieldPath=spec.x reason=Tested source=me " +
				"reportingComponent=it type=Warning",
			"involvedObject.kind=Node source=it type=Normal"},
		{"/apis/events.k8s.io/v1" + in + "events",
			`{"metadata":{"name":"new"},"eventTime":"2026-11-20T12:00:00.000000Z","action":"Do","reason":"Tested",` +
				`"type":"Normal",` +
				`"reportingController":"example.com/it","reportingInstance":"one","regarding":{"kind":"Pod",` +
				`"namespace":"default","name":"p","uid":"u"}}`, "",
			"regarding.kind=Pod regarding.namespace=default regarding.name=p regarding.uid=u reason=Tested " +
				"reportingController=example.com/it type=Normal",
			"regarding.kind=Node type=Warning"},
		{"/apis/batch/v1" + in + "jobs",
			`{"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",` +
				`"image":"i"}]}}}}`, "",
			"status.successful=0", "status.successful=1 status.successful="},
		{"/apis/resource.k8s.io/v1/resourceslices",
			`{"metadata":{"name":"slice"},"spec":{"driver":"d.example.com","nodeName":"n1","pool":{"name":"p",` +
				`"generation":1,"resourceSliceCount":1}}}`, "",
			"spec.driver=d.example.com spec.nodeName=n1", "spec.nodeName= spec.driver=x"},
		{"/api/v1" + in + "configmaps", `{"metadata":{"name":"cm"}}`, "", "metadata.name=cm metadata.namespace=default",
			"metadata.name=x metadata.namespace=other"},
		{"/apis/storage.k8s.io/v1/storageclasses", `{"metadata":{"name":"sc"},"provisioner":"example.com/p"}`, "",
			"metadata.name=sc metadata.namespace=", "metadata.namespace=default"},
	} {
		created := must(t, c, 201, "POST", row.path, row.object)
		name := at(created, "metadata.name").(string)
		if row.status != "" {
			var change map[string]any
			if err := json.Unmarshal([]byte(row.status), &change); err != nil {
				t.Fatal(err)
			}
			created["status"] = change["status"]
			text, err := json.Marshal(created)
			if err != nil {
				t.Fatal(err)
			}
			must(t, c, 200, "PUT", row.path+"/"+name+"/status", string(text))
		}
		check := func(text string, want bool) {
			t.Helper()
			field, value, _ := strings.Cut(text, "=")
			for operator, want := range map[string]bool{"=": want, "==": want, "!=": !want} {
				selected := names(t, c, row.path, "fieldSelector="+url.QueryEscape(field+operator+value))
				if got := strings.Contains(" "+selected+" ", " "+name+" "); got != want {
					t.Errorf("%s: %s%s%s selects %q", row.path, field, operator, value, selected)
				}
			}
		}
		for _, text := range strings.Fields(row.is) {
			check(text, true)
		}
		for _, text := range strings.Fields(row.isNot) {
			check(text, false)
		}
	}
}

// Selectors of both sorts on a list, a watch and a deletion.
func TestSelectors(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for _, object := range []string{
		`{"metadata":{"name":"a"}}`,
		`{"metadata":{"name":"b","labels":{"app":"x"}}}`,
		`{"metadata":{"name":"c","labels":{"app":"y","n":"5"}}}`,
		`{"metadata":{"name":"d","labels":{"app":"","n":"12"}}}`,
		`{"metadata":{"name":"e","labels":{"example.com/app":"x","n":"many"}}}`,
	} {
		must(t, c, 201, "POST", secrets, object)
	}
	for _, row := range []struct{ labels, fields, want string }{
		{"", "", "a b c d e"},
		{"app=x", "", "b"},
		{"app==x", "", "b"},
		{" app = x ", "", "b"},
		{"app!=x", "", "a c d e"},
		{"app in (x,y)", "", "b c"},
		{"app in (x, )", "", "b d"},
		{"app in ()", "", "d"},
		{"app notin (x,y)", "", "a d e"},
		{"app", "", "b c d"},
		{"!app", "", "a e"},
		{"app=", "", "d"},
		{"n>5", "", "d"},
		{"n<12", "", "c"},
		{"n>4,n<6", "", "c"},
		{"app,n", "", "c d"},
		{"app,!n", "", "b"},
		{"example.com/app=x", "", "e"},
		{"app=x,app=y", "", ""},
		{"", "metadata.name=b", "b"},
		{"", "metadata.name!=b", "a c d e"},
		{"", "metadata.name!=b,metadata.name!=c", "a d e"},
		{"", "metadata.name=b,metadata.name=c", ""},
		{"", "metadata.name=a/b", ""},
		{"", "metadata.name=", ""},
		{"", "metadata.namespace=default", "a b c d e"},
		{"", "metadata.namespace=other", ""},
		{"", "metadata.name=b,metadata.namespace=other", ""},
		{"", "type=Opaque,metadata.name!=e", "a b c d"},
		{"app", "metadata.name!=b", "c d"},
		{"app=x", "metadata.name=c", ""},
	} {
		query := "labelSelector=" + url.QueryEscape(row.labels) + "&fieldSelector=" + url.QueryEscape(row.fields)
		for _, path := range []string{secrets, "/api/v1/secrets"} {
			for _, options := range []string{"", "&resourceVersion=0", "&limit=100"} {
				if got := names(t, c, path, query+options); got != row.want {
					t.Errorf("%s?%s selects %q, want %q", path, query+options, got, row.want)
				}
			}
			var paged []string
			for next := ""; ; {
				list := must(t, c, 200, "GET", path+"?"+query+"&limit=1&continue="+next, "")
				for _, item := range list["items"].([]any) {
					paged = append(paged, at(item, "metadata.name").(string))
				}
				if next, _ = at(list, "metadata.continue").(string); next == "" {
					break
				}
			}
			if got := strings.Join(paged, " "); got != row.want {
				t.Errorf("%s?%s in pages of one: %q, want %q", path, query, got, row.want)
			}
			w := follow(t, c, path+"?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&"+
				query)
			var seen []string
			for e := w.Next(); e["type"] == "ADDED"; e = w.Next() {
				seen = append(seen, at(e, "object.metadata.name").(string))
			}
			w.Stop()
			if got := strings.Join(seen, " "); got != row.want {
				t.Errorf("watch of %s?%s: %q, want %q", path, query, got, row.want)
			}
		}
	}
	deleted := must(t, c, 200, "DELETE", secrets+"?labelSelector=app&fieldSelector=metadata.name!%3Dc", "")
	if n := len(deleted["items"].([]any)); n != 2 {
		t.Errorf("%d were deleted", n)
	}
	if got := names(t, c, secrets, ""); got != "a c e" {
		t.Errorf("left: %s", got)
	}
}

// Invalid selectors are refused with the texts of the real server, by all requests that take a
// selector.
func TestInvalidSelectors(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for _, row := range []struct{ query, want string }{
		{"labelSelector=app%3Dx,", "found '', expected: identifier after ','"},
		{"labelSelector=,", "found ',', expected: !, identifier, or 'end of string'"},
		{"labelSelector=app+x", "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt"},
		{"labelSelector=app+in+x", "unable to parse requirement: found 'x' expected: '('"},
		{"labelSelector=app+in+(x", "unable to parse requirement: found '', expected: ',' or ')'"},
		{"labelSelector=n%3Ex", `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, ` +
			`the value must be an integer`},
		{"fieldSelector=metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
		{"fieldSelector=metadata.name+in+(a)",
			"invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"},
		{"fieldSelector=metadata.name%3Da%3Db", "invalid field selector: unescaped character in value: 61"},
		{"fieldSelector=metadata.name%3D%5Cx", `invalid field selector: invalid escape sequence: \x`},
		{"fieldSelector=metadata.uid%3Da", "field label not supported: metadata.uid"},
		{"fieldSelector=metadata.uid%3Da&resourceVersionMatch=Exact",
			`ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden ` +
				`unless resourceVersion is provided`},
	} {
		for _, method := range []string{"GET", "DELETE"} {
			code, body := call(t, c, method, secrets+"?"+row.query, "")
			var refusal map[string]any
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || refusal["message"] != row.want {
				t.Errorf("%s %s: %d %s\nwant %s", method, row.query, code, body, row.want)
			}
		}
	}
}
