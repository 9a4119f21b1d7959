/** The commands of the page on webhooks work, on a server with a receiver in place of the one in the text. */
import { expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { docPages } from "../../../src/api/docs/page.ts";
import { blocksOf, runCommands, toolsMissing } from "../../support/agents/docs-commands.ts";
import {
  event,
  freshDatabase,
  must,
  openApp,
  startServer,
  temporaryFolder,
  until,
} from "../../support/harness.ts";

/** The lines of the page's shell blocks and the commands of its tables, in the order of the page. */
function commandsOf(markdown: string): string[] {
  const blocks = blocksOf(markdown).filter(({ language }) => language === "bash");
  const shown = blocks.flatMap(({ text }) => text.trim().split("\n"));
  const inline = [...markdown.matchAll(/`(svc webhook [^`]+)`/g)].map(([, command = ""]) => command);
  return [...new Set([...shown, ...inline])].filter((command) => command.startsWith("svc webhook "));
}

test.skipIf(toolsMissing.length > 0)(
  "the commands of the page on webhooks run, and reach the receiver",
  async () => {
    await using app = await openApp("sqlite");
    const page = must((await docPages(app.ctx)).find(({ name }) => name === "webhooks")).markdown;
    const received: string[] = [];
    using receiver = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      async fetch(request) {
        received.push(((await request.json()) as { type?: string }).type ?? "chat");
        return new Response("ok");
      },
    });
    await using folder = await temporaryFolder();
    await using database = await freshDatabase("sqlite");
    await using _server = await startServer(database, {
      ...{ SVC_DATA_DIR: folder.path, SVC_WEBHOOK_ALLOW: "127.0.0.1" },
    });
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    await data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
    const [added] = (await data.append([event({ kind: "run.failed", project: "atlas" })])).added;
    const id = must(added).id;
    const commands = commandsOf(page).map((command) =>
      command
        .replaceAll(/https:\/\/(example\.com|hooks\.slack\.com)/g, receiver.url.origin)
        .replaceAll(/\b(4711|4000)\b/g, String(id)),
    );
    expect(commands.length).toBeGreaterThan(10);
    const env = { SVC_DATABASE_URL: database.url, SVC_WEBHOOK_ALLOW: "127.0.0.1" };
    // That of a delivery needs one which is no test: the commands before it make one.
    const ofDelivery = commands.filter((command) => command.includes("--delivery"));
    const others = commands.filter((command) => !ofDelivery.includes(command));
    const [secret] = await runCommands(others, folder.path, env);
    expect(secret).toMatch(/whsec_/);
    const [webhook] = (await data.webhooks()).filter(({ name }) => name === "deploys");
    const deliveries = () => data.deliveries(must(webhook).id, { limit: 50 });
    const replayed = async () => (await deliveries()).find(({ is_replay }) => is_replay);
    await until(async () => (await replayed()) !== undefined, "a delivery that was sent again");
    const delivery = must(await replayed()).id;
    await runCommands(
      ofDelivery.map((command) => command.replace("815", String(delivery))),
      folder.path,
      env,
    );
    await data.close();
    expect(ofDelivery).toHaveLength(1);
    expect(received.slice(0, 2)).toEqual(["run.failed", "chat"]);
  },
  60_000,
);
