module github.com/tabernetes/tabernetes

go 1.26.0

toolchain go1.26.8

tool github.com/a-h/templ/cmd/templ

require (
	github.com/a-h/templ v0.3.857
	github.com/andybalholm/brotli v1.3.0
	github.com/coder/websocket v1.8.15
	github.com/evanw/esbuild v0.28.2
	github.com/fsnotify/fsnotify v1.9.0
	github.com/google/btree v1.1.3
	github.com/google/cel-go v0.26.0 // that of Kubernetes 1.36: rules are judged, and their costs counted, as there
	github.com/kjk/lzma v0.0.0-20161016003348-3fd93898850d // has no releases; LZMA does not change
	github.com/syumai/workers v0.32.0
	github.com/tdewolff/minify/v2 v2.24.3
	github.com/yuin/goldmark v1.4.13
	golang.org/x/mod v0.21.0
	golang.org/x/text v0.23.0 // for core/internal/generate; later ones say the same, and would raise core/conformance/upstream
	google.golang.org/protobuf v1.34.2 // that of cel-go
	honnef.co/go/js/dom/v2 v2.0.0-20231112215516-51f43a291193 // has no releases; what was added since is not used
	rsc.io/qr v0.2.0
	sigs.k8s.io/structured-merge-diff/v6 v6.3.0
	sigs.k8s.io/yaml v1.6.0
)

require (
	cel.dev/expr v0.24.0 // indirect
	github.com/a-h/parse v0.0.0-20250122154542-74294addb73e // indirect
	github.com/antlr4-go/antlr/v4 v4.13.0 // indirect
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/cli/browser v1.3.0 // indirect
	github.com/fatih/color v1.16.0 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/natefinch/atomic v1.0.1 // indirect
	github.com/stoewer/go-strcase v1.2.0 // indirect
	github.com/tdewolff/parse/v2 v2.8.3 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	go.yaml.in/yaml/v3 v3.0.3 // indirect
	golang.org/x/exp v0.0.0-20230515195305-f3d0a9c9a5cc // indirect
	golang.org/x/net v0.37.0 // indirect
	golang.org/x/sync v0.12.0 // indirect
	golang.org/x/sys v0.31.0 // indirect
	golang.org/x/tools v0.24.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
)
