/** Output that fits a narrow terminal: help, tables, and lines of the feed. */
import { expect, test } from "bun:test";
import { feedLine } from "../../cli/commands/feed/feed-line.ts";
import { type Command, commands, root } from "../../cli/commands.ts";
import { renderHelp } from "../../cli/help/usage.ts";
import { fittedTable } from "../../cli/output/table.ts";
import type { Event } from "../../src/feed/schema.ts";

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => Bun.stringWidth(line)));

/** Every command and subcommand with its call. */
async function everyCommand(): Promise<[call: string, command: Command][]> {
  const lists = await Promise.all(
    Object.entries(commands).map(async ([name, [, load]]) => {
      const command = (await load()).default;
      const inner = Object.entries((command.subCommands ?? {}) as Record<string, Command>);
      return [[`svc ${name}`, command], ...inner.map(([word, one]) => [`svc ${name} ${word}`, one])] as [
        string,
        Command,
      ][];
    }),
  );
  return [["svc", root], ...lists.flat()];
}

test("the help of every command fits 60 columns, and has every word of its descriptions", async () => {
  for (const [call, command] of await everyCommand()) {
    const options = { call, description: "What it does", heading: (text: string) => text };
    const help = renderHelp(command, { ...options, width: 60 });
    expect([call, widest(help) <= 60]).toEqual([call, true]);
    const words = (text: string) => text.split(/\s+/).filter(Boolean).toSorted();
    expect(words(help)).toEqual(words(renderHelp(command, { ...options, width: 100 })));
  }
});

test("a table leaves out columns by rank, then truncates text, and stays whole without a terminal", () => {
  const columns = [
    { head: "ID" },
    { head: "KIND", rank: 1 },
    { head: "SIZE", rank: 2 },
    { head: "TITLE", flexible: true as const },
  ];
  const rows = [["a".repeat(26), "image", "12k", "A title of some forty columns, which is long"]];
  expect(fittedTable(columns, rows, 60).split("\n")).toEqual([
    `ID${" ".repeat(26)}KIND   SIZE  TITLE`,
    `${"a".repeat(26)}  image  12k   A title of some fo…`,
  ]);
  expect(fittedTable(columns, rows, 50).split("\n")[0]).toBe(`ID${" ".repeat(26)}KIND   TITLE`);
  expect(fittedTable(columns, rows, 44).split("\n")[0]).toBe(`ID${" ".repeat(26)}TITLE`);
  expect(fittedTable(columns, rows, Number.POSITIVE_INFINITY)).toContain(rows[0]?.[3] as string);
});

test.each([60, 80, 120])("a line of the feed with usage fits %d columns", (width) => {
  const event = {
    ...{ id: 1, ts: "2026-01-05T09:00:00Z", kind: "memory.consolidated", actor: "agent:codex" },
    ...{ summary: "Run 7: 12 files changed in the renderer and its tests", project: "a-long-project-name" },
    ...{ tokens_in: 18_234, tokens_out: 3_100, cost_equiv: 0.42, duration_ms: 192_000 },
  } as Event;
  const line = feedLine(event, { width, time: "absolute", nowMs: Date.now });
  expect([Bun.stringWidth(line) <= width, line.includes("Run 7: ")]).toEqual([true, true]);
});
