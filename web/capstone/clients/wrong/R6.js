// @ts-check
/** Believes that a bookmark says nothing, since nothing has happened. */
export const flaw = [[`    version = object.metadata.resourceVersion;\n    if (type`, `    if (type === "BOOKMARK") return;\n    version = object.metadata.resourceVersion;\n    if (type`]];
