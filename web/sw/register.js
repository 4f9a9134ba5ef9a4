// @ts-check
// The page's side of the service worker: registers it, and tells the page when
// a newer version of the site lies ready.

/**
 * Registers sw.js, beside the page. Resolves to null where there are no service workers (an
 * insecure origin, a private window) or when the browser refuses.
 *
 * @param {object} [options]
 * @param {(takeOver: () => void) => void} [options.onUpdate] called when a newer
 *   version is ready and waits for this site's tabs to close; takeOver makes it
 *   take over at once and loads the page again
 * @returns {Promise<ServiceWorkerRegistration | null>}
 */
export async function registerServiceWorker({ onUpdate } = {}) {
  const container = navigator.serviceWorker;
  if (!container) return null;
  // The first version takes this page over too; that is no update.
  const hadController = container.controller !== null;
  let asked = false;
  container.addEventListener("controllerchange", () => {
    if (asked) location.reload();
  });

  /** @param {ServiceWorker} worker */
  const ready = (worker) => {
    if (!hadController) return;
    onUpdate?.(() => {
      asked = true;
      worker.postMessage({ type: "take-over" });
    });
  };

  /** @type {ServiceWorkerRegistration} */
  let registration;
  try {
    registration = await container.register("sw.js");
    if (registration.waiting) ready(registration.waiting);
  } catch (err) {
    console.warn("Tabernetes: this page will not open offline:", err);
    return null;
  }
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed" && registration.waiting === worker) ready(worker);
    });
  });
  return registration;
}
