// @ts-check
/** The script of the worker in the sandboxed frame: the first message brings the port to the judge. */
import { serveGuest } from "./frame.js";

addEventListener("message", ({ ports }) => serveGuest(ports[0]), { once: true });
