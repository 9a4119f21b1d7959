/** A project with a history, and the sections of its brief. */

import type { Context } from "../../../src/api/context.ts";
import { adminCaller, type Caller } from "../../../src/core/auth/caller.ts";
import { brief } from "../../../src/overview/brief/brief.ts";
import type { BriefQuery } from "../../../src/overview/brief/schema.ts";
import { must } from "../harness.ts";

export const briefOf = (
  ctx: Context,
  query: Partial<BriefQuery> = {},
  caller: Pick<Caller, "projects"> = adminCaller,
) => brief(ctx, { project: "atlas", ...query }, caller);

/** The titles of the sections, in order. */
export const sectionTitles = (text: string): string[] =>
  [...text.matchAll(/^## (.+)$/gm)].map((match) => must(match[1]));
export const sectionOf = (text: string, title: string): string =>
  must(text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)));
