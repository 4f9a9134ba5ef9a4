// @ts-check
/**
 * The control plane of the cluster in the tab, and its nodes: kube-controller-manager, kube-scheduler and what stands
 * in for kubelets, each in a worker, while they are switched on. The binary is downloaded the first time, and kept by
 * the page.
 *
 * Invariants:
 *   - They run in the tab that has the cluster's server, and nowhere else. Whether they are switched on is known to all
 *     tabs of the origin.
 *   - With the server they end at once; what runs next begins with its Lease, since the name of the holder is the same.
 *
 * Costs: three workers, whose instances share one compiled module.
 *
 * @import { Tabernetes } from "../shim/tabernetes"
 * @import { Progress } from "../terminal/load.js"
 * @import { Fork } from "../room/fork.js"
 */
import { isAbsent } from "../browser/absent.js";
import { isOn, KEY, setOn } from "../browser/controlplane.js";
import { fileURL } from "../browser/files.js";
import { notLoaded } from "../browser/late.js";
import { loadBinary } from "../terminal/load.js";
import { Inside } from "./inside.js";
import { Levers } from "./levers.js";
import { Program } from "./program.js";

/**
 * A cluster in which programs run: the page's, or a scene's.
 *
 * @typedef {Pick<Tabernetes, "connect" | "disconnect" | "setKubelets">} Served
 *
 * @typedef {object} Group the programs of a cluster
 * @property {Program[]} programs
 * @property {Served} cluster
 * @property {(i: number, label: string) => Program} make makes one of PROGRAMS
 */

/** How many nodes there are. */
const NODES = 3;

const KUBELETS = "kubelets";

/** The programs, with the arguments of each: the first two are users, and the kubelets the owner of the page. */
const PROGRAMS = Object.entries({
  "kube-controller-manager": ["--as=system:kube-controller-manager"],
  "kube-scheduler": ["--as=system:kube-scheduler"],
  // Each renewal of a Lease is a revision: with this a node makes three in two minutes, rather than twelve.
  [KUBELETS]: [`--nodes=${NODES}`, "--node-lease-duration=160s"],
});

/** What each controller of a cluster that may have RBAC needs: a scene's has none, and begins without them. */
const ACCOUNTS = "--use-service-account-credentials";

const RUNNING = `They run, with ${NODES} nodes.`;

const ABSENT = "This site was built without the controllers. All else works, and “make build” builds a site that " +
  "has them.";

/**
 * A Lease is renewed once a minute, rather than thirty times, since each renewal is a revision: who continues has the
 * same name, and takes it over at once.
 */
const RARELY = [
  "--leader-elect-lease-duration=180s", "--leader-elect-renew-deadline=120s", "--leader-elect-retry-period=60s",
];

const mb = (/** @type {number} */ n) => (n / 1e6).toFixed(1);

/** @param {Progress} progress */
const words = ({ loaded, total, download, kept, building }) =>
  building ? "The page’s server is building them, which takes minutes the first time."
    : kept ? "Starting."
    : `Loading ${mb((loaded / total) * download)} of ${mb(download)} MB.`;

class ControlPlane {
  /** @type {Promise<WebAssembly.Module> | null} */ #module = null;
  /** Those of the page. @type {Group | null} */ #page = null;
  /** Those of a scene, while there is one. @type {Group | null} */ #scene = null;
  /** Counts beginnings, so that what an earlier one left unfinished ends. */
  #run = 0;
  #working = false;
  #said = "";
  #levers = new Levers((name) => this.#second(name));
  #inside = new Inside();

