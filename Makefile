# Tabernetes: what there is to do, and how. A machine needs Go, Node, git and
# make; everything else is installed here when it is first needed.

ADDR ?= 127.0.0.1:8080
DIST ?= dist
# More arguments for the program that a target runs: make run ARGS=--log
ARGS ?=

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

CACHE := .cache
BIN := node_modules/.bin
# Compiled code does not name the folder that it comes from, so that every clone uses what another has compiled.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
# The browser comes from elsewhere: see playwright/engines/browser.js.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

.PHONY: help
help: ## list these targets
	@echo "Tabernetes, a Kubernetes API server that runs in a browser tab."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "make run ADDR=127.0.0.1:9090 listens elsewhere; make run ARGS=--help shows more."
	@echo "make lesson NAME=labels starts web/lessons/NN-labels.md; web/lessons/README.md describes the next steps."
	@echo "make scene NAME=labels starts web/scenes/NN-labels.md; web/scenes/README.md describes the next steps."

.PHONY: run
run: ## build the page, serve it and the API on 127.0.0.1:8080, follow changes
	@echo "compiling the devserver (the first time takes a minute)"
	@go run ./devserver --dev --addr $(ADDR) $(ARGS)

# Where the rooms are kept: make rooms DATA=somewhere; the address is another one than that of make run.
DATA ?= $(CACHE)/edge/data
rooms: ADDR = 127.0.0.1:8787

.PHONY: rooms
rooms: node_modules ## build and run rooms in Durable Objects on 127.0.0.1:8787, for a class on one sandbox
	@echo "compiling the devserver (the first time takes a minute)"
	@go run ./devserver edge --addr $(ADDR) --data $(DATA) $(ARGS)

.PHONY: build
build: ## build the page into dist/, for any static host
	@go run ./devserver build --out $(DIST) $(ARGS)

# The name of the version that is built.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: release
release: ## build what is published of a version into dist/release: VERSION=v0.1.0 (ARGS="--target linux/amd64": one system)
	@go run ./devserver release --version "$(VERSION)" $(ARGS)

.PHONY: npm
npm: ## build the package for npm into dist/npm
	@go run ./devserver npm $(ARGS)

.PHONY: offline
offline: ## build the page as one file that works from a disk, into dist/offline
	@go run ./devserver offline $(ARGS)

.PHONY: size
size: ## build the page and check the sizes of its files
	@go run ./devserver size --out $(DIST) $(ARGS)

.PHONY: size-kubectl
size-kubectl: ## build the kubectl of the page and check its weight (some minutes)
	@go run ./devserver kubectl --bounds --out $(CACHE)/kubectl/parts $(ARGS)

.PHONY: size-controllers
size-controllers: ## build the controllers of the page and check their weight (some minutes)
	@go run ./devserver controllers --bounds --out $(CACHE)/controllers/parts $(ARGS)

.PHONY: shrink
shrink: ## measure what each trick of wasm/shrink saves in the binaries (half an hour; ARGS="NAME…": some)
	@go run ./devserver shrink $(ARGS)

.PHONY: bench
bench: node_modules test-site ## measure the core, and the page in a browser
	@failed=0; \
	GODEBUG=adaptivestackstart=0 go run ./devserver bench $(ARGS) || failed=1; \
	$(SITE_ENV) node playwright/bench.js || failed=1; \
	$(SITE_ENV) node playwright/bench-lab.js || failed=1; \
	$(SITE_ENV) node playwright/lighthouse.js || failed=1; \
	exit $$failed

# Why what a request allocates has changed.
WHY =

.PHONY: allocations
allocations: ## rewrite the rows of core/ALLOCATIONS.md that are no longer true: WHY="the reason"
	@go test -vet=off -count=1 -v -run 'TestAllocations$$' ./core -update -why "$(WHY)"

.PHONY: profile
profile: ## write profiles of each figure of core/ALLOCATIONS.md into .cache/profiles: ARGS="create get" for some
	@.ci/profile $(ARGS)

