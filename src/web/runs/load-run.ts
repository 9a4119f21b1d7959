/** Loads what the page of a run shows. */
import { type Static, Type } from "@sinclair/typebox";
import { ceilMicros } from "../../core/lib/time.ts";
import { checkInput } from "../../core/lib/validate.ts";
import { FeedQuery } from "../../feed/requests.ts";
import { projectsWithRun } from "../../feed/runs/runs.ts";
import { parseBrief } from "../../overview/brief/parse.ts";
import { type BriefSources, loadBriefSources } from "../../overview/brief/sources.ts";
import { getRun } from "../../overview/operations/runs.ts";
import { loadRunPage, type RunPage } from "../../overview/runs/run-page.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { loadSession, type RunSession } from "../../overview/runs/session.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, readFor, type View } from "../view.ts";

export interface ShownRun extends RunPage {
  run: RunDetail;
  /** What the lines of its briefs came from. */
  briefSources: BriefSources;
  /** Of an agent that waits for an answer or a prompt. */
  session: RunSession | null;
}

/** The projects with this run, unless the URL names one. */
export async function projectsOfRun(view: View): Promise<string[]> {
  const { ctx, visitor, url, params } = view;
  if (url.searchParams.has("project") || !hasScope(view, "feed:read")) return [];
  return projectsWithRun(ctx, params.id ?? "", visitor.caller);
}

const TimelineQuery = Type.Object({ before: FeedQuery.properties.before });

/** @throws Problem 404 for an unknown run, 400 for a malformed query */
export async function loadRun(view: View): Promise<ShownRun> {
  const { ctx, visitor, url, params } = view;
  const path = { id: params.id ?? "", project: url.searchParams.get("project") };
  // The operation checks the scope, so it comes first.
  const run = await callOperation<RunDetail>(view, getRun, path);
  const { before } = checkInput(TimelineQuery, url.searchParams) as Static<typeof TimelineQuery>;
  const query = {
    id: run.id,
    project: run.project,
    before: before === undefined ? undefined : ceilMicros(before),
  };
  const parsed = run.briefs.map(({ text }) => parseBrief(text ?? ""));
  const ids = run.briefs.flatMap(({ decisions }) => decisions);
  const [page, briefSources, session] = await Promise.all([
    readFor(view, loadRunPage(ctx, query, visitor.caller)),
    readFor(view, loadBriefSources(ctx, parsed, ids, visitor.caller)),
    ["waiting", "idle"].includes(run.status) ? readFor(view, loadSession(ctx, run, visitor.caller)) : null,
  ]);
  return { run, briefSources, session, ...page };
}
