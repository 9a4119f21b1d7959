/** Vendor guidance for a model. */
import type { Viewer } from "../../core/auth/caller.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { notFound } from "../../core/problem.ts";
import type { Projects } from "../../core/rows.ts";
import type { MemoryContext } from "../context.ts";
import { modelOf } from "../models.ts";
import { searchMemory } from "../recall/search.ts";
import { type Guidance, type GuidancePart, type GuidanceQuery, guidanceCharsDefault } from "./schema.ts";

const sectionsMax = 2_000;
const hitsMax = 50;
const omittedHeadingsMax = 50;

/**
 * Returns the guidance sections that match the query, best first, or all in document order. Sections beyond
 * `max_chars` are listed in `left_out`; the first one is always included.
 * @throws 404 for an unknown model
 */
export async function guidanceFor(
  ctx: MemoryContext,
  { model: id, query, max_chars = guidanceCharsDefault }: GuidanceQuery,
  { projects }: Viewer,
): Promise<Guidance> {
  const models = await ctx.data.models();
  const row = models.find((model) => model.id === id);
  if (!row)
    throw notFound(
      `No model '${id}'. Known models: ${models.map((model) => model.id).join(", ") || "none"}.`,
      "model",
    );
  const parts = await loadParts(ctx, projects, id, query);
  const left_out: string[] = [];
  const sections: GuidancePart[] = [];
  let length = 0;
  for (const part of parts) {
    const more = part.heading.length + part.text.length;
    if (sections.length > 0 && length + more > max_chars) {
      left_out.push(part.heading);
      continue;
    }
    length += more;
    sections.push(part);
  }
  return {
    model: modelOf(row, ctx.now()),
    sections,
    count: sections.length,
    left_out: [...new Set(left_out)].slice(0, omittedHeadingsMax),
  };
}

async function loadParts(
  { data }: MemoryContext,
  projects: Projects,
  model: string,
  query: string | undefined,
): Promise<GuidancePart[]> {
  if (query === undefined) {
    const rows = await data.guidance(model, sectionsMax);
    return rows.map(({ path, text, source, refreshed_at }) => ({
      heading: path.join(" › "),
      text,
      source,
      refreshed_at: fromMicros(refreshed_at),
    }));
  }
  const hits = await searchMemory(data, projects, { query, kinds: ["guidance"], model, limit: hitsMax });
  return hits.map(({ row: { head, text, source, valid_from } }) => ({
    heading: head,
    text,
    source,
    refreshed_at: fromMicros(valid_from),
  }));
}

/** The guidance as text for agents, each section enclosed in tags that name its source. */
export function guidanceText({ model, sections, left_out }: Guidance, enclose: TagData): string {
  const head =
    `Guidance for ${model.id} (${model.provider}): ${model.status}, ` + `${model.guidance_count} sections.`;
  const parts = sections.map(({ heading, text, source }) =>
    enclose(source, heading ? `${heading}\n${text}` : text),
  );
  const rest =
    left_out.length > 0
      ? [`Omitted for length. Use query to get them:\n${enclose(model.provider, left_out.join("\n"))}`]
      : [];
  return [head, ...(sections.length > 0 ? parts : ["No matching sections."]), ...rest].join("\n\n");
}
