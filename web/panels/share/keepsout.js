// @ts-check
/** Settings with which a cluster refuses the requests of the page that it runs in. */

/**
 * Whether a cluster with these settings refuses requests without credentials, which those of a page are: all of them,
 * or those that no role allows.
 *
 * @param {Record<string, any>} spec
 */
export function keepsOut({ authorization, authentication }) {
  const without = authentication?.withoutCredentials;
  return without === "Unauthorized" || (without === "Anonymous" && authorization?.mode === "RBAC");
}

/** The settings that are there then: a merge patch, as far as it matters here. @param {any} spec @param {any} here */
export const merged = (spec, here) => ({
  authorization: { ...here.authorization, ...spec.authorization },
  authentication: { ...here.authentication, ...spec.authentication },
});
