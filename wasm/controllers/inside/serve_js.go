package inside

import (
	"encoding/json"
	"flag"
	"strconv"
	"syscall/js"

	"k8s.io/client-go/util/workqueue"
)

var queues = &Queues{}

// Queues take the first provider that there is, when they are made.
func init() { workqueue.SetProvider(queues) }

// Serve has the program's host ask: if it has a global function inside, that gets ask(level, answer). The level is how
// much the program logs from then on, as klog's flag -v says, or null; answer gets the State as JSON.
func Serve(flags *flag.FlagSet) {
	inside := js.Global().Get("inside")
	if inside.Type() != js.TypeFunction {
		return
	}
	inside.Invoke(js.FuncOf(func(_ js.Value, args []js.Value) any {
		level, answer := args[0], args[1]
		if level.Type() == js.TypeNumber {
			_ = flags.Set("v", strconv.Itoa(level.Int())) // klog takes any number
		}
		go func() {
			if text, err := json.Marshal(Look(queues)); err == nil {
				answer.Invoke(string(text))
			}
		}()
		return nil
	}))
}
