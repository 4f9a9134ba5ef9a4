// @ts-check
/** Believes that bookmarks are for large clusters. */
export const flaw = [[`allowWatchBookmarks: "true", `, ``]];