.PHONY: profile-tab
profile-tab: node_modules ## write profiles of requests in a browser's tab into .cache/profiles: ARGS="get create" for some
	@go build -o $(CACHE)/profiles/devserver ./devserver
	@$(CACHE)/profiles/devserver build --quick --names --without-kubectl --without-controllers --out $(CACHE)/profiles/site
	@TABERNETES_DEVSERVER=$(CACHE)/profiles/devserver TABERNETES_DIST=$(CACHE)/profiles/site node playwright/profile.js $(ARGS)

.PHONY: bench-rooms
bench-rooms: ## measure a room with 300 followers; ARGS="--url URL --pid PID": one of a server that runs, such as that of make rooms
	@go run ./devserver bench-rooms $(ARGS)
	@test -n "$(ARGS)" || go run ./devserver bench-rooms --websocket

.PHONY: bench-terminal
bench-terminal: node_modules terminal-site ## measure the terminal with the real kubectl, in a browser (some minutes)
	@$(TERMINAL_ENV) node playwright/bench-terminal.js $(ARGS)

.PHONY: bench-controlplane
bench-controlplane: node_modules controlplane-site ## measure the first Pod, a rollout, and 1,000 Pods on 50 nodes in the page (some minutes)
	@$(CONTROLPLANE_ENV) node playwright/bench-rollout.js
	@$(CONTROLPLANE_ENV) node playwright/bench-controlplane.js $(ARGS)

.PHONY: bench-pods
bench-pods: ## measure 10,000 Pods on 500 nodes, natively (some minutes); ARGS="-real DIR -stages DIR": the originals too
	@go -C wasm/controllers test -vet=off -count=1 -v -timeout 90m -run Pods ./bench -pods 10000 $(ARGS)

# How long each of the two parts takes.
MINUTES ?= 20

.PHONY: torture
torture: node_modules test-site test-edge-build ## kill the server, then the browser, at random for MINUTES=20 each, and check that nothing is lost
	@failed=0; \
	$(SITE_ENV) $(EDGE_ENV) go test -vet=off -count=1 -v -timeout 0 -run Kills ./$(TORTURE) -minutes $(MINUTES) -edge-kills 50 || failed=1; \
	$(SITE_ENV) node playwright/torture.js --minutes $(MINUTES) $(ARGS) || failed=1; \
	exit $$failed

# The name of a new lesson or scene; the environment may already have a NAME.
NAME =

.PHONY: lesson
lesson: ## start a new lesson: NAME=slug
	@go run ./web/lessons/new "$(NAME)"

.PHONY: scene
scene: ## start a new scene: NAME=slug
	@go run ./web/scenes/new "$(NAME)"

.PHONY: generate
generate: ## regenerate the Go code of the templates and the resource types
	go generate ./...

.PHONY: fmt
fmt: ## format Go and templ sources
	gofmt -w $(GO_DIRS)
	go tool templ fmt web

.PHONY: clean
clean: ## remove all that was built or installed here
	rm -rf $(DIST) $(CACHE) node_modules playwright/results

## Tests

.PHONY: test
test: ## run all tests, in Go, JavaScript, WebAssembly and a browser; prints what took how long
	@.ci/test

.PHONY: ledger
ledger: ## what the parts of the last make test took, and its slowest packages
	@.ci/ledger

.PHONY: test-busy
test-busy: ## run the tests that wait for something 20 times beside two busy processes (BUSY_RUNS=n), and all with slow controllers
	@RUNS=$(BUSY_RUNS) .ci/busy
BUSY_RUNS ?= 20

# What changed since the last commit, and what imports it: packages of Go, and scripts with what they have tests of.
.PHONY: quick
quick: ## what to run before each commit: the tests of what has changed, and what keeps the house in order
	@BASE=$(BASE) .ci/quick
# Changes since this commit count.
BASE ?= HEAD

.PHONY: test-long
test-long: test ## the same, and what takes longer: races of real clients, all states and sizes, each feature removed, recordings and rooms in every engine
	@$(MAKE) --no-print-directory test-workflows
	@$(MAKE) --no-print-directory test-dead-long
	@$(MAKE) --no-print-directory test-race-long
	@$(MAKE) --no-print-directory test-wasm-long
	@$(MAKE) --no-print-directory test-upstream-long
	@$(MAKE) --no-print-directory test-course-long
	@$(MAKE) --no-print-directory test-plain-long
	@$(MAKE) --no-print-directory test-release-long
	@$(MAKE) --no-print-directory test-browser-long
	@$(MAKE) --no-print-directory test-engines-long
	@$(MAKE) --no-print-directory test-edge-long
	@$(MAKE) --no-print-directory test-hostile-long
	@$(MAKE) --no-print-directory test-costs-long
	@$(MAKE) --no-print-directory test-kubectl-long
	@$(MAKE) --no-print-directory test-controllers-long
	@$(MAKE) --no-print-directory test-controlplane
	@$(MAKE) --no-print-directory test-controlplane-long
	@$(MAKE) --no-print-directory test-terminal
	@$(MAKE) --no-print-directory test-record-long
	@$(MAKE) --no-print-directory test-tables-long

