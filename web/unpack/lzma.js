// @ts-check
/**
 * Unpacks LZMA, the format of files that end in .lzma, which browsers do not know: about a third smaller than gzip.
 * The file says how large its content is. That is held in memory until all is read, since later bytes refer to earlier
 * ones; 16 MB take half a second, in gzip a tenth. There is no checksum: what is damaged may be unpacked to something
 * else.
 *
 * A bit is decoded with a probability that it is 0, which is kept in 11 bits and learns from each bit that it decoded.
 */

const HEADER = 13;
/** One symbol never needs more bytes than these. */
const SYMBOL = 24;
const HALF = 1024;
/** A smaller range than this takes one more byte. */
const FULL = 1 << 24;
/** Where the decoder's two large numbers are. */
const RANGE = 0;
const CODE = 1;

// Where the probabilities of each kind begin. Most depend on the state, on which of 12 ways symbols came before, and on
// the position, of which at most 4 bits count.
const IS_MATCH = 0;
const IS_REPEATED = IS_MATCH + (12 << 4);
const NOT_LAST = IS_REPEATED + 12;
const LAST_LONG = NOT_LAST + 12;
const NOT_SECOND = LAST_LONG + (12 << 4);
const NOT_THIRD = NOT_SECOND + 12;
const SLOT = NOT_THIRD + 12;
const MIDDLE = SLOT + (4 << 6);
const ALIGN = MIDDLE + 128;
const LENGTH = ALIGN + 16;
// Of a length: two choices, and then 16 times 8 for short ones, as many for those of middle size, 256 for long ones.
const SHORT = 2;
const MEDIUM = SHORT + (16 << 3);
const LONG = MEDIUM + (16 << 3);
const LENGTHS = LONG + 256;
const LITERAL = LENGTH + 2 * LENGTHS;

/** An error that says that a file is not what it should be. */
const damaged = () => new Error("a packed file is damaged");

/**
 * Returns what unpacks one file. It takes the file's bytes as they come, and returns of each what could be unpacked;
 * of null, which says that there are no more, the rest.
 *
 * @returns {(chunk: Uint8Array | null) => Uint8Array}
 */
