/** A page of the documentation is rendered alone, and the content of its slots with it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { entries, start } from "../../../src/api/docs/contents.ts";
import { type DocsSite, docPage, docPages } from "../../../src/api/docs/page.ts";
import { must, openApp, type TestApp } from "../../support/harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
});
afterAll(() => app.close());

describe("a page", () => {
  const commandLine = must(entries.find(({ name }) => name === "command-line"));

  test("makes only the content of its own slots", async () => {
    const made: string[] = [];
    const site: DocsSite = {
      ...app.ctx,
      docSlots: async () => ({
        command_line: () => {
          made.push("command_line");
          return "All commands";
        },
      }),
    };
    expect((await docPage(site, start)).markdown).toContain("## Use svc");
    expect(made).toEqual([]);
    expect((await docPage(site, commandLine)).markdown).toContain("\nAll commands\n");
    expect(made).toEqual(["command_line"]);
  });

  test("is rendered once, and is the one of the list of all pages", async () => {
    const page = await docPage(app.ctx, commandLine);
    expect(await docPage(app.ctx, commandLine)).toBe(page);
    const pages = await docPages(app.ctx);
    expect(pages.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
    expect(pages[entries.indexOf(commandLine)]).toBe(page);
    expect(await docPages(app.ctx)).toBe(pages);
  });
});
