package scenes

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
)

// begins is how long the programs of the control plane may take until they have brought the nodes of a scene up.
const begins = time.Minute

// awaitNodes waits until there are nodes on which a Pod may run: each is ready, and the controllers have taken off it
// what kept Pods away until then. It blocks.
func (p *panel) awaitNodes(n *playing) error {
	for late := time.Now().Add(begins); time.Now().Before(late); time.Sleep(100 * time.Millisecond) {
		res, err := p.Fetch(n.ctx, app.Request{Method: "GET", Path: "/api/v1/nodes", Quiet: true})
		if err != nil {
			return err
		}
		if up(res.Body) {
			return nil
		}
	}
	return errors.New("its nodes have not come up")
}

// up reports whether a list has nodes, and each of them is ready and has no taint.
func up(list string) bool {
	var nodes struct {
		Items []struct {
			Spec   struct{ Taints []struct{ Key string } }
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	if err := json.Unmarshal([]byte(list), &nodes); err != nil || len(nodes.Items) == 0 {
		return false
	}
	for _, node := range nodes.Items {
		ready := false
		for _, c := range node.Status.Conditions {
			ready = ready || c.Type == "Ready" && c.Status == "True"
		}
		if !ready || len(node.Spec.Taints) > 0 {
			return false
		}
	}
	return true
}
