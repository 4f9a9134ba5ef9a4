package kubectl

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/util"
)

// completing is held while something is completed: kubectl has one factory for all completions of a process.
var completing sync.Mutex

// Complete returns what kubectl's __complete prints about some words, of which the last is completed. It runs in this
// process, so that no instance has to be started for it. Of the environment only KUBECONFIG counts.
//
// It does not fail: what kubectl cannot find out is not among the completions.
func Complete(words, env []string) (answer string) {
	completing.Lock()
	defer completing.Unlock()
	config := ""
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, "KUBECONFIG="); ok {
			config = value
		}
	}
	if err := os.Setenv("KUBECONFIG", config); err != nil {
		return ""
	}
	util.BehaviorOnFatal(func(message string, _ int) { panic(fatal(message)) })
	var out, problems bytes.Buffer
	defer func() {
		if e := recover(); e != nil { // a fault of kubectl's, too: it must not take the shell along
			text := strings.Join(strings.Fields(fmt.Sprint(e)), " ")
			answer = fmt.Sprintf("_activeHelp_ %s\n:4\n", text)
		}
	}()
	args := append([]string{"__complete"}, words...)
	command := New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &problems},
		append([]string{"kubectl"}, args...))
	command.SetArgs(args)
	command.SetOut(&out)
	command.SetErr(&problems)
	if err := command.Execute(); err != nil {
		return ""
	}
	return out.String()
}

// A fatal is the panic of what would end a process of kubectl.
type fatal string
