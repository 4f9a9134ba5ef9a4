// @ts-check
/**
 * What events of watches, and objects that are sent, say of themselves, as far as it is needed to tell which event is
 * about which object: both in protobuf, as the programs ask for it (k8s.io/apimachinery, runtime and meta/v1:
 * generated.proto).
 *
 * Costs: one pass over the fields of an object's metadata; all else is skipped by its length.
 *
 * @typedef {{namespace: string, name: string, uid: string, revision: number, owners: string[]}} Metadata
 */

const decoder = new TextDecoder();

/**
 * Calls each with the number and the bytes of each field of a message that has a length; others are skipped. What is
 * damaged ends it.
 *
 * @param {Uint8Array} bytes
 * @param {(field: number, value: Uint8Array) => void} each
 */
function fields(bytes, each) {
  let at = 0;
  const varint = () => {
    for (let n = 0, unit = 1; ; unit *= 128) {
      const b = bytes[at++];
      n += (b & 127) * unit;
      if (!(b >= 128)) return n; // nor behind the end
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    switch (tag & 7) {
      case 0: varint(); break;
      case 1: at += 8; break;
      case 2: {
        const length = varint();
        if (at + length > bytes.length) return;
        each(tag >>> 3, bytes.subarray(at, at + length));
        at += length;
        break;
      }
      case 5: at += 4; break;
      default: return;
    }
  }
}

/** @param {Uint8Array} bytes of an object, behind the magic number @returns {Metadata | null} null: it is no object */
export function metadataOf(bytes) {
  if (decoder.decode(bytes.subarray(0, 4)) !== "k8s\0") return null;
  /** @type {Metadata} */
  const m = { namespace: "", name: "", uid: "", revision: 0, owners: [] };
  const text = (/** @type {Uint8Array} */ value) => decoder.decode(value);
  fields(bytes.subarray(4), (field, object) => {
    if (field !== 2) return;
    fields(object, (field, metadata) => {
      if (field !== 1) return;
      fields(metadata, (field, value) => {
        if (field === 1) m.name = text(value);
        else if (field === 3) m.namespace = text(value);
        else if (field === 5) m.uid = text(value);
        else if (field === 6) m.revision = Number(text(value));
        else if (field === 13) fields(value, (field, uid) => void (field === 4 && m.owners.push(text(uid))));
      });
    });
  });
  return m;
}

/**
 * Reads the stream of a watch, cut anywhere: each frame is a length of four bytes and an event.
 *
 * @param {(m: Metadata) => void} each gets what the object of each event says of itself
 * @returns {(chunk: Uint8Array) => void}
 */
export function eventReader(each) {
  let rest = new Uint8Array(0);
  return (chunk) => {
    const all = rest.length === 0 ? chunk : join(rest, chunk);
    let at = 0;
    for (const view = new DataView(all.buffer, all.byteOffset, all.length); at + 4 <= all.length;) {
      const end = at + 4 + view.getUint32(at);
      if (end > all.length) break;
      fields(all.subarray(at + 4, end), (field, object) => {
        if (field !== 2) return;
        fields(object, (field, raw) => {
          const m = field === 1 ? metadataOf(raw) : null;
          if (m?.uid) each(m); // a bookmark has none, nor has an error
        });
      });
      at = end;
    }
    rest = all.slice(at);
  };
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function join(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
