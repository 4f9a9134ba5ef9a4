package answer

import (
	"encoding/json"

	"github.com/tabernetes/tabernetes/web/history"
)

// lever returns what a request to the control plane did.
func lever(e *history.Entry) string {
	switch e.Info.Subresource {
	case "compact":
		var asked struct{ Forgets string }
		_ = json.Unmarshal([]byte(e.Body), &asked) // a body that cannot be read was refused
		switch asked.Forgets {
		case "etcd":
			return "etcd is compacted. The API servers’ caches remember what they did."
		case "caches":
			return "The API servers’ caches have forgotten the past. etcd has it still."
		}
		return "Compacted: older revisions are gone, in etcd and in the API servers’ caches."
	case "restart":
		return "The API server was restarted: its watch caches begin anew."
	case "disconnect":
		return "All open watches were cut."
	case "reset":
		return "The cluster is a fresh one."
	case "advance":
		return "The cluster’s time is later."
	case "snapshot":
		return "The cluster is the one of the snapshot."
	}
	return "The control plane is set."
}
