/** What the four commands share that write everything out and take it in again. */
import type { ArgsDef } from "citty";
import type { End, Entry } from "../src/backup/archive.ts";
import { openBackupContents } from "../src/backup/contents.ts";
import { withManifests } from "../src/backup/manifest.ts";
import { restore } from "../src/backup/restore.ts";
import { openArchive } from "../src/backup/targets.ts";
import { whyNothingIsDeleted } from "../src/stores/owned-store.ts";
import { userOf } from "./command.ts";
import { actOfUser, attempt, type Opened, open } from "./open.ts";
import { progress } from "./progress.ts";

export const bytesFlag = {
  bytes: {
    type: "boolean",
    default: true,
    description: "The bytes as well",
    negativeDescription: "Rows alone",
  },
} as const satisfies ArgsDef;

export const forceFlag = {
  force: { type: "boolean", description: "Replace what the database holds" },
} as const satisfies ArgsDef;

export const takeOverFlag = {
  "take-over": {
    type: "boolean",
    description: "Make the stores this deployment's own, even if they belonged to another one",
  },
} as const satisfies ArgsDef;

type Entries = AsyncIterable<Entry>;

export async function packing<T>(
  title: string,
  ctx: Opened,
  { bytes }: { bytes: boolean },
  write: (entries: Entries) => Promise<T>,
  through: (entries: Entries) => Entries = (entries) => entries,
): Promise<T> {
  const { onBytes, done } = counter(title);
  const { entries, summary } = openBackupContents(ctx, { bytes });
  let end: End | undefined;
  const onEnd = (one: End) => {
    end = one;
  };
  const written = await write(withManifests(through(entries), summary, { onBytes, onEnd })).finally(done);
  if (end) warnOf(end);
  return written;
}

interface UnpackingArgs {
  force?: boolean | undefined;
  bytes: boolean;
  "take-over"?: boolean | undefined;
  "data-dir"?: string | undefined;
}

export async function unpacking(what: string, place: string, args: UnpackingArgs): Promise<void> {
  const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
  const { onBytes, onStep, done } = counter(what === "import" ? "Importing" : "Restoring");
  const audit = actOfUser(userOf(undefined), what);
  const end = await attempt(ctx, audit, async () => {
    const archive = await openArchive(place, ctx.config.s3);
    const asked = { force: args.force ?? false, bytes: args.bytes, takeOver: args["take-over"] ?? false };
    const end = await restore(ctx, archive, { ...asked, audit, onBytes, onStep }).finally(done);
    await warnOfOwners(ctx);
    return end;
  }).finally(() => ctx.close());
  warnOf(end);
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  process.stderr.write(
    `${rows} rows are there, each as it was. Servers of this deployment have to be started anew.\n`,
  );
}

/** Says how far it is, where somebody looks on. */
function counter(title: string) {
  const bar = progress(title, null);
  let step = "";
  let bytes = 0;
  let shownAt = 0;
  const show = () => {
    shownAt = performance.now();
    bar.show(`${step}${step && " "}${(bytes / 1e6).toFixed(1)} MB`);
  };
  return {
    onStep(next: string) {
      step = next;
      bytes = 0;
      show();
    },
    onBytes(more: number) {
      bytes += more;
      if (performance.now() - shownAt > 100) show();
    },
    done: bar.end,
  };
}

async function warnOfOwners({ store, publicStore }: Opened): Promise<void> {
  for (const [name, one] of Object.entries({ asset: store, public: publicStore })) {
    const why = one && whyNothingIsDeleted(await one.owner());
    if (why) process.stderr.write(`svc: the ${name} store: ${why}\n`);
  }
}

function warnOf({ missing, damaged }: End): void {
  const shown = (names: string[]) =>
    `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
  if (missing.length > 0)
    process.stderr.write(`svc: the store does not have ${shown(missing)}; svc doctor says what to do\n`);
  if (damaged.length > 0)
    process.stderr.write(
      `svc: other bytes than were looked at: ${shown(damaged)}; svc doctor --deep says what to do\n`,
    );
}
