/**
 * Deliveries that come twenty times at once to two processes, and again, and captured under another id: each
 * is one event.
 */
import { describe, expect, test } from "bun:test";
import { dialects, link, migratedDatabase, must, rowsOf, startServer } from "../support/harness.ts";
import { openLeft } from "./agreement.ts";
import { measured, reached, times } from "./promises.ts";

const secret = "a secret of the source host";
const total = times("deliveries");
const copies = 20;

function delivery(number: number, id: string): RequestInit {
  const body = JSON.stringify({
    ...{
      action: "opened",
      repository: { id: 1, full_name: "acme/atlas" },
      sender: { login: "zoe", type: "User" },
    },
    issue: {
      id: number,
      number,
      title: `Issue ${number}`,
      html_url: `https://github.com/acme/atlas/issues/${number}`,
      updated_at: "2026-03-01T12:00:00Z",
    },
  });
  const signature = `sha256=${new Bun.CryptoHasher("sha256", secret).update(body).digest("hex")}`;
  const headers = {
    "content-type": "application/json",
    "x-github-event": "issues",
    "x-github-delivery": id,
    "x-hub-signature-256": signature,
  };
  return { method: "POST", headers, body };
}

describe.each(dialects)("on %s", (dialect) => {
  test(`${total} deliveries, each ${copies} times at once at two processes, again, and under another id: each is one event`, async () => {
    await using database = await migratedDatabase(dialect);
    const data = await openLeft(database);
    await link(data, "atlas");
    await data.close();
    const env = { SVC_GITHUB_WEBHOOK_SECRET: secret };
    await using first = await startServer(database, env);
    await using second = await startServer(database, env);
    const send = async (to: number, init: RequestInit): Promise<number> => {
      const begun = performance.now();
      const response = await fetch(`${(to % 2 ? first : second).origin}/api/hooks/github`, init);
      expect(response.status).toBe(202);
      const { accepted } = (await response.json()) as { accepted: number };
      took.push(performance.now() - begun);
      return accepted;
    };
    const took: number[] = [];
    for (let number = 1; number <= total; number++) {
      const id = crypto.randomUUID();
      const accepted = await Promise.all(
        Array.from({ length: copies }, (_, to) => send(to, delivery(number, id))),
      );
      expect(accepted.reduce((sum, one) => sum + one, 0)).toBe(1);
      expect(await send(number, delivery(number, id))).toBe(0);
      expect(await send(number, delivery(number, crypto.randomUUID()))).toBe(0);
      reached("deliveries");
    }
    took.sort((a, b) => a - b);
    measured("deliveryWait", must(took[Math.floor(took.length * 0.99)]));
    expect((await rowsOf(database.url, "select issue from events")).length).toBe(total);
  });
});
