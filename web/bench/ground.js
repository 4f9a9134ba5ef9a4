// @ts-check
/**
 * The cluster of a bench: in memory, in a worker of the page. What is on the bench is written through the API as
 * anybody writes it; the requests are sent as trials (core/trial), which say besides the answer what was evaluated.
 *
 * Each request finds the cluster as the tabs say: the requests before it have changed nothing. Objects that are there
 * before a request are written before the policies are, which say nothing of them then.
 *
 * @import { Cluster } from "../npm/index"
 * @import { Manifest, Verb } from "../npm/manifests.js"
 * @import { Bench, Request, Tab } from "./model.js"
 * @import { Node } from "./yaml.js"
 * @import { Access, Explained, Trial } from "./trial"
 */
import { messageOf } from "../browser/status.js";
import { EVALUATE, assume, isMap, rank, requestOf, whenServed } from "../npm/manifests.js";
import { MANIFESTS } from "./model.js";
import { pathOf } from "./fields.js";
import { YAMLError, documents, find, lineAt, read, valueOf } from "./yaml.js";

/**
 * @typedef {object} Doc a document of a tab
 * @property {Tab} tab
 * @property {string} text of the tab
 * @property {{from: number, to: number}} part of it
 * @property {Node} node
 * @property {Manifest & Record<string, any>} value
 */

/**
 * @typedef {object} Problem of a text
 * @property {Tab} tab
 * @property {number} from
 * @property {number} to
 * @property {string} message
 * @property {boolean} warning
 */

/**
 * @typedef {object} Outcome
 * @property {string} problem why nothing could be sent; or ""
 * @property {string} [path]
 * @property {{method: string, headers: Record<string, string | string[]>, body?: string}} [init]
 * @property {Trial} [trial]
 * @property {any} [answer] the body
 * @property {any} [before] what was stored
 * @property {Access} [access] why the user can do it
 * @property {Access} [others] who can
 * @property {Explained["evaluation"]} [evaluation] of an expression alone
 * @property {Explained["problems"]} [problems]
 */

/** What is wrong, to be shown. */
class Stop extends Error {}

/** The last ones: what decides about others. @param {Manifest} m */
const decides = (m) => m.apiVersion.startsWith("admissionregistration.k8s.io/");

/**
 * The objects of a text.
 *
 * @param {Tab} tab
 * @param {string} text
 * @param {(problem: Problem) => void} tell
 */
export function docsOf(tab, text, tell) {
  /** @type {Doc[]} */
  const docs = [];
  for (const part of documents(text)) {
    try {
      for (const node of itemsOf(read(text, part))) {
        const value = valueOf(node);
        const missing = ["apiVersion", "kind"].find((field) => typeof Object(value)[field] !== "string");
        if (missing || !isMap(value)) {
          tell({ tab, from: node.from, to: node.from, message: `${missing} is missing`, warning: false });
          continue;
        }
        if (!isMap(value.metadata)) value.metadata = {};
        docs.push({ tab, text, part, node, value: /** @type {any} */ (value) });
      }
    } catch (error) {
      if (!(error instanceof YAMLError)) throw error;
      tell({ tab, from: error.at, to: error.at + 1, message: error.message.replace(/^line \d+: /, ""),
        warning: false });
    }
  }
  return docs;
}

/** The objects of a document: those of a list, as clients write it. @param {Node} node @returns {Node[]} */
function itemsOf(node) {
  const items = find(node, ["items"])?.node;
  return items?.kind === "list" && /List$/.test(Object(valueOf(node)).kind) ? items.items.map(({ value }) => value)
    : [node];
}

export class Ground {
  /** What a new cluster is. @type {Uint8Array | null} */ #empty = null;
  /** What it is before a request, without what decides. @type {Uint8Array | null} */ #ready = null;
  #rbac = false;
  /** @type {Doc[]} */ docs = [];
  /** How writing the definitions ended. @type {{doc: Doc, outcome: Outcome}[]} */ checks = [];
  /** @type {Doc[]} */ #last = [];
  /** The turn of what is done: one thing after another. @type {Promise<unknown>} */ #turn = Promise.resolve();

