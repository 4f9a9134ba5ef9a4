package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// Bounds of the memory of a server that has objects.
const (
	// fewObjects is how many it has, each of about 2 KB.
	fewObjects = 5000
	// mostResident is how much the process may take, with the pages of its program.
	mostResident = 60 << 20
)

// objects prints what a server takes after it has created objects of 2 KB, one after another, and what holds it.
func objects(ctx context.Context, out io.Writer) (err error) {
	server, err := Start(ctx, "--report-memory")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.End()) }()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	stored := int64(0)
	for i := range fewObjects {
		body := fmt.Sprintf(`{"metadata":{"name":"o-%d"},"data":{"text":%q}}`, i, strings.Repeat("x", 1700))
		answer, err := client.Post(server.URL+fanOutObjects, "application/json", strings.NewReader(body))
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close() // it was read
		if stored += n; err != nil || answer.StatusCode != http.StatusCreated {
			return fmt.Errorf("a create is answered %s: %w", answer.Status, err)
		}
	}
	var u memory.Usage
	if err := readMemory(ctx, client, server.URL, &u); err != nil {
		return err
	}
	const mib = 1 << 20
	fmt.Fprintf(out, "after %d objects of %d bytes the process takes %.1f MiB: %.1f of its program, %.1f of the heap, "+
		"of which live %.1f, in which are %.1f of objects\n", fewObjects, stored/fewObjects, float64(u.Resident)/mib,
		float64(u.File)/mib, float64(u.Heap)/mib, float64(u.Live)/mib, float64(stored)/mib)
	if u.Resident > mostResident {
		return fmt.Errorf("with %d objects the process takes %d bytes, bound %d", fewObjects, u.Resident, mostResident)
	}
	return nil
}
