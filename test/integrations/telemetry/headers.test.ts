/** The header of a token, as OTLP exporters write it. */
import { expect, test } from "bun:test";
import { link, openApp } from "../../support/harness.ts";
import { fixtureOf } from "../../support/telemetry/telemetry.ts";

test.each(["Bearer ", "bearer  ", "Bearer%20"])("a token after %j is taken", async (prefix) => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  const token = await app.mint(["telemetry:write"], { projects: ["atlas"] });
  const { resourceLogs } = await fixtureOf("claude-code");
  const response = await app.ask("/api/otlp/v1/logs", {
    ...{ method: "POST", body: JSON.stringify({ resourceLogs }) },
    headers: { "content-type": "application/json", authorization: prefix + token },
  });
  expect([response.status, await response.text()]).toEqual([200, "{}"]);
  expect(await app.ctx.data.feed(null, { project: "atlas", kind: "step.usage", limit: 9 })).toHaveLength(4);
});
