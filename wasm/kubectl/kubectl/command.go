// Package kubectl is the real kubectl's command, for a browser tab, and what it cannot do there.
//
// Invariants:
//   - What kubectl prints is kubectl's. What is said besides is a note, which the host shows beside it, or a sentence
//
// on
//
//	  the standard error, where kubectl fails or cannot try (limits.go).
//	- Nothing waits for what can never come without a sentence that says so.
package kubectl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

// New returns the command; args begin with its name.
func New(streams genericiooptions.IOStreams, args []string) *cobra.Command {
	flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().
		WithDiscoveryBurst(300).WithDiscoveryQPS(50)
	flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
		// A transport without settings is fetch; with any it would dial.
		c.Transport, c.TLSClientConfig = transport{&http.Transport{}}, rest.TLSClientConfig{}
		return c
	}
	return cmd.NewKubectlCommand(cmd.KubectlOptions{Arguments: args, ConfigFlags: flags, IOStreams: streams})
}

// A transport makes up for what fetch and a server in the tab lack: answers that have no time get one, since kubectl's
// cache of answers goes by it, and keeps none without; and a body ends with its request's time, since a read of it that
// is blocked does not.
type transport struct{ http.RoundTripper }

// RoundTrip sends a request.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.Header.Get("Date") == "" {
		answer.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	body := answer.Body
	answer.Body = ending{body, context.AfterFunc(r.Context(), func() { _ = body.Close() })}
	return answer, nil
}

// An ending body does not wait for the end of its request's time any longer once it is closed.
type ending struct {
	io.ReadCloser
	stop func() bool
}

// Close closes the body.
func (e ending) Close() error {
	e.stop()
	return e.ReadCloser.Close()
}

// Run runs a command, and ends the process with its status if that is not 0. note shows a sentence beside the output:
// of what it waits for while it runs, or of what it has done.
func Run(streams genericiooptions.IOStreams, args []string, note func(text string, running bool)) {
	command := New(streams, args)
	path, rest := pathOf(command, args[1:])
	if l := find(path, rest, "", refuse); l != nil {
		fmt.Fprintln(streams.ErrOut, l.text)
		os.Exit(1)
	}
	if l := find(path, rest, "", before); l != nil {
		note(l.text, true)
	}
	util.BehaviorOnFatal(func(message string, status int) {
		if message != "" {
			fmt.Fprintln(streams.ErrOut, strings.TrimSuffix(message, "\n"))
		}
		if l := find(path, rest, message, failed); l != nil && message != "" {
			fmt.Fprintln(streams.ErrOut, l.text)
		}
		os.Exit(status)
	})
	if err := cli.RunNoErrOutput(command); err != nil {
		util.CheckErr(err)
	}
	if l := find(path, rest, "", after); l != nil {
		note(l.text, false)
	}
}

// pathOf returns which command some arguments name, without "kubectl", and what is behind it.
func pathOf(command *cobra.Command, args []string) (path string, rest []string) {
	found, rest, err := command.Find(args)
	if err != nil {
		return "", args
	}
	_, path, _ = strings.Cut(found.CommandPath(), " ")
	return path, rest
}
