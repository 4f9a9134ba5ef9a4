// @ts-check
/** Errors of system calls: their codes are those that Node has, and Go's wasm port knows. */

export class Errno extends Error {
  /** @param {string} code such as ENOENT */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** What a system call that threw is answered with. @param {unknown} error */
export const codeOf = (error) => (error instanceof Errno ? error.code : "EIO");
