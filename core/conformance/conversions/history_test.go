package conversions

import (
	"fmt"
	"strings"
)

const (
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	defined     = definitions + "/hosts.example.com"
	v1          = "/apis/example.com/v1/namespaces/default/hosts"
	v2          = "/apis/example.com/v2/namespaces/default/hosts"
	table       = "application/json;as=Table;v=v1;g=meta.k8s.io"
	merge       = "application/merge-patch+json"
	apply       = "application/apply-patch+yaml"
)

// definition is the definition of hosts, which are stored in a version, and converted by a strategy.
func definition(stored, conversion, versions string) string {
	version := func(name, fields string) string {
		return fmt.Sprintf(`{"name":"%s","served":true,"storage":%t,"subresources":{"status":{},"scale":{
			"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
			"additionalPrinterColumns":[{"name":"Host","type":"string","jsonPath":".%s"}],
			"schema":{"openAPIV3Schema":{"type":"object","properties":{%s,
			"spec":{"type":"object","properties":{"replicas":{"type":"integer"}}},
			"status":{"type":"object","properties":{"replicas":{"type":"integer"}}}}}}}`, name, name == stored,
			map[string]string{"v1": "hostPort", "v2": "host"}[name], fields)
	}
	var all []string
	if strings.Contains(versions, "v1") {
		all = append(all, version("v1", `"hostPort":{"type":"string"}`))
	}
	if strings.Contains(versions, "v2") {
		all = append(all, version("v2",
			`"host":{"type":"string"},"port":{"type":"string"},"tls":{"type":"boolean","default":true}`))
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"hosts.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"hosts","singular":"host","kind":"Host","listKind":"HostList"},
		"conversion":%s,"versions":[%s]}}`, conversion, strings.Join(all, ","))
}

// unnamed is a definition as a patch.
func unnamed(definition string) string {
	return strings.Replace(definition, `"metadata":{"name":"hosts.example.com"},`, "", 1)
}

// host is a host in a version, with the fields after its metadata.
func host(version, name, fields string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Host","metadata":{"name":"%s"}%s}`, version, name, fields)
}

// change changes a part of the definition, and waits until that has an effect.
func (s *server) change(name, patch, path, has string) {
	s.t.Helper()
	s.step(name, "PATCH", defined+"?fieldManager=t", patch, "Content-Type", merge)
	s.until("GET", path, func(code int, text string) bool { return code == 200 && strings.Contains(text, has) })
}

