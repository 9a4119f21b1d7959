/** The passphrase of a share link: how it is stored, and how attempts are limited on both databases. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import { Problem } from "../../../src/core/problem.ts";
import { checkPassphrase } from "../../../src/library/shares/passphrase.ts";
import { post } from "../../support/browser/site.ts";
import { dialects, must, until } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, plantText } from "../../support/review/shares.ts";

const passphrase = "quiet harbor lantern";
/** Verifies fast, so that the tests do not wait for sixty slow hashes. */
const cheapHash = Bun.password.hash(passphrase, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

describe.each(dialects)("a passphrase on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
  });
  afterAll(() => library.close());

  const newShare = async () => ({ id: crypto.randomUUID(), passphrase: await cheapHash });
  type TestShare = Awaited<ReturnType<typeof newShare>>;
  /** `true`, `false`, or the seconds to wait. */
  const attempt = (share: TestShare, given: string, address: string, ctx = library.ctx) =>
    checkPassphrase(ctx, share, given, address).catch((error) => {
      if (!(error instanceof Problem) || error.status !== 429) throw error;
      return Number(error.headers["retry-after"]);
    });
  const attempts = async (share: TestShare, count: number, address: (index: number) => string) => {
    const results = [];
    for (let index = 0; index < count; index++) results.push(await attempt(share, "wrong", address(index)));
    return results;
  };

  test("is asked for with the link, stored as an Argon2id hash, and opens it", async () => {
    const { id } = await plantText(library);
    const share = await createShare(library, id, { passphrase });
    const row = must(await library.ctx.data.share(share.id));
    expect([share.has_passphrase, row.passphrase?.startsWith("$argon2id$")]).toEqual([true, true]);
    expect(await (await library.ask(share.link)).text()).toContain('name="passphrase"');
    const wrong = await post(library, share.link, { passphrase: "loud harbor lantern" });
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([403, null]);
    expect(await wrong.text()).toContain("This passphrase is wrong.");
    expect((await (await openLink(library, share.link, { passphrase })).page()).status).toBe(200);
  });

  test("can be tried five times in ten minutes and ten times in an hour by one client", async () => {
    const share = await newShare();
    const address = () => "192.0.2.9";
    expect(await attempts(share, 6, address)).toEqual([false, false, false, false, false, 600]);
    expect(await attempt(share, passphrase, address())).toBe(600); // the right one waits too
    library.clock.advance(10 * minuteMicros);
    expect(await attempts(share, 6, address)).toEqual([false, false, false, false, false, 3000]);
    library.clock.advance(50 * minuteMicros);
    expect(await attempt(share, passphrase, address())).toBe(true);
  });

  test("CVE-2021-32678: can be tried sixty times in an hour by all clients together", async () => {
    const share = await newShare();
    const results = await attempts(share, 61, (index) => `198.51.${index}.1`);
    expect([new Set(results.slice(0, 60)), results[60]]).toEqual([new Set([false]), 3600]);
    const other = await newShare();
    expect(await attempt(other, passphrase, "198.51.1.1")).toBe(true);
  });

  test("GHSA-2967-6mrp-gg3p: counts the addresses of an IPv6 subnet as one client", async () => {
    const share = await newShare();
    const results = await attempts(share, 6, (index) => `2001:db8::${index + 1}`);
    expect(results).toEqual([false, false, false, false, false, 600]);
    expect(await attempt(share, "wrong", "2001:db8:0:1::1")).toBe(false);
  });

  test("CVE-2021-41177: is limited for all processes together, and before the slow hash", async () => {
    const share = await newShare();
    const second = await openData(library.url, { now: library.clock.now, log() {} });
    const nodes = [library.ctx, { ...library.ctx, data: second }];
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => attempt(share, "wrong", "192.0.2.44", must(nodes[index % 2]))),
    );
    await second.close();
    expect(results.filter((result) => result === false)).toHaveLength(5);
    expect(results.filter((result) => typeof result === "number")).toHaveLength(15);
    const never = { ...share, passphrase: "not a hash, which would throw" };
    expect(await attempt(never, "wrong", "192.0.2.44")).toBe(600);
  });

  test("that is wrong is in the audit log, with the share and the network it came from", async () => {
    const { id } = await plantText(library);
    const [one, other] = [
      await createShare(library, id, { passphrase }),
      await createShare(library, id, { passphrase }),
    ];
    const address = "192.0.2.78";
    for (const { link } of [one, other, one]) await post(library, link, { passphrase: "wrong" }, {}, address);
    const refused = async () =>
      (await library.ctx.data.audit({ limit: 100 })).filter((row) => row.address === address);
    const count = async () => (await refused()).reduce((sum, row) => sum + row.count, 0);
    await until(async () => (await count()) === 3, "the refusals are written");
    const row = { who: null, via: "share", what: "share", project: "atlas", status: 403 };
    expect((await refused()).toSorted((a, b) => b.count - a.count)).toMatchObject([
      { ...row, target: one.id, count: 2 },
      { ...row, target: other.id, count: 1 },
    ]);
  });

  test("says on the page when to try again", async () => {
    const { id } = await plantText(library);
    const { link } = await createShare(library, id, { passphrase });
    const send = () => post(library, link, { passphrase: "wrong one" }, {}, "192.0.2.77");
    for (let count = 0; count < 5; count++) await send();
    const refused = await send();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "600"]);
    expect(await refused.text()).toContain("Too many attempts. Try again in 10 minutes.");
  });
});
