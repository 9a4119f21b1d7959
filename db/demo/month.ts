/** Everything that happened in the thirty days before now. The same `now` gives the same month. */

import { dayMicros, type Micros } from "../../src/lib/time.ts";
import type { AssetRow, NewNote } from "../../src/rows.ts";
import { shelve } from "./assets.ts";
import { calendarOf, minute } from "./calendar.ts";
import { type Dated, type Draft, inOrder } from "./draft.ts";
import type { Life } from "./host.ts";
import { type Circumstances, live, underWay } from "./life.ts";
import { type Authored, type Decided, decisions, type Preferred, preferences } from "./memory.ts";
import { randomOf } from "./random.ts";
import { consolidations, nights, refreshes, updates } from "./routine.ts";
import { inHand } from "./tasks-harbor.ts";
import { type Cast, projects } from "./team.ts";

const seed = 20_260_303;
const [harbor, , silt] = projects as [Cast, Cast, Cast];

export interface Month {
  events: Dated[];
  decided: Decided[];
  preferred: Preferred[];
  assets: AssetRow[];
  notes: NewNote[];
  linkedAt: Micros;
}

export function tellMonth(now: Micros, lanes: readonly string[]): Month {
  const random = randomOf(seed);
  const calendar = calendarOf(now, random);
  const by: Circumstances = { calendar, lanes, random };
  const linkedAt = calendar.start - minute;
  const lives = projects.flatMap((project) => livesOf(project, by));
  const shelves = lives.flatMap((life) => {
    const { project, task } = life;
    return project.library.filter(({ about }) => about === task.asks).map((chain) => shelve(chain, life, by));
  });
  const decided = inTime([
    ...datedOf<Decided>(decisions, by),
    ...shelves.flatMap(({ rejections }) => rejections),
  ]);
  const preferred = inTime(datedOf<Preferred>(preferences, by));
  const drafts: Draft[] = [
    ...projects.map((project) => linked(project, linkedAt)),
    ...lives.flatMap((life) => [...live(life, by)]),
    ...underWay(lifeOf(harbor, inHand, Math.min(calendar.moment(0.99), now - 45 * minute)), by),
    ...projects.flatMap((project) => [...updates(project, calendar, random)]),
    ...nights(silt, calendar, random),
    ...refreshes(calendar),
    ...shelves.flatMap((shelf) => shelf.drafts),
    ...decided.map(captured),
    ...preferred.map(preferenceSet),
  ];
  const told = inOrder(drafts, firstNumbers(), linkedAt, now);
  const folded = projects.flatMap((project) => [...consolidations(project, calendar, told)]);
  const events = [...told, ...folded].sort((a, b) => a.ts - b.ts);
  const [assets, notes] = [shelves.flatMap(({ rows }) => rows), shelves.flatMap((shelf) => shelf.notes)];
  return { events, decided, preferred, assets, notes, linkedAt };
}

/** The tasks of a project, spread over the month's working time: some days bring more than others. */
function livesOf(project: Cast, { calendar, random }: Circumstances): Life[] {
  const waves = 5;
  const phase = random.next();
  const wave = (part: number) => 0.022 * Math.sin(2 * Math.PI * (waves * part + phase));
  return project.tasks.map((task, index) => {
    const part = (index + random.next()) / project.tasks.length;
    return lifeOf(project, task, calendar.moment(part - wave(part) + wave(0)));
  });
}

const lifeOf = (project: Cast, task: Life["task"], opened: Micros): Life => ({
  ...{ project, task, opened },
  issue: { count: project.slug, number: 0 },
  pull: { count: project.slug, number: 0 },
});

const datedOf = <T extends { at: Micros }>(
  authored: Authored<T>[],
  { calendar, random }: Circumstances,
): T[] =>
  // safe because: a dated one has its time instead of its distance from now
  authored.map(
    ({ ago, ...rest }) =>
      ({
        ...rest,
        at: calendar.atWork(calendar.now - ago * dayMicros + random.between(0, 90 * minute)),
      }) as unknown as T,
  );

const inTime = <T extends { at: Micros }>(list: T[]): T[] => list.sort((a, b) => a.at - b.at);

/** The last number of each count before the month began. */
const firstNumbers = (): Map<string, number> =>
  new Map([
    ["runs", 1483],
    ["silt nights", 402],
    ...projects.flatMap(({ slug, firstNumber, workflow }): [string, number][] => [
      [slug, firstNumber - 1],
      [`${slug} checks`, workflow.before],
    ]),
  ]);

const captured = ({ project, at, by, text }: Decided): Draft => ({
  at: at + 1,
  event: () => ({ kind: "decision.captured", actor: by, project, summary: text.split("\n", 1)[0] as string }),
});

const preferenceSet = ({ project, at, by, key, value }: Preferred): Draft => ({
  at,
  event: () => ({ kind: "preference.set", actor: by, project, summary: `Preference ${key}: ${value}` }),
});

const linked = ({ slug, repo, lead }: Cast, at: Micros): Draft => ({
  at: at + slug.length,
  event: () => ({
    kind: "project.linked",
    actor: lead,
    project: slug,
    repo,
    summary: `Project ${slug} linked to ${repo}`,
  }),
});
