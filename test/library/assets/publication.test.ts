/** Publication and its withdrawal, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { zip } from "../../support/assets/media.ts";
import { link, must, owned } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

const unknown = "01KJMMA2G04TRJQTGZ9SY6NSVZ";

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RETENTION_DAYS: "7" });
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());

  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const eventsSince = async (count: number) => (await library.events()).slice(count);

  describe("a publication", () => {
    const approve = async <T extends { id: string }>(asset: T) => {
      await library.review(asset.id, { decision: "approved" });
      return asset;
    };
    const approved = async (name = "note.txt", bytes = "some words") => {
      const id = ulid();
      return approve(await library.plant({ id, key: `atlas/${id}/${name}`, bytes }));
    };

    test("gives the reviewed file a permanent URL, and is idempotent", async () => {
      const { id, title } = await approved("a-b.txt", "words for the world");
      const before = (await library.events()).length;
      const { status, body } = await library.publish(id);
      expect<unknown>([status, body]).toMatchObject([200, { id, status: "published", expires_at: null }]);
      expect(body.public_url).toBe(
        place === "disk"
          ? `http://svc.test/media/atlas/${id}/a-b.txt`
          : `${library.publicStore.baseUrl}/atlas/${id}/a-b.txt`,
      );
      const response = await library.fetch(body.public_url);
      expect([
        response.status,
        response.headers.get("content-type")?.split(";")[0],
        await response.text(),
      ]).toEqual([...[200, "text/plain", "words for the world"]]);
      expect(await library.publish(id)).toMatchObject({ status: 200, body });
      expect(await eventsSince(before)).toMatchObject([
        {
          kind: "asset.published",
          actor: "bot:tester",
          summary: `Published ${title}, version 1`,
          project: "atlas",
        },
      ]);
      expect((await library.review(id, { decision: "rejected", note: "Too late." })).status).toBe(409);
    });

    test("needs an approved asset: others are a 409, unknown ones a 404", async () => {
      const { id } = await library.plant();
      expect((await library.publish(id)).status).toBe(409);
      await library.review(id, { decision: "rejected", note: "No." });
      expect((await library.publish(id)).status).toBe(409);
      await library.plant({}, id);
      expect((await library.publish(id)).status).toBe(409);
      for (const other of [unknown, "x", "__proto__"])
        expect([other, (await library.publish(other)).status]).toEqual([other, 404]);
      expect((await library.keys(library.publicStore)).filter((key) => key.includes(id))).toEqual([]);
    });

    test("of a bundle publishes its pages, with the index at the public URL", async () => {
      const pages = [
        { name: "site/index.html", data: "<!doctype html><script src=a.js></script>" },
        { name: "site/a.js", data: "1" },
        { name: "site/100% #1? e\u0301 🎉\u202f.txt", data: "odd" },
      ];
      const latin1 = {
        name: "site/latin1.html",
        data: Buffer.from("<meta charset=latin1><p>caf\xe9", "latin1"),
      };
      const { id, bundle_url } = await approve(
        (await library.upload({ project: "atlas" }, file("site.zip", Buffer.from(zip([...pages, latin1])))))
          .body,
      );
      const {
        status,
        body: { public_url, detail },
      } = await library.publish(id);
      expect([status, detail]).toEqual([200, undefined]);
      expect(public_url).toEndWith(`/atlas/${id}/site/index.html`);
      const odd = must(pages[2]).name.slice("site/".length);
      // A bucket knows one normalization of a name.
      for (const [url, name] of [
        [must(bundle_url), odd],
        [must(public_url), place === "disk" ? odd : odd.normalize()],
      ] as const) {
        const response = await library.fetch(url.replace("index.html", encodeURIComponent(name)));
        expect(await response.text()).toBe("odd");
        const page = await library.fetch(url.replace("index.html", "latin1.html"));
        expect(page.headers.get("content-type")).toBe("text/html; charset=windows-1252");
      }
      const script = await library.fetch(public_url?.replace("index.html", "a.js"));
      expect([script.headers.get("content-type")?.split(";")[0], await script.text()]).toEqual([
        "text/javascript",
        "1",
      ]);
      expect(await (await library.fetch(public_url)).text()).toBe(must(pages[0]).data);
    });

    test("has the exact name of its file, as every other URL of it, in a form or reserved", async () => {
      const exactName = async (url: string | null) => {
        const named = must((await library.fetch(url)).headers.get("content-disposition"));
        return decodeURIComponent(must(/; filename\*=UTF-8''([\w.~%-]+)$/.exec(named)?.[1]));
      };
      for (const name of ["灯泡.txt", 'q"u\\o\u202ete.txt', "100%.txt", "a\nb.txt"]) {
        const { url, id } = await approve((await library.upload({ project: "atlas" }, file(name))).body);
        const { public_url } = (await library.publish(id)).body;
        expect([await exactName(url), await exactName(public_url)]).toEqual([name, name]);
      }
      const reserved = (await library.presign({ filename: "灯泡.txt" })).body;
      await library.put(reserved, "words");
      expect(await exactName((await library.finalize(reserved)).body.url)).toBe("灯泡.txt");
    });

    test("ten times concurrently is one publication", async () => {
      const { id } = await approved("ten.txt", "once");
      const before = (await library.events()).length;
      const answers = await Promise.all(Array.from({ length: 10 }, () => library.publish(id)));
      const [first] = answers;
      for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, must(first).body]);
      expect((await eventsSince(before)).map(({ kind }) => kind)).toEqual(["asset.published"]);
      expect((await library.keys(library.publicStore)).filter((key) => key.includes(id))).toEqual([
        `atlas/${id}/ten.txt`,
      ]);
    });

    test("and a concurrent rejection: one of them succeeds, and a rejected file is not public", async () => {
      const statuses = new Set<string>();
      for (let round = 0; round < 6; round++) {
        const { id } = await approved("a.txt", `round ${round}`);
        const reject = () => library.review(id, { decision: "rejected", note: "No." });
        const [published, rejected] = await Promise.all(
          round % 2 ? [library.publish(id), reject()] : [library.publish(id), Bun.sleep(round).then(reject)],
        );
        const { status, public_url } = await detail(id);
        statuses.add(status);
        expect([published.status, rejected.status]).toEqual(status === "published" ? [200, 409] : [409, 200]);
        const copies = (await library.keys(library.publicStore)).filter((key) => key.includes(id));
        expect([copies.length, public_url !== null]).toEqual(status === "published" ? [1, true] : [0, false]);
      }
      expect([...statuses].every((status) => status === "published" || status === "rejected")).toBe(true);
    });

    test("that loses to a rejection deletes its copy", async () => {
      const { id } = await approved();
      const put = library.publicStore.put;
      library.ctx.publicStore = owned(
        {
          ...library.publicStore,
          async put(...args) {
            const written = await put(...args);
            await library.review(id, { decision: "rejected", note: "No." });
            return written;
          },
        },
        library.ctx.data,
      );
      expect((await library.publish(id)).status).toBe(409);
      library.ctx.publicStore = owned(library.publicStore, library.ctx.data);
      expect((await library.keys(library.publicStore)).filter((key) => key.includes(id))).toEqual([]);
    });

    test("whose copy was deleted in between is complete all the same", async () => {
      const { id } = await approved("back.txt", "here");
      let isTaken = false;
      library.ctx.publicStore = owned(
        {
          ...library.publicStore,
          async put(key, ...args) {
            const written = await library.publicStore.put(key, ...args);
            if (!isTaken) await library.publicStore.delete(key);
            isTaken = true;
            return written;
          },
        },
        library.ctx.data,
      );
      const { body } = await library.publish(id);
      library.ctx.publicStore = owned(library.publicStore, library.ctx.data);
      expect(await (await library.fetch(body.public_url)).text()).toBe("here");
    });

    test("is of the reviewed file: if the store holds another, nothing is published", async () => {
      const { id } = await approved("a.txt", "reviewed");
      const key = `atlas/${id}/a.txt`;
      await library.store.delete(key);
      const written = { type: "text/plain", maxBytes: 8 };
      await library.store.put(key, new Blob(["forged!!"]).stream(), written);
      expect((await library.publish(id)).status).toBe(503);
      expect((await detail(id)).status).toBe("approved");
      expect((await library.keys(library.publicStore)).filter((one) => one.includes(id))).toEqual([]);
      await library.store.delete(key);
      expect((await library.publish(id)).status).toBe(503);
      await library.store.put(key, new Blob(["reviewed"]).stream(), written);
      expect((await library.publish(id)).status).toBe(200);
    });
  });
});

test("SVC_PUBLIC_BASE_URL is the base of public URLs", async () => {
  await using library = await openLibrary("sqlite", "disk", {
    SVC_PUBLIC_BASE_URL: "https://cdn.example/assets/",
  });
  const { id } = (await library.upload({ project: "atlas" })).body;
  await library.review(id, { decision: "approved" });
  expect((await library.publish(id)).body.public_url).toBe(`https://cdn.example/assets/atlas/${id}/note.txt`);
});
