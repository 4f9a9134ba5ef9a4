//go:build !js

package inside

import "flag"

// Serve does nothing: natively nobody can ask.
func Serve(*flag.FlagSet) {}
