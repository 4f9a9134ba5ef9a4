package hostile

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// mostOfStep is how much the server itself may add to an object that is being deleted, in bytes.
const mostOfStep = 1 << 10

// A held object is kept by finalizers while it is being deleted. An update that removes one of them cannot be refused,
// since it frees space in the end. So somebody removes them one by one, and adds something each time.
type held struct {
	*person
	*attack
	name       string
	finalizers []string
	size       int64 // of its data at first
}

// metadata has clients get that of an object only, which costs them less.
const metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// held creates an object with so many finalizers and so much data, and deletes it.
func (a *attack) held(p *person, name string, finalizers int, size int64) *held {
	h := &held{person: p, attack: a, name: p.name + name, size: size}
	for i := range finalizers {
		h.finalizers = append(h.finalizers, fmt.Sprintf("e.com/%04d", i))
	}
	body := h.object(map[string]any{"v": strings.Repeat("x", int(size))})
	got := a.insists(p, "end: create", request{method: "POST", path: configMaps, body: body, accept: metadata})
	if got.code != http.StatusCreated && a.ctx.Err() == nil {
		a.fault("end: create", got)
	}
	a.insists(p, "end: delete", request{method: "DELETE", path: configMaps + "/" + h.name, accept: metadata})
	return h
}

func (h *held) object(data map[string]any, fields ...any) []byte {
	body, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": h.name, "finalizers": h.finalizers, "managedFields": fields}, "data": data,
	}) // texts and maps can be JSON
	return body
}

// next is how the object loses a finalizer.
func (h *held) next() { h.finalizers = h.finalizers[1:] }

// patches removes the finalizers by patches, each of which adds something, or is sent by a client of a long name if
// nothing may be added.
func (h *held) patches() {
	path, refused := configMaps+"/"+h.name, 0
	for len(h.finalizers) > 1 && h.ctx.Err() == nil {
		h.next()
		var data map[string]any
		if refused%4 == 0 {
			data = map[string]any{fmt.Sprint("n", len(h.finalizers)): strings.Repeat("y", 900)}
		}
		got := h.patch(path, data)
		if got.code == http.StatusForbidden {
			refused++
			query := fmt.Sprintf("?fieldManager=%s-%d", strings.Repeat("m", 100), len(h.finalizers))
			got = h.patch(path+query, nil)
		} else if refused > 0 {
			refused++
		}
		if got.code != http.StatusOK && h.ctx.Err() == nil {
			h.fault("end: a finalizer is not removed", got)
		}
		h.within()
	}
}

func (h *held) patch(path string, data map[string]any) answer {
	change := map[string]any{"metadata": map[string]any{"finalizers": h.finalizers}}
	if data != nil {
		change["data"] = data
	}
	body, _ := json.Marshal(change) // texts and maps can be JSON
	return h.insists(h.person, "end: patch", request{method: "PATCH", path: path, accept: metadata, body: body})
}

// puts does it with whole objects, which have more data unless nothing may be added, and say of many clients what they
// manage.
func (h *held) puts() {
	var fields []any
	refused := 0
	for len(h.finalizers) > 1 && h.ctx.Err() == nil {
		h.next()
		n := len(h.finalizers)
		fields = append(fields, map[string]any{
			"manager": fmt.Sprint("m", n), "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:data": map[string]any{fmt.Sprint("f:", n): map[string]any{}}},
			"time":     "2026-01-01T00:00:00Z",
		})
		const more = 800
		if refused%4 == 0 {
			if got := h.put(h.size+more, fields); got.code == http.StatusOK {
				h.size += more
				h.within()
				continue
			}
		}
		refused++
		if got := h.put(h.size, fields); got.code != http.StatusOK && h.ctx.Err() == nil {
			h.fault("end: a finalizer is not removed", got)
		}
		h.within()
	}
}

func (h *held) put(size int64, fields []any) answer {
	return h.insists(h.person, "end: put", request{method: "PUT", path: configMaps + "/" + h.name, accept: metadata,
		body: h.object(map[string]any{"v": strings.Repeat("x", int(size))}, fields...)})
}

// within checks that the member has no more than its share, and the store no more than its quota and one version.
func (h *held) within() {
	const each, version = 10, 2 << 20
	if len(h.finalizers)%each != 0 {
		return
	}
	usage, err := h.person.usage(h.ctx)
	if err != nil {
		return // it is asked again
	}
	i := slices.IndexFunc(usage.Members, func(m taken) bool { return m.Name == h.person.name })
	if i >= 0 && usage.Members[i].Bytes > usage.Share.Bytes+mostOfStep {
		h.fault("end: usage", answer{text: fmt.Appendf(nil, "the member has %d bytes, and its share is %d",
			usage.Members[i].Bytes, usage.Share.Bytes)})
	}
	var plane struct {
		Status struct {
			Storage struct{ Bytes, QuotaBytes int64 }
		}
	}
	got := h.sends(h.person, "end: look", request{method: "GET", path: sandbox + "/controlplanes/default"})
	if json.Unmarshal(got.text, &plane) != nil {
		return
	}
	if at := plane.Status.Storage; at.QuotaBytes > 0 && at.Bytes > at.QuotaBytes+version {
		h.fault("end: storage", answer{text: fmt.Appendf(nil, "the store has %d bytes, and its quota is %d", at.Bytes,
			at.QuotaBytes)})
	}
}

// ends is for learners: each fills its share with objects of which the last is being deleted, and makes that larger.
func (a *attack) ends(patcher, putter *person, finalizers int) {
	a.goes("end", func(spent func()) {
		a.fillsShare(patcher, 250_000, finalizers).patches()
		spent()
	})
	a.goes("end", func(spent func()) {
		a.fillsShare(putter, 40_000, finalizers).puts()
		spent()
	})
}

// fillsShare has a learner fill its share but for some kilobytes; the last object is a held one of at least so many
// bytes, and of at most a third more.
func (a *attack) fillsShare(p *person, last int64, finalizers int) *held {
	const rest, ofFinalizer, metadataSize = 4_000, 36, 1_000
	each := last / 3
	for n := 0; a.ctx.Err() == nil; n++ {
		usage, err := p.usage(a.ctx)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(usage.Members, func(m taken) bool { return m.Name == p.name })
		if i < 0 {
			continue
		}
		if left := usage.Share.Bytes - usage.Members[i].Bytes; left < last+each {
			return a.held(p, "-held", finalizers, left-rest-int64(finalizers*ofFinalizer))
		}
		a.insists(p, "end: fill", request{method: "POST", path: configMaps, accept: metadata,
			body: configMap(fmt.Sprint(p.name, "-", n), int(each)-metadataSize)})
	}
	return &held{person: p, attack: a}
}
