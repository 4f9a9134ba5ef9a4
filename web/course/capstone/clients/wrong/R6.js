// @ts-check
/** Believes that a bookmark says nothing, since nothing has happened. */
export const flaw = [
  [
    `    version = object.metadata.resourceVersion;
    if (type`,
    `    if (type === "BOOKMARK") return;
    version = object.metadata.resourceVersion;
    if (type`,
  ],
];
