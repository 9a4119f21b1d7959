/** What came of the caller's rejections since they last looked: a run read one, or a version followed it. */
import { actorLabel } from "../../../core/auth/actor-name.ts";
import { isAllowed } from "../../../core/auth/authorization.ts";
import { readerOf } from "../../../core/auth/reader.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import type { Micros } from "../../../core/lib/time.ts";
import type { AssetRow } from "../../../library/rows.ts";
import { summaryOf } from "../../../memory/decisions.ts";
import type { DecisionRow } from "../../../memory/rows.ts";
import type { OverviewContext } from "../../context.ts";
import type { GivenDecision } from "../../rows.ts";
import { readUpTo } from "../../today/read-marker.ts";
import { assetPath, type Candidate, type Source, windowMicros } from "../candidate.ts";

/** Rejections that are looked at: the newest. */
const rejectionsMax = 50;

/** The newest rejection of each chain. It asks for nothing, so marking everything as read ends it. */
export const answers: Source = async (ctx, caller) => {
  const { data, config, now } = ctx;
  const reader = readerOf(caller);
  if (
    reader === null ||
    !isAllowed(caller, "assets:read", config) ||
    !isAllowed(caller, "memory:read", config)
  )
    return [];
  const authors = [`human:${reader}`, `bot:${reader}`]; // a token is a bot in memory
  const decisions = await data.ownRejections(authors, caller.projects, {
    after: now() - windowMicros,
    limit: rejectionsMax,
  });
  if (decisions.length === 0) return [];
  const [versions, given, since] = await Promise.all([
    data.newestVersions(decisions.flatMap(({ source_ref }) => source_ref ?? [])),
    data.newestBriefs(decisions.map(({ id }) => id)),
    readUpTo(ctx, caller),
  ]);
  return versions.flatMap(({ newest, of }) => {
    const ofChain = decisions.filter(({ source_ref }) => source_ref !== null && of.includes(source_ref));
    const [decision] = ofChain;
    if (!decision) return [];
    const wordings = ofChain.filter(({ source_ref }) => source_ref === decision.source_ref);
    const briefs = given.filter((one) => wordings.some(({ id }) => id === one.decision));
    const answer = newest.id === decision.source_ref ? ofBriefs(briefs, config) : ofVersion(newest, decision);
    return answer && answer.at > since ? [{ ...itemOf(newest, decision), ...answer }] : [];
  });
};

type Answer = Pick<Candidate, "reason" | "detail" | "at" | "path">;

function ofBriefs(
  briefs: readonly GivenDecision[],
  config: OverviewContext["config"],
): Omit<Answer, "path"> | null {
  const [newest] = briefs.toSorted((a, b) => b.at - a.at);
  if (!newest) return null;
  const who = newest.actor === null ? "a run" : isolateBidi(actorLabel(newest.actor, config));
  return { reason: "note_read", detail: `Read by ${who}`, at: newest.at };
}

/** A version that was rejected in turn has a rejection of its own. */
function ofVersion(newest: AssetRow, { source_ref, text }: DecisionRow): Answer | null {
  const path = `/assets/${newest.id}?with=${source_ref}`;
  const words = `after “${summaryOf(text)}”`;
  if (newest.status === "pending")
    return {
      reason: "note_followed",
      detail: `Version ${newest.version}, ${words}`,
      at: newest.created_at,
      path,
    };
  if (newest.status !== "approved" && newest.status !== "published") return null;
  const at: Micros = newest.reviewed_at ?? newest.created_at;
  return { reason: "note_honored", detail: `Version ${newest.version} approved, ${words}`, at, path };
}

const itemOf = (newest: AssetRow, { project }: DecisionRow) => ({
  id: `answer-${newest.root_id}`,
  title: newest.title,
  path: assetPath(newest.id, project),
  project,
  issue: newest.issue,
  task: newest.task,
  pr: newest.pr,
  asset: newest.id,
  thumb: newest,
});
