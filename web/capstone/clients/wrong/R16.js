// @ts-check
/** Believes that what nobody reads does no harm. */
export const flaw = [
  [", { signal });", ");"],
  [`const { done, value } = await reader.read();`, `const { done, value } = await Promise.race([reader.read(), new Promise((_, stop) => signal.addEventListener("abort", stop))]);`],
  [`      reader.cancel().catch(() => {});`, ``],
];
