// @ts-check
/**
 * What a command of kubectl is, by its arguments: its verb, what it is about, its flags.
 *
 * @typedef {object} Command
 * @property {string} program "kubectl", "curl", …
 * @property {string} verb "get", "rollout status"; "" of other programs
 * @property {string[]} args what is neither verb nor flag
 * @property {Map<string, string>} flags by their long names; one without a value has "true"
 */

/** The short flags of kubectl that have a long name. A capital S: only a switch. */
const LONG = /** @type {Record<string, string>} */ ({
  A: "all-namespaces", c: "container", f: "filename", k: "kustomize", L: "label-columns", l: "selector", n: "namespace",
  o: "output", p: "patch", R: "recursive", s: "server", v: "v", w: "watch", h: "help", i: "stdin", t: "tty", q: "quiet",
});

/** Flags that take no value, so that what follows them is an argument. */
const SWITCHES = new Set(("all all-namespaces watch watch-only recursive help stdin tty quiet server-side " +
  "force-conflicts force ignore-not-found list overwrite show-labels no-headers prune now local show-managed-fields " +
  "allow-missing-template-keys validate record save-config windows-line-endings edit rm it attach expose client " +
  "namespaced cached show-kind output-watch-events subresources dry-run cascade previous follow timestamps " +
  "show-events ignore-daemonsets delete-emptydir-data disable-eviction match-server-version warnings-as-errors wait " +
  "no-trunc command leave-stdin-open privileged sum show-capacity interactive").split(" "));

/** Verbs whose first argument belongs to them. */
const PAIRS = new Set(["auth", "rollout", "set", "config", "top", "certificate", "cluster-info", "create", "apply",
  "plugin"]);

/** What follows a verb as a part of it; others are arguments. */
const SECOND = new Set(("can-i whoami reconcile status history restart undo pause resume image resources env " +
  "selector serviceaccount subject view current-context use-context get-contexts dump pod pods node " +
  "nodes approve deny " +
  "edit-last-applied set-last-applied view-last-applied list token").split(" "));

/** Whether a program is kubectl, by one of its names. @param {string} name */
export const isKubectl = (name) => /(^|\/)(kubectl|k)$/.test(name);

/** @param {string[]} argv @returns {Command} */
export function commandOf(argv) {
  const program = argv[0] ?? "";
  /** @type {Map<string, string>} */
  const flags = new Map();
  /** @type {string[]} */
  const words = [];
  const add = (/** @type {string} */ name, /** @type {string} */ value) =>
    flags.set(name, flags.has(name) ? `${flags.get(name)},${value}` : value);
  for (let i = 1; i < argv.length; i++) {
    const arg = argv[i];
    if (arg === "--") break; // what follows is for somebody else
    const long = /^--([a-z][\w-]*)(?:=([^]*))?$/.exec(arg);
    const short = /^-([A-Za-z]+)(?:=([^]*))?$/.exec(arg);
    if (long) {
      if (long[2] !== undefined) add(long[1], long[2]);
      else if (SWITCHES.has(long[1]) || i + 1 >= argv.length) add(long[1], "true");
      else add(long[1], argv[++i]);
    } else if (short && program !== "curl") {
      const [name, ...rest] = short[1];
      const full = LONG[name] ?? name;
      const value = rest.join("") + (short[2] === undefined ? "" : `${rest.length ? "=" : ""}${short[2]}`);
      if (SWITCHES.has(full) && short[2] === undefined) for (const one of short[1]) add(LONG[one] ?? one, "true");
      else if (value) add(full, value);
      else add(full, argv[++i] ?? "");
    } else words.push(arg);
  }
  if (!isKubectl(program)) return { program, verb: "", args: words, flags };
  const [verb = "", second = "", ...rest] = words;
  if (PAIRS.has(verb) && (SECOND.has(second) && verb !== "create" || verb === "create" && second === "token")) {
    return { program, verb: `${verb} ${second}`, args: rest, flags };
  }
  return { program, verb, args: second ? [second, ...rest] : rest, flags };
}

/** How a command is called: "kubectl rollout status". @param {string[]} argv */
export function nameOf(argv) {
  const { program, verb } = commandOf(argv);
  return verb ? `kubectl ${verb}` : program;
}

/** Whether a flag is on. @param {Command} c @param {string} name */
export const has = (c, name) => c.flags.has(name) && c.flags.get(name) !== "false";
