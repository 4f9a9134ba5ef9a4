// @ts-check
/**
 * What is shared, as bytes, as a link and as a file. See README.md for the form.
 *
 * Whatever comes in is somebody else's: it is bounded, and each part is checked (parts.js), before anything of it is
 * shown.
 *
 * @import { Shared } from "./parts.js"
 */
import { fromBase64, plainForm, toBase64, urlForm } from "../../browser/base64.js";
import { FILE_MOST, TooLarge, gathered, inPieces } from "../../browser/bounded.js";
import { apply, BLOCKS, difference } from "./delta.js";
import { checked } from "./parts.js";
import { markedReference, markedSnapshot, referencesFor, snapshotOfMarked } from "./marked.js";
import { isOrigin, plainReference, snapshotOf } from "./plain.js";
import { MAGIC, isShareFile } from "./take.js";

/** The versions of the form. What pages of an older version cannot read has the one that it came with. */
const PLAIN = 2;
const WITH_LEVELS = 3;
const WITH_CLUSTER = 5;
const VERSION = WITH_CLUSTER;

const PREFIX = "#share=";

/** How long a link may be, in characters: longer ones are cut by messengers, and by servers that log them. */
export const CHAT_LENGTH = 2000;
export const LINK_LENGTH = 8192;

/** How large what a link holds may become, in bytes. */
const LINK_MOST = 8 << 20;

/** What is wrong with what was opened, to be shown. */
export class ShareError extends Error {}

/** @typedef {import("./marked.js").ReferenceName} ReferenceName */
/** @typedef {(name: ReferenceName) => Promise<Uint8Array>} Reference gives the bytes of a reference */
/** @typedef {{bytes: Uint8Array, version: number}} Packed what is shared, and the version of its form */

/**
 * The plain form of the references of an origin.
 *
 * @param {import("./plain.js").Origin} origin
 * @param {Reference} reference
 */
const plainOf = async (origin, reference) =>
  plainReference(await reference("1"), origin, origin.roles && await reference("roles"));

/** @param {ReferenceName[]} names @param {Reference} reference */
const all = (names, reference) => Promise.all(names.map(reference));

/** Whether something from elsewhere names references. @param {any} v */
const areReferences = (v) => ['["1"]', '["1","roles"]'].includes(JSON.stringify(v));

/** What bytes are when they have passed through a stream. @param {ReadableStream} bytes @param {any} through */
const passed = (bytes, through, most = Infinity) => gathered(bytes.pipeThrough(through), most);

/**
 * The bytes of what is shared: the length of the rest of it in JSON, that, and the cluster.
 *
 * @param {Shared} shared
 * @param {Reference} reference
 * @returns {Promise<Packed>}
 */
export async function packed({ cluster, ...rest }, reference) {
  const names = cluster ? referencesFor(cluster) : [];
  const known = await all(names, reference);
  const marked = cluster && markedSnapshot(cluster, known);
  const parts = { ...rest, ...(cluster && { cluster: marked ? names : true }) };
  const text = new TextEncoder().encode(JSON.stringify(parts));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, text.length);
  const compressed = (/** @type {Uint8Array} */ delta) =>
    passed(new Blob([length, text, /** @type {any} */ (delta)]).stream(), new CompressionStream("deflate-raw"));
  if (!cluster) {
    return { bytes: await compressed(new Uint8Array()), version: rest.level === undefined ? PLAIN : WITH_LEVELS };
  }
  const to = marked ? markedReference(known) : known[0];
  const some = await Promise.all(BLOCKS.map((block) => compressed(difference(to, marked ?? cluster, block))));
  return { bytes: some.reduce((a, b) => (b.length < a.length ? b : a)), version: WITH_CLUSTER };
}

/**
 * What was packed.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Reference} reference
 * @param {number} most
 * @returns {Promise<Shared>}
 */
async function unpacked(bytes, reference, most) {
  /** @type {any} */
  let parts;
  /** @type {Uint8Array} */
  let delta;
  try {
    const all = await passed(inPieces(bytes), new DecompressionStream("deflate-raw"), most);
    const length = new DataView(all.buffer).getUint32(0);
    if (length > all.length - 4) throw new Error("it is cut off");
    parts = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(all.subarray(4, 4 + length)));
    delta = all.subarray(4 + length);
  } catch (error) {
    throw new ShareError(error instanceof TooLarge ? error.message : "it is cut off, or damaged");
  }
  const { cluster, ...rest } = Object(parts);
  const problem = checked(parts === Object(parts) && !Array.isArray(parts) ? rest : null);
  if (problem) throw new ShareError(problem);
  if (!cluster) return rest;
  try {
    if (cluster === true) return { ...rest, cluster: apply(await reference("1"), delta, most) };
    if (areReferences(cluster)) {
      const known = markedReference(await all(cluster, reference));
      return { ...rest, cluster: snapshotOfMarked(apply(known, delta, most), most) };
    }
    if (!isOrigin(cluster)) throw new Error("it is damaged");
    return { ...rest, cluster: snapshotOf(apply(await plainOf(cluster, reference), delta, most), most) };
  } catch {
    throw new ShareError("the cluster in it is cut off, or damaged");
  }
}

/** A link's fragment, with its #. @param {Packed} packed */
export const linkOf = ({ bytes, version }) => `${PREFIX}${version}.${urlForm(toBase64(bytes))}`;

/**
 * What a link shares.
 *
 * @param {string} hash
 * @param {Reference} reference
 */
export async function fromLink(hash, reference) {
  const [, version, text] = /^(\d+)\.([\w-]*)$/.exec(hash.slice(PREFIX.length)) ?? [];
  refuse(version);
  if (!text) throw new ShareError("it is cut off, or damaged");
  if (hash.length > LINK_LENGTH) throw new ShareError("it is longer than the links of this page");
  let bytes;
  try {
    bytes = fromBase64(plainForm(text));
  } catch {
    throw new ShareError("it is cut off, or damaged");
  }
  return unpacked(bytes, reference, LINK_MOST);
}

/** @param {string | undefined} version */
function refuse(version) {
  if (Number(version) > VERSION) {
    throw new ShareError("it was made by a newer version of this page; reload the page, or open it where it was made");
  }
  if (!/^[1-9]\d*$/.test(version ?? "")) throw new ShareError("it is no link of this page, or it is cut off");
}

/** A file's bytes. @param {Packed} packed */
export const fileOf = ({ bytes, version }) => new Blob([`${MAGIC}${version}\n`, /** @type {any} */ (bytes)]);

/**
 * What a file shares; a saved cluster is one.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Reference} reference
 * @returns {Promise<Shared>}
 */
export async function fromFile(bytes, reference) {
  if (!isShareFile(bytes)) return { cluster: bytes };
  const end = bytes.subarray(0, 40).indexOf(10);
  refuse(new TextDecoder().decode(bytes.subarray(MAGIC.length, end)));
  return unpacked(bytes.subarray(end + 1), reference, FILE_MOST);
}
