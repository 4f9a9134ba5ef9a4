// @ts-check
/**
 * Those who change the collection: two writers, and others who write objects of another kind, which move the cluster's
 * revision and nothing else. What happens to each write is recorded in the truth.
 *
 * @import { World } from "./world.js"
 */
import { observed } from "./truth.js";

/**
 * A kind of objects.
 *
 * @typedef {object} Kind
 * @property {string} api the path before the namespace
 * @property {string} plural
 * @property {string} one what an object is called
 */

/**
 * Not ConfigMaps, of which each namespace has one that nobody here writes; and not Pods, which go in two events.
 *
 * @type {Kind[]}
 */
export const KINDS = [
  { api: "/api/v1", plural: "secrets", one: "secret" },
  { api: "/apis/rbac.authorization.k8s.io/v1", plural: "roles", one: "role" },
  { api: "/apis/coordination.k8s.io/v1", plural: "leases", one: "lease" },
];

export const NAMESPACE = "capstone";

/** Where objects of a kind are. @param {Kind} kind */
export const pathOf = (kind) => `${kind.api}/namespaces/${NAMESPACE}/${kind.plural}`;

/** What is written: texts whose characters have one to four bytes. */
const WORDS = ["größer", "日本語", "ok", "snow ☃", "naïve", "🚢 off", "plain", "Ωmega", "10 €", "done"];

/** @typedef {"create" | "update" | "remove" | "recreate"} Verb */

export class Writers {
  /** The names that there are. @type {string[]} */ alive = [];
  #made = 0;
  #others = 0;

  /** @param {World} world @param {Kind} kind */
  constructor(world, kind) {
    this.world = world;
    this.kind = kind;
    this.path = pathOf(kind);
    this.other = this.other.bind(this);
    this.draw = world.draw.part("writers");
  }

  /** @param {number} n */
  name(n) {
    return `${this.kind.one}-${String(n).padStart(4, "0")}`;
  }

  #note() {
    return `${this.draw.pick(WORDS)} ${this.draw.pick(WORDS)} ${this.draw.int(1, 999)}`;
  }

  /** Begins with the objects of a list. @param {string[]} names */
  adopt(names) {
    this.alive = [...names].sort();
    this.#made = Math.max(this.#made, ...names.map((name) => Number(/[0-9]+$/.exec(name)?.[0] ?? 0)));
  }

  /** Makes one write, or two for a name that is made again. @param {Verb} [verb] */
  write(verb) {
    const { draw, alive } = this;
    verb ??= draw.pick(["create", "create", "update", "update", "update", "update", "remove", "remove", "recreate"]);
    if (alive.length < 2) verb = "create";
    const by = draw.pick(["ann", "ben"]);
    const at = draw.int(0, alive.length - 1);
    const name = verb === "create" ? this.name(++this.#made) : alive[at];
    if (verb === "remove" || verb === "recreate") {
      const { revision } = this.world.must("DELETE", `${this.path}/${name}`, by);
      alive.splice(at, 1);
      this.#changed("DELETE", by, name, revision, null);
    }
    if (verb === "update") {
      const { body } = this.world.must("PATCH", `${this.path}/${name}`, by,
        { metadata: { annotations: { note: this.#note() } } });
      this.#changed("PATCH", by, name, Number(body.metadata.resourceVersion), body);
    }
    if (verb === "create" || verb === "recreate") {
      const { body } = this.world.must("POST", this.path, by, this.object(name));
      alive.push(name);
      this.#changed("POST", by, name, Number(body.metadata.resourceVersion), body);
    }
  }

  /** A new object. @param {string} name */
  object(name) {
    return { metadata: { name, annotations: { note: this.#note() } } };
  }

  /** @param {string} verb @param {string} by @param {string} name @param {number} rev @param {any} body */
  #changed(verb, by, name, rev, body) {
    this.world.truth.record({ rev, key: name, observed: body && observed(body, Number) });
    this.world.note({ what: "write", by, verb, name, revision: rev });
  }

  /** A write of another kind. */
  other() {
    const name = `other-${(this.#others = (this.#others % 20) + 1)}`;
    const note = this.#note() + this.draw.int(1, 1e9);
    const { revision } =
      this.world.must("PATCH", `/api/v1/namespaces/default/serviceaccounts/${name}?fieldManager=cid&force=true`, "cid",
        {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, annotations: { note } },
    });
    this.world.note({ what: "write", by: "cid", verb: "PATCH", name: "", revision });
  }
}
