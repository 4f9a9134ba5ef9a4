// No path that an API server answers leaves the tab, whichever it is.
import { API_PATH, API_ROOTS, CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test, expect } from "../fixtures.js";
import { pathOf } from "../site.js";

test("every path of the API is answered in the tab", async ({ lab, page, server }) => {
  const left = [];
  page.context().on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (API_PATH.test(pathname)) left.push(pathname);
  });
  await lab.open();
  const got = await page.evaluate(async ([script, known]) => {
    // The page's own "/" is the page; a fork is asked without the page's fetch.
    const { makeFork, takeSnapshot } = await import(script);
    const fork = await makeFork(await takeSnapshot());
    const { paths } = await (await fork.fetch("/")).json();
    fork.close();

    const answers = {};
    for (const path of new Set([...paths, ...known])) {
      const response = await fetch(path);
      await response.body?.cancel();
      answers[path] = response.status;
    }
    return { paths, answers };
  }, [pathOf("fork.js"), [...API_ROOTS, CONTROL_PLANE]]);
  expect(got.paths).toEqual(expect.arrayContaining(["/metrics", "/api/v1", "/openapi/v2", "/readyz/ping"]));
  for (const path of [...got.paths, CONTROL_PLANE]) {
    expect.soft(got.answers[path], path).toBe(path === "/openapi/v3/" ? 404 : 200); // as the real server has it
  }
  expect(left).toEqual([]);
  expect(await server.apiRequests()).toBe(0);
});
