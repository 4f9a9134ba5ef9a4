package history

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

// harFields are the members that each object of an HTTP Archive 1.2 has: a
// type, with a ? in front if it may be left out. [x] is a list of x. Of a body's
// text and params one is given: here the text.
var harFields = map[string]map[string]string{
	"file": {"log": "log"},
	"log": {"version": "string", "creator": "creator", "browser": "?creator", "pages": "?[page]", "entries": "[entry]",
		"comment": "?string"},
	"creator": {"name": "string", "version": "string", "comment": "?string"},
	"entry": {"pageref": "?string", "startedDateTime": "time", "time": "number", "request": "request",
		"response": "response", "cache": "cache",
		"timings": "timings", "serverIPAddress": "?string", "connection": "?string", "comment": "?string"},
	"request": {"method": "string", "url": "url", "httpVersion": "string", "cookies": "[pair]", "headers": "[pair]",
		"queryString": "[pair]",
		"postData":    "?post", "headersSize": "number", "bodySize": "number", "comment": "?string"},
	"response": {"status": "number", "statusText": "string", "httpVersion": "string", "cookies": "[pair]",
		"headers": "[pair]", "content": "content",
		"redirectURL": "string", "headersSize": "number", "bodySize": "number", "comment": "?string"},
	"pair": {"name": "string", "value": "string", "comment": "?string"},
	"post": {"mimeType": "string", "text": "string", "comment": "?string"},
	"content": {"size": "number", "compression": "?number", "mimeType": "string", "text": "?string", "encoding": "?string",
		"comment": "?string"},
	"cache": {"beforeRequest": "?", "afterRequest": "?", "comment": "?string"},
	"timings": {"blocked": "?number", "dns": "?number", "connect": "?number", "send": "number", "wait": "number",
		"receive": "number", "ssl": "?number", "comment": "?string"},
}

// checkHAR reports what in v is not of the type.
func checkHAR(t *testing.T, at, kind string, v any) {
	t.Helper()
	kind = strings.TrimPrefix(kind, "?")
	ok := true
	switch kind {
	case "string":
		_, ok = v.(string)
	case "number":
		n, is := v.(float64)
		ok = is && n >= -1
	case "time":
		s, _ := v.(string)
		_, err := time.Parse(time.RFC3339Nano, s)
		ok = err == nil
	case "url":
		s, _ := v.(string)
		ok = strings.HasPrefix(s, "http://") && !strings.Contains(s, "#")
	default:
		if of, list := strings.CutPrefix(kind, "["); list {
			all, is := v.([]any)
			ok = is
			for _, one := range all {
				checkHAR(t, at+"[]", strings.TrimSuffix(of, "]"), one)
			}
			break
		}
		fields, is := v.(map[string]any)
		if ok = is; !is {
			break
		}
		for name, of := range harFields[kind] {
			value, there := fields[name]
			if !there && !strings.HasPrefix(of, "?") {
				t.Errorf("%s has no %s", at, name)
			}
			if there {
				checkHAR(t, at+"."+name, of, value)
			}
		}
		for name := range fields {
			if _, known := harFields[kind][name]; !known && !strings.HasPrefix(name, "_") {
				t.Errorf("%s has %s, which the format does not know", at, name)
			}
		}
	}
	if !ok {
		t.Errorf("%s is no %s: %v", at, kind, v)
	}
}