GO_DIRS := core devserver wasm web

# All wrong attempts and seeds of the course, and the thousand seeds of the capstone.
.PHONY: test-course-long
test-course-long: export TABERNETES_LONG := 1
test-course-long: node_modules
	@echo "== the course, with all that can be tried"
	@go test -vet=off -count=1 ./web/lessons ./web/course/practice
	@node --test --test-reporter=spec $$(git ls-files 'web/course/capstone/*.test.js')

# A real server is recorded, for RECORD_MINUTES, while 8 writers write to it. TABERNETES_REAL names a directory with the
# binaries kube-apiserver and etcd; without it this is skipped.
RECORD_MINUTES ?= 5
.PHONY: test-tables-long
test-tables-long: export TABERNETES_LONG := 1
test-tables-long:
	@echo "== policies and rules of other projects, with the real server's answers"
	@go test -vet=off -count=1 -run Others -v ./devserver/internal/check

.PHONY: test-record-long
test-record-long:
	@echo "== the recorder, against a real server$(if $(TABERNETES_REAL),, (skipped: TABERNETES_REAL names none))"
	@go test -vet=off -count=1 -timeout 60m -v -run RealServer ./devserver/internal/record -minutes $(RECORD_MINUTES)

# The devserver as go install makes it of the module, without the repository.
.PHONY: test-release-long
test-release-long: export TABERNETES_LONG := 1
test-release-long:
	@echo "== without the repository"
	@go test -vet=off -count=1 ./devserver/internal/release

# The binaries as another version of Go than go.mod pins makes them: larger, and no worse.
.PHONY: test-plain-long
test-plain-long: export TABERNETES_LONG := 1
test-plain-long:
	@echo "== with another version of Go"
	@go test -vet=off -count=1 -run AnotherGo ./devserver/internal/site

# The kubectl of the page: what it weighs, and commands of it in Node against a server.
.PHONY: test-kubectl-long
test-kubectl-long: export TABERNETES_LONG := 1
test-kubectl-long: size-kubectl
	@echo "== the kubectl of the page"
	@go -C wasm/kubectl vet ./kubectl
	@go test -vet=off -count=1 -timeout 30m -skip '^TestControllers$$' ./devserver/internal/nested

# The controllers and the scheduler of the page: what they weigh, and both in Node, and beside a devserver.
.PHONY: test-controllers-long
test-controllers-long: export TABERNETES_LONG := 1
test-controllers-long: size-controllers
	@echo "== the controllers of the page"
	@go -C wasm/controllers vet ./...
	@go -C wasm/controllers test -vet=off ./...
	@go -C wasm/controllers test -vet=off -count=1 -timeout 30m ./histories -run '^TestHistoriesInWasm$$' -parts $(CURDIR)/$(CACHE)/controllers/parts
	@go test -vet=off -count=1 -timeout 30m -run '^TestControllers$$' ./devserver/internal/nested
	@go test -vet=off -count=1 -timeout 30m -run ControlPlane ./devserver

.PHONY: test-format
test-format:
	@echo "== formatting"
	@bad=$$(gofmt -l $(GO_DIRS)); test -z "$$bad" || { echo "not formatted (make fmt):"; echo "$$bad"; exit 1; }

# As the site's builder compiles for the page, so that all use the same compiled code.
WASM_ENV = env $$(go run ./devserver wasmenv)

# What checks the workflows in .github; it is downloaded.
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.PHONY: test-vet
test-vet:
	@echo "== vet"
	@go vet ./...
	@$(WASM_ENV) go vet $$(go run ./devserver wasmflags) ./core/... ./wasm/... ./web/...

