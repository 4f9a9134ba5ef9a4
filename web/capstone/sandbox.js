// @ts-check
/**
 * The script of the sandboxed frame (sandbox.html): it starts a worker for the learner's code, and hands it the port
 * that leads to the judge. The frame has an opaque origin and a policy that lets it reach nothing; the worker has both
 * from it.
 *
 * GUEST is the text of frame-worker.js, bundled: a frame without an origin can load no script of the site.
 */
/** @type {string} */
// @ts-ignore: the builder defines it.
const guest = GUEST;

addEventListener("message", (event) => {
  const [port] = event.ports;
  if (!port || event.source !== parent) return;
  const worker = new Worker(URL.createObjectURL(new Blob([guest], { type: "text/javascript" })));
  worker.postMessage(null, [port]);
});
parent.postMessage("ready", "*");
