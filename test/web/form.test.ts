/** A form is accepted from our pages only. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import type { AssetList } from "../../src/library/assets/schema.ts";
import { askForm, page, post, type Session, signIn, site } from "../support/browser/site.ts";
import { must, until } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

describe("a form", () => {
  /** Headers of requests that must be rejected, by what is wrong with them. */
  const foreign: [string, Record<string, string | undefined>][] = [
    ["from nowhere", { origin: undefined }],
    ["from a sandboxed frame", { origin: "null" }],
    ["from another site", { origin: "https://evil.example" }],
    ["from a name that begins like ours", { origin: "http://svc.test.evil.example" }],
    ["from another port of this machine", { host: "localhost:8080", origin: "http://localhost:3000" }],
    ["under another host", { host: "evil.example" }],
  ];

  async function withPending(
    work: (library: Library, session: Session, id: string) => Promise<void>,
  ): Promise<void> {
    await using library = await openLibrary("sqlite", "disk");
    const session = await signIn(library, await library.mint(allScopes));
    const { body } = await library.upload({ project: "atlas" });
    await work(library, session, body.id);
    expect((await library.say(`/assets/${body.id}`)).body.status).toBe("pending");
    expect((await library.events()).map((one) => one.kind)).toEqual(["asset.uploaded"]);
  }

  test.each(foreign)(
    "that comes %s writes nothing: review, publish, sign-in, sign-out, and what islands send",
    async (_name, change) => {
      await withPending(async (library, { cookie, csrf }, id) => {
        const headers = Object.fromEntries(
          Object.entries({ origin: site, cookie, ...change }).filter(
            (one): one is [string, string] => one[1] !== undefined,
          ),
        );
        const form = (path: string, fields: Record<string, string>) =>
          library.ask(path, {
            method: "POST",
            body: new URLSearchParams({ csrf, ...fields }),
            headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
          });
        const token = await library.mint(["feed:read"]);
        for (const response of [
          await form(`/assets/${id}/review`, { decision: "approved" }),
          await form(`/assets/${id}/publish`, {}),
          await form("/sign-in", { token }),
          await form("/sign-out", {}),
          await library.ask(`/web/assets/${id}/review`, {
            method: "PUT",
            json: { decision: "approved" },
            headers: { ...headers, "x-csrf-token": csrf },
          }),
        ]) {
          expect([response.status, response.headers.get("content-type")]).toEqual([
            403,
            "application/problem+json",
          ]);
          expect(response.headers.get("set-cookie")).toBeNull();
        }
      });
    },
  );

  test("without the CSRF token of its session, or with another session's, writes nothing", async () => {
    await withPending(async (library, { cookie }, id) => {
      const other = await signIn(library, await library.mint(allScopes));
      const stranger = await askForm(library);
      for (const csrf of ["", other.csrf, stranger.csrf, `${other.csrf}x`]) {
        expect(
          (await post(library, `/assets/${id}/review`, { csrf, decision: "approved" }, { cookie })).status,
        ).toBe(403);
        const headers = { origin: site, cookie, ...(csrf && { "x-csrf-token": csrf }) };
        expect(
          (
            await library.ask(`/web/assets/${id}/review`, {
              method: "PUT",
              json: { decision: "approved" },
              headers,
            })
          ).status,
        ).toBe(403);
      }
      expect((await post(library, `/assets/${id}/review`, { decision: "approved" }, { cookie })).status).toBe(
        403,
      );
    });
  });

  test("that no browser would send is rejected: JSON, text, a repeated field, too large, another method", async () => {
    await withPending(async (library, { cookie, csrf }, id) => {
      const send = (init: object) => library.ask(`/assets/${id}/review`, { method: "POST", ...init });
      const headers = { origin: site, cookie };
      const urlencoded = { ...headers, "content-type": "application/x-www-form-urlencoded" };
      expect((await send({ json: { csrf, decision: "approved" }, headers })).status).toBe(415);
      expect(
        (
          await send({
            body: `csrf=${csrf}&decision=approved`,
            headers: { ...headers, "content-type": "text/plain" },
          })
        ).status,
      ).toBe(415);
      expect(
        (await send({ body: `csrf=${csrf}&decision=approved&decision=rejected`, headers: urlencoded }))
          .status,
      ).toBe(400);
      expect(
        (await send({ body: `csrf=${csrf}&note=${"x".repeat(70_000)}`, headers: urlencoded })).status,
      ).toBe(413);
      const response = await page(library, "/sign-out", cookie);
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    });
  });

  test("with a file stores nothing unless it comes from our page, CSRF token first, with the scope", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie, csrf } = await signIn(library, await library.mint(allScopes));
    const narrow = await signIn(library, await library.mint(["assets:read"]));
    const send = (
      fields: [string, string | File][],
      headers: Record<string, string> = { origin: site, cookie },
    ) => {
      const body = new FormData();
      for (const [name, value] of fields) body.append(name, value);
      return library.ask("/assets/upload", { method: "POST", body, headers });
    };
    const [token, project, bytes] = [
      ["csrf", csrf],
      ["project", "atlas"],
      ["file", new File(["words"], "note.txt")],
    ] as [string, string | File][];
    const refused: [number, Promise<Response>][] = [
      [403, send([must(project), must(bytes)])],
      [403, send([must(project), must(token), must(bytes)])],
      [403, send([["csrf", `${csrf}x`], must(project), must(bytes)])],
      [403, send([["csrf", "x".repeat(10_000)], must(project), must(bytes)])],
      [403, send([["csrf", new File([csrf], "csrf")], must(project), must(bytes)])],
      [403, send([must(token), must(project), must(bytes)], { cookie })],
      [403, send([must(token), must(project), must(bytes)], { cookie, origin: "https://evil.example" })],
      [403, send([must(token), must(project), must(bytes)], { origin: site })],
      [
        403,
        send([["csrf", narrow.csrf], must(project), must(bytes)], { origin: site, cookie: narrow.cookie }),
      ],
      [400, send([must(token), must(project)])],
      [400, send([must(token), must(project), must(bytes), must(bytes)])],
      [400, send([must(token), ["project", ""], must(bytes)])],
      [404, send([must(token), ["project", "unknown"], must(bytes)])],
      [415, library.ask("/assets/upload", { method: "POST", json: {}, headers: { origin: site, cookie } })],
      [405, library.ask("/assets/upload", { headers: { cookie } })],
    ];
    for (const [at, [status, response]] of refused.entries())
      expect([at, (await response).status]).toEqual([at, status]);
    await library.ctx.store?.deleteLeftovers(new Date(Date.now() + 1000));
    // An answer does not wait for what is tidied up behind it.
    await until(async () => (await library.keys()).length === 0, "nothing is kept");
    expect(await library.events()).toEqual([]);
    const done = await send([must(token), must(project), ["issue", ""], ["replaces", ""], must(bytes)]);
    const { assets } = (await library.say<AssetList>("/assets")).body;
    expect([done.status, done.headers.get("location")]).toEqual([303, `/assets/${assets[0]?.id}`]);
    expect(assets.map(({ title, issue }) => [title, issue])).toEqual([["note.txt", null]]);
  });

  test("writes when everything is valid; a changed file is a conflict", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie, csrf } = await signIn(library, await library.mint(allScopes, { name: "ana" }));
    const { body } = await library.upload({ project: "atlas" });
    const review = (fields: Record<string, string>) =>
      post(
        library,
        `/assets/${body.id}/review`,
        { csrf, decision: "rejected", note: "Too\r\nshort.", ...fields },
        { cookie, accept: "text/html" },
      );
    const stale = await review({ sha256: "0".repeat(64) });
    const shown = await stale.text();
    expect([
      stale.status,
      shown.includes("sha256 does not match"),
      shown.includes("Too\nshort.</textarea>"),
    ]).toEqual([409, true, true]);
    const done = await review({ sha256: body.sha256 });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/assets?reviewed=${body.id}`]);
    expect((await library.say(`/assets/${body.id}`)).body).toMatchObject({
      status: "rejected",
      review_note: "Too\nshort.",
      reviewed_by: "human:ana",
    });
  });
});
