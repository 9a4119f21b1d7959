/** `svc asset annotations`: what reviewers marked on an asset, one line each. */
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { AnnotationsQuery } from "../../../src/library/annotations/requests.ts";
import { placeText } from "../../../src/library/annotations/text.ts";
import { type ApiAccess, apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine, textFlag } from "../../command.ts";
import { CommandError } from "../../command-errors.ts";
import { note, type OutputArgs } from "../../output/report.ts";

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

/**
 * Saves the images of an asset that have its open annotations drawn on them. The first has the name `file`; a
 * video or PDF can have more: `file-2.webp` and so on.
 */
async function saveAnnotatedImages(
  { api, fetch }: Pick<ApiAccess, "api" | "fetch">,
  id: string,
  file: string,
  args: OutputArgs,
): Promise<void> {
  const { annotated_images } = await unwrap(api.GET("/assets/{id}", { params: { path: { id } } }));
  if (annotated_images.length === 0)
    throw new CommandError("No open annotation of this version has a place on an image.");
  const extension = extname(file);
  const stem = file.slice(0, file.length - extension.length);
  for (const [index, image] of annotated_images.entries()) {
    const name = index === 0 ? file : `${stem}-${index + 1}${extension}`;
    const response = await fetch(image.url, {});
    if (!response.ok) throw new CommandError(`The server did not send the image (${response.status}).`);
    await writeFile(name, await response.bytes()).catch((error) => {
      throw new CommandError(`Cannot write ${name}: ${(error as Error).message}`);
    });
    note(args, `Saved ${name} with annotations ${image.n.join(", ")}${momentText(image)} (WebP).`);
  }
}

const momentText = ({ t_ms, page }: Schemas["AnnotatedImage"]): string => {
  const moment = t_ms === null ? page !== null && { page } : { t_ms };
  return moment ? `, ${placeText(moment)}` : "";
};

export default defineCommand({
  meta: { name: "annotations", description: "List what reviewers marked on an asset, one line each" },
  args: {
    ...assetIdArg,
    scope: {
      type: "string",
      description:
        "version, chain for all versions, or open for what waits to be confirmed (default: version)",
    },
    image: textFlag("Also save the file with its open annotations drawn on it, as WebP", "file"),
    ...apiFlags,
  },
  async run({ args }) {
    const { id, scope = "version" } = checkFlags(AnnotationsQuery, { id: args.id, scope: args.scope });
    await withApi(args, async (access) => {
      for await (const annotation of annotationsOf(access, id, scope))
        await printLine(args.json ? JSON.stringify(annotation) : describeAnnotation(annotation));
      if (args.image !== undefined) await saveAnnotatedImages(access, id, args.image, args);
    });
  },
});
