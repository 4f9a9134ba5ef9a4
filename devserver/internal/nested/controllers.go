package nested

// Controllers are the real kube-controller-manager and kube-scheduler.
var Controllers = Program{
	Name:    "controllers",
	dir:     "wasm/controllers",
	bound:   8_500_000,
	patches: controllerPatches,
}

// controllerPatches are shown by README.md of wasm/controllers.
var controllerPatches = []patch{
	{
		file:   "k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go",
		sha256: "9f814c5fb51cf6c7fd91e47d91a5cbda3f04ec20c22ea6a3f0f02cabfbf89921",
		edits: []edit{
			{old: "\t\"k8s.io/kubernetes/pkg/kubelet/eviction\"\n"},
			{
				"eviction.PodIsEvicted(o[i].Status), eviction.PodIsEvicted(o[j].Status)",
				"evicted(o[i].Status), evicted(o[j].Status)",
			},
		},
		reason: "one function of the kubelet's is all that is used of it, and it does not compile for js",
	},
	{
		file: "k8s.io/kubernetes/pkg/controller/podgc/own.go", own: "podgc.txt",
		reason: "that function",
	},
	{
		file:   "k8s.io/kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go",
		sha256: "08bb963deee05f79219b1870ee8f217500a1f2d6b1b8ceff0d3fd1f9faab27af",
		edits:  []edit{{old: "\tvolumeutil \"k8s.io/kubernetes/pkg/volume/util\"\n"}},
		reason: "a finalizer's name and one function are all that is used of what mounts volumes, which does not " +
			"compile for js",
	},
	{
		file: "k8s.io/kubernetes/pkg/controller/volume/pvcprotection/own.go", own: "claims.txt",
		reason: "these two",
	},
	{
		file:   "k8s.io/kubernetes/pkg/controller/volume/pvprotection/pv_protection_controller.go",
		sha256: "75851be7f7928338c5a30e2bd2746f3f85ade992b58e8e4832afa7a8dbec4203",
		edits:  []edit{{old: "\tvolumeutil \"k8s.io/kubernetes/pkg/volume/util\"\n"}},
		reason: "the same, of which a finalizer's name is used",
	},
	{
		file: "k8s.io/kubernetes/pkg/controller/volume/pvprotection/own.go", own: "volumes.txt",
		reason: "that name",
	},
	{
		file:   "k8s.io/kubernetes/pkg/quota/v1/install/registry.go",
		sha256: "c0a52c45a6c9ee18c01e345dd1bc8aefb1f812f6f97d3a850bb5e9d542003629",
		edits: []edit{
			{old: "\t\"k8s.io/apiserver/pkg/server/storage\"\n"},
			{
				"apiResourceConfig storage.APIResourceConfigSource)",
				"apiResourceConfig interface{ ResourceEnabled(schema.GroupVersionResource) bool })",
			},
		},
		reason: "an API server's storage, and so etcd's client, would be linked for one interface",
	},
	{
		file:   "k8s.io/kubernetes/pkg/scheduler/backend/cache/debugger/signal.go",
		sha256: "a35d085d9f63aa691a4ddcac22d442b782ed082d925b43451d0ad9246eb4a803",
		edits:  []edit{{"syscall.SIGUSR2", "syscall.Signal(12)"}},
		reason: "there is no SIGUSR2 for js",
	},
	namedMethods,
	{
		file: "text/template/own.go", own: "methods.txt", standard: true, trick: true,
		reason: "the methods that templates may call, for the row before: none, since those of Stages read maps only",
	},
}
