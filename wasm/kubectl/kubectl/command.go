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
	"fmt"
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
		c.Transport, c.TLSClientConfig = dated{&http.Transport{}}, rest.TLSClientConfig{}
		return c
	}
	return cmd.NewKubectlCommand(cmd.KubectlOptions{Arguments: args, ConfigFlags: flags, IOStreams: streams})
}

// A dated transport adds the time to answers that have none, as a server in the tab gives them: kubectl's cache of
// answers goes by it, and keeps none without.
type dated struct{ http.RoundTripper }

// RoundTrip sends a request.
func (d dated) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := d.RoundTripper.RoundTrip(r)
	if err == nil && answer.Header.Get("Date") == "" {
		answer.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return answer, err
}

// Run runs a command, and ends the process with its status if that is not 0. note shows a sentence beside the output.
func Run(streams genericiooptions.IOStreams, args []string, note func(string)) {
	command := New(streams, args)
	path, rest := pathOf(command, args[1:])
	if l := find(path, rest, "", refuse); l != nil {
		fmt.Fprintln(streams.ErrOut, l.text)
		os.Exit(1)
	}
	if l := find(path, rest, "", before); l != nil {
		note(l.text)
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
		note(l.text)
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
