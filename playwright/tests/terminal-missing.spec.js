// A site that was built without kubectl, as that of these tests.
import { expect, test } from "../fixtures.js";
import { Terminal } from "../terminal.js";

test("without kubectl the terminal says so, asks for nothing, and the rest works", async ({ lab, page }) => {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.tab.click();
  await expect(terminal.panel.getByText(/This site was built without kubectl/)).toBeVisible();
  expect(asked.filter((path) => /kubectl|controllers/.test(path))).toEqual([]);
  await lab.showTab("Console");
  await lab.request("GET", "/api/v1/namespaces");
  await expect(lab.response).toContainText("200");
});
