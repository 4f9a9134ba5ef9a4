package valid

// SystemPriority are the values of the classes that every cluster has, by name.
var SystemPriority = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}
