/**
 * Webhooks while their senders and the receiver are killed: every event that a webhook subscribed to is
 * received, first receipts are in order within each project, and the log of deliveries says what the receiver
 * accepted.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { WebhookFilters } from "../../src/integrations/webhooks/schema.ts";
import { dialects, event, migratedDatabase, rowsOf, temporaryFolder, until } from "../support/harness.ts";
import { freePort } from "../support/servers/proxy.ts";
import { addWebhooks, newWebhook } from "../support/webhooks/webhook-rows.ts";
import { reached, times } from "./promises.ts";

const kills = times("webhookKills");
/** The clock of the senders: waits of minutes pass in seconds. */
const pace = 20;
const appendEveryMs = 40;
const senders = { sqlite: 1, postgres: 3 };
const projects = ["atlas", "borea", "ceres"];

const subscriptions: Record<string, { filters: WebhookFilters; wants(row: EventRow): boolean }> = {
  all: { filters: {}, wants: () => true },
  borea: { filters: { project: ["borea"] }, wants: ({ project }) => project === "borea" },
  failed: { filters: { kind: ["run.failed"] }, wants: ({ kind }) => kind === "run.failed" },
  costly: { filters: { cost_above: 5 }, wants: ({ cost_equiv }) => cost_equiv > 5 },
};

interface Receipt {
  webhook: string;
  event: number;
  project: string | null;
}

/** A process that is started again whenever it was killed. */
function startChild(script: string, args: string[]) {
  const start = () =>
    Bun.spawn([process.execPath, join(import.meta.dir, "webhooks", script), ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ["ignore", "ignore", "ignore"],
    });
  let child = start();
  return {
    async killAndStart() {
      child.kill("SIGKILL");
      await child.exited;
      child = start();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Appends events of all kinds until `signal`. @returns them */
async function appendUntil(data: Data, signal: AbortSignal): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (let count = 0; !signal.aborted; count++) {
    const events = Array.from({ length: 1 + (count % 3) }, (_, index) =>
      event({
        kind: (count + index) % 4 === 0 ? "run.failed" : "run.finished",
        project: projects[(count * 3 + index) % 4] ?? null,
        cost_equiv: (count + index) % 9,
      }),
    );
    rows.push(...(await data.append(events)).added);
    await Bun.sleep(appendEveryMs);
  }
  return rows;
}

function requireOrder(receipts: readonly Receipt[]): void {
  const last = new Map<string, number>();
  const seen = new Set<string>();
  const late: Receipt[] = [];
  for (const receipt of receipts) {
    const { webhook, event: id, project } = receipt;
    if (seen.has(`${webhook} ${id}`)) continue;
    seen.add(`${webhook} ${id}`);
    const lane = `${webhook} ${project}`;
    if (id < (last.get(lane) ?? 0)) late.push(receipt);
    last.set(lane, id);
  }
  expect(late).toEqual([]);
}

describe.each(dialects)("webhooks on %s", (dialect) => {
  test(`with ${senders[dialect]} senders, killed ${kills} times: every event arrives, in order, and is in the log`, async () => {
    await using database = await migratedDatabase(dialect);
    await using folder = await temporaryFolder();
    const journal = join(folder.path, "journal");
    const readReceipts = (): Receipt[] =>
      existsSync(journal)
        ? readFileSync(journal, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : [];
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {}, connections: 2 });
    const port = await freePort();
    await addWebhooks(
      data,
      Object.entries(subscriptions).map(([id, { filters }]) =>
        newWebhook(id, { filters, url: `http://127.0.0.1:${port}/${id}` }),
      ),
    );
    await using children = new AsyncDisposableStack();
    const receiver = children.use(startChild("receiver.ts", [String(port), journal]));
    const args = [database.url, String(Date.now()), String(pace)];
    const victims = [
      receiver,
      ...Array.from({ length: senders[dialect] }, () => children.use(startChild("sender.ts", args))),
    ];
    const ended = new AbortController();
    const appending = appendUntil(data, ended.signal);
    for (let killed = 0; killed < kills; killed++) {
      const before = Bun.file(journal).size;
      await until(() => Bun.file(journal).size > before, "a receipt between two kills");
      await Bun.sleep(Math.random() * 300);
      await victims[Math.floor(Math.random() * victims.length)]?.killAndStart();
    }
    ended.abort();
    const wanted = (await appending).flatMap((row) =>
      Object.entries(subscriptions)
        .filter(([, { wants }]) => wants(row))
        .map(([id]) => `${id} ${row.id}`),
    );
    const received = () => new Set(readReceipts().map(({ webhook, event }) => `${webhook} ${event}`));
    const hasAll = async () => {
      await Bun.sleep(100); // each look reads the whole journal
      const seen = received();
      return wanted.every((one) => seen.has(one));
    };
    await until(hasAll, "every event at its webhooks", 300_000);
    const ledger = async () =>
      (
        await rowsOf(
          database.url,
          "select webhook, first_event, last_event from webhook_deliveries where outcome = 'delivered'",
        )
      ).map(({ webhook, first_event }) => `${webhook} ${first_event}`);
    await until(async () => new Set(await ledger()).size >= wanted.length, "the log to have them");
    await children.disposeAsync();
    requireOrder(readReceipts());
    expect([...received()].sort()).toEqual([...wanted].sort());
    expect([...new Set(await ledger())].sort()).toEqual([...wanted].sort());
    const receipts = readReceipts().length;
    expect((await ledger()).length).toBeLessThanOrEqual(receipts);
    await data.close();
    reached("webhookKills", kills);
  }, 7_200_000);
});
