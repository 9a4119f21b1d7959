/** Scheduled events: nightly runs, dependency updates, refreshed guidance, weekly summaries in memory. */
import { dayMicros } from "../../../src/core/lib/time.ts";
import { type Calendar, hour, minute, weekday } from "../calendar.ts";
import type { EventDraft, NumberedItem, TimedEvent } from "../draft.ts";
import { guidance } from "../guidance.ts";
import { models } from "../models.ts";
import type { Random } from "../random.ts";
import { bots, type DemoProject, urlOf } from "../team.ts";
import { projectFields, pullRequestEvent, reviewEvent, type ScheduledTask } from "./host.ts";

/** Every Monday morning a bot opens pull requests for two dependencies; most are merged, some are closed. */
export function* dependencyUpdates(
  project: DemoProject,
  calendar: Calendar,
  random: Random,
): Generator<EventDraft> {
  const names = [...project.dependencies];
  for (const monday of calendar.days.filter((day) => weekday(day) === 1 && day > calendar.start)) {
    for (const name of names.splice(0, 2)) {
      const scheduled: ScheduledTask = {
        project,
        task: { issueTitle: "", label: "", pullTitle: `Update ${name}` },
        opened: monday,
        issue: { sequence: project.slug, number: 0 },
        pull: { sequence: project.slug, number: 0 },
      };
      const opened = monday + 5 * hour + random.between(0, 30 * minute);
      yield {
        at: opened,
        begins: scheduled.pull,
        event: () => pullRequestEvent(scheduled, bots.updates, "opened"),
      };
      const decided = calendar.atWork(monday + 7 * hour + random.between(5 * minute, 200 * minute));
      if (random.chance(0.15)) {
        yield { at: decided, event: () => pullRequestEvent(scheduled, bots.updates, "closed") };
        continue;
      }
      yield { at: decided, event: () => reviewEvent(scheduled, project.lead, "approved") };
      yield {
        at: decided + random.between(20_000_000, 60_000_000),
        event: () => pullRequestEvent(scheduled, project.lead, "merged"),
      };
    }
  }
}

/** The nightly pipeline run; three nights of the month fail. */
export function* nightlyRuns(
  project: DemoProject,
  { days }: Calendar,
  random: Random,
): Generator<EventDraft> {
  const failedNights = new Set([random.between(2, 8), random.between(11, 17), random.between(20, 26)]);
  for (const [index, day] of days.entries()) {
    const night: NumberedItem = { sequence: `${project.slug} nights`, number: 0 };
    const duration_ms = random.between(52 * 60_000, 71 * 60_000);
    yield {
      at: day + 2 * hour + duration_ms * 1000,
      begins: night,
      event: () => ({
        kind: "workflow.run",
        actor: bots.ci,
        ...projectFields(project),
        duration_ms,
        summary: `nightly #${night.number} on main: ${failedNights.has(index) ? "failure" : "success"}`,
        url: urlOf(project.repo, `actions/runs/${8_120_000_000 + night.number * 6151}`),
      }),
    };
  }
}

/** Refreshes of model guidance within the month. */
export function* guidanceRefreshes({ now, start }: Calendar): Generator<EventDraft> {
  for (const { id, refreshed, onboarded } of models) {
    const at = now - (refreshed ?? Number.POSITIVE_INFINITY) * dayMicros;
    if (at < start) continue;
    const sections = guidance.filter(({ model }) => model === id).flatMap((advice) => advice.sections);
    const summary =
      `Model ${id} ${onboarded === refreshed ? "onboarded" : "refreshed"}: ` +
      `${sections.length} sections of guidance`;
    yield { at, event: () => ({ kind: "onboard.refreshed", actor: "human:jonas", summary, model: id }) };
  }
}

/** Every Sunday night the events of a project are summarized into memory. */
export function* consolidations(
  { slug }: DemoProject,
  { days, now }: Calendar,
  events: readonly TimedEvent[],
): Generator<TimedEvent> {
  const times = events.filter(({ project }) => project === slug).map(({ ts }) => ts);
  let summarized = 0;
  let before = 0;
  for (const sunday of days.filter((day) => weekday(day) === 0)) {
    const ts = sunday + 22 * hour + slug.length;
    const total = times.filter((time) => time < ts).length + before;
    if (ts >= now || total === summarized) continue;
    yield {
      ts,
      kind: "memory.consolidated",
      actor: bots.self,
      project: slug,
      summary: `Summarized ${total - summarized} events into memory`,
    };
    summarized = total;
    before++;
  }
}

/** How many events of the project its last summary covers. */
export function digestedCount(slug: string, events: readonly TimedEvent[]): number {
  const own = events.filter(({ project }) => project === slug);
  return Math.max(
    0,
    own.findLastIndex(({ kind }) => kind === "memory.consolidated"),
  );
}