  /** @param {Cluster} cluster */
  constructor(cluster) {
    this.cluster = cluster;
  }

  /**
   * Does something when everything before is done.
   *
   * @template T
   * @param {() => Promise<T>} what
   * @returns {Promise<T>}
   */
  inTurn(what) {
    const done = this.#turn.then(what);
    this.#turn = done.catch(() => {});
    return done;
  }

  /**
   * Writes what is on the bench.
   *
   * @param {Bench} bench
   * @returns {Promise<{problems: Problem[], checks: {doc: Doc, outcome: Outcome}[], revision: string}>}
   */
  prepare(bench) {
    return this.inTurn(async () => {
      /** @type {Problem[]} */
      const problems = [];
      const tell = (/** @type {Problem} */ problem) => void problems.push(problem);
      const { cluster } = this;
      if (this.#empty) await cluster.levers.restore(this.#empty);
      else this.#empty = await cluster.levers.snapshot();
      if (bench.rbac) await cluster.levers.set({ authorization: { mode: "RBAC" } });
      this.#rbac = bench.rbac;
      this.checks = [];
      this.docs = MANIFESTS.flatMap((tab) => docsOf(tab, bench.tabs[tab], tell));
      this.#answer();
      await assume(cluster, this.docs.map(({ value }) => value));
      const sorted = this.docs.toSorted((a, b) => rank(a.value, decides) - rank(b.value, decides));
      for (const doc of sorted.filter(({ value }) => !decides(value))) await this.#put(doc, tell);
      this.#ready = await cluster.levers.snapshot();
      this.#last = sorted.filter(({ value }) => decides(value));
      for (const doc of this.#last) await this.#put(doc, tell);
      this.#bound(tell);
      const response = await cluster.fetch("/api/v1/namespaces?limit=1");
      const { checks } = this;
      this.checks = []; // those of requests are said with them
      return { problems, checks, revision: (await response.json()).metadata?.resourceVersion ?? "" };
    });
  }

  /** Answers webhooks: they refuse everything, so that one sees what they are called for. */
  #answer() {
    this.cluster.webhooks.clear();
    for (const { value } of this.docs) {
      const { webhooks } = /** @type {any} */ (value);
      if (!decides(value) || !Array.isArray(webhooks)) continue;
      for (const { name, clientConfig } of webhooks.filter(isMap)) {
        const { url, service } = Object(clientConfig);
        const { namespace, name: host, path = "" } = Object(service);
        const address = url ?? `https://${host}.${namespace}.svc/${String(path).replace(/^\//, "")}`;
        const status = { message: `the bench refuses what ${name} is called for` };
        this.cluster.webhooks.set(address, () => ({ allowed: false, status }));
      }
    }
  }

  /**
   * Warns of policies and bindings that miss each other: the server takes both, and asks neither.
   *
   * @param {(problem: Problem) => void} tell
   */
  #bound(tell) {
    const warn = (/** @type {Doc} */ { tab, node }, /** @type {string[]} */ path, /** @type {string} */ message) => {
      const { from, node: at } = find(node, path) ?? { from: node.from, node: { to: node.from + 1 } };
      tell({ tab, from, to: at.to, message, warning: true });
    };
    const policies = this.#last.filter(({ tab }) => tab === "policy");
    const bindings = this.#last.filter(({ tab }) => tab === "binding");
    const binds = (/** @type {Doc} */ { value: policy }, /** @type {Doc} */ { value: binding }) =>
      binding.kind === `${policy.kind}Binding` && Object(binding.spec).policyName === policy.metadata.name;
    for (const policy of policies.filter((p) => !bindings.some((b) => binds(p, b)))) {
      warn(policy, ["metadata", "name"], `no ${policy.value.kind}Binding has the policyName ` +
        `${policy.value.metadata.name}: it decides nothing`);
    }
    for (const binding of bindings.filter((b) => !policies.some((p) => binds(p, b)))) {
      const { policyName = "" } = Object(binding.value.spec);
      warn(binding, ["spec", "policyName"], `there is no ${binding.value.kind.replace(/Binding$/, "")} ${policyName}`);
    }
  }

