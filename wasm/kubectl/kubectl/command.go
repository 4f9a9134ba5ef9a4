// Package kubectl is the real kubectl's command, for a browser tab, and what it cannot do there.
//
// Invariants:
//   - What kubectl prints is kubectl's. What is said besides is a note, which the host shows beside it, or a sentence
//     on the standard error, where kubectl fails or cannot try (limits.go).
//   - Nothing waits for what can never come without a sentence that says so.
package kubectl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
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
// of what it waits for while it runs, or of what it has done. An empty one takes back what was said of the wait.
func Run(streams genericiooptions.IOStreams, args []string, note func(text string, running bool)) {
	path, rest := pathOf(New(streams, args), args[1:])
	heard := &hearing{Writer: streams.Out}
	if storing.MatchString(path) {
		streams.Out = heard
	}
	command := New(streams, args)
	preset(path, rest)
	if l := find(path, rest, "", refuse); l != nil {
		fmt.Fprintln(streams.ErrOut, l.sentence())
		os.Exit(1)
	}
	waits := find(path, rest, "", before)
	if waits != nil {
		note(waits.sentence(), true)
	}
	util.BehaviorOnFatal(func(message string, status int) {
		if message != "" {
			fmt.Fprintln(streams.ErrOut, strings.TrimSuffix(message, "\n"))
		}
		if waits != nil && !strings.Contains(message, "timed out") {
			note("", true)
		}
		if l := find(path, rest, message, failed); l != nil && message != "" {
			fmt.Fprintln(streams.ErrOut, l.sentence())
		}
		os.Exit(status)
	})
	if err := cli.RunNoErrOutput(command); err != nil {
		util.CheckErr(err)
	}
	if l := find(path, rest, heard.text.String(), after); l != nil {
		note(l.sentence(), false)
	}
}

// storing are the commands whose output says what they have stored, and the one that may find no history. Others need
// the terminal itself, which tells them its width.
var storing = regexp.MustCompile(`^(apply|create|replace|run|rollout history)( |$)`)

// A hearing keeps the beginning of what is written.
type hearing struct {
	io.Writer
	text strings.Builder
}

// Write writes.
func (h *hearing) Write(b []byte) (int, error) {
	h.text.Write(b[:min(len(b), max(0, 64<<10-h.text.Len()))])
	return h.Writer.Write(b)
}

// preset makes a kubeconfig for the commands that change one, if it is missing: its one context, tab, names no
// cluster, so that kubectl speaks with that of the page, as it does without.
func preset(path string, args []string) {
	file := clientcmd.RecommendedHomeFile
	if path != "config" && !strings.HasPrefix(path, "config ") || os.Getenv(clientcmd.RecommendedConfigPathEnvVar) != "" ||
		newArguments(args).flag("", clientcmd.RecommendedConfigPathFlag) {
		return
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		return
	}
	config := api.NewConfig()
	config.Contexts["tab"], config.CurrentContext = api.NewContext(), "tab"
	_ = clientcmd.WriteToFile(*config, file) // without it kubectl says what is missing
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
