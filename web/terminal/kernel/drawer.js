// @ts-check
/** The files of the place that the page speaks with, as the panel shows them. */
import { O_CREAT, O_TRUNC, O_WRONLY } from "../system/constants.js";
import { Files } from "./files.js";

/** @import { Places } from "./places.js" */

/** @import { Kind } from "./node.js" */

/** @typedef {{name: string, path: string, kind: Kind, size: number, changed: number}} Listed */

export class Drawer {
  #place = "";
  /** The files of the present place: empty until settle has resolved for the first time. */ present = new Files();
  /** @type {Set<(path: string) => void>} */ #listeners = new Set();
  #off = () => {};

  /** @param {Places} places @param {() => string} place */
  constructor(places, place) {
    this.places = places;
    this.place = place;
  }

  /** Goes to the files of the place that the page speaks with now. @returns {Promise<void>} */
  async settle() {
    const place = this.place();
    if (place === this.#place) return;
    const files = await this.places.of(place);
    if (place !== this.place()) return this.settle();
    if (place === this.#place) return; // another call was quicker
    this.#place = place;
    this.#off();
    this.present = files;
    this.#off = files.onChange((path) => this.#tell(path));
    this.#tell("/");
  }

  /** @param {string} path */
  #tell(path) {
    for (const listener of this.#listeners) listener(path);
  }

  /**
   * Reports paths that have changed; "/" if all may have. Returns what ends the reports.
   *
   * @param {(path: string) => void} listener
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What is in a directory, by name. @param {string} dir @returns {Promise<Listed[]>} */
  async list(dir) {
    await this.settle();
    return this.present.readdir(dir).map((name) => {
      const path = `${dir === "/" ? "" : dir}/${name}`;
      const { kind, size, changed } = this.present.find(path, false);
      return { name, path, kind, size, changed };
    });
  }

  /** A copy of a file's content. @param {string} path @returns {Promise<Uint8Array>} */
  async read(path) {
    await this.settle();
    return this.present.open(path, 0, 0).node.content.slice();
  }

  /** Makes or replaces a file. @param {string} path @param {Uint8Array} bytes */
  async write(path, bytes) {
    await this.settle();
    const { node, path: found } = this.present.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644);
    this.present.writeNode(node, bytes, 0, found);
  }

  /** Removes a file, or a directory with all in it. @param {string} path */
  async remove(path) {
    await this.settle();
    this.#remove(path);
  }

  /** @param {string} path */
  #remove(path) {
    const { kind } = this.present.find(path, false);
    if (kind !== "dir") return this.present.unlink(path);
    for (const name of this.present.readdir(path)) this.#remove(`${path}/${name}`);
    this.present.rmdir(path);
  }
}
