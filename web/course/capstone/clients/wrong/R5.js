// @ts-check
/** Believes that a new list only adds to what is known. */
export const flaw = [
  [`    const objects = [];`, `    const objects = [];\n    const add = (o) => known.set(o.metadata.name, o);`],
  [`let version = "";`, `let version = "";\n  const known = new Map();`],
  [
    `    store.replace(objects, version);`,
    `    objects.forEach(add);\n    store.replace([...known.values()], version);`,
  ],
  [
    `    if (type === "BOOKMARK")`,
    `    if (type === "DELETED") known.delete(object.metadata.name);
    else if (type !== "BOOKMARK") known.set(object.metadata.name, object);
    if (type === "BOOKMARK")`,
  ],
];