  /** @param {Tabernetes} tabernetes */
  constructor(tabernetes) {
    this.tabernetes = tabernetes;
    tabernetes.onState(({ state }) => {
      if (state !== "ready") this.#end((program) => program.kill());
      this.#settle();
    });
    addEventListener("storage", ({ key }) => void (key === KEY && this.#settle()));
  }

  /** Switches them on, or off. */
  toggle() {
    setOn(!isOn());
    this.#settle();
  }

  #settle() {
    const { state } = this.tabernetes.status;
    const here = state === "ready" && this.tabernetes.leads;
    if (isOn() && here) {
      if (!this.#working) this.#begin();
    } else {
      this.#end((program) => void program.stop());
      this.#say(isOn() && state === "ready" ? "They run in the tab that has the cluster." : "");
    }
  }

  async #begin() {
    const run = ++this.#run;
    this.#working = true;
    this.#say("Starting.");
    try {
      const module = await this.#load((progress) => run === this.#run && this.#say(words(progress)));
      if (run !== this.#run) return;
      this.#say(RUNNING);
      const live = () => run === this.#run;
      this.#page = this.#make(this.tabernetes, module, live, [ACCOUNTS],
        (problems) => live() && this.#say(problems || RUNNING));
      this.#show();
    } catch (error) {
      if (run !== this.#run) return;
      this.#working = false;
      setOn(false);
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {(progress: Progress) => void} progress */
  async #load(progress) {
    try {
      this.#module ??= loadBinary({
        program: "controllers", isAbsent: isAbsent("controllers"), absent: ABSENT,
        base: new URL("controllers/", document.baseURI).href, fetch: this.tabernetes.networkFetch, progress,
      });
      const module = await this.#module;
      keepOffline();
      return module;
    } catch (error) {
      this.#module = null;
      notLoaded();
      throw error;
    }
  }

  /**
   * Begins the programs in a cluster.
   *
   * @param {Served} cluster
   * @param {WebAssembly.Module} module
   * @param {() => boolean} live whether they are those of the cluster still
   * @param {string[]} manager what else kube-controller-manager is given
   * @param {(problems: string) => void} tell gets why some have ended; "": none has
   * @returns {Group}
   */
  #make(cluster, module, live, manager, tell) {
    /** @type {Map<string, string>} */
    const problems = new Map();
    const make = (/** @type {number} */ i, /** @type {string} */ label) => {
      const [name, own] = PROGRAMS[i];
      const identity = label.replace(name, "page"); // page, page-2
      const program = new Program({
        argv: [name, `--master=${location.origin}`, `--leader-elect-identity=${identity}`, ...RARELY,
          "--end-with-stdin", ...own, ...(i === 0 ? manager : [])],
        label,
        module,
        makeWorker: () => new Worker(fileURL("controlplane-worker.js")),
        connect: () => (live() ? cluster.connect(label) : null),
        listens: (port) => live() && cluster.setKubelets(port),
        ended: () => live() && ended(cluster, label),
        tell: (problem) => {
          problems.set(label, problem);
          tell([...problems.values()].filter(Boolean).join(" "));
        },
      });
      program.onstopped = () => this.#show();
      return program;
    };
    return { programs: PROGRAMS.map(([name], i) => make(i, name)), cluster, make };
  }

  /**
   * Starts a second replica of a program, which waits for the Lease, or ends it.
   *
   * @param {string} name
   */
  #second(name) {
    const group = this.#scene ?? this.#page;
    if (!group) return;
    const label = `${name}-2`;
    const there = group.programs.find((program) => program.name === label);
    if (there) {
      there.kill();
      group.programs = group.programs.filter((program) => program !== there);
    } else {
      const after = group.programs.findIndex((program) => program.name === name);
      const second = group.make(PROGRAMS.findIndex(([known]) => known === name), label);
      group.programs = group.programs.toSpliced(after + 1, 0, second);
    }
    this.#show();
  }

  /**
   * Pulls a lever of a program, as a step of a scene asks: Lever of web/lesson/format.
   *
   * @param {string} does
   * @param {string} name
   * @param {string} resource
   * @param {number} seconds
   */
  async lever(does, name, resource, seconds) {
    const program = (this.#scene ?? this.#page)?.programs.find((one) => one.name === name);
    if (!program) throw new Error(`${name} does not run`);
    if (does === "second") return this.#second(name);
    if (does === "end") program.kill();
    else if (does === "stop") program.stopBefore(resource);
    else if (does === "continue") program.pause(false);
    else program.lag(seconds * 1000, resource);
    this.#show();
  }

  /**
   * Runs them in the cluster of a scene, too, until that is closed. It rejects if they cannot be loaded.
   *
   * @param {Fork} scene
   * @param {string} features "on", or which features of theirs are on or off: "Name=false"
   */
  async playIn(scene, features) {
    let open = true;
    scene.onclose = () => (open = false);
    const module = await this.#load(() => {});
    if (!open) return;
    const gates = features === "on" ? [] : [`--feature-gates=${features}`];
    const group = this.#make(scene, module, () => open, gates, () => {});
    scene.onclose = () => {
      open = false;
      for (const program of group.programs) program.kill();
      this.#scene = null;
      this.#show();
    };
    this.#scene = group;
    this.#show();
  }

  /** Shows the levers of the scene's programs, if there is one, else of the page's. */
  #show() {
    const programs = (this.#scene ?? this.#page)?.programs ?? [];
    this.#levers.show(programs, this.#scene ? "scene" : "tab");
    this.#inside.show(programs);
  }

  /** @param {(program: Program) => void} how */
  #end(how) {
    this.#run++;
    this.#working = false;
    if (!this.#page) return;
    for (const program of this.#page.programs) {
      ended(this.tabernetes, program.name);
      how(program);
    }
    this.#page = null;
    this.#show();
  }

  /** @param {string} text */
  #say(text) {
    this.#said = text;
    this.draw();
  }

  /** Shows the switch as it is, and what is said beside it. */
  draw() {
    const on = isOn();
    const button = document.getElementById("control-plane");
    button?.setAttribute("aria-pressed", String(on));
    if (button) button.textContent = on ? "Switch it off" : "Switch it on";
    const status = document.getElementById("control-plane-status");
    if (status && status.textContent !== this.#said) status.textContent = this.#said;
  }
}

/** The cluster neither asks a program nor waits for it any longer. @param {Served} cluster @param {string} name */
function ended(cluster, name) {
  cluster.disconnect(name);
  if (name === KUBELETS) cluster.setKubelets(null);
}

/** Has the service worker keep these scripts, so that they work without the network from now on. */
async function keepOffline() {
  const registration = await navigator.serviceWorker?.ready;
  registration?.active?.postMessage({ type: "keep-late" });
}

/** @type {ControlPlane | null} */
let made = null;

/** The control plane of the page. @param {Tabernetes} tabernetes */
export const controlPlane = (tabernetes) => (made ??= new ControlPlane(tabernetes));
