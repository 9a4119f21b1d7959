/** `svc doctor`: what is wrong with this deployment, and how to mend it. */
import { defineCommand } from "citty";
import { colors } from "consola/utils";
import { sweepAssets } from "../src/assets/retention.ts";
import type { Act } from "../src/audit/action.ts";
import type { Config, Environment, Place } from "../src/config.ts";
import { examineDisks, examineFile } from "../src/doctor/disk.ts";
import { examineBytes } from "../src/doctor/files.ts";
import { type Finding, ok, warning, wrong } from "../src/doctor/finding.ts";
import { examineRows } from "../src/doctor/rows.ts";
import { dayMicros, secondMicros } from "../src/lib/time.ts";
import { mayPagesSend } from "../src/stores/bucket-cors.ts";
import { probeStore } from "../src/stores/objects.ts";
import { takeOver, whyNothingIsDeleted } from "../src/stores/owned-store.ts";
import type { OwnedStore } from "../src/stores/store.ts";
import { dataDirFlag, jsonFlag, run, say, userOf } from "./command.ts";
import { actOfUser, attempt, checksCertificates, type Opened, open } from "./open.ts";

export default defineCommand({
  args: {
    deep: { type: "boolean", description: "Read every byte, and have the database check its file" },
    fix: {
      type: "boolean",
      description: "Mend what follows from other rows, and sweep what no row answers for",
    },
    "take-over": {
      type: "boolean",
      description: "Make the stores this deployment's own, so that unused files are deleted again",
    },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const asked = { deep: args.deep ?? false, fix: args.fix ?? false, takesOver: args["take-over"] ?? false };
    const findings = await examine({ SVC_DATA_DIR: args["data-dir"] }, asked);
    const marks = { ok: colors.green("✓"), warning: colors.yellow("!"), error: colors.red("✗") };
    for (const finding of findings)
      await say(
        args.json
          ? JSON.stringify(finding)
          : `${marks[finding.level]} ${finding.what.padEnd(14)} ${finding.said}`,
      );
    process.exit(findings.some(({ level }) => level === "error") ? 1 : 0);
  }),
});

interface Asked {
  deep: boolean;
  fix: boolean;
  takesOver: boolean;
}

/** What opens nothing is said of what did not open: the rest cannot be looked at. */
async function examine(flags: Environment, { deep, fix, takesOver }: Asked): Promise<Finding[]> {
  let ctx: Opened;
  try {
    ctx = await open(flags, () => {});
  } catch (error) {
    const { name, message } = error as Error;
    return [wrong(name === "ConfigError" ? "configuration" : "database", message)];
  }
  const { config } = ctx;
  const step = (what: string, work: () => Promise<Finding[]>) =>
    work().catch((error: Error) =>
      ctx.data.isDamaged() ? [] : [wrong(what, `cannot be looked at: ${error.message}`)],
    );
  const mended = [
    ...(takesOver ? await step("taken over", () => takeStoresOver(ctx)) : []),
    ...(fix ? await step("mended", () => mend(ctx)) : []),
  ];
  const findings = [
    ...configuration(config),
    ...(await step("database", () => database(ctx))),
    ...(await step("clock", () => clock(ctx))),
    ...(await store("asset store", config.assetStore, ctx.store)),
    ...(await pages(ctx)),
    ...(await store("public store", config.publicStore, ctx.publicStore)),
    ...(await helpers(ctx)),
    ...mended,
    ...(await step("rows", () => examineRows(ctx, { deep }))),
    ...(await examineFile(ctx)),
    ...(await examineDisks(ctx)),
    ...(await step("bytes", () => examineBytes(ctx, { deep }))),
  ];
  if (ctx.data.isDamaged())
    findings.push(wrong("database file", "is damaged: stop the servers and restore a backup"));
  await ctx.close();
  return findings;
}

/**
 * What is safe: what follows from rows is made anew of them, and what is in no row goes, as the sweep of a
 * server would do it.
 */
async function mend(ctx: Opened): Promise<Finding[]> {
  const act = actOfUser(userOf(undefined), "doctor --fix");
  return attempt(ctx, act, () => mendAs(ctx, act));
}

async function mendAs(ctx: Opened, act: Act): Promise<Finding[]> {
  const before = await ctx.data.findInconsistencies();
  await ctx.data.rebuildDerivedRows(before.map(({ kind }) => kind));
  await ctx.data.atomically((writes) => writes.addAudit({ ...act, at: ctx.now(), status: 200 }));
  const { expired, uploads, orphans } = await sweepAssets(ctx);
  const left = new Set((await ctx.data.findInconsistencies()).map(({ kind }) => kind));
  const recounted = before.filter(({ kind }) => !left.has(kind)).length;
  return [
    ok(
      "mended",
      `${recounted} kinds of rows were counted anew, ${expired + uploads} bytes past their time and ${orphans} in no row were swept`,
    ),
  ];
}

