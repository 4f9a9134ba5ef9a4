package kinds

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// check looks at fields of an object by rules that are a word each: the name of
// the field, then
//
//	!       it must be there and not be empty; after !! nothing more is said if it is not
//	=a,b    if it is there it must be one of these texts
//	?a,b    it must be one of these texts, and an empty one is missing
//	~form   if there is a text it must have this form; with ~~ an empty one must too
//	#lo,hi  if it is there it must be a number from lo to hi; mode and id are such ranges too
//	@rules  the object there, or each of the list, must follow these rules of fieldRules
//
// It costs what the rules and the object's lists cost. Rules are read once.
func check(m map[string]any, at field.Path, rules string) field.ErrorList {
	var errs field.ErrorList
	for _, rule := range read(rules) {
		v := m[rule.name]
		text, isText := v.(string)
		switch rule.op { // paths are made where there is something to say
		case '!':
			if v == nil || emptyValue(v) {
				errs.Add(field.Required(at.Child(rule.name), ""))
				if rule.arg != "" {
					return errs
				}
			}
		case '=', '?':
			switch {
			case rule.op == '?' && text == "":
				errs.Add(field.Required(at.Child(rule.name), ""))
			case v != nil && !slices.Contains(rule.texts, text):
				errs.Add(field.NotSupported(at.Child(rule.name), text, rule.texts...))
			}
		case '~':
			if text != "" || rule.always && (isText || v == nil) {
				if wrong := rule.form(text); len(wrong) > 0 {
					errs.Add(invalid(at.Child(rule.name), text, wrong)...)
				}
			}
		case '#':
			if n, ok := v.(int64); ok {
				errs.Add(within(n, at.Child(rule.name), rule.arg)...)
			}
		case '@':
			if one, ok := v.(map[string]any); ok {
				errs.Add(check(one, at.Child(rule.name), fieldRules[rule.arg])...)
			}
			for i, one := range entries(m, rule.name) {
				errs.Add(check(one, at.Child(rule.name).Index(i), fieldRules[rule.arg])...)
			}
		}
	}
	return errs
}

// A fieldRule is a word of rules, read.
type fieldRule struct {
	name   string
	op     byte
	arg    string
	texts  []string              // of = and ?
	form   func(string) []string // of ~
	always bool                  // the form is asked of an empty text too
}

// rulesRead are the rules that have been read, of which there are as many as the
// program has. The map is never changed, but replaced.
var rulesRead atomic.Pointer[map[string][]fieldRule]

// read returns the words of rules.
func read(rules string) []fieldRule {
	known := rulesRead.Load()
	if known != nil {
		if words, ok := (*known)[rules]; ok {
			return words
		}
	}
	var words []fieldRule
	for word := range strings.FieldsSeq(rules) {
		i := strings.IndexAny(word, "!=?~#@")
		rule := fieldRule{name: word[:i], op: word[i], arg: word[i+1:]}
		switch rule.op {
		case '=', '?':
			rule.texts = strings.Split(rule.arg, ",")
		case '~':
			form, always := strings.CutPrefix(rule.arg, "~")
			rule.form, rule.always = textForms[form], always
		}
		words = append(words, rule)
	}
	more := map[string][]fieldRule{rules: words}
	if known != nil {
		maps.Copy(more, *known)
	}
	rulesRead.CompareAndSwap(known, &more) // if another was quicker, the next reading tells
	return words
}

// within checks a number against the bounds of a rule, of which a third is the
// lowest one that is told.
func within(n int64, at field.Path, bounds string) field.ErrorList {
	switch bounds {
	case "mode":
		if n < 0 || n > 0o777 {
			return field.ErrorList{field.Invalid(at, n, "must be a number between 0 and 0777 (octal), both inclusive")}
		}
		return nil
	case "id":
		bounds = "0,2147483647"
	}
	low, high, _ := strings.Cut(bounds, ",")
	high, told, _ := strings.Cut(high, ",")
	lo, _ := strconv.Atoi(low)
	hi, _ := strconv.Atoi(high)
	if n >= int64(lo) && n <= int64(hi) {
		return nil
	}
	if told != "" {
		lo, _ = strconv.Atoi(told)
	}
	return field.ErrorList{field.Invalid(at, n, syntax.Between(lo, hi))}
}

// textForms are the forms of texts that rules and rows call by name.
var textForms = map[string]func(string) []string{
	"label": syntax.Label, "subdomain": syntax.Subdomain, "key": syntax.LabelKey, "value": syntax.LabelValue, "configKey": syntax.ConfigMapKey,
	"env": syntax.EnvVarName, "segment": syntax.PathSegment, "reason": syntax.Reason,
	"domain": func(name string) []string { return syntax.Subdomain(strings.ToLower(name)) },
	"inside": notUpwards, "below": downwards, "file": keyPath, "absolute": absolute, "iqn": qualifiedISCSI,
}

