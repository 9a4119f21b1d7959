/** Several processes on one Postgres, to which clients append at once: every total is that of one process. */
import { expect, test } from "bun:test";
import {
  link,
  migratedDatabase,
  must,
  programToken,
  scaled,
  startServer,
  until,
} from "../support/harness.ts";
import { readFrames } from "../support/http/server-sent-events.ts";
import { openSignInForm } from "../support/test-server.ts";
import { addWebhook } from "../support/webhooks/webhook-rows.ts";
import { openLeft } from "./agreement.ts";

const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
const counts = scaled([2], [1, 2, 4, 8]);
const appends = scaled(10, 100);
const [writersEach, readersEach, eventsEach] = [2, 2, 3];

/** Appends batches, one after the other. @returns the summaries of its events, in order */
async function write(origin: string, name: string): Promise<string[]> {
  const sent: string[] = [];
  for (let number = 0; number < appends; number++) {
    const own = Array.from({ length: eventsEach }, (_, at) => `${name} ${number * eventsEach + at}`);
    const events = own.map((summary) => ({
      ...{ kind: "step.usage", actor: `agent:${name}`, project: "atlas", summary },
    }));
    const body = JSON.stringify({ events });
    expect((await fetch(`${origin}/api/v1/events`, { method: "POST", headers, body })).status).toBe(200);
    sent.push(...own);
  }
  return sent;
}

/** Follows the live feed. @returns a function that resolves with the first events */
async function follow(
  origin: string,
): Promise<(total: number) => Promise<{ id: number; summary: string }[]>> {
  const { events } = readFrames(await fetch(`${origin}/api/v1/feed/stream`, { headers }));
  return async (total) => {
    const found: { id: number; summary: string }[] = [];
    for await (const { id, event } of events)
      if (found.push({ id, summary: event.summary as string }) === total) break;
    return found;
  };
}

/** Signs in at one process. @returns the cookie of the session */
async function signIn(origin: string): Promise<string> {
  const { cookie, csrf } = await openSignInForm(origin);
  const response = await fetch(`${origin}/sign-in`, {
    ...{ method: "POST", redirect: "manual", body: new URLSearchParams({ token: programToken, csrf }) },
    headers: { origin, cookie },
  });
  return must(response.headers.get("set-cookie")?.split(";")[0]);
}

test.each(counts)(
  "%i processes: readers at each get every event once and in one order, a webhook gets each once, and a session at one is a session at all",
  async (count) => {
    await using database = await migratedDatabase("postgres");
    const received: string[] = [];
    await using receiver = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      async fetch(request) {
        const { data } = (await request.json()) as { data: { summary: string } };
        received.push(data.summary);
        return new Response("ok");
      },
    });
    const data = await openLeft(database);
    await link(data, "atlas");
    await addWebhook(data, { url: receiver.url.href, filters: { kind: ["step.usage"] } });
    await using servers = new AsyncDisposableStack();
    const env = { SVC_WEBHOOK_ALLOW: "127.0.0.1" };
    const origins = await Promise.all(
      Array.from({ length: count }, async () => servers.use(await startServer(database, env)).origin),
    );
    const each = <T>(times: number, work: (origin: string, name: string) => Promise<T>): Promise<T[]> =>
      Promise.all(
        origins.flatMap((origin, node) =>
          Array.from({ length: times }, (_, at) => work(origin, `node-${node}-${at}`)),
        ),
      );
    const followers = await each(readersEach, follow);
    const sent = await each(writersEach, write);
    const all = sent.flat().toSorted();
    const [first = [], ...others] = await Promise.all(followers.map((followed) => followed(all.length)));
    for (const other of others) expect(other).toEqual(first);
    expect(first.map(({ id }) => id)).toEqual(first.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(first.map(({ summary }) => summary).toSorted()).toEqual(all);
    for (const own of sent) {
      const isOwn = new Set(own);
      expect(first.map(({ summary }) => summary).filter((summary) => isOwn.has(summary))).toEqual(own);
    }
    const cookies = await each(1, signIn);
    for (const cookie of cookies)
      for (const origin of origins)
        expect((await fetch(`${origin}/web/feed`, { headers: { cookie } })).status).toBe(200);
    await until(() => received.length >= all.length, "the webhook to get every event");
    await servers.disposeAsync();
    expect(received.toSorted()).toEqual(all);
    expect(await data.findInconsistencies()).toEqual([]);
    await data.close();
  },
);
