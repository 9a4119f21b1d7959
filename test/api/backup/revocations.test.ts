/** Access that ended after a backup was made: a restore does not bring it back silently. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { openArchive, writeTar } from "../../../src/api/backup/targets.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { AssetDetail, AssetList } from "../../../src/library/assets/schema.ts";
import { finishRemovals } from "../../../src/library/removals/finish.ts";
import { command } from "../../support/commands/command.ts";
import { openEmpty, options, reports } from "../../support/database/backup.ts";
import { dialects, rowsOf, temporaryFolder } from "../../support/harness.ts";
import { combinations, openLibrary } from "../../support/library.ts";
import { createShare } from "../../support/review/shares.ts";
import { addWebhook } from "../../support/webhooks/webhook-rows.ts";

describe.each(dialects)("on %s", (dialect) => {
  test("a restore keeps revocations and rotations that the database knows, and lists what it does not", async () => {
    await using folder = await temporaryFolder();
    await using library = await openLibrary(dialect, "disk");
    const { ctx } = library;
    const [left, rotated] = [
      await library.mint(["feed:read"], { name: "left" }),
      await library.mint(["feed:read"], { name: "rotated" }),
    ];
    const share = await createShare(library, (await library.plant()).id);
    const webhook = await addWebhook(ctx.data, { created_at: ctx.now() });
    const tar = join(folder.path, "svc.tar");
    const { entries, summary } = openBackupContents(ctx, { bytes: false });
    await writeTar(tar, withManifests(entries, summary, reports), ctx.config.s3);

    const env = { SVC_DATABASE_URL: library.url };
    await command(["token", "revoke", "left"], env);
    const fresh = (await command(["token", "rotate", "rotated"], env)).output.trim();
    expect((await command(["share", "revoke", share.id], env)).code).toBe(0);
    expect((await command(["webhook", "rotate", webhook], env)).code).toBe(0);
    const secrets = () => rowsOf(library.url, "select secret, previous_secret from webhooks");
    const newSecrets = await secrets();
    const archive = await openArchive(tar, ctx.config.s3);
    const forced = { ...options, force: true, bytes: false };
    expect((await restore(ctx, archive, forced)).revived).toEqual({
      ...{ tokens: [], shares: [], webhooks: [], email_digests: [] },
    });
    const statusOf = async (token: string) => (await library.ask("/api/v1/feed", { token })).status;
    expect([await statusOf(left), await statusOf(rotated), await statusOf(fresh)]).toEqual([401, 401, 200]);
    const shared = await rowsOf(library.url, "select revoked_at is null as active from shares");
    expect(shared.map(({ active }) => Boolean(active))).toEqual([false]);
    expect(await secrets()).toEqual(newSecrets);

    await using empty = await openEmpty([dialect, "disk"]);
    const { revived } = await restore(empty.ctx, archive, { ...options, bytes: false });
    expect({ ...revived, tokens: revived.tokens.toSorted() }).toEqual({
      ...{
        tokens: ["left", "rotated", "tester"],
        shares: [share.id],
        webhooks: [webhook],
        email_digests: [],
      },
    });
  });
});

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  test("a restore brings back nothing that was unpublished or deleted after the backup", async () => {
    await using folder = await temporaryFolder();
    await using library = await openLibrary(dialect, place);
    const { ctx } = library;
    const admin = await library.mint(allScopes, { name: "boss" });
    const published = async () => {
      const { id } = (await library.upload({ project: "atlas" })).body;
      await library.review(id, { decision: "approved" });
      return (await library.publish(id)).body;
    };
    const [withdrawn, deleted, whole] = [await published(), await published(), await published()];
    const pending = (await library.upload({ project: "atlas", resubmit: "Again." })).body;
    const tar = join(folder.path, "svc.tar");
    const { entries, summary } = openBackupContents(ctx, { bytes: true });
    await writeTar(tar, withManifests(entries, summary, reports), ctx.config.s3);

    const json = { reason: "It shows the old harbor." };
    expect((await library.say(`/assets/${withdrawn.id}/unpublish`, { json })).status).toBe(200);
    for (const { id } of [deleted, pending])
      expect((await library.say(`/assets/${id}/delete-files`, { token: admin, json })).status).toBe(200);
    const archive = await openArchive(tar, ctx.config.s3);
    await restore(ctx, archive, { ...options, force: true, takeOver: true });
    const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
    const tombstone = { url: null, public_url: null };
    const removals = [{ reason: json.reason, finished_at: null }];
    expect(await detail(withdrawn.id)).toMatchObject({ status: "approved", public_url: null, removals });
    expect(await detail(deleted.id)).toMatchObject({ status: "approved", ...tombstone });
    expect(await detail(pending.id)).toMatchObject({ status: "rejected", ...tombstone, removals });
    expect(await detail(whole.id)).toMatchObject({ status: "published", public_url: whole.public_url });
    const listed = (await library.say<AssetList>("/assets?status=rejected")).body.assets;
    expect(listed.map(({ id }) => id)).toEqual([pending.id]);
    await finishRemovals(ctx);
    const left = [...(await library.keys()), ...(await library.keys(library.publicStore))];
    expect(left.sort()).toEqual([withdrawn, whole, whole].map(({ id }) => `atlas/${id}/note.txt`).sort());
    expect(await ctx.data.findInconsistencies()).toEqual([]);
  });
});

test("svc restore says what is valid again, and how to end it; a token that was revoked before is not", async () => {
  await using folder = await temporaryFolder();
  const of = (name: string) => ({
    SVC_DATABASE_URL: `sqlite:${join(folder.path, name)}`,
    SVC_ASSET_STORE: "none",
  });
  const tar = join(folder.path, "svc.tar");
  const prepare = [
    ["project", "link", "atlas", "--repo", "acme/atlas"],
    ["token", "create", "mara", "--role", "reviewer"],
    ["token", "create", "gone", "--role", "reader"],
    ["token", "revoke", "gone"],
    ["backup", tar],
  ];
  for (const args of prepare) expect((await command(args, of("first.db"))).code).toBe(0);
  const { code, errors } = await command(["restore", tar], of("second.db"));
  expect([code, errors]).toEqual([0, expect.stringContaining("1 token is valid as in the backup of 2")]);
  expect(errors).toMatch(/Z: mara\. End again what was ended since: svc token revoke NAME\n/);
  const { output } = await command(["restore", tar, "--force", "--json"], of("second.db"));
  expect(JSON.parse(output).revived).toEqual({ tokens: [], shares: [], webhooks: [], email_digests: [] });
});
