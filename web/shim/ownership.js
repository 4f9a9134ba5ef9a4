// @ts-check
/** Sees to it that only one page writes the saved cluster. */

/**
 * @typedef {object} Ownership
 * @property {boolean} owner whether this page may write
 * @property {string} problem why nobody may, or ""
 * @property {() => void} release lets another page have it
 */

/**
 * How long a tab waits for another to let go of the saved cluster, in milliseconds: after a reload it is most likely
 * the page before, which a busy machine takes its time to clear away.
 */
const PATIENCE = 500;
const PATIENCE_AFTER_RELOAD = 5000;

export function ownPatience() {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return visit?.type === "reload" ? PATIENCE_AFTER_RELOAD : PATIENCE;
}

/** @param {string} cluster */
const lockName = (cluster) => `tabernetes:${cluster}`;

/** @param {() => void} release @returns {Ownership} */
const owned = (release) => ({ owner: true, problem: "", release });

/**
 * Takes a lock, and resolves to what lets it go.
 *
 * @param {LockManager} locks
 * @param {string} name
 * @param {LockOptions} [options]
 * @returns {Promise<() => void>}
 */
export function hold(locks, name, options = {}) {
  return new Promise((resolve, reject) => {
    const held = () => new Promise((release) => resolve(() => release(undefined)));
    locks.request(name, options, held).catch(reject);
  });
}

/**
 * Takes the lock on a cluster, for as long as this page lives or until it is released. Web Locks
 * need a secure origin: https, or this machine.
 *
 * @param {LockManager | undefined} locks
 * @param {string} cluster
 * @param {number} patience how long to wait for another page to let go of it, in milliseconds
 * @returns {Promise<Ownership>}
 */
export async function own(locks, cluster, patience) {
  const nobody = (/** @type {string} */ why) => ({
    owner: false,
    problem: `This browser cannot keep tabs apart (${why}): the cluster is not saved.`,
    release: () => {},
  });
  if (!locks) return nobody("no Web Locks here");
  const name = lockName(cluster);
  const impatient = new AbortController();
  let waiting = true;
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  // A busy machine can be slow to grant a lock that nobody has: only a holder is a reason to give up.
  const lookAround = async () => {
    const { held = [] } = await locks.query().catch(() => ({ held: [{ name }] }));
    if (!waiting) return;
    if (held.some((lock) => lock.name === name)) impatient.abort();
    else timer = setTimeout(lookAround, patience);
  };
  timer = setTimeout(lookAround, patience);
  try {
    return owned(await hold(locks, name, { signal: impatient.signal }));
  } catch (error) {
    if (impatient.signal.aborted) return { owner: false, problem: "", release: () => {} };
    return nobody(error instanceof Error ? error.message : String(error));
  } finally {
    waiting = false;
    clearTimeout(timer);
  }
}

/**
 * Waits for the lock until another page lets go of it, or until signal is aborted, which rejects.
 *
 * @param {LockManager} locks
 * @param {string} cluster
 * @param {AbortSignal} signal
 * @returns {Promise<Ownership>}
 */
export async function ownLater(locks, cluster, signal) {
  return owned(await hold(locks, lockName(cluster), { signal }));
}

/** Grants every lock at once: for a cluster in memory, which is its page's own. */
export const freeLocks = /** @type {LockManager} */ (/** @type {unknown} */ ({
  request: (/** @type {string} */ _name, /** @type {object} */ _options, /** @type {() => unknown} */ held) => held(),
  query: async () => ({ held: [] }),
}));
