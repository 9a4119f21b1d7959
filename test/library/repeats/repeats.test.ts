/** A rejected file that comes back with the same bytes says so, in every way to upload it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import type { Asset, AssetDetail, AssetList } from "../../../src/library/assets/schema.ts";
import type { RepeatCheck, RepeatPolicy, Repeats } from "../../../src/library/repeats/schema.ts";
import { outsideDataTags, type ToolAnswer, textOf, toolCall } from "../../support/agents/mcp-clients.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { link, must, until } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let reviewer: string;
  let count = 0;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    await link(library.ctx.data, "borealis");
    reviewer = await library.mint(["assets:read", "assets:review", "reviews:write"], { name: "maria" });
  });
  afterAll(() => library.close());

  const newContent = () => `file ${++count}`;
  const push = (content: string, fields: Record<string, string> = {}) => {
    library.clock.advance(1_000_000);
    return library.upload({ project: "atlas", ...fields }, file("map.txt", content));
  };
  const reject = (id: string, note = "Berth 4 is missing.") =>
    library.say(`/assets/${id}/review`, {
      method: "PUT",
      json: { decision: "rejected", note },
      token: reviewer,
    });
  const approve = (id: string) =>
    library.say(`/assets/${id}/review`, { method: "PUT", json: { decision: "approved" }, token: reviewer });
  const rejected = async (content: string, fields: Record<string, string> = {}) => {
    const { body } = await push(content, fields);
    expect((await reject(body.id)).status).toBe(200);
    return body;
  };
  const mark = async (id: string, json: object) =>
    (await library.say<Annotation>(`/assets/${id}/annotations`, { json, token: reviewer })).body;
  const refuse = (isRefused: boolean) =>
    library.say<RepeatPolicy>("/projects/atlas/repeat-policy", {
      method: "PUT",
      json: { refuse: isRefused },
      token: reviewer,
    });
  const call = async (name: string, args: Record<string, unknown>) => {
    const response = await library.ask("/mcp", { ...toolCall("modern", name, args), token: library.token });
    const { result } = (await response.json()) as { result: ToolAnswer };
    return { text: textOf(result), isError: result.isError };
  };

  describe("a rejected file that comes back", () => {
    test("is accepted, waits, and names the rejection with its note, however it is uploaded", async () => {
      const content = newContent();
      const old = await rejected(content);
      const repeats: Repeats = {
        id: old.id,
        version: 1,
        by: "token:maria",
        note: "Berth 4 is missing.",
        text: `This file was already rejected as ${old.id}, version 1, by token:maria: "Berth 4 is missing."`,
        likeness: "identical",
        places: [],
        reason: null,
      };
      const form = await push(content);
      const reserved = (await library.presign({})).body;
      expect((await library.put(reserved, content)).ok).toBe(true);
      const finalized = await library.finalize(reserved);
      const bytes = Buffer.from(content);
      const tus = tusRequests(library);
      const resumable = await tus.begin(bytes.length);
      await tus.patch(resumable.url, 0, bytes);
      const resumed = await library.finalize(resumable.reserved);
      for (const { status, body } of [form, finalized, resumed])
        expect<unknown>([status, body.status, body.repeats]).toEqual([201, "pending", repeats]);
      expect((await library.say<AssetDetail>(`/assets/${form.body.id}`)).body.repeats).toEqual(repeats);
      const { assets } = (await library.say<AssetList>("/assets?status=pending&project=atlas")).body;
      expect(must(assets.find(({ id }) => id === form.body.id)).repeats).toEqual(repeats);
      expect((await push(newContent())).body.repeats).toBeNull();
    });

    test("tells an agent the old note over MCP, before the upload where it replaces that version", async () => {
      const content = newContent();
      const old = await rejected(content);
      const offer = await call("svc_asset_request_upload", {
        project: "atlas",
        filename: "map.txt",
        replaces: old.id,
      });
      expect(outsideDataTags(offer.text)).toContain("You replace a rejected version.");
      expect(offer.text).toContain("Berth 4 is missing.");
      const reserved = (await library.presign({ replaces: old.id })).body;
      await library.put(reserved, content);
      const { text, isError } = await call("svc_asset_finalize", {
        id: reserved.id,
        ...reserved.finalize_body,
        resubmit: "The rejection meant another map.",
      });
      expect([isError, text]).toEqual([undefined, expect.stringContaining("Berth 4 is missing.")]);
      const { body } = await library.say<AssetDetail>(`/assets/${reserved.id}`);
      expect(body.repeats).toMatchObject({ id: old.id, reason: "The rejection meant another map." });
    });

    test("names the open must annotations of the replaced version, also those of earlier ones", async () => {
      const [first, second] = [newContent(), newContent()];
      const one = (await push(first)).body;
      const logo = await mark(one.id, { body: "Logo", target: { shape: "point", x: 1, y: 1 } });
      await mark(one.id, { body: "Detail", weight: "nit" });
      await reject(one.id);
      const two = (await push(second, { replaces: one.id })).body;
      const title = await mark(two.id, { body: "Title" });
      await reject(two.id, "Still not.");
      const three = (await push(second, { replaces: two.id })).body;
      expect(three.repeats).toMatchObject({ id: two.id, note: "Still not.", likeness: "identical" });
      expect(must(three.repeats).places).toEqual([
        { annotation: logo.id, state: "unknown" },
        { annotation: title.id, state: "unchanged" },
      ]);
      await reject(three.id, "Again.");
      // Superseded since, but rejected first.
      const again = (await push(first, { replaces: three.id })).body;
      expect(again.repeats).toMatchObject({ id: one.id, note: "Berth 4 is missing." });
      expect(must(again.repeats).places[0]).toEqual({ annotation: logo.id, state: "unchanged" });
    });

    test("names the newest rejection of its project, and none once such a file was approved", async () => {
      const content = newContent();
      const old = await rejected(content);
      await push(newContent(), { replaces: old.id });
      const newer = (await push(content)).body;
      expect(newer.repeats?.id).toBe(old.id);
      await reject(newer.id, "No.");
      expect((await push(content)).body.repeats).toMatchObject({ id: newer.id, note: "No." });
      expect((await push(content, { project: "borealis" })).body.repeats).toBeNull();
      const last = (await push(content)).body;
      await approve(last.id);
      expect((await push(content)).body.repeats).toBeNull();
    });

    test("is a 409 with the note where the project refuses it, and nothing of it stays", async () => {
      const content = newContent();
      const old = await rejected(content);
      expect((await refuse(true)).body).toMatchObject({ refuse: true, changed_by: "bot:maria" });
      // Files that the tests before finalized are moved after the answer.
      await library.settled();
      const keys = await library.keys();
      const reserved = (await library.presign({})).body;
      await library.put(reserved, content);
      for (const { status, body } of [await push(content), await library.finalize(reserved)])
        expect([status, body.detail]).toEqual([
          409,
          `This file was already rejected as ${old.id}, version 1, by token:maria: "Berth 4 is missing." atlas refuses such files: change ` +
            `the file, or ask for another review of ${old.id}.`,
        ]);
      // A refused form is answered before its file is deleted.
      const left = async () => (await library.keys()).filter((key) => !key.includes(reserved.id));
      await until(async () => Bun.deepEquals(await left(), keys), "nothing of it stays");
      expect((await push(newContent())).status).toBe(201);
      expect((await refuse(false)).body).toMatchObject({ refuse: false, changed_by: null });
      expect((await push(content)).body.repeats?.id).toBe(old.id);
    });
  });

  test("a client asks by hash before it uploads, with assets:read alone", async () => {
    const content = newContent();
    const { id, sha256 } = await rejected(content);
    const token = await library.mint(["assets:read"], { name: `reader-${dialect}` });
    const check = (hash: string) =>
      library.say<RepeatCheck>(`/projects/atlas/repeats?sha256=${hash}`, { token });
    expect((await check(sha256)).body).toMatchObject({
      repeats: { id, likeness: "identical" },
      refused: false,
    });
    expect((await check("0".repeat(64))).body).toEqual({ repeats: null, refused: false });
    const unknown = await library.say<Asset>(`/projects/nowhere/repeats?sha256=${sha256}`, { token });
    expect(unknown.status).toBe(404);
  });
});
