/** How a file was made: given with the upload, or as the file itself says. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Line, Nullable, Prose } from "../../core/wire.ts";

export const provenanceSources = ["upload", "png", "exif", "xmp", "c2pa", "tags"] as const;

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

export const signatureStates = ["valid", "untrusted", "changed", "invalid"] as const;
const signatureState = {
  description:
    "`valid`: unchanged, and this server trusts the signer. `untrusted`: unchanged, but it does not trust " +
    "the signer. `changed`: the file or its manifest was changed after it was signed. `invalid`: the " +
    "signature is not valid for another reason, such as an expired certificate.",
};

export const Signature = Type.Object(
  {
    state: Choice(signatureStates, signatureState),
    signed_by: text("Name in the certificate; a mere claim unless the state is `valid`.", "Acme Studio"),
    signed_at: Nullable(DateTime({ description: "From the time stamp in the manifest." })),
    ingredients: Type.Array(
      Type.Object({
        title: text("Name of the file.", "sketch.png"),
        state: Nullable(Choice(signatureStates, signatureState)),
      }),
      {
        description:
          "Files that it was made from, in the state in which its signer found them; null: not signed.",
      },
    ),
  },
  { $id: "Signature" },
);
export type Signature = Static<typeof Signature>;
export type SignatureState = Signature["state"];
export const ingredientsMax = 16;

export const Provenance = Type.Object(
  {
    source: Choice(provenanceSources, {
      description:
        "`upload`: given with the upload. Otherwise what the file says: text chunks of a PNG, Exif, XMP, " +
        "a C2PA manifest, or tags: those of video and audio, and comments of JPEG and GIF.",
    }),
    generator: text("Program that made it.", "ComfyUI"),
    model: text("Model.", "sdxl-1.0"),
    prompt: text("Prompt.", "a harbor at dawn"),
    negative_prompt: text("What the model was told to avoid.", "people"),
    seed: text("Seed.", "20250301"),
    parameters: text("Other parameters.", "steps 30, cfg 7"),
    /** Of `c2pa`, if the manifest could be checked at the upload. */
    signature: Type.Optional(Signature),
  },
  { $id: "Provenance" },
);
export type Provenance = Static<typeof Provenance>;
