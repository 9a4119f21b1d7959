/** `svc asset annotate`: adds an annotation, replies to one, or changes its state. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import {
  AnnotateInput,
  AnnotationChangeInput,
  RespondInput,
} from "../../../src/library/annotations/requests.ts";
import { type ApiAccess, apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printLine, splitList } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { annotationsOf, assetIdArg } from "./annotations.ts";

export default defineCommand({
  meta: { name: "annotate", description: "Mark a place on an asset, or respond to a mark by its number" },
  args: {
    ...assetIdArg,
    text: { type: "positional", required: false, description: "What to change, or the reply" },
    n: { type: "string", description: "Numbers of annotations to respond to, comma-separated" },
    state: { type: "string", description: "With --n: addressed; as a reviewer: honoured, open, withdrawn" },
    weight: { type: "string", description: "must (default), should, nit" },
    target: { type: "string", description: `The place, as JSON: {"page":3}`, valueHint: "json" },
    draft: { type: "boolean", description: "Show it to others only after your review" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { id, text, state } = args;
    const n = args.n === undefined ? undefined : splitList(args.n).map(toNumber);
    if (n === undefined && state !== undefined) throw new UsageError("--state needs --n.");
    await withApi(args, async (access) => {
      const changed =
        n === undefined
          ? [await add(access, { ...args, body: text, ...byField(args) })]
          : state === undefined || state === "addressed"
            ? await respond(access, { id, n, state, reply: text, ...byField(args) })
            : await settle(access, { id, n, state, reply: text, ...byField(args) });
      for (const one of changed)
        await printLine(args.json ? JSON.stringify(one) : `${escapeControls(one.text)} (${one.state})`);
    });
  },
});

/** Text that is not a number stays text: the schema names what is wrong. */
const toNumber = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text);

type Flags = Record<string, unknown>;

async function add({ api }: ApiAccess, { target, ...flags }: Flags): Promise<Schemas["Annotation"]> {
  const place = target === undefined ? {} : { target: parseTarget(String(target)) };
  const { id, ...body } = checkFlags(AnnotateInput, { ...flags, ...place });
  return unwrap(api.POST("/assets/{id}/annotations", { params: { path: { id } }, body }));
}

function parseTarget(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--target must be JSON, such as '{"shape":"point","x":5000,"y":500}'.`);
  }
}

async function respond({ api }: ApiAccess, flags: Flags): Promise<Schemas["Annotation"][]> {
  const { id, ...body } = checkFlags(RespondInput, flags);
  const to = { params: { path: { id } }, body };
  return (await unwrap(api.POST("/assets/{id}/annotations/respond", to))).annotations;
}

/** Sets a state as a reviewer, then replies. */
async function settle(access: ApiAccess, { state, ...flags }: Flags): Promise<Schemas["Annotation"][]> {
  const { id, n, reply, by } = checkFlags(RespondInput, flags);
  const numbers = new Set([n].flat());
  const ids: string[] = [];
  for await (const found of annotationsOf(access, id, "chain"))
    if (found.parent_id === null && numbers.delete(found.n)) ids.push(found.id);
  if (numbers.size > 0) throw new CommandError(`No annotation ${[...numbers].join(", ")} on this asset.`);
  const changed: Schemas["Annotation"][] = [];
  for (const one of ids) {
    const { id: _, ...body } = checkFlags(AnnotationChangeInput, { id: one, state, by });
    changed.push(await unwrap(access.api.POST("/annotations/{id}", { params: { path: { id: one } }, body })));
  }
  return reply === undefined ? changed : respond(access, { id, n, reply, by });
}
