// @ts-check
/**
 * Answers the cluster's calls of admission and conversion webhooks with functions of the page.
 *
 * @import { Webhook } from "./tabernetes"
 */

/** @typedef {{status: number, body: ArrayBuffer | null, error: string}} Answer */

/**
 * A webhook's address as it is compared: without the query, in which the cluster sends its timeout.
 * @param {string} address
 */
function plain(address) {
  try {
    const url = new URL(address);
    return url.origin + (url.pathname.replace(/\/+$/, "") || "/");
  } catch {
    return address;
  }
}

/**
 * @param {Map<string, Webhook>} functions by their URLs
 * @param {string} address
 * @param {ArrayBuffer} body an AdmissionReview, or a ConversionReview
 * @returns {Promise<Answer>}
 */
export async function callWebhook(functions, address, body) {
  const wanted = plain(address);
  const [, webhook] = [...functions].find(([url]) => plain(url) === wanted) ?? [];
  /** @type {(error: string) => Answer} */
  const failed = (error) => ({ status: 0, body: null, error });
  if (!webhook) return failed(`dial tcp: lookup ${host(address)}: no such host`);
  try {
    const review = JSON.parse(new TextDecoder().decode(body));
    const said = await webhook(review);
    if (said instanceof Response) return { status: said.status, body: await said.arrayBuffer(), error: "" };
    return { status: 200, body: encode(wrapped(said, review)), error: "" };
  } catch (error) {
    return failed((error instanceof Error ? error.message : String(error)) || "the function failed");
  }
}

/** @param {string} address */
function host(address) {
  try {
    return new URL(address).hostname;
  } catch {
    return address;
  }
}

/**
 * The review that a response makes, if it is not one already. A ConversionReview may be answered with the converted
 * objects alone.
 * @param {any} said
 * @param {any} review
 */
function wrapped(said, review) {
  if (review.kind === "ConversionReview" && Array.isArray(said)) said = { convertedObjects: said };
  if (!said || "kind" in said || "response" in said) return said ?? {};
  const { apiVersion, kind, request } = review;
  if (kind === "ConversionReview") said = { result: { status: "Success" }, ...said };
  return { apiVersion, kind, response: { uid: request.uid, ...said } };
}

/** @param {unknown} value @returns {ArrayBuffer} */
const encode = (value) =>
  /** @type {Uint8Array<ArrayBuffer>} */ (new TextEncoder().encode(JSON.stringify(value))).buffer;
