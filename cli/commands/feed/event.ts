/** `svc event`: add, import. */
import { type ArgsDef, defineCommand } from "citty";
import { EventInput } from "../../../src/feed/schema.ts";
import { importEvents } from "../../../src/ingest/import.ts";
import { checkInput } from "../../../src/lib/validate.ts";
import { type ApiArgs, serverFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { actorFrom, CommandError, dataDirFlag, jsonFlag, reportErrors } from "../../command.ts";
import { commandAct, withAuditedContext } from "../../open.ts";
import { progress } from "../../output/progress.ts";
import { plural } from "../../output/table.ts";

const flagOf = (field: string): string => field.replaceAll("_", "-");

/** One flag for each field of an event: `tokens_in` is `--tokens-in`. */
const fieldFlags: ArgsDef = Object.fromEntries(
  Object.entries(EventInput.properties).map(([field, schema]) => [
    flagOf(field),
    {
      type: "string",
      required: (EventInput.required as string[] | undefined)?.includes(field) ?? false,
      description: (schema.description ?? schema.anyOf?.[0]?.description) as string,
    },
  ]),
);

const add = defineCommand({
  meta: { name: "add", description: "Add one event" },
  args: { ...fieldFlags, ...serverFlags },
  run: reportErrors(async ({ args }) => {
    const fields = new Map<string, unknown>();
    for (const field of Object.keys(EventInput.properties)) {
      const text = args[flagOf(field)] as string | undefined;
      if (text !== undefined) fields.set(field, fromFlag(field, text));
    }
    const event = checkInput(EventInput, fields) as EventInput;
    // `--url` is the URL of the event, never a server: the token must not be sent there.
    const { server, "data-dir": dataDir } = args as ApiArgs;
    const { accepted } = await withApi({ server, "data-dir": dataDir }, ({ api }) =>
      unwrap(api.POST("/events", { body: { events: [event as Schemas["EventInput"]] } })),
    );
    process.stderr.write(
      accepted ? "Added 1 event.\n" : "Skipped: an event with this dedupe key already exists.\n",
    );
  }),
});

/** Converts text to a number if the schema has a number there. */
function fromFlag(field: string, text: string): unknown {
  const schema = (EventInput.properties as Record<string, { type?: string; anyOf?: { type?: string }[] }>)[
    field
  ];
  const type = schema?.type ?? schema?.anyOf?.[0]?.type;
  const isNumber =
    (type === "integer" && /^\d+$/.test(text)) || (type === "number" && /^\d+(\.\d+)?$/.test(text));
  return isNumber ? Number(text) : text;
}

const importCommand = defineCommand({
  meta: { name: "import", description: "Import events from an NDJSON file; a second run skips duplicates" },
  args: {
    file: {
      type: "positional",
      required: false,
      description: "NDJSON file, or - for standard input",
      default: "-",
    },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const file = args.file === "-" ? Bun.stdin : Bun.file(args.file);
    if (args.file !== "-" && !(await file.exists())) throw new CommandError(`File not found: ${args.file}`);
    const size = args.file === "-" ? null : file.size;
    const bar = progress("Importing", size);
    const imported = await withAuditedContext(
      commandAct(actorFrom(undefined), "event import"),
      { SVC_DATA_DIR: args["data-dir"] },
      (ctx) =>
        importEvents(ctx, linesOf(file.stream(), bar.advance), ({ lines }) =>
          bar.show(`${lines} lines`),
        ).finally(bar.end),
    );
    process.stdout.write(
      args.json
        ? `${JSON.stringify(imported)}\n`
        : `Added ${plural(imported.accepted, "event")}. Skipped ${plural(imported.duplicates, "duplicate")}.\n`,
    );
  }),
});

/** Splits a stream of UTF-8 text into lines. */
async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  advance: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of stream) {
    advance(chunk.byteLength);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest) yield rest;
}

export default defineCommand({
  subCommands: { add, import: importCommand },
});
