package objects

import "strconv"

// A Finalizer is a name in an object's finalizers, with what has to happen before it is removed. While there is one, a
// deletion only marks the object.
type Finalizer struct {
	Name  string
	Field string // metadata.finalizers or spec.finalizers
	Waits string // a sentence
	// Blocking are the objects that it waits for, where those are known.
	Blocking []Dependent
}

// waits says what the finalizers of Kubernetes itself wait for, and what removes them.
var waits = map[string]string{
	"orphan": "The garbage collector removes this object from the owner references of its dependents, which then stay.",

	"kubernetes": "All objects in the namespace have to be deleted first.",

	"kubernetes.io/pvc-protection": "No Pod may use the claim any longer. " +
		"The controller manager's PVC protection controller removes it.",
	"kubernetes.io/pv-protection": "No claim may be bound to the volume any longer. " +
		"The controller manager's PV protection controller removes it.",
	"kubernetes.io/vac-protection": "No claim or volume may use the class any longer. " +
		"The controller manager's VAC protection controller removes it.",

	"batch.kubernetes.io/job-tracking":            "The Job controller has to count the Pod in the Job's status first.",
	"service.kubernetes.io/load-balancer-cleanup": "The cloud's controller has to remove the load balancer first.",
	"customresourcecleanup.apiextensions.k8s.io":  "All objects of the custom resource type have to be deleted first.",

	"external-attacher/pv-protection":                     "The volume's driver has to detach the volume first.",
	"external-provisioner.volume.kubernetes.io/finalizer": "The volume's driver has to delete the volume first.",
	"snapshot.storage.kubernetes.io/volumesnapshot-bound-protection": "The snapshot controller has to release the " +
		"snapshot's content first.",
}

// Finalizers returns those of an object with these dependents.
func Finalizers(m Member, dependents []Dependent) []Finalizer {
	var out []Finalizer
	for _, name := range m.Finalizers {
		f := Finalizer{Name: name, Field: "metadata.finalizers", Waits: waits[name]}
		switch {
		case name == "foregroundDeletion":
			for _, d := range dependents {
				if d.Depth == 1 && d.By.Blocks {
					f.Blocking = append(f.Blocking, d)
				}
			}
			f.Waits = "The garbage collector deletes the dependents first, and waits for those with blockOwnerDeletion: " +
				some(len(f.Blocking)) + "."
		case f.Waits == "":
			f.Waits = "The controller that added it has to do its work and remove it, or someone has to remove it manually: " +
				"the API server knows nothing else about it."
		}
		out = append(out, f)
	}
	for _, name := range m.SpecFinalizers {
		f := Finalizer{Name: name, Field: "spec.finalizers", Waits: waits[name]}
		if f.Waits == "" {
			f.Waits = "The controller that added it has to remove it through the subresource finalize."
		}
		out = append(out, f)
	}
	return out
}

func some(n int) string {
	switch n {
	case 0:
		return "there are none"
	case 1:
		return "there is one"
	}
	return "there are " + strconv.Itoa(n)
}
