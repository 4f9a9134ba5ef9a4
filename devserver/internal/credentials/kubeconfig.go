package credentials

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// entry is the name of the cluster, the user and the context in a kubeconfig.
const entry = "tabernetes"

// ownExtension is the extension that marks the entries of earlier starts. Those of that name without it are somebody
// else's.
const ownExtension = "devserver.tabernetes.dev"

// anyToken is sent to a server that asks for none: over HTTPS without a token, kubectl asks its user for a name and a
// password.
const anyToken = "none"

// A Kubeconfig says how clients reach a server.
type Kubeconfig struct {
	Server    string
	Authority []byte // PEM; nil without TLS
	Token     string
}

// NewKubeconfig describes a server at a URL that knows these tokens.
func NewKubeconfig(server string, authority []byte, tokens Tokens) Kubeconfig {
	k := Kubeconfig{Server: server, Authority: authority, Token: tokens.Administrator()}
	if k.Token == "" && authority != nil {
		k.Token = anyToken
	}
	return k
}

// Kubectl returns the command that reaches a server, and writes its kubeconfig into a file unless that is "".
func Kubectl(file, server string, authority []byte, tokens Tokens) (string, error) {
	if file != "" {
		current, err := NewKubeconfig(server, authority, tokens).Save(file)
		if err != nil {
			return "", fmt.Errorf("--kubeconfig: %w", err)
		}
		command := "kubectl --kubeconfig " + file
		if !current {
			command += " --context " + entry
		}
		return command, nil
	}
	command := "kubectl --server " + server
	if authority == nil {
		return command, nil
	}
	token := "TOKEN"
	if len(tokens) == 0 {
		token = anyToken
	}
	return command + " --insecure-skip-tls-verify --token " + token, nil
}

// Save writes the entries into the file of this name, for its owner only, and
// reports whether they are its current context. A file that is there keeps all
// else, and its current context if it has one; entries that another start wrote
// are replaced. After a failure the file is as it was.
func (k Kubeconfig) Save(name string) (current bool, err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // a link stays one
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return false, err
	}
	// kubectl does not write a file either that has such a neighbour.
	lock, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_EXCL, 0)
	if errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("%s is being changed by another program, since there is %[1]s.lock; if that is left "+
			"from a crash, remove it", name)
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Close(), os.Remove(name+".lock")) }()
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	text, current, err := k.merge(old)
	if err != nil {
		return false, fmt.Errorf("%s: %w; nothing was changed", name, err)
	}
	return current, replacePrivately(name, text)
}

// merge puts the entries into the text of a kubeconfig, which may be empty.
func (k Kubeconfig) merge(old []byte) (text []byte, current bool, err error) {
	config := map[string]any{}
	if err := yaml.UnmarshalStrict(old, &config); err != nil {
		return nil, false, fmt.Errorf("it is not a kubeconfig: %w", err)
	}
	if kind, ok := config["kind"]; ok && kind != "Config" {
		return nil, false, fmt.Errorf("it is not a kubeconfig but of kind %v", kind)
	}
	if len(config) == 0 {
		config = map[string]any{"apiVersion": "v1", "kind": "Config"}
	}
	mark := []any{map[string]any{"name": ownExtension, "extension": map[string]any{"server": k.Server}}}
	cluster := map[string]any{"server": k.Server, "extensions": mark}
	if k.Authority != nil {
		cluster["certificate-authority-data"] = k.Authority
	}
	user := map[string]any{"extensions": mark}
	if k.Token != "" {
		user["token"] = k.Token
	}
	for _, e := range []struct {
		list, key string
		value     map[string]any
	}{
		{"clusters", "cluster", cluster},
		{"users", "user", user},
		{"contexts", "context", map[string]any{"cluster": entry, "user": entry, "extensions": mark}},
	} {
		if err := setEntry(config, e.list, e.key, e.value); err != nil {
			return nil, false, err
		}
	}
	if now, _ := config["current-context"].(string); now == "" {
		config["current-context"] = entry
	}
	text, err = yaml.Marshal(config)
	return text, config["current-context"] == entry, err
}

// setEntry puts our entry into a list of a kubeconfig.
func setEntry(config map[string]any, list, key string, value map[string]any) error {
	entries, ok := config[list].([]any)
	if !ok && config[list] != nil {
		return fmt.Errorf("it is not a kubeconfig: its %s are not a list", list)
	}
	named := func(v any) bool {
		e, _ := v.(map[string]any)
		return e["name"] == entry
	}
	at := slices.IndexFunc(entries, named)
	if at < 0 {
		config[list] = append(entries, map[string]any{"name": entry, key: value})
		return nil
	}
	old := entries[at].(map[string]any)
	content, _ := old[key].(map[string]any)
	if !marked(content) {
		return fmt.Errorf("its %s %s is not from a devserver: rename it, or choose another file", key, entry)
	}
	if namespace, ok := content["namespace"]; ok {
		value["namespace"] = namespace // of the context, chosen with kubectl config set-context
	}
	old[key] = value
	return nil
}

// marked reports whether an entry is from a devserver.
func marked(content map[string]any) bool {
	extensions, _ := content["extensions"].([]any)
	return slices.ContainsFunc(extensions, func(v any) bool {
		e, _ := v.(map[string]any)
		return e["name"] == ownExtension
	})
}

// replacePrivately puts text in the place of a file, at once and for the owner only.
func replacePrivately(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".new-*") // for the owner only
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // of no use
	}
	return err
}
