package main

// usage is what the command help prints, and a wrong command line.
const usage = `Devserver serves Tabernetes, a Kubernetes API server that runs in a browser tab:
the page, and on the same port another API server, for kubectl.

Usage:
  go run ./devserver [flags]         build the site, serve it and the API
  go run ./devserver build [flags]   build the site only, for any static host
  go run ./devserver release --version V [flags]  build what is published of a version:
                                     for each system a program with the site inside, and
                                     that of --control-plane
  go run ./devserver npm [flags]     build the package for npm
  go run ./devserver offline [flags]  build the page as one file that works from a disk
  go run ./devserver version         print which version this is
  go run ./devserver size [flags]    build it and check the sizes of its files
  go run ./devserver shrink [NAME…]  measure what the tricks that make the binaries
                                     small save, or those named
  go run ./devserver kubectl [flags]  build the kubectl of the page
  go run ./devserver controllers [flags]  build the page's controllers and scheduler
  go run ./devserver edge [flags]    run rooms in Durable Objects on this machine
  go run ./devserver teacher ROOMID  print a link by which a page is a teacher of a room;
                                     --data DIR or --addr HOST:PORT are those of the
                                     server (default 127.0.0.1:8080); for one
                                     elsewhere, such as rooms at the edge:
                                     --url URL --key-file FILE, its host key
  go run ./devserver edge teacher ROOMID  the same of a room at the edge on this machine
                                          (default --data .cache/edge/data)
  go run ./devserver envtest --dir D [flags]  put an etcd and a kube-apiserver into D that
                                     test suites start instead of the real ones
  go run ./devserver record --out FILE [flags]  record a real cluster's history, for the lab
  go run ./devserver bench           run the core's benchmarks, as a table
  go run ./devserver bench-rooms [flags]  measure a room with many followers
  go run ./devserver bench-watches [flags]  measure the cost of idle watches
  go run ./devserver bench-servers [flags]  measure servers beside one another
  go run ./devserver bench-fanout [flags]  measure events that reach some of many watches
  go run ./devserver check [flags] PATH…  say what an API server refuses of manifests: files,
                                     directories, URLs, - for the standard input
  go run ./devserver test [flags] PATH…  run tests of policies: files with tests, directories
  go run ./devserver check --data DIR     check whether the data there is intact
  go run ./devserver salvage --data DIR   keep a copy of the damaged data there,
                                          and make a cluster of the intact part
  go run ./devserver stale           check that generated files are up to date
  go run ./devserver wasmflags       print the go command's flags for the binaries
  go run ./devserver wasmenv         print its environment for them

Flags of the server:
  --addr HOST:PORT   where to listen (default 127.0.0.1:8080); port 0 takes a
                     free one. Other hosts than loopback make the server, which
                     does not authenticate anyone, reachable by others.
  --allow-host NAME  answer requests for this host name too, besides the
                     loopback names and the host of --addr (may be repeated).
                     Others are refused, so that no web site can reach the
                     server under its own name (DNS rebinding).
  --allow-origin ORIGIN  let pages of this origin, like https://host.example:8443,
                     use the API, over WebSockets too, besides the server's own
                     (may be repeated). Pages of others may not: they could act
                     as the user of a browser here.
  --api-only         serve the API only; starts at once, builds no site
  --authorization MODE   AlwaysAllow: everyone is the administrator (default);
                     RBAC: roles and bindings say who may do what, and requests
                     without credentials are anonymous
  --token-auth-file FILE   the valid bearer tokens, in kube-apiserver's
                     format: token,user,uid,"group1,group2" on each line. The
                     port speaks HTTPS too then, as with --tls, since kubectl
                     sends no token over HTTP.
  --tls              speak HTTPS on the same port; HTTP is still answered. The
                     certificate is signed by the server's own authority,
                     made at start, or kept in the directory of --data.
  --kubeconfig FILE  write into this file how kubectl reaches the server: cluster,
                     user and context tabernetes. An existing file keeps everything
                     else, its current context too; entries of that name that no
                     devserver wrote make it a failure.
  --seed PATH        apply the manifests of a file, or of a directory's .yaml, .yml
                     and .json files, at every start (may be repeated). Custom
                     resource definitions and namespaces come first; fields that
                     the manifests name get their values again. A manifest that
                     is refused ends the start.
  --controllers      run the small built-in controllers (default true;
                     --controllers=false for a server that only stores)
  --control-plane    run the real kube-controller-manager and kube-scheduler beside
                     the server: the file tabernetes-controllers-… of a release, or
                     built here (which takes minutes the first time)
  --nodes N          with --control-plane: N nodes, on which Pods start, run and end
                     by the Stages of kwok, as if they had kubelets (default 0)
  --feature-gates A=true,B=false  set feature gates of the API server, by Kubernetes'
                     names; those of a running cluster are spec.featureGates of
                     its ControlPlane
  --data DIR         keep the cluster in this directory, with its revisions and
                     history, and load it at the next start; its ControlPlane then
                     takes precedence over the flags. One
                     server at a time. If what is there is damaged, the server
                     says how and does not start (exit status 3).
  --quota BYTES      how much memory the objects and their history may take
                     (default 2147483648, as etcd's). Near it, history is
                     removed; beyond it, only deletions are accepted.
  --rooms            serve rooms too, clusters that several people share: POST /rooms
                     opens one, and its API is below /rooms/ID/. With --data they
                     are kept in the directory rooms below it; others end when
                     no one has used them for half an hour. For rooms in a network,
                     as with --addr 0.0.0.0:8080, --tls is needed; the start says who
                     can do what, and the server's own cluster answers this machine
                     only.
  --dev              rebuild what a change of the sources affects, and reload
                     the page; changes of the server restart it
  --dir DIR          where the site is built and served from (default dist); a
                     released program has a site inside, which it serves unless
                     this names another
  --no-build         serve the site in --dir as it is
  --log              print every API request
  --count-api        count API requests, for tests: GET /_devserver/api-requests
  --report-memory    tell what the process takes, for measurements: GET
                     /_devserver/memory

Flags of build and size:
  --out DIR          where to build (default dist)
  --quick            compress quickly rather than well (build only)
  --devserver        a devserver will serve it: let the page choose that server's
                     cluster too (build only)
  --names            keep the names of functions in the binaries, for profiles of
                     them (build only)
  --without-controllers  leave out the controllers of the page's control plane
  --without-kubectl  leave kubectl out, and with it the page's terminal: building it
                     takes minutes the first time (build only). The environment
                     variable TABERNETES_KUBECTL names a directory with its parts,
                     as the command kubectl makes it: nothing is built then
  --bounds           weigh only the files that have bounds (size only)

Flags of release:
  --version V        the name of the version, such as v0.1.0
  --out DIR          where to put the files (default dist/release)
  --target OS/ARCH   build for this system only (may be repeated)
  --site DIR         a site that is built already, with --devserver (default: it is
                     built)

Flags of npm:
  --version V        the package's version (default 0.0.0)
  --out DIR          where to put it (default dist/npm)
  --site DIR         a site that is built already (default: it is built)

Flags of offline:
  --out FILE         where to put it (default dist/offline/tabernetes.html)
  --rules            have the evaluator of CEL in it, too, which makes it half as large again
  --site DIR         a site that is built already (default: it is built)

Flags of kubectl and controllers:
  --out DIR          where to put its parts (default dist/kubectl, dist/controllers)
  --quick            compress quickly rather than well
  --bounds           print its weight in brotli, and fail if that exceeds the bound
  --without NAME     leave out a trick of wasm/shrink, or methods, to see what it
                     saves (may be repeated)

Flags of edge:
  --addr HOST:PORT   where to listen (default 127.0.0.1:8787)
  --data DIR         where rooms are kept (default data below --out)
  --out DIR          where to build (default .cache/edge)
  --site DIR         a site that is built already (default: site below --out, which
                     is built)
  --tls              speak HTTPS only
  --allow-host NAME, --allow-origin ORIGIN   as those of the server
  --no-build         run what is in --out as it is
  --build-only       build only: wrangler deploy, in --out, puts it on an account

Flags of envtest:
  --dir D            where to put etcd, kube-apiserver and kubectl; the line that is
                     printed makes envtest take them: export KUBEBUILDER_ASSETS=…
  --store            put them where setup-envtest keeps what it has downloaded, in
                     D/k8s/VERSION-OS-ARCH; without --dir in its own folder
  --latency D        how long a request takes, about (default 2ms, as the real server
                     does); 0 is as fast as it goes
  --seed N           let that vary from request to request, in the same way each time
  --controllers      run the small built-in controllers, which envtest does not have

Flags of check:
  --crds PATH        definitions that the cluster has; what else is there is left
                     out (this flag and the next two may be repeated)
  --policies PATH    policies that it has, with their bindings and parameters
  --context PATH     other objects that it has
  --old COMMIT       check updates of what the files were in this commit of git
  --output FORMAT    text (default), json, junit, sarif or github, which annotates
  --skip-unknown     skip custom resources without a definition
  --namespaces-must-exist   refuse what is in a namespace that no manifest makes; it is
                     assumed to exist otherwise
                     Exit status: 0 if all is accepted, 1 if not, 2 if it cannot be
                     checked. Nothing is written, and only the URLs that are named
                     are opened.

Flags of test:
  --output FORMAT    as that of check
  --covered          fail if an expression was never evaluated, or a condition of one was
                     never true or never false; a note says so otherwise
  --recording FILE   make the writes of a recording again, with the policies that the
                     paths have, and say which they would have refused
  --since DURATION   only the writes of so long before its end, such as 1h
                     Exit status: 0 if all tests pass, 1 if not, 2 if they cannot be run.

Flags of record:
  --out FILE         where to write; a recording that is there is continued. The lab
                     opens the file ("Open a file" in Levers)
  --kubeconfig FILE  how to reach the cluster (default: that of kubectl)
  --context NAME     which of its contexts (default: the current one)
  --namespace NAME   record this namespace only (default: all, and what is in none)
  --types A,B.GROUP  record these types only, named as in pods,deployments.apps;
                     '*' is all (default: all but leases.coordination.k8s.io)
  --redact TYPE:PATH  redact a field too, as in configmaps:data or
                     '*:metadata.annotations["example.com/token"]' (may be repeated).
                     The data and annotations of Secrets always are.
                     It takes the rights to list and watch what is recorded, and
                     never writes to the cluster. Ctrl-C ends it.

Flags of bench-watches:
  --watches N        how many are open (default 5000)

Flags of bench-fanout:
  --url URL          measure this server, rather than one that is started for it
  --token TOKEN      the bearer token for that server
  --pid PID          the process of that server, to tell its processor and memory
  --watches N        how many are open (default 10000)
  --receivers N      how many watches get each write (default 10)
  --slow N           watches besides that get each write and are not read
  --rate N           writes in a second (default 1000)
  --time DURATION    how long each turn takes (default 5s)

Flags of bench-servers:
  --server NAME=URL[,TOKEN]  one that was started for this, such as a kube-apiserver, with
                     a bearer token if it wants one (once for each). Pods are
                     created and deleted in its namespace default. How many times
                     as fast as each other one the first one is is printed, too.

Flags of bench-rooms:
  --url URL          measure the rooms of this server, rather than of one that is
                     started for it
  --pid PID          the process of that server, to tell its processor and memory
  --followers N      members that follow (default 300)
  --writers N        members that write (default 20)
  --time DURATION    how long each turn takes (default 5s)
  --websocket        follow over WebSockets

Examples:
  go run ./devserver --addr 127.0.0.1:8080 --api-only --controllers=false
  kubectl --server http://127.0.0.1:8080 get namespaces
  echo 'secret,root,1,system:masters' > tokens.csv
  go run ./devserver --api-only --authorization RBAC --token-auth-file tokens.csv
  kubectl --server https://127.0.0.1:8080 --insecure-skip-tls-verify --token secret auth whoami
  go run ./devserver --api-only --tls --kubeconfig lab.kubeconfig --seed web/samples
  kubectl --kubeconfig lab.kubeconfig get pods

Without --data the API's objects live in memory and are gone when the server stops.
`
