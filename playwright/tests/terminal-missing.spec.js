// A site that was built without kubectl, as that of these tests.
import { expect, test } from "../fixtures.js";
import { Terminal } from "../terminal.js";

test.use({ tolerated: [/kubectl\.json/] }); // the browser reports the 404

test("without kubectl the terminal says so, and the rest works", async ({ lab, page }) => {
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.tab.click();
  await expect(terminal.panel.getByText(/This site was built without kubectl/)).toBeVisible();
  await lab.showTab("Console");
  await lab.request("GET", "/api/v1/namespaces");
  await expect(lab.response).toContainText("200");
});
