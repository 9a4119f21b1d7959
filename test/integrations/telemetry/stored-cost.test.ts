/** A cost is stored with its event. */
import { describe, expect, test } from "bun:test";
import { actionOf } from "../../../src/core/audit/action.ts";
import type { PriceFile } from "../../../src/core/telemetry/price-file.ts";
import type { Event } from "../../../src/feed/schema.ts";
import { appendMapped } from "../../../src/integrations/telemetry/ingest.ts";
import { dialects, link, openApp } from "../../support/harness.ts";
import { mappedOf, spansOf } from "../../support/telemetry/telemetry.ts";

const listOf = (input: number): PriceFile => ({
  date: "2026-03-01",
  models: { "acme-1": { input, output: 0 } },
});

describe.each(dialects)("on %s", (dialect) => {
  test("new prices change no old event, also when its record is sent again", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const caller = {
      ...{ name: "ci", scopes: new Set(["telemetry:write"] as const), projects: ["atlas"], expiresAt: null },
    };
    const send = (id: number, input: number) => {
      const attributes = {
        ...{ "gen_ai.operation.name": "chat", "gen_ai.request.model": "acme-1" },
        "gen_ai.usage.input_tokens": 1_000_000,
      };
      const ctx = { ...app.ctx, config: { ...app.ctx.config, prices: listOf(input) } };
      const mapped = mappedOf(spansOf([{ id, attributes }]));
      return appendMapped(ctx, mapped, caller, actionOf(caller, "receiveTelemetry"));
    };
    await send(1, 2);
    await send(1, 5);
    await send(2, 5);
    const rows = await app.ctx.data.feed(null, { kind: "step.usage", limit: 9, order: "oldest first" });
    const events = rows.map(({ wire }) => JSON.parse(wire) as Event);
    expect(events.map(({ cost_equiv, cost_source }) => [cost_equiv, cost_source])).toEqual([
      [2, "computed"],
      [5, "computed"],
    ]);
  });
});
