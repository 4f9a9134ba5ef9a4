// @ts-check
/** Believes that an object whose uid is not in the list has to be removed by its name. */
export const flaw = [
  [`let version = "";`, `let version = "";\n  let known = new Map();`],
  [
    `    store.replace(objects, version);`,
    `    const old = known;
    known = new Map(objects.map((o) => [o.metadata.uid, o]));
    store.replace(objects, version);
    for (const [uid, o] of old) if (!known.has(uid)) store.remove(o, version);`,
  ],
  [
    `    if (type === "BOOKMARK")`,
    `    if (type === "DELETED") known.delete(object.metadata.uid);
    else if (type !== "BOOKMARK") known.set(object.metadata.uid, object);
    if (type === "BOOKMARK")`,
  ],
];
