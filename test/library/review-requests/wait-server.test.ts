/** Waits through real connections: a client that leaves, a revoked token, and a server that stops. */
import { describe, expect, test } from "bun:test";
import { parkedTotal } from "../../../src/library/review-requests/review-changes.ts";
import type { ReviewWait } from "../../../src/library/review-requests/wait-schema.ts";
import { must, until } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";

describe("a parked wait", () => {
  test("is freed when its client disconnects", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const origin = library.listen();
    const { id } = await library.plant();
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${library.token}` };
    const waiting = fetch(`${origin}/api/v1/assets/${id}/review?wait=50`, { headers, signal: gone.signal });
    const parked = () => parkedTotal(library.ctx.feedNotifier);
    await until(() => parked() === 1, "it is parked");
    gone.abort();
    await waiting.catch(() => {});
    await until(() => parked() === 0, "it is freed");
  });

  test("says nothing to a token that was revoked meanwhile", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const token = await library.mint(["assets:read"], { name: "leaver" });
    const { id } = await library.plant();
    const waiting = library.say(`/assets/${id}/review?wait=50`, { token });
    await until(() => parkedTotal(library.ctx.feedNotifier) === 1, "it is parked");
    await library.ctx.data.atomically((writes) => writes.revokeToken("leaver", library.clock.now()));
    await library.review(id, { decision: "approved" });
    expect((await waiting).status).toBe(401);
  });

  test("answers pending when the process stops", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { id } = await library.plant();
    const waiting = library.say<ReviewWait>(`/assets/${id}/review?wait=50`);
    await until(() => parkedTotal(library.ctx.feedNotifier) === 1, "it is parked");
    library.ctx.feedNotifier.close();
    const { status, body } = await waiting;
    expect([status, body.state, must(body.items[0]).status]).toEqual([200, "pending", "pending"]);
  });
});
