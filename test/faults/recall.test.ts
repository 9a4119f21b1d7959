/** No query makes a tool of memory fail: thousands of hostile ones, on both databases. */
import { describe, expect, test } from "bun:test";
import type { Context } from "../../src/api/context.ts";
import { invoke } from "../../src/api/operations/invoke.ts";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { dataTagger } from "../../src/core/lib/strings/untrusted-text.ts";
import { checker } from "../../src/core/lib/validate.ts";
import type { Operation } from "../../src/core/operation.ts";
import { guidance } from "../../src/memory/operations.ts";
import { brief, recall } from "../../src/overview/operations/memory.ts";
import { hostileQueries } from "../memory/recall/hostile.ts";
import { fill, readMemories } from "../memory/recall/set.ts";
import { dialects, must, openApp } from "../support/harness.ts";
import { reached, times } from "./promises.ts";

const count = times("hostileQueries");
const together = 8;

/** Answers as its row says, and has a text. */
async function call(ctx: Context, op: Operation, input: Record<string, unknown>): Promise<void> {
  const output = await invoke(op, ctx, adminCaller, () => new Map(Object.entries(input)));
  expect(checker(op.output).Check(output)).toBe(true);
  expect(must(op.tool?.text)(output, dataTagger(ctx.secret)).isWellFormed()).toBe(true);
}

describe.each(dialects)("on %s", (dialect) => {
  test(`${count} hostile queries are answered`, async () => {
    await using app = await openApp(dialect);
    await fill(app.ctx.data, await readMemories());
    const queries = hostileQueries(count);
    const work = async () => {
      for (const query of queries) {
        await call(app.ctx, recall, { query }).catch((error) => {
          throw new Error(`recall of ${JSON.stringify(query.slice(0, 200))}: ${error.message}`, {
            cause: error,
          });
        });
        if (query.length % 5 === 0) await call(app.ctx, brief, { project: "atlas", intent: query });
        if (query.length % 5 === 1) await call(app.ctx, guidance, { model: "gpt-6-codex", query });
      }
    };
    await Promise.all(Array.from({ length: together }, work));
    reached("hostileQueries", count);
  });
});