// history is what is asked. What the real server does some time after a write is waited for.
func history(s *server) {
	webhook := fmt.Sprintf(`{"strategy":"Webhook","webhook":{"clientConfig":%s,
		"conversionReviewVersions":["v1","v1beta1"]}}`, s.config)
	for i, bad := range []string{`{"strategy":"Webhook"}`, `{"strategy":"Webhook","webhook":{}}`, `{"strategy":"Other"}`,
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{}}}`,
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v7"],"clientConfig":{"url":"https://a.b/c"}}}`,
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1","v1"],
			"clientConfig":{"url":"http://a.b/c?d#e"}}}`,
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://a.b/c",
			"service":{"name":"a","namespace":"b"}}}}`,
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{
			"service":{"name":"","namespace":"b","port":70000,"path":"c//d"}}}}`,
		`{"strategy":"None","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://a.b/c"}}}`,
	} {
		s.step(fmt.Sprint("invalid ", i), "POST", definitions, definition("v1", bad, "v1 v2"))
	}
	s.step("define", "POST", definitions+"?fieldValidation=Strict&dryRun=All", definition("v1", webhook, "v1 v2"))
	if code, text := s.do("POST", definitions, definition("v1", webhook, "v1 v2")); code != 201 {
		s.t.Fatal(code, text)
	}
	s.until("GET", v2, func(code int, text string) bool { return code == 200 })
	s.until("GET", v1, func(code int, text string) bool { return code == 200 })

	writes(s)
	failures(s)
	unlisted(s)
	migration(s, webhook)
}

// writes writes in both versions.
func writes(s *server) {
	s.step("create", "POST", v1, host("v1", "a", `,"hostPort":"a:1"`))
	s.step("get", "GET", v1+"/a", "")
	s.step("get", "GET", v2+"/a", "")
	s.step("create", "POST", v2, `{"apiVersion":"example.com/v2","kind":"Host","metadata":{"name":"b","labels":{"is":"b"}},
		"host":"b","port":"2","spec":{"replicas":2},"unknown":1}`)
	s.step("dry run", "POST", v2+"?dryRun=All", host("v2", "c", `,"host":"c","port":"3"`))
	s.step("strict", "POST", v2+"?fieldValidation=Strict", host("v2", "c", `,"hostPort":"c:3"`))
	s.step("exists", "POST", v2, host("v2", "b", `,"host":"b","port":"2"`))
	for _, path := range []string{v1, v2} {
		s.step("get", "GET", path+"/b", "")
		s.step("list", "GET", path, "")
		s.step("page", "GET", path+"?limit=1", "")
		s.step("labels", "GET", path+"?labelSelector=is%3Db", "")
		s.step("table", "GET", path, "", "Accept", table)
		s.step("scale", "GET", path+"/b/scale", "")
		s.step("status", "GET", path+"/b/status", "")
		s.step("table of one", "GET", path+"/b", "", "Accept", table)
	}
	s.step("patch", "PATCH", v2+"/a?fieldManager=x", `{"port":"11"}`, "Content-Type", merge)
	s.step("patch", "PATCH", v1+"/b?fieldManager=y", `{"hostPort":"b:22"}`, "Content-Type", merge)
	s.step("scale", "PATCH", v2+"/b/scale?fieldManager=x", `{"spec":{"replicas":5}}`, "Content-Type", merge)
	s.step("status", "PATCH", v2+"/b/status?fieldManager=x", `{"status":{"replicas":4}}`, "Content-Type", merge)
	s.step("apply", "PATCH", v1+"/d?fieldManager=m", host("v1", "d", `,"hostPort":"d:4"`), "Content-Type", apply)
	s.step("apply", "PATCH", v2+"/d?fieldManager=n", host("v2", "d", `,"host":"d","port":"44"`), "Content-Type", apply)
	s.step("apply", "PATCH", v2+"/d?fieldManager=n&force=true", host("v2", "d", `,"host":"d","port":"44"`),
		"Content-Type", apply)
	s.step("apply", "PATCH", v2+"/d?fieldManager=n", host("v2", "d", ""),
		"Content-Type", apply)
	s.step("get", "GET", v1+"/d", "")
	s.step("get", "GET", v2+"/d", "")
	s.step("delete", "DELETE", v2+"/d", "")
	s.step("watch", "GET", v2+"?watch=true&resourceVersion=0&timeoutSeconds=1", "")
}

// failures asks with a webhook that errs.
func failures(s *server) {
	for _, mode := range errors {
		s.hook.set(mode)
		s.step(mode, "GET", v2+"/a", "")
	}
	for _, mode := range []string{"refuse", "other name"} {
		s.hook.set(mode)
		s.step(mode, "GET", v1+"/a", "")
		s.step(mode, "GET", v2+"/a", "", "Accept", table)
		s.step(mode, "GET", v2+"/a/scale", "")
		s.step(mode, "GET", v2+"/a/status", "")
		s.step(mode, "GET", v2+"/none", "")
		s.step(mode, "POST", v2, host("v2", "n", `,"host":"n","port":"1"`))
		s.step(mode, "GET", v1+"/n", "")
		s.step(mode, "PUT", v2+"/a", host("v2", "a", `,"host":"n","port":"1"`))
		s.step(mode, "PATCH", v2+"/a", `{"port":"9"}`, "Content-Type", merge)
		s.step(mode, "PATCH", v2+"/a/scale", `{"spec":{"replicas":5}}`, "Content-Type", merge)
		s.step(mode, "PATCH", v2+"/a/status", `{"status":{"replicas":5}}`, "Content-Type", merge)
		s.step(mode, "PATCH", v2+"/a?fieldManager=z", host("v2", "a", `,"host":"n"`), "Content-Type", apply)
		s.step(mode, "PATCH", v2+"/none?fieldManager=z", host("v2", "none", `,"host":"n"`), "Content-Type", apply)
		s.step(mode, "DELETE", v2+"/a", "")
	}
	s.hook.set("")
}

// unlisted asks for lists and watches of a version that the watch cache cannot list, since there is an object that is
// not converted.
func unlisted(s *server) {
	s.hook.set("refuse")
	s.step("refuse", "POST", v1, host("v1", "u", `,"hostPort":"u:1"`))
	s.until("GET", v2, func(_ int, text string) bool { return strings.Contains(text, "failed to list") })
	for _, path := range []string{v2, v2 + "?resourceVersion=0", v2 + "?limit=1", v2 + "?limit=1&labelSelector=is%3Db",
		"/apis/example.com/v2/namespaces/other/hosts", "/apis/example.com/v2/hosts", v2 + "?watch=true&timeoutSeconds=1",
		"/apis/example.com/v2/namespaces/other/hosts?watch=true&timeoutSeconds=1&resourceVersion=0"} {
		s.step("unlisted", "GET", path, "")
	}
	s.step("refuse", "GET", v1, "")
	s.hook.set("")
	s.step("delete", "DELETE", v1+"/u", "")
	s.until("GET", v2, func(code int, _ string) bool { return code == 200 })
	s.step("listed", "GET", v2, "")
}

// migration changes the version that objects are stored in, and migrates them by rewriting them.
func migration(s *server, webhook string) {
	s.change("store v2", unnamed(definition("v2", webhook, "v1 v2")),
		defined, `"storedVersions":["v1","v2"]`)
	s.until("GET", v1+"/a", func(code int, text string) bool { return code == 200 })
	s.step("no v1", "PATCH", defined+"?fieldManager=t",
		unnamed(definition("v2", webhook, "v2")), "Content-Type", merge)
	s.step("a in v1", "GET", v1+"/a", "")
	s.step("a in v2", "GET", v2+"/a", "")
	for _, name := range []string{"a", "b"} {
		before, after := "", ""
		_, before = s.do("GET", v2+"/"+name, "")
		if code, _ := s.do("PUT", v2+"/"+name, before); code != 200 {
			s.t.Error("not rewritten:", code)
		}
		_, after = s.do("GET", v2+"/"+name, "")
		s.answers = append(s.answers, answer{Step: "rewritten " + name, Body: fmt.Sprint(before != after)})
		if code, _ := s.do("PUT", v2+"/"+name, after); code != 200 {
			s.t.Error("not rewritten again:", code)
		}
		_, again := s.do("GET", v2+"/"+name, "")
		s.answers = append(s.answers, answer{Step: "rewritten again " + name, Body: fmt.Sprint(again != after)})
	}
	s.step("stored", "PATCH", defined+"/status?fieldManager=t", `{"status":{"storedVersions":["v1"]}}`,
		"Content-Type", merge)
	s.step("stored", "PATCH", defined+"/status?fieldManager=t", `{"status":{"storedVersions":["v2"]}}`,
		"Content-Type", merge)
	s.step("no v1", "PATCH", defined+"?fieldManager=t",
		unnamed(definition("v2", webhook, "v2")), "Content-Type", merge)
	s.until("GET", v1+"/a", func(code int, text string) bool { return code == 404 })
	s.until("GET", v2+"/a", func(code int, text string) bool { return code == 200 })
	s.step("a in v2", "GET", v2+"/a", "")
	s.step("list", "GET", v2, "")
}
