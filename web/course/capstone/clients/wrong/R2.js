// @ts-check
/** Believes that a watch lasts for ever, and does nothing when it has ended. */
export const flaw = [
  [
    `      else await watch();`,
    `      else {
        await watch();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }`,
  ],
];
