package present

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// errNoTypes says that a command names a type, and the cluster's types have not been read.
var errNoTypes = errors.New("The types of the cluster are not known yet.")

// kubectlAccept is the Accept header with which kubectl asks for tables.
const kubectlAccept = "application/json;as=Table;v=v1;g=meta.k8s.io," +
	"application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"

// listVersion stands in a Command's Watch for the version of the list before it.
const listVersion = "LIST"

// getFlags are the flags of get that take a value, by all of their names.
var getFlags = map[string]string{"-n": "n", "--namespace": "n", "-l": "l", "--selector": "l",
	"--field-selector": "field", "-o": "o", "--output": "o"}

// get reads the arguments of kubectl get: what kubectl would ask for is asked for.
func get(args []string, c Context) (Command, error) {
	cmd := Command{Verb: "request", Table: true}
	given := map[string]string{"n": "default"}
	var names []string
	watch, all := false, false
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(args[i], "=")
		switch flag := getFlags[name]; {
		case flag != "" && has:
			given[flag] = value
		case flag != "" && i+1 < len(args):
			i++
			given[flag] = args[i]
		case flag != "":
			return cmd, fmt.Errorf("%s needs a value.", name)
		case args[i] == "-w" || args[i] == "--watch":
			watch = true
		case args[i] == "-A" || args[i] == "--all-namespaces":
			all = true
		case strings.HasPrefix(args[i], "-"):
			return cmd, fmt.Errorf("get does not support %s here: it has -w, -n, -A, -l, --field-selector and -o.", args[i])
		default:
			names = append(names, args[i])
		}
	}
	if len(names) == 1 {
		if typ, name, ok := strings.Cut(names[0], "/"); ok {
			names = []string{typ, name}
		}
	}
	switch {
	case len(names) == 0:
		return cmd, errors.New("Get what? get pods")
	case len(names) > 2:
		return cmd, errors.New("Only one name at a time.")
	case c.Catalog == nil || c.Catalog.Empty():
		return cmd, errNoTypes
	}
	r := c.Catalog.Named(names[0])
	if r == nil {
		return cmd, fmt.Errorf("The cluster has no resource type %q.", names[0])
	}
	if o := given["o"]; o != "" && o != "wide" {
		cmd.Table = false
	}
	namespace := given["n"]
	if all {
		namespace = ""
	}
	path, fields := r.Collection(namespace), given["field"]
	if len(names) == 2 {
		// From any state: the version of an object is not that of its collection.
		if cmd.Path = r.Object(namespace, names[1]); watch {
			q := url.Values{"fieldSelector": {"metadata.name=" + names[1]}, "resourceVersion": {"0"}, "watch": {"true"}}
			cmd.Watch = path + "?" + q.Encode()
		}
		return cmd, nil
	}
	q := url.Values{}
	if fields != "" {
		q.Set("fieldSelector", fields)
	}
	if given["l"] != "" {
		q.Set("labelSelector", given["l"])
	}
	if watch {
		q.Set("resourceVersion", listVersion)
		q.Set("watch", "true")
		cmd.Watch = path + "?" + q.Encode()
		q.Del("resourceVersion")
		q.Del("watch")
	}
	q.Set("limit", "500")
	cmd.Path = path + "?" + q.Encode()
	return cmd, nil
}
