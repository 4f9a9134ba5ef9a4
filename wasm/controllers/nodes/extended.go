package nodes

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
)

// extended makes of a Node's extended resources as much allocatable as there is: people advertise them by its capacity,
// and a kubelet finds them there. It reports whether that was a change.
func extended(s *corev1.NodeStatus) bool {
	before := len(s.Allocatable)
	maps.DeleteFunc(s.Allocatable, func(name corev1.ResourceName, _ resource.Quantity) bool {
		_, there := s.Capacity[name]
		return !there && v1helper.IsExtendedResourceName(name)
	})
	changed := len(s.Allocatable) != before
	for name, is := range s.Capacity {
		if now, known := s.Allocatable[name]; v1helper.IsExtendedResourceName(name) && (!known || now.Cmp(is) != 0) {
			s.Allocatable[name] = is
			changed = true
		}
	}
	return changed
}
