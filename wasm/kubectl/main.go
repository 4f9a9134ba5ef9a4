//go:build js && wasm

// Command kubectl is the real kubectl, whole, for a browser tab, and the shell of the terminal: the packages of
// k8s.io/kubectl and mvdan.cc/sh, compiled for js/wasm. argv[0] says which of the two an instance is. As "kubectl" it
// runs one command and exits; as "sh" it stays, and does what the functions of globalThis.shell ask for (host.go).
//
// The host of the instance gives it arguments, environment, standard streams, files, pipes and processes, by the
// globals of Go's wasm_exec.js and those that wasm/kubectl/patches add.
//
// devserver/internal/nested builds it, with patches where upstream does not compile for js or links what cannot be
// used here; README.md beside this file describes them.
//
// Invariants:
//   - It speaks with the server by fetch: no TLS settings, proxies or dialling. Of a kubeconfig's credentials those are
//     sent that are headers, by HTTPS only, as natively.
//   - The variable CONTROL_PLANE says that controllers and nodes work in the cluster, so nobody hears that they do not.
//   - Without a kubeconfig the server is that of the environment variable KUBERNETES_MASTER, as natively, else the
//     origin of the page.
//
// Costs: an instance of kubectl takes 48 MB and ends with its command; README.md has the weight.
package main

import (
	"os"
	"path"
	"syscall/js"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/wasm/kubectl/kubectl"
)

func main() {
	if os.Getenv("LONG_ARGUMENTS") != "" {
		takeLong()
	}
	if server := os.Getenv("KUBERNETES_MASTER"); server != "" {
		clientcmd.ClusterDefaults.Server = server
	} else if place := js.Global().Get("location"); place.Type() == js.TypeObject {
		clientcmd.ClusterDefaults.Server = place.Get("origin").String()
	}
	if path.Base(os.Args[0]) == "sh" {
		serve()
		return
	}
	kubectl.Server, kubectl.ControlPlane = clientcmd.ClusterDefaults.Server, os.Getenv("CONTROL_PLANE") != ""
	kubectl.Run(genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, os.Args, note)
}

// note has the host show a sentence beside the output; a host that does not know how shows none.
func note(text string, running bool) {
	if process := js.Global().Get("process"); process.Get("note").Type() == js.TypeFunction {
		process.Call("note", text, running)
	}
}

// takeLong reads arguments and environment for which wasm_exec.js has no room, from globalThis.process. The host may
// have started the instance before it knows them: then it waits.
func takeLong() {
	process := js.Global().Get("process")
	if process.Get("called").Type() == js.TypeFunction {
		done := make(chan struct{})
		ready := js.FuncOf(func(js.Value, []js.Value) any {
			close(done)
			return nil
		})
		process.Call("called", ready)
		<-done
		ready.Release()
	}
	os.Args = texts(process.Get("argv"))
	os.Clearenv()
	env := js.Global().Get("Object").Call("entries", process.Get("env"))
	for i := range env.Length() {
		_ = os.Setenv(env.Index(i).Index(0).String(), env.Index(i).Index(1).String()) // invalid names are skipped
	}
}
