package hostile

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// long is the environment variable of make test-long.
const long = "TABERNETES_LONG"

// TestHostileRooms has many rooms whose teachers take all that a room may take, at the same time: they raise its
// quotas, fill it and its history, define the most expensive types, and ask for all of it in every form without reading
// it. The memory of the process stays within the bound, and another room works.
func TestHostileRooms(t *testing.T) {
	t.Parallel()
	rooms, types := 6, 50
	if os.Getenv(long) != "" {
		rooms, types = 50, 200
	}
	h := native(t)
	works := h.person(1)
	works.opens()
	a := newAttack(h)
	for range rooms {
		p := h.person(5)
		p.opens()
		a.takes(p, types)
	}
	a.waits()
	now, _ := h.memory()
	t.Logf("%d rooms are as full as they may be; the server takes %d MiB", rooms, now>>20)
	for turn := range 3 {
		took := pair{works: works}.creates(fmt.Sprint("turn-", turn), 40)
		t.Logf("another room's create takes %v, as the median", took.works)
	}
	now, _ = h.memory()
	t.Logf("the server takes %d MiB", now>>20)
	if a := works.ask("GET", configMaps, ""); a.code != http.StatusOK {
		t.Errorf("another room: %v", a)
	}
	a.report()
	a.end()
	h.measures(rooms + 1)
}

// takes has a teacher take all that its room may take, with so many small types.
func (a *attack) takes(p *person, types int) {
	a.goes("take", func(spent func()) {
		a.does(p, "take: quotas", "PATCH", theRoom, []byte(generous))
		for n, schema := range schemas() {
			a.does(p, "take: definition", "POST", crds, definition(n, schema))
		}
		for n := 0; n < 40 && a.does(p, "take: definition", "POST", crds, definition(100+n, wide(1_500))).code < 400; n++ {
		}
		for n := 0; n < types && a.does(p, "take: type", "POST", crds, definition(1_000+n, small)).code < 400; n++ {
		}
		large := configMap("large-0", 1<<20-1<<10)
		for n := 0; n < 80 && a.ctx.Err() == nil; n++ { // objects, and as many versions of them
			code := a.does(p, "take: fill", "POST", configMaps, configMap(fmt.Sprint("large-", n), 1<<20-1<<10)).code
			if code != http.StatusCreated && code != http.StatusTooManyRequests {
				break
			}
		}
		for n := range 10 {
			a.does(p, "take: history", "PUT", configMaps+"/large-0", []byte(strings.Replace(string(large), "xxxx",
				fmt.Sprintf("%04d", n), 1)))
		}
		const watches = 100
		for range watches {
			code, _ := p.watches(a.ctx)
			if a.ctx.Err() != nil {
				return
			}
			a.saw("take: watch", answer{code: code})
		}
		a.unread(p)
		spent()
		a.again(100*time.Millisecond, func(n int) {
			a.does(p, "take: OpenAPI", "GET", "/openapi/v2", nil)
			a.does(p, "take: more", "POST", configMaps, configMap(fmt.Sprint("more-", n), 1<<10))
		})
	})
}

// wide is a schema with many properties.
func wide(properties int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"type":"string"}`)
	for i := range properties {
		fmt.Fprintf(&b, `,"p%d":{"type":"string","description":"a property"}`, i)
	}
	return b.String() + "}}"
}

// unread asks for large answers in all forms, as often as a teacher may at the same time, and reads none of them. Those
// for which there is no memory are answered after a minute.
func (a *attack) unread(p *person) {
	const each = 8
	for _, form := range []struct{ name, accept string }{
		{"JSON", "application/json"}, {"gzip", "application/json\r\nAccept-Encoding: gzip"}, {"YAML", "application/yaml"},
		{"protobuf", "application/vnd.kubernetes.protobuf"}, {"table", "application/json;as=Table;g=meta.k8s.io;v=v1"},
		{"metadata", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	} {
		for range each {
			a.wg.Go(func() {
				address := strings.TrimPrefix(p.url, "http://")
				conn, err := p.dialer.DialContext(a.ctx, "tcp", address)
				if err != nil {
					return
				}
				defer conn.Close()
				fmt.Fprintf(conn, "GET %s%s?pretty=1&includeObject=Object HTTP/1.1\r\nHost: %s\r\n"+
					"Authorization: Bearer %s\r\nAccept: %s\r\n\r\n", strings.TrimPrefix(p.at, p.url), configMaps, address,
					p.token, form.accept)
				defer context.AfterFunc(a.ctx, func() { _ = conn.Close() })()
				code := 0
				if _, err := fmt.Fscanf(conn, "HTTP/1.1 %d", &code); err == nil {
					a.saw("take: unread "+form.name, answer{code: code})
				}
				<-a.ctx.Done()
			})
		}
	}
}
