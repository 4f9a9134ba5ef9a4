// Package kubectl is the real kubectl's command, for a browser tab.
package kubectl

import (
	"net/http"

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
		c.Transport, c.TLSClientConfig = &http.Transport{}, rest.TLSClientConfig{}
		return c
	}
	return cmd.NewKubectlCommand(cmd.KubectlOptions{Arguments: args, ConfigFlags: flags, IOStreams: streams})
}

// Run runs a command, and ends the process with its status if that is not 0.
func Run(streams genericiooptions.IOStreams, args []string) {
	if err := cli.RunNoErrOutput(New(streams, args)); err != nil {
		util.CheckErr(err)
	}
}
