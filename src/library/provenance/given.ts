/** How a file was made, as its upload says. */

import type { Provenance } from "../../files/provenance/schema.ts";
import type { AssetMetadata } from "../assets/schema.ts";

/** Empty if the upload says nothing of it. */
export function givenProvenance({ model, prompt, seed, parameters }: AssetMetadata): Provenance[] {
  if ([model, prompt, seed, parameters].every((given) => given === undefined)) return [];
  return [
    {
      source: "upload",
      generator: null,
      model: model ?? null,
      prompt: prompt ?? null,
      negative_prompt: null,
      seed: seed ?? null,
      parameters: parameters ?? null,
    },
  ];
}
