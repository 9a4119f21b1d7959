/** `svc event`: add, import. */
import { type ArgsDef, defineCommand } from "citty";
import { EventInput } from "../../../src/feed/schema.ts";
import { type ApiArgs, apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags } from "../../command.ts";
import { type OutputArgs, reportChange } from "../../output/report.ts";
import importCommand from "./event-import.ts";

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
  args: { ...fieldFlags, ...apiFlags },
  async run({ args }) {
    const event = checkFlags(EventInput, args);
    await withApi(args as ApiArgs, async ({ api, place }) => {
      const result = await unwrap(
        api.POST("/events", { body: { events: [event as Schemas["EventInput"]] } }),
      );
      const line = result.accepted
        ? `Added 1 event ${place}.`
        : `Skipped: an event with this dedupe key already exists ${place}.`;
      await reportChange(args as OutputArgs, result, line);
    });
  },
});

export default defineCommand({
  subCommands: { add, import: importCommand },
});
