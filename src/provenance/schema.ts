/** How a file was made: given with the upload, or as the file itself says. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Line, Nullable, Prose } from "../wire.ts";

export const provenanceSources = ["upload", "png", "exif", "xmp", "c2pa"] as const;

export const promptBytesMax = 16_384;
export const parametersBytesMax = 4096;
export const nameBytesMax = 255;

/** What an upload may say of how its file was made. */
export const madeWith = {
  model: Type.Optional(Line(nameBytesMax, { description: "Model that made it.", examples: ["sdxl-1.0"] })),
  prompt: Type.Optional(Prose(promptBytesMax, { description: "Prompt.", examples: ["a harbor at dawn"] })),
  seed: Type.Optional(Line(nameBytesMax, { description: "Seed.", examples: ["20250301"] })),
  parameters: Type.Optional(
    Prose(parametersBytesMax, { description: "Other parameters.", examples: ["steps 30, cfg 7"] }),
  ),
};

const text = (description: string, example: string) =>
  Nullable(Type.String({ description, examples: [example] }));

export const Provenance = Type.Object(
  {
    source: Choice(provenanceSources, {
      description:
        "`upload`: given with the upload. Otherwise what the file says, unchecked: text chunks of a PNG, " +
        "Exif, XMP, or a C2PA manifest, of which only the presence is reported.",
    }),
    generator: text("Program that made it.", "ComfyUI"),
    model: text("Model.", "sdxl-1.0"),
    prompt: text("Prompt.", "a harbor at dawn"),
    negative_prompt: text("What the model was told to avoid.", "people"),
    seed: text("Seed.", "20250301"),
    parameters: text("Other parameters.", "steps 30, cfg 7"),
  },
  { $id: "Provenance" },
);
export type Provenance = Static<typeof Provenance>;
