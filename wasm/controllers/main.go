// Command controllers is kube-controller-manager and kube-scheduler of Kubernetes in one program: the name by which it
// is called, or its first argument, says which. Both are clients of the API like any other, with the flags of the
// originals that matter here. README.md says what they leave out.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/controllers/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	name, args := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), os.Args[1:]
	if !program.Is(name) && len(args) > 0 {
		name, args = args[0], args[1:]
	}
	os.Args[0] = name // clients take it for their User-Agent, which names the manager of the fields that they write
	if err := program.Run(ctx, nil, name, args...); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
