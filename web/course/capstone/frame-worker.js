// @ts-check
/** The worker in the sandboxed frame: takes the port, and serves the learner's code on it. */
import { serveGuest } from "./frame.js";

addEventListener("message", (/** @type {MessageEvent} */ event) => serveGuest(event.ports[0]), { once: true });
