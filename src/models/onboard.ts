/** Models: onboarded, and their vendors' guidance refreshed. */
import type { Context } from "../context.ts";
import { requireLane } from "../feed/feed.ts";
import { badRequest } from "../problem.ts";
import type { ModelRow } from "../rows.ts";
import type { GuidanceRefresh, ModelInput } from "./schema.ts";
import { type SourceFile, sectionsOf } from "./sections.ts";

const sectionsMax = 2_000;

/** Onboards a model, or changes what is said of it. Guidance that came before it stays. */
export async function onboardModel(
  ctx: Context,
  { id, provider, lanes }: ModelInput,
  actor: string,
): Promise<"onboarded" | "changed"> {
  for (const lane of lanes) requireLane(ctx.config, lane, "lanes");
  return ctx.data.atomically(async (writes) => {
    const known = (await writes.models()).find((model) => model.id === id);
    await writes.saveModel({
      ...(known ?? bare(id)),
      provider,
      lanes,
      onboarded_at: known?.onboarded_at ?? ctx.now(),
    });
    await writes.append([
      { kind: "onboard.refreshed", actor, model: id, summary: `Model ${id} of ${provider} onboarded` },
    ]);
    return known?.onboarded_at == null ? "onboarded" : "changed";
  });
}

const bare = (id: string): ModelRow => ({
  ...{
    id,
    provider: "unknown",
    lanes: [],
    onboarded_at: null,
    refreshed_at: null,
    guidance_count: 0,
    skill_count: 0,
  },
});

/**
 * Replaces what a source says of a model by what it says now, all at once. A model that is not onboarded is
 * pending until it is.
 * @returns how many sections there are
 */
export async function refreshGuidance(
  ctx: Context,
  { model, source }: GuidanceRefresh,
  files: SourceFile[],
  actor: string,
): Promise<number> {
  const sections = files.flatMap(sectionsOf);
  if (sections.length === 0) throw badRequest("There is no text in it.");
  if (sections.length > sectionsMax)
    throw badRequest(
      `It has ${sections.length} sections, at most ${sectionsMax} are taken of one source; give its parts addresses of their own.`,
    );
  await ctx.data.atomically(async (writes) => {
    const known = (await writes.models()).some(({ id }) => id === model);
    if (!known) await writes.saveModel(bare(model));
    await writes.saveGuidance(model, source, sections, ctx.now());
    const summary = `Guidance of ${model} refreshed: ${sections.length} sections`;
    await writes.append([{ kind: "onboard.refreshed", actor, model, url: source, summary }]);
  });
  return sections.length;
}