export function unpacker() {
  let input = new Uint8Array(0);
  let at = 0;
  let out = new Uint8Array(0);
  let done = 0;
  let begun = false;

  let probs = new Uint16Array(0);
  // In an array of 32 bits, since engines keep such large numbers in variables as objects, which takes twice as long.
  const coder = new Uint32Array([-1, 0]);
  let state = 0;
  // The distances of the last four matches, less one.
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];
  let [literalBits, literalMask, positionMask] = [0, 0, 0];

  /** Reads the header, and begins. */
  function begin() {
    let settings = input[0];
    if (settings >= 9 * 5 * 5 || input[HEADER] !== 0) throw damaged();
    literalBits = settings % 9;
    settings = Math.trunc(settings / 9);
    literalMask = (1 << settings % 5) - 1;
    positionMask = (1 << Math.trunc(settings / 5)) - 1;
    const view = new DataView(input.buffer, input.byteOffset);
    if (view.getUint32(9, true) !== 0) throw damaged(); // 4 GB, or a size that is not said
    out = new Uint8Array(view.getUint32(5, true));
    probs = new Uint16Array(LITERAL + (0x300 << (literalBits + settings % 5))).fill(HALF);
    coder[CODE] = view.getUint32(HEADER + 1);
    at = HEADER + 5;
    begun = true;
  }

  /** Reads a byte. */
  function more() {
    coder[RANGE] <<= 8;
    coder[CODE] = (coder[CODE] << 8) | input[at++];
  }

  /** Decodes a bit with the probability at index. @param {number} index */
  function bit(index) {
    const prob = probs[index];
    const range = coder[RANGE];
    const code = coder[CODE];
    const bound = Math.imul(range >>> 11, prob) >>> 0;
    if (code < bound) {
      coder[RANGE] = bound;
      probs[index] = prob + ((2048 - prob) >>> 5);
      if (bound < FULL) more();
      return 0;
    }
    coder[RANGE] = range - bound;
    coder[CODE] = code - bound;
    probs[index] = prob - (prob >>> 5);
    if (range - bound < FULL) more();
    return 1;
  }

  /** Decodes bits that are as often 0 as 1. @param {number} count */
  function evenBits(count) {
    let found = 0;
    for (let i = 0; i < count; i++) {
      const half = coder[RANGE] >>> 1;
      const one = coder[CODE] >= half ? 1 : 0;
      coder[RANGE] = half;
      if (one) coder[CODE] -= half;
      found = (found << 1) | one;
      if (half < FULL) more();
    }
    return found;
  }

  /** Decodes count bits, the highest first. @param {number} from @param {number} count */
  function tree(from, count) {
    let found = 1;
    for (let i = 0; i < count; i++) found = (found << 1) | bit(from + found);
    return found - (1 << count);
  }

  /** Decodes count bits, the lowest first. @param {number} from @param {number} count */
  function reversed(from, count) {
    let found = 0;
    for (let i = 0, node = 1; i < count; i++) {
      const one = bit(from + node);
      node = (node << 1) | one;
      found |= one << i;
    }
    return found;
  }

  function literal() {
    const before = done > 0 ? out[done - 1] : 0;
    const from = LITERAL + 0x300 * (((done & literalMask) << literalBits) + (before >> (8 - literalBits)));
    let found = 1;
    if (state >= 7) {
      // After a match: what a longer one would have brought is what this byte is not.
      for (let match = out[done - rep0 - 1]; found < 0x100; ) {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const one = bit(from + ((1 + expected) << 8) + found);
        found = (found << 1) | one;
        if (one !== expected) break;
      }
    }
    while (found < 0x100) found = (found << 1) | bit(from + found);
    out[done++] = found;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  /** @param {number} from @param {number} position */
  function length(from, position) {
    if (bit(from) === 0) return 2 + tree(from + SHORT + (position << 3), 3);
    if (bit(from + 1) === 0) return 10 + tree(from + MEDIUM + (position << 3), 3);
    return 18 + tree(from + LONG, 8);
  }

  /** @param {number} size of the match */
  function distance(size) {
    const slot = tree(SLOT + (Math.min(size - 2, 3) << 6), 6);
    if (slot < 4) return slot;
    const low = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) << low;
    if (slot < 14) return high + reversed(MIDDLE + high - slot, low);
    return (high >>> 0) + evenBits(low - 4) * 16 + reversed(ALIGN, 4);
  }

  /** Decodes one symbol: a byte, or a match, which is copied. */
  function symbol() {
    const position = done & positionMask;
    if (bit(IS_MATCH + (state << 4) + position) === 0) return literal();
    let size = 0;
    if (bit(IS_REPEATED + state) === 0) {
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      size = length(LENGTH, position);
      rep0 = distance(size);
      state = state < 7 ? 7 : 10;
    } else {
      if (bit(NOT_LAST + state) !== 0) {
        let chosen = rep1;
        if (bit(NOT_SECOND + state) !== 0) {
          chosen = rep2;
          if (bit(NOT_THIRD + state) !== 0) {
            chosen = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = chosen;
      } else if (bit(LAST_LONG + (state << 4) + position) === 0) {
        size = 1;
      }
      if (size === 1) {
        state = state < 7 ? 9 : 11;
      } else {
        size = length(LENGTH + LENGTHS, position);
        state = state < 7 ? 8 : 11;
      }
    }
    if (rep0 >= done || done + size > out.length) throw damaged();
    for (let from = done - rep0 - 1, end = done + size; done < end; ) out[done++] = out[from++];
  }

  return (chunk) => {
    const last = chunk === null;
    const rest = input.subarray(at);
    // At its end a symbol may look ahead at bytes that are not there.
    input = new Uint8Array(rest.length + (chunk ? chunk.length : SYMBOL));
    input.set(rest);
    if (chunk) input.set(chunk, rest.length);
    at = 0;
    if (!begun) {
      if (rest.length + (chunk?.length ?? 0) < HEADER + 5) {
        if (last) throw damaged();
        return out;
      }
      begin();
    }
    const from = done;
    while (done < out.length && (last ? at <= rest.length : at + SYMBOL <= input.length)) symbol();
    if (last && done < out.length) throw damaged();
    return out.subarray(from, done);
  };
}

/**
 * The content of a packed file. It fails with the file, and where it is damaged.
 *
 * @param {ReadableStream<Uint8Array>} packed
 * @returns {ReadableStream<Uint8Array>}
 */
export function unpacked(packed) {
  const unpack = unpacker();
  const reader = packed.getReader();
  return new ReadableStream({
    async pull(controller) {
      for (let found = 0; found === 0; ) {
        const { done, value } = await reader.read();
        const content = unpack(done ? null : value);
        found = content.length;
        if (found > 0) controller.enqueue(content);
        if (done) return controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
