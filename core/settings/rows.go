package settings

// day and hour are bounds in seconds.
const (
	hour = 60 * 60
	day  = 24 * hour
)

// The settings, but for those that only tests and people set by hand: see core/controlplane.
var (
	Retention = Setting{
		Path: "history.retentionSeconds", Kind: Seconds, Least: 1, Most: day, Default: int64(300),
		Is:   "how often etcd is compacted, up to the revision of one such interval before",
		Form: HistoryForm, Label: "keep history for", Unit: "s",
		Key: "retention", Says: "etcd is compacted every ",
	}
	Bookmarks = Setting{
		Path: "watch.bookmarkSeconds", Kind: Seconds, Least: 0, Most: day, Default: int64(60),
		Is:   "how often a watch without events gets a bookmark; with 0 only at the end of the initial events",
		Form: HistoryForm, Label: "bookmark every", Unit: "s",
		Key: "bookmarks", Says: "a bookmark comes every ", Words: []Word{{int64(0), "never", "no bookmarks come"}},
	}
	Least = Setting{
		Path: "cache.capacity.least", Kind: Number, Least: 1, Most: 1 << 20, Default: int64(100),
		Is:   "how many events of a type a watch cache has room for, at least",
		Form: BuffersForm, Label: "room for at least",
	}
	Most = Setting{
		Path: "cache.capacity.most", Kind: Number, Least: 1, Most: 1 << 20, Default: int64(100 * 1024),
		Is:   "how many events of a type a watch cache has room for, at most",
		Form: BuffersForm, Label: "at most", Unit: "events",
	}
	Progress = Setting{
		Path: "cache.progressSeconds", Kind: Seconds, Least: 1, Most: day, Default: int64(5),
		Is:   "how often etcd reports its head to the watch caches, which bookmarks pass on",
		Form: BuffersForm, Label: "etcd reports its head every", Unit: "s",
		Key: "progress", Says: "etcd reports its progress to the caches every ",
	}
	Replicas = Setting{
		Path: "cache.replicas", Kind: Other, Least: 1, Most: MaxReplicas,
		Is: "the API servers, each with its own watch caches and the two fields below",
	}
	Lag = Setting{
		Path: "cache.replicas[].lagSeconds", Kind: Seconds, Least: 0, Most: hour, Default: int64(0),
		Is:    "how late the watch caches of the server are",
		Label: "lag", Unit: "s",
	}
	Frozen = Setting{
		Path: "cache.replicas[].frozen", Kind: Switch, Default: false,
		Is: "whether they do not follow etcd at all",
		Words: []Word{{Value: false, Says: "the watch caches follow etcd"},
			{Value: true, Says: "the watch caches are frozen"}},
	}
	Controllers = Setting{
		Path: "controllers.enabled", Kind: Switch, Default: true,
		Is:  "whether the controllers run",
		Key: "controllers", Words: []Word{{true, "on", "the controllers run"}, {false, "off", "no controller runs"}},
	}
	Paused = Setting{
		Path: "clock.paused", Kind: Switch, Default: false,
		Is:  "whether the cluster's clock is paused, and with it everything that waits for it",
		Key: "clock", Words: []Word{{false, "running", "the clock runs"}, {true, "paused", "the clock is paused"}},
	}
	Rate = Setting{
		Path: "clock.rate", Kind: Number, Least: 1, Most: 60, Default: int64(1),
		Is:    "how many seconds of the cluster's clock pass in one second",
		Label: "speed",
		Key:   "rate", Says: "seconds of the clock that pass in one: ", Words: []Word{
			{int64(1), "1", "the clock is as fast as ours"},
			{int64(10), "10", "the clock is ten times as fast as ours"},
			{int64(60), "60", "a minute of the clock passes in a second"},
		},
	}
	Chaos = Setting{
		Path: "chaos.enabled", Kind: Switch, Default: false,
		Is:  "whether faults are injected at random",
		Key: "chaos", Words: []Word{{false, "off", "no faults are injected at random"},
			{true, "on", "faults are injected at random"}},
	}
	ChaosSeed = Setting{
		Path: "chaos.seed", Kind: Number, Least: 0, Most: MaxSeed,
		Is:    "the seed that decides which faults happen, and when; the server chooses one if it is not set",
		Label: "seed",
	}
	ChaosInterval = Setting{
		Path: "chaos.intervalSeconds", Kind: Seconds, Least: 1, Most: day, Default: int64(10),
		Is:    "how often a fault is injected",
		Label: "every", Unit: "s",
	}
	Match          = parameter("match", "resourceVersionMatch", "resourceVersionMatch")
	Limit          = parameter("limit", "limit", "limit")
	AllowBookmarks = parameter("allow-bookmarks", "bookmarks", "allowWatchBookmarks")
	InitialEvents  = parameter("initial-events", "sendInitialEvents", "sendInitialEvents")
	Authorization  = Setting{
		Path: "authorization.mode", Kind: Choice, Default: "AlwaysAllow",
		Is:  "who may do what",
		Key: "authorization", Words: []Word{{"AlwaysAllow", "AlwaysAllow", "everyone may do everything"},
			{"RBAC", "RBAC", "Roles decide who may do what"}},
	}
	WithoutCredentials = Setting{
		Path: "authentication.withoutCredentials", Kind: Choice, Default: "Admin",
		Is: "who makes requests without credentials",
		Words: []Word{{Value: "Admin", Says: "requests without credentials are the administrator’s"},
			{Value: "Anonymous", Says: "requests without credentials are the anonymous user’s"},
			{Value: "Unauthorized", Says: "requests without credentials are refused"}},
	}
)

// All are the settings that have a value of a simple kind, in the order in which they are shown and said, and those
// that hold some of them.
var All = []Setting{
	Retention, Bookmarks, Least, Most, Progress, Replicas, Lag, Frozen, Controllers, Paused, Rate, Chaos, ChaosSeed,
	ChaosInterval, Match, Limit, AllowBookmarks, InitialEvents, Authorization, WithoutCredentials,
}

// Ignorable are the settings of parameters that a server may not know.
var Ignorable = []Setting{Match, Limit, AllowBookmarks, InitialEvents}

// The values of a parameter's setting.
const (
	Honor  = "Honor"
	Ignore = "Ignore"
)

// parameter returns the setting whether servers know a parameter.
func parameter(key, field, name string) Setting {
	return Setting{
		Path: "compatibility." + field, Kind: Choice, Default: Honor,
		Is:  "whether servers know " + name,
		Key: key, Words: []Word{{Honor, "honoured", name + " is honoured"}, {Ignore, "ignored", name + " is ignored"}},
	}
}
