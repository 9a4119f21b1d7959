/**
 * What happens without being asked for: nightly runs, updates of dependencies, refreshed guidance, memory
 * folded once a week.
 */
import { dayMicros } from "../../src/lib/time.ts";
import { type Calendar, hour, minute, weekday } from "./calendar.ts";
import type { Dated, Draft, Numbered } from "./draft.ts";
import { guidance } from "./guidance.ts";
import { type Life, onPull, onReview, placeOf } from "./host.ts";
import { models } from "./models.ts";
import type { Random } from "./random.ts";
import { addressOf, type Cast, robots } from "./team.ts";

/**
 * On Mondays before work two dependencies have a new version; somebody merges them, or leaves one for later.
 */
export function* updates(project: Cast, calendar: Calendar, random: Random): Generator<Draft> {
  const names = [...project.dependencies];
  for (const monday of calendar.days.filter((day) => weekday(day) === 1 && day > calendar.start)) {
    for (const name of names.splice(0, 2)) {
      const life: Life = {
        ...{ project, task: { asks: "", label: "", does: `Update ${name}` }, opened: monday },
        ...{ issue: { count: project.slug, number: 0 }, pull: { count: project.slug, number: 0 } },
      };
      const opened = monday + 5 * hour + random.between(0, 30 * minute);
      yield { at: opened, begins: life.pull, event: () => onPull(life, robots.updates, "opened") };
      const decided = calendar.atWork(monday + 7 * hour + random.between(5 * minute, 200 * minute));
      if (random.chance(0.15)) {
        yield { at: decided, event: () => onPull(life, robots.updates, "closed") };
        continue;
      }
      yield { at: decided, event: () => onReview(life, project.lead, "approved") };
      yield {
        at: decided + random.between(20_000_000, 60_000_000),
        event: () => onPull(life, project.lead, "merged"),
      };
    }
  }
}

/** The pipeline loads every night; three of them go wrong. */
export function* nights(project: Cast, { days }: Calendar, random: Random): Generator<Draft> {
  const bad = new Set([random.between(2, 8), random.between(11, 17), random.between(20, 26)]);
  for (const [index, day] of days.entries()) {
    const night: Numbered = { count: `${project.slug} nights`, number: 0 };
    const duration_ms = random.between(52 * 60_000, 71 * 60_000);
    yield {
      at: day + 2 * hour + duration_ms * 1000,
      begins: night,
      event: () => ({
        ...{ kind: "workflow.run", actor: robots.ci, ...placeOf(project), duration_ms },
        summary: `nightly #${night.number} on main: ${bad.has(index) ? "failure" : "success"}`,
        url: addressOf(project.repo, `actions/runs/${8_120_000_000 + night.number * 6151}`),
      }),
    };
  }
}

/** Models whose guidance was read again within the month. */
export function* refreshes({ now, start }: Calendar): Generator<Draft> {
  for (const { id, refreshed, onboarded } of models) {
    const at = now - (refreshed ?? Number.POSITIVE_INFINITY) * dayMicros;
    if (at < start) continue;
    const sections = guidance.filter(({ model }) => model === id).flatMap((advice) => advice.sections);
    const summary = `Model ${id} ${onboarded === refreshed ? "onboarded" : "refreshed"}: ${sections.length} sections of guidance`;
    yield { at, event: () => ({ kind: "onboard.refreshed", actor: "human:jonas", summary, model: id }) };
  }
}

/** Every Sunday night the week of a project is folded into memory. */
export function* consolidations(
  { slug }: Cast,
  { days, now }: Calendar,
  events: readonly Dated[],
): Generator<Dated> {
  const times = events.filter(({ project }) => project === slug).map(({ ts }) => ts);
  let folded = 0;
  let before = 0;
  for (const sunday of days.filter((day) => weekday(day) === 0)) {
    const ts = sunday + 22 * hour + slug.length;
    const total = times.filter((time) => time < ts).length + before;
    if (ts >= now || total === folded) continue;
    yield {
      ts,
      kind: "memory.consolidated",
      actor: robots.self,
      project: slug,
      summary: `Folded ${total - folded} events into memory`,
    };
    folded = total;
    before++;
  }
}

/** How many events of the project its last consolidation has seen. */
export function digestedOf(slug: string, events: readonly Dated[]): number {
  const own = events.filter(({ project }) => project === slug);
  return Math.max(
    0,
    own.findLastIndex(({ kind }) => kind === "memory.consolidated"),
  );
}
