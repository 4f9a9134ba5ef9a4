package pod

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
)

// TestWarningsOfMany counts the memory of warnings about pods in which everything is in the way of everything else. It
// is in proportion to the pods.
func TestWarningsOfMany(t *testing.T) {
	item := func(format string) func(i int) any {
		return func(i int) any { return map[string]any{"path": fmt.Sprintf(format, i)} }
	}
	for _, c := range []struct {
		name  string
		place func(list []any) map[string]any
		item  func(i int) any
		want  int // warnings
	}{
		{"one path", inVolume, func(int) any { return map[string]any{"path": "a"} }, 1},
		{"paths", inVolume, item("a%d"), 0},
		{"a directory and files", inVolume, func(i int) any {
			return map[string]any{"path": strings.TrimSuffix(fmt.Sprintf("a/%d", i*(i%2)), "/0")}
		}, 70},
		{"one port", inContainer, func(int) any { return map[string]any{"containerPort": int64(1)} }, 46},
		{"ports", inContainer, func(i int) any {
			return map[string]any{"containerPort": int64(1), "hostPort": int64(i + 1)}
		}, 0},
	} {
		measure := func(n int) (allocations float64, warnings []string) {
			list := make([]any, n)
			for i := range list {
				list[i] = c.item(i)
			}
			pod := c.place(list)
			return testing.AllocsPerRun(1, func() {
				var ctx strategy.Context
				WarnTemplate(&ctx, pod, field.Path("x"))
				warnings = ctx.Warnings
			}), warnings
		}
		few, _ := measure(1_000)
		many, warnings := measure(10_000)
		if many > 12*few+1_000 {
			t.Errorf("%s: %.0f allocations for 1,000, %.0f for 10,000", c.name, few, many)
		}
		if len(warnings) != c.want {
			t.Errorf("%s: %d warnings, want %d, such as %.3q", c.name, len(warnings), c.want, warnings[:min(3, len(warnings))])
		}
	}
}

func inVolume(items []any) map[string]any {
	volume := map[string]any{"name": "v", "secret": map[string]any{"secretName": "s", "items": items}}
	return map[string]any{"spec": map[string]any{"volumes": []any{volume}}}
}

func inContainer(ports []any) map[string]any {
	return map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": "c", "ports": ports}}}}
}