const upwards = "must not contain '..'"

// notUpwards are paths that do not go upwards.
func notUpwards(path string) []string {
	if slices.Contains(strings.Split(path, "/"), "..") {
		return []string{upwards}
	}
	return nil
}

// downwards are paths that lead downwards from where one is.
func downwards(path string) []string {
	if strings.HasPrefix(path, "/") {
		return append([]string{"must be a relative path"}, notUpwards(path)...)
	}
	return notUpwards(path)
}

// keyPath are the paths of files in volumes that are made of keys.
func keyPath(path string) []string {
	wrong := downwards(path)
	if strings.HasPrefix(path, "..") && !strings.HasPrefix(path, "../") {
		wrong = append(wrong, "must not start with '..'")
	}
	return wrong
}

func absolute(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return []string{"must be an absolute path"}
	}
	return nil
}

// qualifiedISCSI are the names of iSCSI.
func qualifiedISCSI(name string) []string {
	kind, rest := name, ""
	if len(name) > 3 {
		kind, rest = name[:3], name[4:]
	}
	good := false
	switch kind {
	case "iqn":
		date, host, _ := strings.Cut(rest, ".")
		year, month, _ := strings.Cut(date, "-")
		authority, unique, _ := strings.Cut(host, ":")
		good = len(year) == 4 && len(month) == 2 && digits(year+month) && name[3] == '.' && authority != "" && unique != "" &&
			strings.Trim(authority, alphanumeric+"-.") == "" && !strings.ContainsAny(unique, "^,;*&$| \t\n")
	case "eui":
		good = len(rest) == 16 && strings.Trim(rest, alphanumeric) == ""
	case "naa":
		good = len(rest) == 32 && strings.Trim(rest, alphanumeric) == ""
	default:
		return []string{"must be valid format starting with iqn, eui, or naa"}
	}
	if !good {
		return []string{"must be valid format"}
	}
	return nil
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// fieldRules are the rules for objects that are parts of others.
var fieldRules = map[string]string{
	"named": "name!",
	"item":  "key! path! path~file mode#mode",

	// volumes
	"hostPath":              "path!! path~inside type=,BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket",
	"gitRepo":               "repository! directory~below",
	"gcePersistentDisk":     "pdName! partition#0,255,1",
	"awsElasticBlockStore":  "volumeID! partition#0,255,1",
	"secret":                "secretName! defaultMode#mode items@item",
	"nfs":                   "server! path! path~~absolute",
	"iscsi":                 "targetPortal! iqn! iqn~iqn lun#0,255",
	"glusterfs":             "endpoints! path!",
	"persistentVolumeClaim": "claimName!",
	"rbd":                   "monitors! image!",
	"cinder":                "volumeID! secretRef@named",
	"cephfs":                "monitors!",
	"downwardAPI":           "defaultMode#mode",
	"flexVolume":            "driver!",
	"configMap":             "name! defaultMode#mode items@item",
	"azureFile":             "secretName! shareName!",
	"vsphereVolume":         "volumePath!",
	"photonPersistentDisk":  "pdID!",
	"portworxVolume":        "volumeID!",
	"azureDisk":             "diskName! diskURI! cachingMode=None,ReadOnly,ReadWrite kind=Dedicated,Managed,Shared",
	"storageos":             "volumeName! volumeName~label volumeNamespace~label secretRef@named",
	"projected":             "defaultMode#mode",
	"scaleIO":               "gateway! system! volumeName!",
	"image":                 "pullPolicy?Always,IfNotPresent,Never",

	// persistent volumes, where they are not as the volumes of pods
	"namespaced":           "name! namespace!",
	"secretOf":             "name! name~subdomain namespace! namespace~label",
	"persistent cinder":    "volumeID! secretRef@namespaced",
	"persistent storageos": "volumeName! volumeName~label volumeNamespace~label secretRef@namespaced",
	"persistent local":     "path!! path~inside",
	"persistent csi":       "volumeHandle! controllerPublishSecretRef@secretOf controllerExpandSecretRef@secretOf nodePublishSecretRef@secretOf nodeExpandSecretRef@secretOf",

	// containers
	"fileKeyRef": "key! key~env volumeName! volumeName~label path! path~inside",
	"keyRef":     "name~~subdomain key! key~configKey",
	"envRef":     "name! name~subdomain",
}
