package programs

import "strings"

// helpText is what help says.
const helpText = `This is a shell, and the real kubectl, in your browser. The cluster is the one of this page.

  kubectl get namespaces            or shorter: k get ns
  kubectl get pods -w               shows changes as they happen; Ctrl-C ends it
  kubectl explain pod.spec          what a field means
  curl /api/v1/namespaces           the same API, without kubectl
  kubectl get ns -o json | jq '.items[].metadata.name'
  kubectl apply -f - <<EOF          then a manifest, then a line with EOF

Pipes, redirection, $(…), variables, if, for and functions are those of bash. Files are kept with the cluster.
Tab completes commands, resources, names and files. What begins with / is a path of the API for curl.

Programs: %s
`

// help says what there is.
func help(c *Call) int {
	if len(c.Args) > 1 {
		name := c.Args[1]
		switch {
		case name == "kubectl" || name == "k":
			return c.run([]string{"kubectl", "--help"}, c.Env, strings.NewReader(""))
		case all[name] != nil:
			return c.fail("%s has no page here: it is as on Linux, with the flags that are used most", name)
		}
		return c.fail("no help is there about %s. help says what there is; kubectl --help says what kubectl can do", name)
	}
	var names []string
	line := "Programs: "
	for _, name := range c.Names() {
		if refused[name] != "" || name == "help" {
			continue
		}
		if len(line)+len(name) > 100 {
			names, line = append(names, "\n  "), "  "
		}
		names, line = append(names, name+" "), line+name+" "
	}
	c.printf(helpText, strings.TrimSpace(strings.Join(names, "")))
	return 0
}

// editor opens the page's editor.
func editor(c *Call) int {
	var files []string
	for _, arg := range c.Args[1:] {
		if !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+") {
			files = append(files, c.path(arg))
		}
	}
	if len(files) == 0 {
		return c.fail("name a file: %s FILE opens it in the page's editor", c.Args[0])
	}
	for _, file := range files {
		if status := c.run([]string{"edit", file}, c.Env, strings.NewReader("")); status != 0 {
			return status
		}
	}
	return 0
}
