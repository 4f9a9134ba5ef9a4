// @ts-check
/**
 * A bench in a link: #bench=VERSION.DATA, DATA being its table of tests, compressed (deflate without a header), in
 * base64url without padding. Whatever comes in is somebody else's text: it is bounded, and read as a table only.
 */
import { fromBase64, plainForm, toBase64, urlForm } from "../browser/base64.js";
import { TooLarge, gathered, inPieces } from "../browser/bounded.js";
import { TableError } from "./model.js";

const VERSION = 1;
const PREFIX = "#bench=";

/** How long a link may be, in characters, and where messengers cut it. */
export const LINK_LENGTH = 8192;
export const CHAT_LENGTH = 2000;

/** How large what a link holds may become, in bytes. */
const MOST = 1 << 18;

/** A link's fragment, with its #. @param {string} table */
export async function linkOf(table) {
  const stream = new Blob([table]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `${PREFIX}${VERSION}.${urlForm(toBase64(await gathered(stream, MOST)))}`;
}

/** Whether a fragment has a bench. @param {string} hash */
export const isLink = (hash) => hash.startsWith(PREFIX);

/** The table of a link. @param {string} hash @throws {TableError} */
export async function fromLink(hash) {
  const [, version, data] = /^(\d+)\.([\w-]+)$/.exec(hash.slice(PREFIX.length)) ?? [];
  if (Number(version) > VERSION) throw new TableError("it was made by a newer version of this page");
  if (!data || Number(version) < 1) throw new TableError("it is cut off, or no link of this page");
  if (hash.length > LINK_LENGTH) throw new TableError("it is longer than the links of this page");
  try {
    const bytes = fromBase64(plainForm(data));
    const stream = inPieces(bytes).pipeThrough(/** @type {any} */ (new DecompressionStream("deflate-raw")));
    return new TextDecoder("utf-8", { fatal: true }).decode(await gathered(stream, MOST));
  } catch (error) {
    throw new TableError(error instanceof TooLarge ? error.message : "it is cut off, or damaged");
  }
}