function configuration(config: Config): Finding[] {
  const found: Finding[] = [];
  const open = /^(0\.0\.0\.0|\[?::\]?)$/.test(config.host);
  if (config.siteIsDerived && open)
    found.push(warning("configuration", "links say localhost: set SVC_SITE_URL to the public address"));
  if (config.siteUrl.startsWith("http://") && !/\/\/(localhost|127\.|\[::1\])/.test(config.siteUrl))
    found.push(
      warning(
        "configuration",
        "tokens and sessions cross the network in the clear: serve the site over https",
      ),
    );
  if (!checksCertificates())
    found.push(
      warning(
        "configuration",
        "no certificate is checked, of Postgres, S3 or GitHub: unset NODE_TLS_REJECT_UNAUTHORIZED",
      ),
    );
  if (!config.webhookSecret)
    found.push(
      warning("configuration", "deliveries of the source host are refused: set SVC_GITHUB_WEBHOOK_SECRET"),
    );
  if (!config.githubToken)
    found.push(
      warning("configuration", "rejections are not commented at the source host: set SVC_GITHUB_TOKEN"),
    );
  const shared =
    typeof config.publicStore === "object" &&
    "bucket" in config.publicStore &&
    domainOf(config.publicBaseUrl) === domainOf(config.siteUrl);
  if (shared)
    found.push(
      warning("configuration", "published pages share the site's domain: give the public bucket another one"),
    );
  return found.length > 0 ? found : [ok("configuration", "nothing to say")];
}

const domainOf = (address: string): string | undefined =>
  URL.parse(address)?.hostname.split(".").slice(-2).join(".");

async function database({ data }: Opened): Promise<Finding[]> {
  const before = performance.now();
  await data.head();
  const answers = `migrated, answers in ${(performance.now() - before).toFixed(1)} ms`;
  if (!data.connection) return [ok("database", `SQLite, ${answers}`)];
  const { tls, isLocal } = data.connection;
  if (isLocal || tls.startsWith("verify")) {
    const security = tls === "disable" ? "plain text on this machine" : `TLS ${tls}`;
    return [ok("database", `Postgres, ${security}, ${answers}`)];
  }
  const danger =
    tls === "require"
      ? "the server's certificate is not checked"
      : "rows and the password may cross the network in plain text";
  return [
    warning(
      "database",
      `Postgres, sslmode=${tls}, ${answers}; ${danger}: remove sslmode from SVC_DATABASE_URL for verify-full`,
    ),
  ];
}

/** Events keep their order whatever the clock does, but a wrong clock ends sessions and addresses early. */
async function clock({ data, now }: Opened): Promise<Finding[]> {
  const ahead = (await data.head()) - now();
  if (ahead > 600 * secondMicros)
    return [
      wrong(
        "clock",
        `it is ${Math.round(ahead / secondMicros)} s behind the newest event: let it be set by the network`,
      ),
    ];
  if (now() < 1_700_000_000 * secondMicros || now() > 4_000_000_000 * secondMicros)
    return [wrong("clock", "it is years off: let it be set by the network")];
  return [
    ok(
      "clock",
      `not behind the newest event${ahead < -365 * dayMicros ? ", which is more than a year old" : ""}`,
    ),
  ];
}

async function store(what: string, place: Place, opened: OwnedStore | null): Promise<Finding[]> {
  if (place === "none" || !opened) return [warning(what, "none: uploads and publishing answer 501")];
  if (place === "demo") return [ok(what, "pictures of the demo, to be read only")];
  const where =
    "bucket" in place ? `s3://${place.bucket}${place.prefix && `/${place.prefix}`}` : place.folder;
  try {
    const weak = await probeStore(opened);
    return [
      ok(what, `${where}: writes, reads and deletes`),
      ...weak.map((said) => warning(what, said)),
      ...(await owner(what, opened)),
    ];
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const mend =
      "bucket" in place
        ? "check S3_ENDPOINT, the keys and the bucket's policy"
        : "check the folder's owner, its rights and the space on its disk";
    return [wrong(what, `${where}: ${cause?.message ?? message}; ${mend}`)];
  }
}

/**
 * Another deployment's store is an error: one of the two has to move. Without an id, as before an upgrade, it
 * works but for deletions.
 */
async function owner(what: string, store: OwnedStore): Promise<Finding[]> {
  const found = await store.owner();
  const why = whyNothingIsDeleted(found);
  if (why === null) return [];
  return [(found === "other" ? wrong : warning)(what, why)];
}

async function takeStoresOver(ctx: Opened): Promise<Finding[]> {
  const act = actOfUser(userOf(undefined), "doctor --take-over");
  return attempt(ctx, act, async () => {
    const taken = await takeOver(ctx);
    if (taken.length === 0)
      return [ok("taken over", "nothing: the stores belong to this deployment already")];
    await ctx.data.atomically((writes) => writes.addAudit({ ...act, at: ctx.now(), status: 200 }));
    return [ok("taken over", `the ${taken.join(" and the ")} store`)];
  });
}

/** A bucket takes the bytes of an upload from the browser itself, if its rules let it. */
async function pages({ config, store }: Opened): Promise<Finding[]> {
  const what = "browser upload";
  const allowed = store && (await mayPagesSend(store, config.siteUrl).catch(() => false));
  if (allowed === null) return [];
  if (allowed) return [ok(what, `pages of ${config.siteUrl} may send to the bucket`)];
  const rule = `AllowedOrigins ${config.siteUrl}, AllowedMethods PUT, AllowedHeaders content-type`;
  return [
    warning(what, `pages of ${config.siteUrl} may not send to the bucket: give it a CORS rule with ${rule}`),
  ];
}

async function helpers({ probe }: Opened): Promise<Finding[]> {
  const found = await probe.helpers();
  return found.map(({ name, purpose, version }) =>
    version ? ok(name, version) : warning(name, `not found, so there are no ${purpose}`),
  );
}
