// @ts-check
/**
 * The script of the sandboxed frame (sandbox.html): it starts a worker for the learner's code, and hands it the port
 * that leads to the judge. The frame has an opaque origin and a policy that lets it reach nothing; the worker has both
 * from it.
 *
 * Code of others must never run with the site's origin. Any page may frame this document, and some hosts send no header
 * that makes the origin opaque. So nothing is listened to unless it is; the origin is "null" then.
 *
 * GUEST is the text of frame-worker.js, bundled: a frame without an origin can load no script of the site.
 */
/** @type {string} */
// @ts-ignore: the builder defines it.
const guest = GUEST;

/** Takes the port: one frame runs one piece of code. @param {MessageEvent} event */
function take(event) {
  const [port] = event.ports;
  if (!port || event.source !== parent) return;
  removeEventListener("message", take);
  const worker = new Worker(URL.createObjectURL(new Blob([guest], { type: "text/javascript" })));
  worker.postMessage(null, [port]);
}

if (self.origin === "null") {
  addEventListener("message", take);
  parent.postMessage("ready", "*");
}
