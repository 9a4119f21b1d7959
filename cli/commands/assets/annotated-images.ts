/** Saves the images of an asset that have its open annotations drawn on them. */
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { placeText } from "../../../src/library/annotations/text.ts";
import type { ApiAccess } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { CommandError } from "../../command.ts";
import { note, type OutputArgs } from "../../output/report.ts";

/** The first image has the name `file`; a video or PDF can have more: `file-2.webp` and so on. */
export async function saveAnnotatedImages(
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