  /** Whether it is written. @param {Doc} doc @param {(problem: Problem) => void} tell */
  async #put(doc, tell) {
    const { tab, text, node, value } = doc;
    const say = (/** @type {string} */ message, field = "", warning = false) => {
      const steps = pathOf(field);
      let at = null;
      for (; steps.length && !at; steps.pop()) at = find(node, steps); // where the field would be, if it is missing
      const from = at?.from ?? node.from;
      tell({ tab, from, to: Math.max(from + 1, Math.min(at?.node.to ?? from, text.indexOf("\n", from) >>> 0)), message,
        warning });
    };
    const { name } = value.metadata;
    try {
      const { path, init } = await requestOf(this.cluster, name ? "apply" : "create", value, value, { force: true });
      const defines = value.kind === "CustomResourceDefinition";
      // Of a definition it is said what its rules are estimated to cost.
      const trial = await (defines ? this.#try(path, init) : this.#direct(path, init));
      if (defines) this.checks.push({ doc, outcome: { problem: "", path, trial: /** @type {Trial} */ (trial),
        answer: parsed(trial.body) } });
      if (trial.code < 400) {
        if (defines) await whenServed(this.cluster, value);
        return true;
      }
      const { details, message: said = "" } = Object(parsed(trial.body));
      const causes = (details?.causes ?? []).filter((/** @type {any} */ c) => c.field && c.message);
      // Fields that do not exist have no causes, but are in the message.
      for (const [, field, message] of said.matchAll(/(?:: |^\s+)\.(\S+): (field not declared in schema)$/gm)) {
        causes.push({ field, message });
      }
      if (!causes.length) say(`${trial.code}: ${messageOf(trial.body)}`);
      for (const { field, message } of causes) say(`${field}: ${message}`, field);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
    return false;
  }

  /**
   * Sends a request to a cluster that is as the tabs say.
   *
   * @param {Request} request
   * @param {string} expression that on the bench
   * @returns {Promise<Outcome>}
   */
  try(request, expression) {
    return this.inTurn(async () => {
      try {
        return await (request.verb === EVALUATE ? this.#evaluate(request, expression) : this.#send(request,
          request.verb));
      } catch (error) {
        if (!(error instanceof Stop || error instanceof YAMLError || error instanceof TypeError)) throw error;
        return { problem: error.message };
      }
    });
  }

