// @ts-check
/** Answers of a room that come from JavaScript, since Go does not run: failures as clients of the API read them. */

/**
 * @param {number} code
 * @param {string} reason
 * @param {string} message
 * @param {number} [retryAfterSeconds]
 */
export function refuse(code, reason, message, retryAfterSeconds) {
  const details = retryAfterSeconds ? { retryAfterSeconds } : undefined;
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code };
  const headers = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-cache, private" });
  if (retryAfterSeconds) headers.set("Retry-After", String(retryAfterSeconds));
  return new Response(JSON.stringify(body), { status: code, headers });
}
