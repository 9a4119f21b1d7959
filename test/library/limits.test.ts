/** Limits that decisions set for files: named at the upload, in the asset, and at the desk, and no verdict. */
import { expect, test } from "bun:test";
import { adminCaller } from "../../src/core/auth/caller.ts";
import type { Asset, AssetDetail } from "../../src/library/assets/schema.ts";
import type { CheckRule } from "../../src/memory/checks/schema.ts";
import { recordCallerDecision } from "../../src/memory/decisions.ts";
import { file, openLibrary } from "../support/library.ts";

test("a file beyond a limit is uploaded, and names the decision", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const checks: CheckRule[] = [
    { kind: "asset", max_bytes: 4 },
    { kind: "asset", max_bytes: 4, paths: ["*.png"] },
    { kind: "asset", max_width: 10 },
  ];
  const json = { project: "atlas", text: "Small files load quickly", checks };
  const { id } = await recordCallerDecision(library.ctx, json, adminCaller);
  const { body, status } = await library.upload({ project: "atlas" }, file());
  const limit = { decision: id, text: json.text, limit: "files at most 4 bytes" };
  expect([status, (body as Asset).limits]).toEqual([201, [expect.objectContaining(limit)]]);
  const asset = (await library.say<AssetDetail>(`/assets/${body.id}`)).body;
  expect([asset.status, asset.limits]).toEqual(["pending", [expect.objectContaining(limit)]]);
  const approved = await library.review(body.id, { decision: "approved" });
  expect(approved.status).toBe(200);
});

test("a page with pale text, or without what it has to say, names what it has instead", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const checks: CheckRule[] = [
    { kind: "asset", min_contrast: 4.5 },
    { kind: "asset", require_metadata: ["title", "license"], forbid_metadata: ["gps"] },
    { kind: "asset", max_bytes: 4, paths: ["*.png"] },
  ];
  const json = { project: "atlas", text: "Pages can be read", checks };
  await recordCallerDecision(library.ctx, json, adminCaller);
  const page = "<!doctype html><title>Piers</title><p style='color: #999'>Pale pier</p>";
  const { body } = await library.upload({ project: "atlas" }, new File([page], "pier.html"));
  const limits = [
    "files with text of at least 4.5:1 contrast",
    "files without gps metadata, with title, license metadata",
  ];
  const found = ['2.84:1 in "Pale pier"', "lacks license"];
  expect((body as Asset).limits).toMatchObject(limits.map((limit, at) => ({ limit, found: found[at] })));
  expect((await library.say<AssetDetail>(`/assets/${body.id}`)).body.limits).toHaveLength(2);
});
