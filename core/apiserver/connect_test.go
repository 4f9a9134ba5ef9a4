package apiserver

import "testing"

func TestConnections(t *testing.T) {
	s := newServer(t)
	const two = `"containers":[{"name":"a","image":"x:1","ports":[{"containerPort":8000}]},{"name":"b","image":"x:1"}]`
	const one = `"containers":[{"name":"c","image":"x:1"}]`
	pod := func(name, spec string) exchange {
		return exchange{method: "POST", path: podsPath, body: `{"metadata":{"name":"` + name + `"},"spec":{` + spec + `}}`}
	}
	const services = "/api/v1/namespaces/default/services"
	setUp(t, s,
		pod("p", one), pod("two", two), pod("lost", one+`,"nodeName":"nowhere"`), pod("on", one+`,"nodeName":"n"`),
		pod("bare", one+`,"nodeName":"bare"`),
		exchange{method: "PATCH", path: podsPath + "/two/status", header: mergePatch,
			body: `{"status":{"podIP":"10.0.0.7"}}`},
		exchange{method: "POST", path: "/api/v1/nodes", body: `{"metadata":{"name":"bare"}}`},
		exchange{method: "POST", path: "/api/v1/nodes", body: `{"metadata":{"name":"n"}}`},
		exchange{method: "PATCH", path: "/api/v1/nodes/n/status", header: mergePatch,
			body: `{"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}}`},
		exchange{method: "POST", path: services,
			body: `{"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"name":"web","port":80}]}}`},
		exchange{method: "POST", path: "/api/v1/namespaces/default/endpoints",
			body: `{"metadata":{"name":"s"},` +
				`"subsets":[{"addresses":[{"ip":"10.0.0.7"}],"ports":[{"name":"web","port":8000}]}]}`},
		exchange{method: "POST", path: "/api/v1/namespaces/default/endpoints", body: `{"metadata":{"name":"none"}}`},
	)
	get := func(path string, code int, want string) exchange {
		return exchange{method: "GET", path: path, code: code, want: want}
	}
	run(t, s, []exchange{
		get(podsPath+"/p/log", 204, ""),
		get(podsPath+"/p/log?container=c&follow=true&tailLines=0", 204, ""),
		get(podsPath+"/p/log?container=d", 400, "container d is not valid for pod p"),
		get(podsPath+"/two/log", 400, "a container name must be specified for pod two, choose one of: [a b]"),
		get(podsPath+"/none/log", 404, `pods \"none\" not found`),
		get(podsPath+"/p/log?tailLines=-1", 422, "tailLines: Invalid value: -1: must be greater than or equal to 0"),
		get(podsPath+"/p/log?limitBytes=0&sinceSeconds=0", 422,
			"[limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]"),
		get(podsPath+"/p/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z", 422,
			"at most one of `sinceTime` or `sinceSeconds` may be specified"),
		get(podsPath+"/p/log?tailLines=many", 400, `strconv.ParseInt: parsing \"many\": invalid syntax`),
		get(podsPath+"/lost/log", 404, `nodes \"nowhere\" not found`),
		get(podsPath+"/bare/log", 500, "no preferred addresses found; known addresses: []"),
		get(podsPath+"/on/log", 500, `Get \"https://10.0.0.1:10250/containerLogs/default/on/c\": dial tcp `+
			`10.0.0.1:10250: connect: connection refused`),
		get(podsPath+"/on/log?tailLines=1&follow=true", 500, `Get \"https://10.0.0.1:10250/containerLogs/default/on/c?`+
			`follow=true\u0026tailLines=1\": dial tcp 10.0.0.1:10250: connect: connection refused`),
		get(podsPath+"/p/log?sinceSeconds=1&sinceTime=", 422,
			"at most one of `sinceTime` or `sinceSeconds` may be specified"),

		{method: "POST", path: podsPath + "/p/exec?command=ls", code: 400, want: "pod p does not have a host assigned"},
		get(podsPath+"/p/attach?container=d", 400, "container d is not valid for pod p"),
		get(podsPath+"/two/portforward", 400, "pod two does not have a host assigned"),
		get(podsPath+"/lost/exec", 404, `nodes \"nowhere\" not found`),
		get(podsPath+"/on/exec", 400, "Upgrade request required"),
		{method: "GET", path: podsPath + "/on/exec", header: "Connection: Upgrade", code: 500,
			want: "error dialing backend: dial tcp 10.0.0.1:10250: connect: connection refused"},
	})
}
