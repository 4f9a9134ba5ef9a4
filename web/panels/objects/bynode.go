package objects

import (
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/ui"
)

// wholeObjects asks for the objects of a Table: else it has their metadata.
const wholeObjects = "?includeObject=Object"

// mostTiles is how many Pods of a node have a tile, and tilesInAll how many of all nodes together, but for fewTiles of
// each; of more their number is said.
const (
	mostTiles  = 60
	tilesInAll = 1000
	fewTiles   = 10
)

// tilesOf returns how many Pods of a node have a tile where there are so many nodes.
func tilesOf(nodes int) int { return min(mostTiles, max(fewTiles, tilesInAll/max(1, nodes))) }

// byNode is the picture of nodes with their Pods. Both are read as Tables, so that a Pod's state is the word that
// kubectl shows. They are read again when one of either has changed, one reading at a time.
type byNode struct {
	readings
	on      bool
	read    bool
	nodes   []objects.PlacedNode
	nowhere []objects.PlacedPod
	problem string
}

// nodeActions registers the actions on the picture.
func (p *panel) nodeActions() {
	p.OnUse("objects-by", func(u app.Use) {
		p.nodes.on = u.Value() == "node"
		p.seen.ToTop()
		p.readNodes()
		p.draw()
	})
	p.OnUse("objects-tile", func(u app.Use) {
		if ref := u.Attr("data-object"); u.Attr("data-waits") == "" || !p.besideNodes(ref) {
			p.openTile(ref)
		}
	})
}

// openTile opens what a tile stands for, in the place of the picture.
func (p *panel) openTile(ref string) {
	p.open(ref)
	p.focus("object-back")
}

// placed takes a commit that may change the picture.
func (p *panel) placed(m *revisions.Commit) {
	if m.Group == "" && (m.Resource == "pods" || m.Resource == "nodes") {
		p.nodes.read = false
		p.readNodes()
	}
}

// readNodes reads nodes and Pods if the picture is in view and they have changed since.
func (p *panel) readNodes() {
	n := &p.nodes
	if n.read || !n.on || !p.shown || p.one != nil || !n.ask() {
		return
	}
	go func() {
		for n.next(n.on) {
			n.read = true
			asked, begun := p.reading, time.Now()
			nodes, err := p.readRows("nodes", "")
			var pods []objects.TableRow
			if err == nil {
				pods, err = p.readRows("pods", p.tree.Counts.Namespace)
			}
			if p.reading == asked {
				if n.problem = ""; err != nil {
					n.problem = "They cannot be read: " + err.Error()
				}
				n.nodes, n.nowhere = objects.Place(nodes, pods)
			}
			p.draw()
			// Many Pods take long to read: that is to be a fourth of the time at most, however often they change.
			time.Sleep(max(refreshAfter, 3*time.Since(begun)))
		}
	}()
}

// readRows reads the Table of a type. It blocks.
func (p *panel) readRows(id, namespace string) (out []objects.TableRow, err error) {
	typ := p.Catalog.ByID(id)
	if typ == nil {
		return nil, nil
	}
	path := typ.Collection(namespace) + wholeObjects
	err = p.pages(path, objects.TableAccept, pageSize, func(body string, first bool) (string, error) {
		if first {
			out = nil
		}
		rows, token, err := objects.ReadTable(body)
		out = append(out, rows...)
		return token, err
	})
	return out, err
}

// drawNodes returns the picture.
func (p *panel) drawNodes() templ.Component {
	n := &p.nodes
	switch {
	case n.problem != "":
		return ui.Empty(n.problem)
	case len(n.nodes)+len(n.nowhere) == 0 && n.busy:
		return ui.Empty("Reading…")
	}
	return ByNode(n.nodes, n.nowhere, p.tree.Counts.Namespace == "")
}

// refOfPod names a Pod as actions and the shared selection do, that with "obj-" in front.
func refOfPod(p objects.PlacedPod) string {
	return apipath.ObjectRef("", "pods", p.Namespace, p.Name)[len("obj-"):]
}
