package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// writers is how many clients create at the same time, and writing how long.
	writers = 64
	writing = 5 * time.Second
)

// durableWrites prints how many pods of 2 KB a server with --data creates in a second, each durable before it is
// answered.
func durableWrites(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "tabernetes-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, clients := range []int{1, writers} {
		rate, err := createRate(ctx, fmt.Sprint(dir, "/", clients), clients)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  creates with --data, %2d at the same time %10.0f/s\n", clients, rate)
	}
	return nil
}

// createRate starts its own server and creates pods in it for a while.
func createRate(ctx context.Context, dir string, clients int) (perSecond float64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, err := Start(ctx, "--data", dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.End()) }()
	pods := server.URL + "/api/v1/namespaces/default/pods"
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	note := strings.Repeat("x", 1000)
	var made atomic.Int64
	var failed error
	var once sync.Once
	var wg sync.WaitGroup
	end := time.Now().Add(writing)
	for c := range clients {
		wg.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				body := fmt.Sprintf(`{"metadata":{"name":"p%d-%d","annotations":{"note":%q}},`+
					`"spec":{"containers":[{"name":"web","image":"nginx"}]}}`, c, n, note)
				answer, err := client.Post(pods, "application/json", bytes.NewBufferString(body))
				if err == nil {
					_, err = io.Copy(io.Discard, answer.Body)
					err = errors.Join(err, answer.Body.Close())
				}
				if err == nil && answer.StatusCode != http.StatusCreated {
					err = errors.New(answer.Status)
				}
				if err != nil {
					once.Do(func() { failed = err })
					return
				}
				made.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(made.Load()) / writing.Seconds(), failed
}
