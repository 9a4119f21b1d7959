/** `svc asset annotations`: what reviewers marked on an asset, one line each. */
import { type ArgsDef, defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { AnnotationsQuery } from "../../../src/library/annotations/requests.ts";
import { type ApiAccess, remoteFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine, reportErrors } from "../../command.ts";
import { outputFlags } from "../../output/report.ts";
import { saveAnnotatedImages } from "./annotated-images.ts";

export const assetIdArg = {
  id: { type: "positional", required: true, description: "Asset ID" },
} as const satisfies ArgsDef;

type Scope = NonNullable<AnnotationsQuery["scope"]>;
const pageLength = 200;

/** All annotations of a scope, page by page. */
export async function* annotationsOf(
  { api }: Pick<ApiAccess, "api">,
  id: string,
  scope: Scope,
): AsyncGenerator<Schemas["Annotation"]> {
  let cursor: string | null = null;
  do {
    const query = { scope, limit: pageLength, ...(cursor !== null && { cursor }) };
    const page: Schemas["AnnotationList"] = await unwrap(
      api.GET("/assets/{id}/annotations", { params: { path: { id }, query } }),
    );
    yield* page.annotations;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** `1. [must] top (x 50 %, y 5 %): The logo is cut off (addressed by agent:codex)` */
function describeAnnotation({ text, state, state_by, by, parent_id }: Schemas["Annotation"]): string {
  const what = state === "open" ? `by ${by}` : `${state}${state_by === null ? "" : ` by ${state_by}`}`;
  return escapeControls(`${parent_id === null ? "" : "  "}${text} (${what})`);
}

export default defineCommand({
  meta: { name: "annotations", description: "List what reviewers marked on an asset, one line each" },
  args: {
    ...assetIdArg,
    scope: {
      type: "string",
      description:
        "version, chain for all versions, or open for what waits to be confirmed (default: version)",
    },
    image: {
      type: "string",
      description: "Also save the file with its open annotations drawn on it, as WebP",
      valueHint: "file",
    },
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const { id, scope = "version" } = checkFlags(AnnotationsQuery, { id: args.id, scope: args.scope });
    await withApi(args, async (access) => {
      for await (const annotation of annotationsOf(access, id, scope))
        await printLine(args.json ? JSON.stringify(annotation) : describeAnnotation(annotation));
      if (args.image !== undefined) await saveAnnotatedImages(access, id, args.image, args);
    });
  }),
});
