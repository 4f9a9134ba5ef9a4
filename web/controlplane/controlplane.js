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
import { Levers } from "./levers.js";
import { Program } from "./program.js";

/**
 * A cluster in which programs run: the page's, or a scene's.
 *
 * @typedef {Pick<Tabernetes, "connect" | "disconnect" | "setKubelets">} Served
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
  /** @type {Program[]} */ #programs = [];
  /** Those of a scene, while there is one. @type {Program[] | null} */ #scene = null;
  /** Counts beginnings, so that what an earlier one left unfinished ends. */
  #run = 0;
  #working = false;
  #said = "";
  #levers = new Levers();

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
      this.#programs = this.#make(this.tabernetes, module, live, [ACCOUNTS],
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
   */
  #make(cluster, module, live, manager, tell) {
    /** @type {string[]} */
    const problems = PROGRAMS.map(() => "");
    return PROGRAMS.map(([name, own], i) => new Program({
      argv: [name, `--master=${location.origin}`, "--leader-elect-identity=page", ...RARELY, "--end-with-stdin", ...own,
        ...(i === 0 ? manager : [])],
      module,
      wasmExec: fileURL("wasm_exec.js"),
      makeWorker: () => new Worker(fileURL("controlplane-worker.js")),
      connect: () => (live() ? cluster.connect(name) : null),
      listens: (port) => live() && cluster.setKubelets(port),
      ended: () => live() && ended(cluster, name),
      tell: (problem) => {
        problems[i] = problem;
        tell(problems.filter(Boolean).join(" "));
      },
    }));
  }

  /**
   * Runs them in the cluster of a scene, too, until that is closed. It rejects if they cannot be loaded.
   *
   * @param {Fork} scene
   */
  async playIn(scene) {
    let open = true;
    scene.onclose = () => (open = false);
    const module = await this.#load(() => {});
    if (!open) return;
    const programs = this.#make(scene, module, () => open, [], () => {});
    scene.onclose = () => {
      open = false;
      for (const program of programs) program.kill();
      this.#scene = null;
      this.#show();
    };
    this.#scene = programs;
    this.#show();
  }

  /** Shows the levers of the scene's programs, if there is one, else of the page's. */
  #show() {
    if (this.#scene) this.#levers.show(this.#scene, "scene");
    else this.#levers.show(this.#programs, "tab");
  }

  /** @param {(program: Program) => void} how */
  #end(how) {
    this.#run++;
    this.#working = false;
    for (const program of this.#programs) {
      ended(this.tabernetes, program.name);
      how(program);
    }
    if (this.#programs.length === 0) return;
    this.#programs = [];
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
