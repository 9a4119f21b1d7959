/** Today, the home page. */
import { describe, expect, test } from "bun:test";
import { openApp } from "../support/harness.ts";
import { page } from "../support/site.ts";

describe("the home page", () => {
  test("leads links from when it was the feed there, with their query", async () => {
    await using app = await openApp("sqlite");
    const queries = [
      "?project=atlas&kind=run.failed%2Cpr.opened",
      "?before=2026-01-02T03:04:05.123456Z",
      "?kind=run.failed&projekt=atlas",
    ];
    for (const query of queries) {
      const response = await page(app, `/${query}`);
      expect([response.status, response.headers.get("location")]).toEqual([301, `/feed${query}`]);
    }
    expect((await page(app, "/?projekt=atlas")).status).toBe(401); // its own page, which needs a session
  });
});