  /** @param {Request} request @param {string} text @returns {Promise<Outcome>} */
  async #evaluate({ object }, text) {
    const [part] = documents(object);
    const variables = part ? valueOf(read(object, part)) : {};
    if (!isMap(variables)) throw new Stop("The variables are not names with values.");
    const word = ["true", "false"].find((name) => name in variables);
    if (word) throw new Stop(`A variable is named ${word}: in YAML, y and n are such words, unless they are quoted.`);
    const { evaluation, problems } = await this.explain({ variables, text: text.trimEnd(), offset: 0, evaluate: true });
    return { problem: "", evaluation, problems };
  }

  /** @param {Request} request @param {Verb} verb @returns {Promise<Outcome>} */
  async #send(request, verb) {
    if (!this.#ready) throw new Stop("The cluster is not ready.");
    const { cluster } = this;
    const told = /** @type {Problem[]} */ ([]);
    const wrong = (/** @type {Problem} */ problem) => void told.push(problem);
    const before = docsOf("objects", request.before, wrong);
    const [doc, more] = docsOf("objects", request.object, wrong);
    if (told.length) {
      const { from, message } = told[0];
      const text = before.length || !doc ? request.object : request.before;
      throw new Stop(`The object cannot be read: line ${lineAt(text, from)}: ${message}.`);
    }
    if (!doc || more) throw new Stop(more ? "The request has more than one object." : "The request has no object.");
    await cluster.levers.restore(this.#ready);
    await assume(cluster, [...before, doc].map(({ value }) => value));
    for (const old of before) {
      if (await this.#put(old, wrong)) continue;
      const definition = this.docs.find(({ value }) => value.kind === "CustomResourceDefinition" &&
        value.spec?.names?.kind === old.value.kind && old.value.apiVersion.startsWith(`${value.spec.group}/`));
      if (!definition) continue;
      // It was there before the rules were.
      const loose = { ...definition, value: withoutRules(definition.value) };
      told.length = 0;
      if (await this.#put(loose, wrong) && await this.#put(old, wrong)) await this.#put(definition, wrong);
    }
    for (const decided of this.#last) await this.#put(decided, () => {}); // what is wrong with it is said at its tab
    if (told.length) throw new Stop(`What was there before cannot be written: ${told[0].message}`);

    const { user, groups, subresource, manager, force } = request;
    const as = user ? { user, groups } : undefined;
    const { value } = doc;
    const asked = await requestOf(cluster, verb, value, value, { subresource, as, manager: manager || undefined,
      force });
    const whole = verb === "create" || verb === "apply"; // what is sent is what was written
    const stored = value.metadata.name && (await cluster.fetch(asked.path.replace(/\?.*/, "") +
      (verb === "create" ? `/${value.metadata.name}` : "")));
    const headers = /** @type {Record<string, string | string[]>} */ (Object.fromEntries(asked.init.headers));
    if (verb === "create") headers["content-type"] = "application/yaml";
    if (groups.length > 1 && user) headers["impersonate-group"] = groups;
    const init = { method: asked.init.method, headers, body: whole ? request.object : asked.init.body };
    const trial = await this.#try(asked.path, init);
    /** @type {Outcome} */
    const outcome = { problem: "", path: asked.path, init, trial, answer: parsed(trial.body),
      before: stored && stored.ok ? await stored.json() : undefined };
    if (this.#rbac) Object.assign(outcome, await this.#access(asked.path, verb, value, request));
    return outcome;
  }

  /** @param {string} path @param {{method: string, headers: any, body?: string}} init @returns {Promise<Trial>} */
  #try(path, { method, headers, body = "" }) {
    return this.#review("trials", { method, path, headers: headers instanceof Headers ? Object.fromEntries(headers)
      : headers, body });
  }

  /**
   * The same without what was evaluated.
   *
   * @param {string} path
   * @param {any} init
   * @returns {Promise<Pick<Trial, "code" | "body" | "steps">>}
   */
  async #direct(path, init) {
    const response = await this.cluster.fetch(path, init);
    return { code: response.status, body: await response.text(), steps: [] };
  }

  /** @param {string} path @param {Verb} verb @param {Manifest} m @param {Request} request */
  async #access(path, verb, { apiVersion, metadata }, { user, groups, subresource }) {
    const [, resource] = /** @type {string[]} */ (/\/(?:v[^/]+)\/(?:namespaces\/[^/]+\/(?=[^?/]))?([^/?]+)/.exec(
      path) ?? []);
    const namespace = /\/namespaces\/([^/?]+)\/[^?/]/.exec(path)?.[1] ?? "";
    const question = { verb: verb === "apply" ? "patch" : verb, group: apiVersion.includes("/")
      ? apiVersion.split("/")[0] : "",
      resource, subresource, namespace, name: verb === "create" ? "" : (metadata.name ?? "") };
    const [access, others] = [
      user ? await this.#review("grantreviews",
        { ...question, user: { name: user, groups: [...groups, "system:authenticated"] } }) : undefined,
      await this.#review("grantreviews", question)];
    return { access, others };
  }

  /**
   * Types, completion and values of an expression, as core/trial says them.
   *
   * @param {object} question
   * @returns {Promise<Explained>}
   */
  explain(question) {
    return this.#review("expressionreviews", question);
  }

  /** @param {string} name @param {object} body @returns {Promise<any>} */
  async #review(name, body) {
    const response = await this.cluster.fetch(`/apis/sandbox.tabernetes.dev/v1/${name}`,
      { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Stop(messageOf(text));
    return JSON.parse(text);
  }
}

/** A definition without its rules. @param {any} value @returns {any} */
function withoutRules(value) {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "x-kubernetes-validations")
    .map(([key, v]) => [key, withoutRules(v)]));
}

/** @param {string} body @returns {any} */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
