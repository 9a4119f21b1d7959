/** Adds models and refreshes their vendor guidance. */

import { badRequest } from "../../core/problem.ts";
import { requireLane } from "../../feed/feed.ts";
import type { MemoryContext } from "../context.ts";
import type { ModelRow } from "../rows.ts";
import type { GuidanceRefresh, ModelInput } from "./schema.ts";
import { parseSections, type SourceFile } from "./sections.ts";

const sectionsMax = 2_000;

/** Adds a model or updates it. Guidance that was stored before is kept. @throws 400 for an unknown lane */
export async function onboardModel(
  ctx: MemoryContext,
  { id, provider, lanes }: ModelInput,
  actor: string,
): Promise<"onboarded" | "changed"> {
  for (const lane of lanes) requireLane(ctx.config, lane, "lanes");
  return ctx.data.atomically(async (writes) => {
    const existing = (await writes.models()).find((model) => model.id === id);
    await writes.saveModel({
      ...(existing ?? newModelRow(id)),
      provider,
      lanes,
      onboarded_at: existing?.onboarded_at ?? ctx.now(),
    });
    await writes.append([
      { kind: "onboard.refreshed", actor, model: id, summary: `Model ${id} (${provider}) added` },
    ]);
    return existing?.onboarded_at == null ? "onboarded" : "changed";
  });
}

const newModelRow = (id: string): ModelRow => ({
  id,
  provider: "unknown",
  lanes: [],
  onboarded_at: null,
  refreshed_at: null,
  guidance_count: 0,
  skill_count: 0,
});

/**
 * Replaces a model's guidance from one source, in one transaction. An unknown model is created as pending.
 * @returns the number of sections
 * @throws 400 if the source has no text or too many sections
 */
export async function refreshGuidance(
  ctx: MemoryContext,
  { model, source }: GuidanceRefresh,
  files: SourceFile[],
  actor: string,
): Promise<number> {
  const sections = files.flatMap(parseSections);
  if (sections.length === 0) throw badRequest("The source contains no text.");
  if (sections.length > sectionsMax)
    throw badRequest(
      `The source has ${sections.length} sections; the limit is ${sectionsMax}. Split it into ` +
        "several sources, each with its own URL.",
    );
  await ctx.data.atomically(async (writes) => {
    const exists = (await writes.models()).some(({ id }) => id === model);
    if (!exists) await writes.saveModel(newModelRow(model));
    await writes.saveGuidance(model, source, sections, ctx.now());
    const summary = `Guidance for ${model} refreshed: ${sections.length} sections`;
    await writes.append([{ kind: "onboard.refreshed", actor, model, url: source, summary }]);
  });
  return sections.length;
}
