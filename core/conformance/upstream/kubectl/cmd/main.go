// Command cmd is kubectl. With the argument "json" before all others its typed
// clients speak JSON.
package main

import (
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	options := cmd.KubectlOptions{
		Arguments:   os.Args,
		ConfigFlags: genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(300).WithDiscoveryQPS(50),
		IOStreams:   genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
	}
	options.ConfigFlags.WithWarningPrinter(options.IOStreams)
	if len(os.Args) > 1 && os.Args[1] == "json" {
		os.Args = slices.Delete(os.Args, 1, 2)
		options.Arguments = os.Args
		options.ConfigFlags.WithWrapConfigFn(func(c *rest.Config) *rest.Config {
			c.ContentType, c.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
			return c
		})
	}
	if err := cli.RunNoErrOutput(cmd.NewKubectlCommand(options)); err != nil {
		util.CheckErr(err)
	}
}
