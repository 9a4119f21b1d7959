/** svc share: what it prints, and what it changes. */
import { expect, test } from "bun:test";
import { command } from "../support/commands/command.ts";
import { programCommand, programEnvironment } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";
import { openLink, plantText } from "../support/review/shares.ts";

test("svc share creates a link with a passphrase, lists it, shows its log, renews and revokes it", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const asset = await plantText(library);
  const env = { SVC_DATABASE_URL: library.url, SVC_SITE_URL: "http://svc.test" };
  const flags = ["--recipient", "Ana\u001b[31m", "--rights", "verdict", "--allow-download"];
  const refused = await command(["share", "create", asset.id, ...flags], env);
  expect([refused.code, refused.errors.split("\n").length]).toEqual([2, 2]);
  flags[1] = "Ana";
  const create = [...programCommand(), "share", "create", asset.id, ...flags, "--passphrase-stdin"];
  const created = Bun.spawnSync(create, {
    env: programEnvironment(env),
    stdin: Buffer.from("quiet harbor lantern\n"),
  });
  const link = created.stdout.toString().trim();
  expect(link).toMatch(/^http:\/\/svc\.test\/s\/[\w-]{43}$/);
  expect(created.stderr.toString()).toContain("it won't be shown again");
  const guest = await openLink(library, link.slice("http://svc.test".length), {
    passphrase: "quiet harbor lantern",
  });
  const id = guest.path.slice("/s/".length);
  const list = () => command(["share", "list", "--asset", asset.id], env);
  expect((await list()).output).toMatch(new RegExp(`\\n${id} +Ana +${asset.id} +verdict +active +1 +`));
  const log = await command(["share", "log", id], env);
  expect(log.output).toMatch(/^TIME \(UTC\) .*\n\S+ \S+ +opened +1 +– +– +198\.51\.100\.0\/24\n$/);
  await guest.page();
  expect((await command(["share", "log", id], env)).output).toMatch(
    new RegExp(`\\n\\S+ \\S+ +viewed +1 +– +${asset.id} +198`),
  );
  const renewed = await command(["share", "renew", id, "--for", "6w"], env);
  expect(renewed.errors).toMatch(/^Renewed the link for Ana, until [\d-]+ [\d:]+ UTC\.$/m);
  expect((await command(["share", "revoke", id], env)).errors).toContain("Revoked the link for Ana.");
  expect((await list()).output).toContain("revoked");
  const people = ["--recipient", "Ana Lima <ana@example.com>", "--recipient", "Bo"];
  const several = await command(["share", "create", asset.id, ...people], env);
  expect(several.output).toMatch(/^Ana Lima: http:\S+\/s\/[\w-]{43}\nBo: http:\S+\/s\/[\w-]{43}\n$/);
  expect(several.errors).toContain("Not mailed to Ana Lima: This deployment sends no email.");
  const unknown = await command(["share", "revoke", asset.id], env);
  expect([unknown.code, unknown.errors]).toEqual([1, expect.stringContaining("No share link with id")]);
});