func TestHAR(t *testing.T) {
	l := sampleLog()
	l.Get(1).Body, l.Get(1).Header = `{"metadata":{}}`, []tap.Field{{Name: "Content-Type", Value: "application/json"}}
	l.Get(1).Source = tap.Source{Server: 1, From: "etcd", Revision: 30, Wrote: []Span{{First: 30, Last: 30}}}
	l.Get(4).Bodyless = true
	l.Add(tap.Event{Type: tap.Request, ID: 9, Method: "GET", URL: "/api/v1/pods?labelSelector=a%3Db&limit=5&x",
		Time: at(100)})
	l.Add(tap.Event{Type: tap.Head, ID: 9, Status: 200, Time: at(103),
		Header: []tap.Field{{Name: "content-type", Value: "application/vnd.kubernetes.protobuf"}}})
	l.Add(tap.Event{Type: tap.Chunk, ID: 9, Text: "k8s"})
	l.Add(tap.Event{Type: tap.Chunk, ID: 9, Text: "\x00\xff"})
	l.Add(tap.Event{Type: tap.End, ID: 9, Time: at(110)})
	l.Add(tap.Event{Type: tap.Request, ID: 10, Method: "GET", URL: "/api", Time: at(111)})
	l.Add(tap.Event{Type: tap.Fail, ID: 10, Time: at(112), Err: "offline"})

	text, err := HAR(l.All(), "http://127.0.0.1:8080", at(200))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	checkHAR(t, "file", "file", file)
	entries := file["log"].(map[string]any)["entries"].([]any)
	if len(entries) != l.Len() || file["log"].(map[string]any)["version"] != "1.2" {
		t.Fatalf("%d entries", len(entries))
	}
	get := func(i int, path string) any {
		v := entries[i]
		for name := range strings.SplitSeq(path, ".") {
			v = v.(map[string]any)[name]
		}
		return v
	}
	for i := range entries {
		sum := get(i, "timings.send").(float64) + get(i, "timings.wait").(float64) + get(i, "timings.receive").(float64)
		if math.Abs(sum-get(i, "time").(float64)) > 1e-9 {
			t.Errorf("entry %d: its times are %v together, not %v", i, sum, get(i, "time"))
		}
	}
	binary, _ := base64.StdEncoding.DecodeString(get(8, "response.content.text").(string))
	if string(binary) != "k8s\x00\xff" || get(8, "response.content.encoding") != "base64" ||
		get(8, "response.content.size") != 5. {
		t.Errorf("the body in bytes: %q", binary)
	}
	for _, c := range []struct {
		i    int
		path string
		want any
	}{
		{8, "startedDateTime", "2026-01-02T03:04:05.100000Z"},
		{8, "time", 10.},
		{8, "timings.wait", 3.},
		{8, "timings.receive", 7.},
		{8, "request.url", "http://127.0.0.1:8080/api/v1/pods?labelSelector=a%3Db&limit=5&x"},
		{0, "request.postData.text", `{"metadata":{}}`},
		{0, "request.postData.mimeType", "application/json"},
		{0, "_origin", "console"},
		{0, "_server", 1.},
		{0, "_revision", 30.},
		{3, "request.bodySize", -1.},
		{3, "comment", "the body of the request was no longer kept"},
		{4, "response.content.text", "Versions of the API"},
		{4, "response.statusText", "OK"},
		{7, "comment", "still running when this was written"},
		{7, "response.status", 0.},
		{9, "comment", "failed: offline"},
	} {
		if got := get(c.i, c.path); got != c.want {
			t.Errorf("entry %d: %s is %v, want %v", c.i, c.path, got, c.want)
		}
	}
	pairs, _ := json.Marshal(get(8, "request.queryString"))
	if string(pairs) != `[{"name":"labelSelector","value":"a=b"},{"name":"limit","value":"5"},{"name":"x","value":""}]` {
		t.Errorf("parameters: %s", pairs)
	}
	if text, err := HAR(nil, "http://x", at(0)); err != nil || !strings.Contains(string(text), `"entries": []`) {
		t.Errorf("none: %s, %v", text, err)
	}
}

// What was dropped of a body is said, and what is no body of bytes is not invented.
func TestHARContent(t *testing.T) {
	for name, c := range map[string]struct {
		e    tap.Exchange
		text string
		want harContent
	}{
		"dropped": {tap.Exchange{Size: 9, Trimmed: true}, "", harContent{Size: 9, Comment: "the body was no longer kept"}},
		"cut": {tap.Exchange{Size: 9, Trimmed: true}, "end",
			harContent{Size: 9, Text: "end", Comment: "only the end of the body was kept"}},
		"bytes": {tap.Exchange{Size: 1, Binary: true}, "\xab",
			harContent{Size: 1, Text: "qw==", Encoding: "base64"}},
		"no body": {tap.Exchange{Binary: true}, "", harContent{}},
	} {
		var l tap.Log
		x := l.Add(tap.Event{Type: tap.Request, ID: 1})
		l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: c.text})
		x.Size, x.Trimmed, x.Binary = c.e.Size, c.e.Trimmed, c.e.Binary
		if got := content(x); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
