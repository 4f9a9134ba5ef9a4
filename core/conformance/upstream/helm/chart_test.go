package helm

import (
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

// newChart returns a small chart with everything that Helm treats specially: a
// CustomResourceDefinition, which comes first, a hook, and objects sorted by kind.
func newChart(version string) *chart.Chart {
	file := func(name, text string) *common.File { return &common.File{Name: name, Data: []byte(text)} }
	return &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: chart.APIVersionV2, Name: "shop", Version: version},
		Values:   map[string]any{"replicas": int64(2), "colour": "red", "extra": false},
		Files:    []*common.File{file("crds/widgets.yaml", fixture.Widgets("colour", "string"))},
		Templates: []*common.File{
			file("templates/config.yaml", `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {colour: {{ .Values.colour }}, revision: "{{ .Release.Revision }}"}
{{ if .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-extra}
{{ end }}
`),
			file("templates/secret.yaml", `
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
stringData: {password: {{ .Values.colour }}}
`),
			file("templates/deployment.yaml", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers:
      - name: shop
        image: "shop:{{ .Chart.Version }}"
        ports: [{containerPort: 80}]
        env: [{name: COLOUR, value: {{ .Values.colour }}}]
`),
			file("templates/service.yaml", `
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80}]}
`),
			file("templates/widget.yaml", `
apiVersion: example.com/v1
kind: Widget
metadata: {name: {{ .Release.Name }}}
spec: {colour: {{ .Values.colour }}}
`),
			file("templates/hook.yaml", `
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
data: {revision: "{{ .Release.Revision }}"}
`),
		},
	}
}
