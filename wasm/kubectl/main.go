//go:build js && wasm

// Command kubectl is the real kubectl, whole, for a browser tab: the packages of k8s.io/kubectl, compiled for js/wasm.
// It runs one command and exits. The host of the instance gives it arguments, environment, standard streams and files,
// by the globals of Go's wasm_exec.js.
//
// devserver/kubectl builds it, with patches where upstream does not compile for js or links what cannot be used here;
// README.md beside this file describes them.
//
// Invariants:
//   - It speaks with the server by fetch: no TLS settings, proxies or dialling. Of a kubeconfig's credentials those are
//     sent that are headers, by HTTPS only, as natively.
//   - Without a kubeconfig the server is that of the environment variable KUBERNETES_MASTER, as natively, else the
//     origin of the page.
//
// Costs: an instance takes 48 MB and ends with its command; README.md has the weight.
package main

import (
	"net/http"
	"os"
	"syscall/js"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if place := js.Global().Get("location"); os.Getenv("KUBERNETES_MASTER") == "" && place.Type() == js.TypeObject {
		clientcmd.ClusterDefaults.Server = place.Get("origin").String()
	}
	flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().
		WithDiscoveryBurst(300).WithDiscoveryQPS(50)
	flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
		// A transport without settings is fetch; with any it would dial.
		c.Transport, c.TLSClientConfig = &http.Transport{}, rest.TLSClientConfig{}
		return c
	}
	command := cmd.NewKubectlCommand(cmd.KubectlOptions{
		Arguments:   os.Args,
		ConfigFlags: flags,
		IOStreams:   genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
	})
	if err := cli.RunNoErrOutput(command); err != nil {
		util.CheckErr(err)
	}
}
