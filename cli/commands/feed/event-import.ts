/** `svc event import`: events from NDJSON, into a local database with their times, or to a server. */
import { defineCommand } from "citty";
import { checkInput, fieldsOf } from "../../../src/core/lib/validate.ts";
import { type ImportResult, importEvents } from "../../../src/feed/ingest/import.ts";
import { EventInput } from "../../../src/feed/schema.ts";
import { type ApiAccess, apiFlags, openRemote } from "../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../client/client.ts";
import { actorFrom, printLine } from "../../command.ts";
import { CommandError } from "../../command-errors.ts";
import { linesOf, openInput } from "../../input-file.ts";
import { databaseName, serverTarget } from "../../login/target.ts";
import { commandAct, withAuditedContext } from "../../open.ts";
import { openProgress, type PausableProgress } from "../../output/progress.ts";
import { note } from "../../output/report.ts";
import { plural } from "../../output/table.ts";

/** Half of what a request can hold, so that long summaries fit its 4 MiB as well. */
const batchLength = 500;

export default defineCommand({
  meta: { name: "import", description: "Import events from an NDJSON file; a second run skips duplicates" },
  args: {
    file: {
      type: "positional",
      required: false,
      description: "NDJSON file, or - for standard input",
      default: "-",
    },
    ...apiFlags,
  },
  async run({ args }) {
    const file = await openInput(args.file);
    const bar = openProgress("Importing", args.file === "-" ? null : file.size || null, args);
    const lines = linesOf(file.stream(), bar.advance);
    const target = serverTarget(args);
    const { place, timed, ...result } = await (target
      ? importRemote(openRemote(target), lines, bar)
      : importLocal(args["data-dir"], lines, bar)
    ).finally(bar.end);
    if (args.json) return printLine(JSON.stringify(result));
    note(
      args,
      `Added ${plural(result.accepted, "event")} ${place}. ` +
        `Skipped ${plural(result.duplicates, "duplicate")}.`,
    );
    if (timed > 0)
      note(
        args,
        `A server assigns the time of ${plural(timed, "event")} itself. ` +
          "To keep their own times, import them on the machine of the database.",
      );
  },
});

interface Imported extends ImportResult {
  place: string;
  /** Events with a time of their own, which the server stored but did not order by. */
  timed: number;
}

const importLocal = (
  dataDir: string | undefined,
  lines: AsyncIterable<string>,
  bar: PausableProgress,
): Promise<Imported> =>
  withAuditedContext(
    commandAct(actorFrom(undefined), "event import"),
    { SVC_DATA_DIR: dataDir },
    async (ctx) => ({
      ...(await importEvents(ctx, lines, ({ lines }) => bar.show(`${lines} lines`))),
      place: `in ${databaseName(ctx.config.databaseUrl)}`,
      timed: 0,
    }),
    { advice: "server" },
  );

type SentEvent = Schemas["EventInput"];

/** Sends the lines in batches. A failed import can be repeated: every event has a deduplication key. */
async function importRemote(
  { api, place }: ApiAccess,
  lines: AsyncIterable<string>,
  bar: PausableProgress,
): Promise<Imported> {
  const result: Imported = { accepted: 0, duplicates: 0, lines: 0, timed: 0, place };
  let batch: { event: SentEvent; line: number }[] = [];
  const flush = async () => {
    const events = batch.map(({ event }) => event);
    const { accepted, duplicates } = await unwrap(api.POST("/events", { body: { events } })).catch(
      (error) => {
        throw withLine(error, (index) => batch[index]?.line);
      },
    );
    result.accepted += accepted;
    result.duplicates += duplicates;
    batch = [];
    bar.show(`${result.lines} lines`);
  };
  for await (const text of lines) {
    result.lines++;
    if (text.trim() === "") continue;
    const event = parseLine(text, result.lines);
    if (event.ts !== undefined) result.timed++;
    batch.push({ event, line: result.lines });
    if (batch.length === batchLength) await flush();
  }
  if (batch.length > 0) await flush();
  return result;
}

/** A line without a `dedupe_key` gets one from its text, so that a second import adds nothing. */
function parseLine(text: string, line: number): SentEvent {
  try {
    const event = checkInput(EventInput, fieldsOf(JSON.parse(text))) as SentEvent;
    const digest = new Bun.CryptoHasher("sha256").update(text.trim()).digest("hex");
    return { ...event, dedupe_key: event.dedupe_key ?? `import:${digest}` };
  } catch (error) {
    const reason = error instanceof SyntaxError ? "not valid JSON" : (error as Error).message;
    throw new CommandError(`line ${line}: ${reason}`);
  }
}

/** Names the line of an error of the server, which names `events[n]` of the batch. */
function withLine(error: unknown, lineOf: (index: number) => number | undefined): unknown {
  if (!(error instanceof ApiError)) return error;
  const [prefix, index] = /^events\[(\d+)\]\.?/.exec(error.message) ?? [];
  if (prefix === undefined) return error;
  return new ApiError(error.status, `line ${lineOf(Number(index))}: ${error.message.slice(prefix.length)}`);
}