# This reads all programs with all that they depend on, for a minute of processor time.
.PHONY: test-dead-long
test-dead-long:
	@echo "== functions that no program uses"
	@.ci/dead

.PHONY: test-workflows
test-workflows: ## check the workflows in .github
	@go run $(ACTIONLINT)

.PHONY: test-generated
test-generated:
	@echo "== generated files"
	@go run ./devserver stale

# The race detector needs a C compiler; a machine without one tests without.
CC_FOUND := $(shell command -v $$(go env CC) 2>/dev/null)
RACE := $(if $(CC_FOUND),-race)

# What goroutines share while requests are answered, and what other people's tests run. All that starts goroutines is
# tested so by make test-race-long: under the race detector code is compiled a second time, and takes up to twenty times as
# long.
RACED := core core/mvcc core/registry core/journal core/internal/history core/internal/controller core/room \
	core/room/internal/live core/room/replica devserver/kubetest

# These replay whole conversations, or read large texts in one goroutine. Panels count on the one thread of a page:
# nothing orders their timers otherwise.
UNRACED := core/conformance core/conformance/costs core/internal/structural core/object core/internal/managedfields core/patch core/openapi \
	web/lessons web/course/practice web/scenes devserver/internal/docs wasm/overlay \
	web/app $(sort $(patsubst %/,%,$(dir $(wildcard web/panels/*/*_test.go))))

# These are run by make test-long only: all requests of all types with long lists, and the devserver as go install makes it.
LATER := core/conformance/costs devserver/internal/release

# Tests of large objects, or of very many. Natively they take half a minute together; in WebAssembly and under the race
# detector, which finds in the others what it can find, ten times that: there make test-long runs them.
LARGE := ^Test(DocumentsAreMadeOnce|LargeApply|LargeObjects|LongNames|Malformed|ManyApplies|ManyDefaults$\
|ManyLargeDeletions|ManyTypes|ManyValuesInEveryEncoding|ManyViolations|MemoryInFlight|MemoryOfSchemas$\
|NobodyGrowsAFullCluster|NobodyGrowsByEnding|NobodyGrowsByPuts|OnePersonFills|QuotaOfHistory|SelectedCost|TermMemory$\
|AFullRoomIsEmptied|AFullRoomIsGoverned|DeadKeys|SnapshotOfAFullRoom)$$
HAVE_LARGE := ./core ./core/mvcc ./core/room

# They kill servers, and attack them, for some time, and have their own targets.
TORTURE := devserver/internal/torture
HOSTILE := devserver/internal/room/hostile

# without leaves packages out of a list.
without = grep -v $(patsubst %,-e '/%$$',$1)

# test-vet has vetted already. The race detector allocates, too, so what requests allocate is measured without it.
.PHONY: test-go
test-go:
	@echo "== go test $(RACE)$(if $(RACE),,(no C compiler: without the race detector))"
	@go test -vet=off -timeout 30m $(RACE) -skip '$(LARGE)' $(RACED:%=./%)
	@go test -vet=off -timeout 30m -run '$(LARGE)|^TestAllocations$$' $(HAVE_LARGE)
	@go test -vet=off -timeout 30m $$(go list ./... | $(call without,$(RACED:%=tabernetes/%) $(LATER) $(TORTURE) $(HOSTILE)))

# All that can be under the race detector.
.PHONY: test-race-long
test-race-long:
	@echo "== go test $(RACE)$(if $(RACE),,(no C compiler: without the race detector)), of all, with large objects"
	@go test -vet=off -timeout 60m $(RACE) $$(.ci/raced | $(call without,$(UNRACED) $(TORTURE) $(HOSTILE)))

# The terminal's shell and programs, natively: a separate module. Vetting its kubectl reads the real one and all that it
# depends on: make test-kubectl-long does that.
.PHONY: test-shell
test-shell:
	@echo "== the terminal's shell and programs"
	@go -C wasm/kubectl vet ./programs ./shell
	@go -C wasm/kubectl test -vet=off ./kubectl ./programs ./shell

# A separate module: see its package comment. Vetting would read all of what they depend on.
UPSTREAM := core/conformance/upstream

.PHONY: test-upstream
test-upstream:
	@echo "== real clients, and suites of others"
	@go -C $(UPSTREAM) test -vet=off -timeout 30m ./...

# Those whose clients work at the same time, under the race detector: all that they depend on is compiled for it.
UPSTREAM_RACED := clientgo linearizable storagesuite

.PHONY: test-upstream-long
test-upstream-long:
	@echo "== real clients$(if $(RACE),, (no C compiler: without the race detector))"
	@go -C $(UPSTREAM) test -vet=off $(RACE) $(UPSTREAM_RACED:%=./%)
	@go -C $(UPSTREAM) test -vet=off -timeout 60m -run 'Units|Ratcheting' ./celrules -expressions 50000 -definitions 1000
	@TABERNETES_LONG=1 go -C $(UPSTREAM) test -vet=off ./modules
	@TABERNETES_LONG=1 go -C $(UPSTREAM) test -vet=off -timeout 120m ./envtestsuites
	@TABERNETES_LONG=1 go -C $(UPSTREAM)/e2e test -vet=off -timeout 60m -v . -args -ginkgo.succinct
	@TABERNETES_LONG=1 go -C $(UPSTREAM)/e2e test -vet=off -timeout 90m -v -parallel 4 ./workloads

# What is compiled from other files for the page than natively, and what uses most of that: the whole server.
.PHONY: test-wasm
test-wasm:
	@echo "== go test, in WebAssembly"
	@.ci/wasm -timeout 30m -skip '$(LARGE)' ./core ./core/apiserver ./core/object ./core/internal/kinds/access \
	  $$($(WASM_TESTS) | grep '/wasm/')

# What the page runs; the recordings are replayed through the page itself instead, all of them by make test-long.
# What makes the binaries small runs the go command, which WebAssembly cannot; the front at the edge needs its engine.
WASM_TESTS = GOOS=js GOARCH=wasm go list ./core/... ./wasm/... | \
	grep -v -e /conformance -e /wasm/shrink -e '/wasm/overlay$$' -e /wasm/room

.PHONY: test-wasm-long
test-wasm-long:
	@echo "== go test, in WebAssembly, of all that the page runs"
	@.ci/wasm -timeout 60m $$($(WASM_TESTS))

# The server in WebAssembly, for tests that run it in their own process.
WASM_FOR_JS := $(CURDIR)/$(CACHE)/test/server.wasm

.PHONY: wasm-for-js
wasm-for-js:
	@$(WASM_ENV) go build $$(go run ./devserver wasmflags) -ldflags='-s -w' -o $(WASM_FOR_JS) ./wasm

.PHONY: test-js
test-js: export TABERNETES_WASM := $(WASM_FOR_JS)
test-js: node_modules wasm-for-js
	@echo "== types of the JavaScript"
	@for project in $$(git ls-files --cached --others --exclude-standard '*tsconfig.json'); do \
	  echo "tsc -p $$project"; $(BIN)/tsc -p $$project; done
	@echo "== node --test"
	@node --test --test-reporter=spec $$(git ls-files --cached --others --exclude-standard 'web/*.test.js' 'wasm/*.test.js' 'devserver/*.test.js' 'playwright/*.test.js')

# What the browser's tests run against: a separate site and server, so that
# dist/ and a server that runs are left alone.
SITE_ENV := TABERNETES_DEVSERVER=$(CACHE)/test/devserver TABERNETES_DIST=$(CACHE)/test/site \
	TABERNETES_NPM=$(CURDIR)/$(CACHE)/test/npm

.PHONY: test-site
ifndef SITE_IS_BUILT # by .ci/test, once for all its parts
test-site:
	@go build -o $(CACHE)/test/devserver ./devserver
	@$(CACHE)/test/devserver build --quick --devserver --without-kubectl --without-controllers --out $(CACHE)/test/site
	@$(CACHE)/test/devserver npm --site $(CACHE)/test/site --out $(CACHE)/test/npm
endif

# The package for npm in Node, and its example, as its users run it.
.PHONY: test-npm
test-npm: node_modules test-site
	@echo "== the package for npm"
	@$(SITE_ENV) node --test --test-reporter=spec web/npm/package.test.js
	@$(SITE_ENV) $(BIN)/vitest run --root web/npm/example

.PHONY: test-browser
test-browser: node_modules test-site
	@echo "== in a browser"
	@node playwright/engines/browser.js
	@$(SITE_ENV) $(BIN)/playwright test -c playwright/playwright.config.js $(ARGS)

.PHONY: test-browser-long
test-browser-long: export TABERNETES_LONG := 1
test-browser-long: test-browser

# The terminal with the real kubectl: a separate site, since others are built without it. It is compiled in minutes the
# first time, and taken from the cache later.
TERMINAL_ENV := TABERNETES_DEVSERVER=$(CACHE)/test/devserver TABERNETES_DIST=$(CACHE)/test/terminal TABERNETES_TERMINAL=1

.PHONY: terminal-site
terminal-site:
	@go build -o $(CACHE)/test/devserver ./devserver
	@$(CACHE)/test/devserver build --quick --devserver --without-controllers --out $(CACHE)/test/terminal

# The page with the control plane's programs, and kubectl, which people work with them by.
CONTROLPLANE_ENV := TABERNETES_DEVSERVER=$(CACHE)/test/devserver TABERNETES_DIST=$(CACHE)/test/controlplane TABERNETES_CONTROLPLANE=1

.PHONY: controlplane-site
controlplane-site:
	@go build -o $(CACHE)/test/devserver ./devserver
	@$(CACHE)/test/devserver build --quick --devserver --out $(CACHE)/test/controlplane

.PHONY: test-controlplane
test-controlplane: node_modules controlplane-site
	@echo "== the control plane's programs, in a browser"
	@node playwright/engines/browser.js
	@$(CONTROLPLANE_ENV) $(BIN)/playwright test -c playwright/playwright.config.js playwright/controlplane/ $(ARGS)

.PHONY: test-controlplane-long
test-controlplane-long: export TABERNETES_LONG := 1
test-controlplane-long: test-controlplane
	@echo "== scenes, kubectl, reloads, kills, without the network: with the programs, in every engine"
	@$(CONTROLPLANE_ENV) node --test-reporter=spec playwright/journeys/run.js --engine chromium --engine firefox --engine webkit

.PHONY: test-terminal
test-terminal: node_modules terminal-site
	@echo "== the terminal with the real kubectl, in Node and in a browser"
	@$(TERMINAL_ENV) TABERNETES_KUBECTL=$(CACHE)/test/terminal/kubectl \
	  node --test --test-reporter=spec web/terminal/binary.test.js
	@node playwright/engines/browser.js
	@$(TERMINAL_ENV) $(BIN)/playwright test -c playwright/playwright.config.js playwright/terminal/ $(ARGS)
	@echo "== journeys with it, in every engine"
	@$(TERMINAL_ENV) node --test-reporter=spec playwright/journeys/run.js --engine webkit --engine firefox --engine chromium

# The page as one file, with the site of the browser's tests; it fails when the file is too large. And with the rules'
# program.
ONE_FILE := $(CACHE)/test/offline/tabernetes.html
ONE_FILE_RULES := $(CACHE)/test/offline/rules.html

# Journeys in Firefox and WebKitGTK, those in which engines are most likely to differ; on a machine where they are not,
# and cannot be installed (that takes root on a Debian), they are skipped.
.PHONY: test-engines
test-engines: node_modules test-site
	@$(CACHE)/test/devserver offline --site $(CACHE)/test/site --out $(ONE_FILE)
	@echo "== journeys, in every engine"
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js $(ARGS)
	@echo "== the page as one file, from the disk"
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js --file $(ONE_FILE) --engine chromium --only watch:

.PHONY: test-engines-long
test-engines-long: node_modules test-site
	@$(CACHE)/test/devserver offline --site $(CACHE)/test/site --out $(ONE_FILE_RULES) --rules
	@echo "== all journeys, in every engine, in Chromium, and without each optional feature"
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js --all
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js --all --engine chromium
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js --all --without each
	@echo "== journeys in rooms, in every engine"
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js --all --room
	@echo "== all that need no server, with the page as one file from the disk, in every engine"
	@$(SITE_ENV) node --test-reporter=spec playwright/journeys/run.js --all --file $(ONE_FILE_RULES)
	@echo "== recordings, in every engine"
	@$(SITE_ENV) node playwright/journeys/replay.js

# What runs rooms at the edge, with the site of the browser's tests.
EDGE_ENV := TABERNETES_EDGE=$(CACHE)/test/edge

.PHONY: test-edge-build
test-edge-build: node_modules test-site
	@$(CACHE)/test/devserver edge --build-only --site $(CACHE)/test/site --out $(CACHE)/test/edge

.PHONY: test-edge
test-edge: test-edge-build
	@echo "== rooms in Durable Objects, on workerd"
	@$(SITE_ENV) $(EDGE_ENV) go test -vet=off -count=1 ./devserver/internal/room/edge
	@$(SITE_ENV) $(EDGE_ENV) go -C $(UPSTREAM) test -vet=off -count=1 -run AtTheEdge ./kubectl
	@node playwright/engines/browser.js
	@$(SITE_ENV) $(EDGE_ENV) TABERNETES_ROOM_HOST=edge $(BIN)/playwright test -c playwright/playwright.config.js \
	  -g 'a class|restarted' playwright/room/

# All of the class's tests there, and those that wait for the engine to forget an idle room.
.PHONY: test-edge-long
test-edge-long: test-edge-build
	@echo "== rooms in Durable Objects, on workerd, with all that can be tried"
	@$(SITE_ENV) $(EDGE_ENV) TABERNETES_LONG=1 go test -vet=off -count=1 ./devserver/internal/room/edge
	@$(SITE_ENV) $(EDGE_ENV) TABERNETES_ROOM_HOST=edge $(BIN)/playwright test -c playwright/playwright.config.js playwright/room/
	@$(SITE_ENV) $(EDGE_ENV) TABERNETES_ROOM_HOST=edge TABERNETES_LONG=1 $(BIN)/playwright test \
	  -c playwright/playwright.config.js playwright/room/

# The server and the browser are killed at random moments; make torture does it for longer.
.PHONY: test-torture
test-torture: node_modules test-site test-edge-build
	@echo "== nothing is lost when the server or the browser is killed"
	@$(SITE_ENV) $(EDGE_ENV) go test -vet=off -count=1 ./$(TORTURE) & native=$$!; \
	$(SITE_ENV) node playwright/torture.js $(ARGS) || failed=1; \
	$(SITE_ENV) node playwright/torture.js --tabs --storage opfs $(ARGS) || failed=1; \
	wait $$native || failed=1; exit $${failed:-0}

# Alone, since it measures how long the others wait for an answer.
.PHONY: test-hostile
test-hostile: test-site
	@echo "== no one takes a room from the others"
	@$(SITE_ENV) go test -vet=off -count=1 -timeout 30m ./$(HOSTILE)

# At the edge too, with 50 hostile rooms, and within the time promised on a machine at rest.
.PHONY: test-hostile-long
test-hostile-long: test-edge-build
	@echo "== no one takes a room from the others, on workerd, and with many rooms"
	@$(SITE_ENV) $(EDGE_ENV) TABERNETES_LONG=1 go test -vet=off -count=1 -timeout 60m -v -run 'AtTheEdge|Rooms|HostileClass$$' ./$(HOSTILE)

# Requests with many entries in each list and map of each type; without this, in some of them.
.PHONY: test-costs-long
test-costs-long:
	@echo "== no request takes work out of proportion"
	@TABERNETES_LONG=1 go test -vet=off -count=1 -timeout 120m ./core/conformance/costs
	@echo "== the comparison of recordings, with longer ones"
	@TABERNETES_LONG=1 go test -vet=off -count=1 -run EveryLeaf ./core/conformance
	@echo "== every benchmark of the core, once"
	@mkdir -p $(CACHE)
	@go test -vet=off -run '^$$' -bench . -benchtime 1x ./core/... > $(CACHE)/benchmarks || { cat $(CACHE)/benchmarks; exit 1; }

.PHONY: pictures
pictures: node_modules test-site ## pictures of the page in every engine, into playwright/results
	@$(SITE_ENV) node playwright/journeys/pictures.js $(ARGS)

.PHONY: test-size
test-size:
	@echo "== sizes"
	@go run ./devserver size --bounds --out $(CACHE)/test/dist

node_modules: node_modules/.package-lock.json

node_modules/.package-lock.json: package.json package-lock.json
	npm ci
	@touch $@
