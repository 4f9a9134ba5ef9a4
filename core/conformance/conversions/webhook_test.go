package conversions

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
)

// A hook is a conversion webhook as in the documentation: v1 has hostPort, and v2 has host and port. It errs as
// the test wants.
type hook struct {
	mu    sync.Mutex
	mode  string
	calls int
}

func (h *hook) set(mode string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mode = mode
}

// ServeHTTP answers a ConversionReview.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	code, answer := h.answer(body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, answer)
}

func (h *hook) answer(body []byte) (int, string) {
	var review struct {
		APIVersion string
		Kind       string
		Request    struct {
			UID               string
			DesiredAPIVersion string
			Objects           []map[string]any
		}
	}
	if err := json.Unmarshal(body, &review); err != nil {
		return 400, err.Error()
	}
	switch h.mode {
	case "500":
		return 500, "no"
	case "404":
		return 404, "no"
	case "status":
		return 403, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"I do not want to","code":403}`
	case "empty":
		return 200, ""
	case "text":
		return 200, "hello"
	case "array":
		return 200, "[]"
	case "other kind":
		return 200, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`
	}
	var all []any
	for _, obj := range review.Request.Objects {
		all = append(all, h.convert(obj, review.Request.DesiredAPIVersion))
	}
	result, uid := map[string]any{"status": "Success"}, review.Request.UID
	switch h.mode {
	case "refuse":
		result = map[string]any{"status": "Failure", "message": "I refuse"}
	case "refuse silently":
		result = map[string]any{"status": "Failure"}
	case "no result":
		result = map[string]any{}
	case "other uid":
		uid = "x"
	case "none":
		all = nil
	case "two":
		all = append(all, all...)
	case "no object":
		all = []any{"x"}
	case "null":
		all = []any{nil}
	}
	said := map[string]any{"kind": review.Kind, "apiVersion": review.APIVersion,
		"response": map[string]any{"uid": uid, "result": result, "convertedObjects": all}}
	switch h.mode {
	case "no response":
		delete(said, "response")
	case "no kind":
		delete(said, "kind")
		delete(said, "apiVersion")
	case "other version":
		said["apiVersion"] = "apiextensions.k8s.io/v1beta1"
	case "unknown version":
		said["apiVersion"] = "apiextensions.k8s.io/v7"
	}
	text, _ := json.Marshal(said)
	return 200, string(text)
}

// convert converts an object.
func (h *hook) convert(obj map[string]any, to string) map[string]any {
	out := maps.Clone(obj)
	out["apiVersion"] = to
	if strings.HasSuffix(to, "/v2") {
		host, port, _ := strings.Cut(fmt.Sprint(obj["hostPort"]), ":")
		out["host"], out["port"] = host, port
		delete(out, "hostPort")
	} else {
		out["hostPort"] = fmt.Sprint(obj["host"], ":", obj["port"])
		delete(out, "host")
		delete(out, "port")
	}
	meta := maps.Clone(obj["metadata"].(map[string]any))
	out["metadata"] = meta
	switch h.mode {
	case "other apiVersion":
		out["apiVersion"] = "example.com/v9"
	case "same apiVersion":
		out["apiVersion"] = obj["apiVersion"]
	case "other object kind":
		out["kind"] = "Other"
	case "no object kind":
		delete(out, "kind")
	case "other name":
		meta["name"] = "other"
	case "other namespace":
		meta["namespace"] = "other"
	case "other object uid":
		meta["uid"] = "other"
	case "no metadata":
		delete(out, "metadata")
	case "metadata text":
		out["metadata"] = "x"
	case "labels":
		meta["labels"] = map[string]any{"converted": "yes"}
		meta["annotations"] = map[string]any{"converted": "yes"}
		meta["finalizers"] = []any{"a/b"}
		meta["creationTimestamp"] = "2000-01-01T00:00:00Z"
		meta["generation"] = 77
	case "bad label":
		meta["labels"] = map[string]any{"-": "no label"}
	case "number label":
		meta["labels"] = map[string]any{"a": 1}
	case "labels text":
		meta["labels"] = "x"
	case "bad annotation":
		meta["annotations"] = map[string]any{"-": "x"}
	case "unknown field":
		out["unknown"] = "x"
	}
	return out
}

// errors are the modes in which a webhook errs, or changes what it may.
var errors = strings.Split("500,404,status,empty,text,array,other kind,refuse,refuse silently,no result,other uid,"+
	"none,two,no object,null,no response,no kind,other version,unknown version,other apiVersion,same apiVersion,"+
	"other object kind,no object kind,other name,other namespace,other object uid,no metadata,metadata text,labels,"+
	"bad label,number label,labels text,bad annotation,unknown field", ",")
