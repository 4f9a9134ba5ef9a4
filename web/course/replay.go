package course

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	// mostSteps is how many steps a scene may have, mostWords how long its sentences may be, and mostTitle those of what
	// comes next, in characters.
	mostSteps, mostWords, mostTitle = 9, 88, 40
	// mostWrites is how many writes one step makes.
	mostWrites = 6
)

// A runMoment is a step of a scene that plays a run again: writes of others, a fault, or a request of the code.
type runMoment struct {
	entries []RunEntry
	// says is what the code did then, in words.
	says []string
}

// Scene returns the run's last moments as a scene's source, to be watched on the stage: the same writes, faults and
// requests, in a small cluster. It returns "" for a run that cannot be played there: a server that lags or fails, a
// cluster that is restored and the caches of a controller are not in the scene's reach.
func (r *Run) Scene() string {
	if r.Level == ControllerLevel {
		return "" // it writes what a scene has no names for
	}
	moments := r.moments()
	if len(moments) == 0 || r.Path == "" || r.Verdict == nil {
		return ""
	}
	moments = moments[max(0, len(moments)-mostSteps):]
	there, ok := r.there(moments[0].entries[0])
	if !ok {
		return ""
	}
	w := &sceneWriter{run: r, before: there, made: map[string]bool{}}
	var steps strings.Builder
	for i, m := range moments {
		steps.WriteString(w.step(m, i == len(moments)-1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\npicture: start added cut\nnamespaces: %s\n---\n\n# Seed %s of level %d\n\n%s\n\n```setup\n",
		w.namespace(), r.Seed, r.Level, "The last moments of your reflector’s run, played again.")
	for _, name := range w.before {
		b.WriteString(w.create(name) + "\n\n###\n")
	}
	b.WriteString("# @name start\nGET " + r.Path + "\n```\n")
	return b.String() + steps.String()
}

// mostObjects is how many objects a scene begins with at most.
const mostObjects = 60

// there returns the names of the objects that there were before an entry; false if they are too many.
func (r *Run) there(first RunEntry) ([]string, bool) {
	plural := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	var names []string
	for n := range min(r.Objects, mostObjects+1) {
		names = append(names, fmt.Sprintf("%s-%04d", strings.TrimSuffix(plural, "s"), n+1))
	}
	for _, e := range r.Log {
		if e == first {
			break
		}
		switch {
		case e.What != "write" || e.Name == "":
		case e.Verb == "POST":
			names = append(names, e.Name)
		case e.Verb == "DELETE":
			names = slices.DeleteFunc(names, func(n string) bool { return n == e.Name })
		}
	}
	return names, len(names) <= mostObjects
}

// moments returns what led to the verdict; none if some of it cannot be played again.
func (r *Run) moments() []runMoment {
	var all []runMoment
	for _, e := range r.until() {
		last := len(all) - 1
		switch e.What {
		case "write":
			full := last >= 0 && len(all[last].entries) == mostWrites
			if last >= 0 && all[last].entries[0].What == "write" && !full {
				all[last].entries = append(all[last].entries, e)
			} else {
				all = append(all, runMoment{entries: []RunEntry{e}})
			}
		case "request":
			all = append(all, runMoment{entries: []RunEntry{e}})
		case "fault":
			if e.act() == "" {
				all = nil // what was before is not known from here on
				continue
			}
			if last >= 0 && all[last].entries[0].What == "fault" && all[last].entries[0].act() == e.act() {
				continue
			}
			all = append(all, runMoment{entries: []RunEntry{e}})
		case "store":
			if last >= 0 {
				all[last].says = append(all[last].says, e.words())
			}
		}
	}
	return all
}

// until returns the entries up to the verdict.
func (r *Run) until() []RunEntry {
	end := len(r.Log)
	if r.Verdict != nil {
		for end > 0 && r.Log[end-1].At > r.Verdict.At {
			end--
		}
	}
	return r.Log[:end]
}

// act returns the act of the control plane that does what a fault did; "" if none does.
func (e RunEntry) act() string {
	switch {
	case strings.HasSuffix(e.Text, "cut"), strings.HasPrefix(e.Text, "all streams are cut"):
		return "disconnect"
	case strings.HasPrefix(e.Text, "history is compacted"):
		return "compact"
	case strings.Contains(e.Text, "is restarted"):
		return "restart"
	}
	return ""
}

// A sceneWriter writes the steps of a scene.
type sceneWriter struct {
	run *Run
	// before are the objects that there are at first; made are the titles of the steps.
	before []string
	made   map[string]bool
	// versions are the revisions of the run that a step has come to, with the requests that know them.
	versions []sceneVersion
	n        int
	pages    string // the last list with a limit
}

type sceneVersion struct {
	revision int64
	ref      string
}

// namespace returns that of the run's collection.
func (w *sceneWriter) namespace() string {
	_, rest, _ := strings.Cut(w.run.Path, "/namespaces/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func (w *sceneWriter) create(name string) string {
	return fmt.Sprintf("POST %s\n\n{\"metadata\": {\"name\": %q}}", w.run.Path, name)
}

// step returns a step's text.
func (w *sceneWriter) step(m runMoment, last bool) string {
	var requests, rows []string
	title, says := "", ""
	add := func(name, request, status string) {
		line, _, _ := strings.Cut(request, "\n")
		method, target, _ := strings.Cut(line, " ")
		path, _, _ := strings.Cut(target, "?")
		requests = append(requests, "# @name "+name+"\n"+request)
		row := fmt.Sprintf("- %s\n  %s: %s %s%s", name, name, method, path, status)
		if method == "GET" {
			is := "is absent"
			if strings.Contains(request, "watch=1") {
				is = "= 1"
			}
			row += "\n  request.query.watch " + is
		}
		rows = append(rows, row)
	}
	const done = " -> 200 or 201"
	switch e := m.entries[0]; e.What {
	case "write":
		var words []string
		for _, e := range m.entries {
			w.n++
			name := "w" + strconv.Itoa(w.n)
			add(name, w.write(e), done)
			ref := name + ".response.body.metadata.resourceVersion"
			if e.Verb == "DELETE" && e.Name != "" {
				add("at"+strconv.Itoa(w.n), "GET "+w.run.Path, " -> 200")
				ref = "at" + strconv.Itoa(w.n) + ".response.body.metadata.resourceVersion"
			}
			w.versions = append(w.versions, sceneVersion{e.Revision, ref})
			words = append(words, e.wrote())
		}
		title = "others write"
		says = strings.Join(words, ", ")
	case "fault":
		w.n++
		add(fmt.Sprintf("f%d", w.n), "POST "+wellknown.ControlPlane+"/"+e.act()+"\n\n{}", done)
		title, says = map[string]string{"disconnect": "the connections break", "compact": "history is compacted",
			"restart": "the API server restarts"}[e.act()], e.Text
	default:
		name := "r" + strconv.Itoa(e.ID)
		add(name, w.request(e, name), "")
		title = "your request " + strconv.Itoa(e.ID)
		says = "your request " + strconv.Itoa(e.ID) + " " + e.asks()
	}
	if len(m.says) > 0 {
		says += "; then " + m.says[len(m.says)-1]
	}
	if last {
		says = w.run.Verdict.Rule + ": " + w.run.Verdict.Text
	}
	return fmt.Sprintf("\n## %s\n\n%s\n\n```http\n%s\n```\n\n```check\n%s\n```\n", cutWords(w.numbered(title), mostTitle),
		cutWords(sentenceOf(says), mostWords), strings.Join(requests, "\n\n###\n"), strings.Join(rows, "\n"))
}

// numbered makes titles differ.
func (w *sceneWriter) numbered(title string) string {
	if w.made[title] {
		w.n++
		title += " (" + strconv.Itoa(w.n) + ")"
	}
	w.made[title] = true
	return title
}

// write returns the request of a write.
func (w *sceneWriter) write(e RunEntry) string {
	merge := "\nContent-Type: application/merge-patch+json\n\n" +
		fmt.Sprintf(`{"metadata": {"labels": {"by": %q, "n": "%d"}}}`, e.By, w.n)
	if e.Name == "" { // an object of another type
		return fmt.Sprintf("PATCH /api/v1/namespaces/%s/configmaps/kube-root-ca.crt%s", w.namespace(), merge)
	}
	switch e.Verb {
	case "POST":
		return w.create(e.Name)
	case "DELETE":
		return "DELETE " + w.run.Path + "/" + e.Name
	}
	return "PATCH " + w.run.Path + "/" + e.Name + merge
}

// request returns a request of the code, with the versions of the scene's cluster.
func (w *sceneWriter) request(e RunEntry, name string) string {
	path, query, _ := strings.Cut(e.URL, "?")
	q, err := url.ParseQuery(query)
	if err != nil {
		return "GET " + path
	}
	text, mark := "GET "+path, "\n  ?"
	for _, key := range []string{"watch", "limit", "continue", "resourceVersion", "resourceVersionMatch",
		"sendInitialEvents", "allowWatchBookmarks"} {
		value := q.Get(key)
		switch {
		case !q.Has(key):
			continue
		case key == "watch":
			value = "1"
		case key == "continue" && w.pages == "":
			continue
		case key == "continue":
			value = "{{" + w.pages + ".response.body.metadata.continue}}"
		case key == "resourceVersion" && value != "" && value != "0":
			value = "{{" + w.version(value) + "}}"
		}
		text += mark + key + "=" + value
		mark = "\n  &"
	}
	if q.Get("limit") != "" && q.Get("watch") == "" {
		w.pages = name
	}
	return text
}

// version returns what knows the version in the scene that the code named in the run.
func (w *sceneWriter) version(named string) string {
	revision := int64(-1)
	for _, e := range w.run.Log {
		if e.Version == named && e.Revision > 0 {
			revision = e.Revision
		}
	}
	if n, err := strconv.ParseInt(named, 10, 64); err == nil && revision < 0 {
		revision = n
	}
	ref := "start.response.body.metadata.resourceVersion"
	for _, v := range w.versions {
		if v.revision <= revision {
			ref = v.ref
		}
	}
	return ref
}

// wrote says what a write did.
func (e RunEntry) wrote() string {
	if e.Name == "" {
		return e.By + " writes another type"
	}
	does := cmp.Or(map[string]string{"POST": "creates", "DELETE": "deletes"}[e.Verb], "changes")
	return e.By + " " + does + " `" + e.Name + "`"
}

// asks says what a request asks for.
func (e RunEntry) asks() string {
	_, query, _ := strings.Cut(e.URL, "?")
	q, _ := url.ParseQuery(query)
	text := "lists"
	if q.Get("watch") != "" {
		text = "watches"
	}
	switch v := q.Get("resourceVersion"); {
	case v != "":
		text += " from " + v + " on, as the run counted"
	case q.Get("watch") != "":
		text += " from now on"
	}
	return text
}

// sentenceOf makes words a sentence.
func sentenceOf(words string) string {
	words = strings.Join(strings.Fields(words), " ")
	if words == "" {
		return words
	}
	words = strings.ToUpper(words[:1]) + words[1:]
	if !strings.HasSuffix(words, ".") {
		words += "."
	}
	return words
}

// cutWords cuts a text at a word. What is cut off in code ends the code.
func cutWords(text string, most int) string {
	if len([]rune(text)) <= most {
		return text
	}
	cut := string([]rune(text)[:most-2])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	if strings.Count(cut, "`")%2 == 1 {
		cut += "`"
	}
	return strings.TrimRight(cut, ",;. ") + " …"
}
