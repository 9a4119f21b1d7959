/**
 * A newcomer's first minutes: the link that the server prints, followed in a browser; the README's first look,
 * pasted line by line; and the checklist, which ticks each step while the page stays open.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { parseCommands } from "../support/agents/docs-commands.ts";
import { browserPath, openBrowser, openBrowserSession } from "../support/browser/browser.ts";
import { delivery, example, secret } from "../support/forges/github-webhooks.ts";
import {
  must,
  programEnvironment,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";

/** The commands of the README's first look: a line each, with its continuation lines. */
async function pastedLines(origin: string): Promise<string[]> {
  const readme = await Bun.file(join(repositoryRoot, "README.md")).text();
  const section = must(/^## A first look\n[\s\S]*?(?=^## )/m.exec(readme)?.[0]);
  return parseCommands(section.replaceAll("http://127.0.0.1:8787", origin)).flatMap(({ command }) =>
    command.trim().split(/(?<!\\)\n/),
  );
}

/** A terminal in a folder of its own, as of someone who works on a repository. */
function openTerminal(folder: string) {
  const shell = Bun.spawn(["bash"], {
    cwd: folder,
    env: programEnvironment(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const output = new Response(shell.stdout).text();
  const paste = async (line: string) => {
    shell.stdin.write(`${line}\n`);
    await shell.stdin.flush();
  };
  const end = async () => {
    await shell.stdin.end();
    return output;
  };
  return { paste, end, [Symbol.dispose]: () => shell.kill() };
}

/** Follows the sign-in link that `svc serve` printed, to the home page. */
async function followLink(page: Page, server: Server): Promise<void> {
  const link = () => /^http\S+\/sign-in\?link=\S+$/m.exec(server.output())?.[0];
  await until(() => link() !== undefined, "the sign-in link is printed");
  await page.goto(must(link()));
  await page.getByRole("button", { name: /^Sign in as / }).click();
  await page.waitForURL(`${server.origin}/`);
}

/** The steps that the README's lines finish, by a word of the line. */
const finishes: [word: string, steps: string[]][] = [
  ["svc project link", ["link"]],
  ["svc asset push", ["upload"]],
  ["svc asset review", ["review"]],
  ["svc event add", ["report"]],
];

/** How a session of an agent begins, with the token that the README's lines have put in SVC_TOKEN. */
const startAgent = (origin: string): string => {
  const clientInfo = { name: "codex", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const headers = ["authorization: Bearer $SVC_TOKEN", "content-type: application/json", "accept: */*"];
  return `curl -s -o /dev/null ${headers.map((one) => `-H "${one}"`).join(" ")} -d '${message}' ${origin}/mcp`;
};

test.skipIf(!browserPath || !Bun.which("bash") || !Bun.which("curl"))(
  "the README's first look and the session of an agent tick the checklist, and a webhook of GitHub the last step",
  async () => {
    await using folder = await temporaryFolder();
    const database = { url: `sqlite:${join(folder.path, "svc.db")}` };
    const env = { SVC_DATA_DIR: folder.path, SVC_GITHUB_WEBHOOK_SECRET: secret };
    await using server = await startServer(database, env);
    const browser = await openBrowser();
    try {
      await using session = await openBrowserSession(browser, server.origin);
      const { page, context, faults } = session;
      await followLink(page, server);
      const progress = page.getByRole("status").filter({ hasText: "steps done" });
      expect(await progress.textContent()).toStartWith("0 of 5 steps done.");
      expect(await page.locator("#checklist li").count()).toBe(6);

      await using elsewhere = await temporaryFolder();
      using terminal = openTerminal(elsewhere.path);
      await terminal.paste(must(await page.locator("#checklist pre").first().textContent()));
      const lines = await pastedLines(server.origin);
      for (const line of lines) {
        await terminal.paste(line);
        for (const [word, steps] of finishes)
          if (line.includes(word))
            for (const step of steps) await page.locator(`#step-${step}.done`).waitFor();
      }
      expect(lines.filter((line) => finishes.some(([word]) => line.includes(word))).length).toBe(4);
      await terminal.paste(startAgent(server.origin));
      await page.locator("#step-connect.done").waitFor();
      await page.getByText("svc is set up.").waitFor();
      expect(await terminal.end()).toContain("Map of the berths, version 1: Berth 4 is missing.");

      const { repository } = example("issues", "opened");
      const ping = {
        ...{ zen: "Design for failure.", hook: { events: ["*"] } },
        repository: { ...repository, full_name: "acme/atlas" },
      };
      await fetch(`${server.origin}/api/hooks/github`, delivery("ping", ping));
      await page.locator("#step-github.done").waitFor();

      const withoutScripts = await browser.newContext({
        baseURL: server.origin,
        javaScriptEnabled: false,
        storageState: await context.storageState(),
      });
      const plain = await withoutScripts.newPage();
      await plain.goto("/welcome");
      expect(await plain.locator("#checklist li.done").count()).toBe(6);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
