// @ts-check
/**
 * The file unlzma.js of the site, which pages and the service worker load from a host that does not compress: as a
 * module there, as a script here, so it leaves what it brings in a variable.
 */
import { unpacked } from "./lzma.js";

/** @type {any} */ (globalThis).tabernetesUnlzma = unpacked;
