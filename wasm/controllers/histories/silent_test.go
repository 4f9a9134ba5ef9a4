package histories

import (
	"io"

	"k8s.io/klog/v2"
)

// What controllers log is not what the tests are about.
func init() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
