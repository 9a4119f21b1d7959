/** A month of a company: people in teams, whose sessions work on pull requests that are merged. */
import type { Data } from "../../src/api/port.ts";
import { dayMicros, type Micros, minuteMicros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { seededRandom } from "./random.ts";

interface MonthSize {
  people: number;
  teams: number;
  sessionsPerDay: number;
  days: number;
  steps: number;
}

/** Millionths of a dollar, which are added exactly. */
interface MonthSums {
  byTeam: Map<string, number>;
  byPerson: Map<string, number>;
  byPullRequest: Map<number, number>;
  total: number;
  merged: number[];
  events: number;
}

/** Fills `atlas` with the days before `until`. @returns what they cost, summed from the events themselves */
export async function makeMonth(data: Data, until: Micros, size: MonthSize): Promise<MonthSums> {
  const random = seededRandom(7);
  const [byTeam, byPerson] = [new Map<string, number>(), new Map<string, number>()];
  const byPullRequest = new Map<number, number>();
  const sums: MonthSums = { byTeam, byPerson, byPullRequest, total: 0, merged: [], events: 0 };
  const count = <K>(map: Map<K, number>, key: K, micros: number) =>
    map.set(key, (map.get(key) ?? 0) + micros);
  const start = (Math.floor(until / dayMicros) - size.days + 1) * dayMicros;
  for (let number = 0; number < size.days * size.sessionsPerDay; number++) {
    const who = random.between(1, size.people);
    const [person, team] = [`person-${who}`, `team-${who % size.teams}`];
    // Two sessions work on each pull request.
    const pr = 1 + (number >> 1);
    const day = Math.floor(number / size.sessionsPerDay);
    let ts = start + day * dayMicros + (number % size.sessionsPerDay) * minuteMicros;
    const common = {
      project: "atlas",
      actor: `agent:${person}-laptop`,
      run_id: `run-${number}`,
      pr,
      person,
      team,
    };
    const eventOf = (kind: Appendable["kind"], fields: Partial<Appendable> = {}): Appendable => ({
      ...common,
      kind,
      summary: `${kind} of #${pr}`,
      ts: ts++,
      ...fields,
    });
    const steps = Array.from({ length: size.steps }, () => {
      const micros = random.between(1, 90_000);
      sums.total += micros;
      count(byTeam, team, micros);
      count(byPerson, person, micros);
      count(byPullRequest, pr, micros);
      return { cost_equiv: micros / 1e6, tokens_in: 1_000, tokens_out: 50, model: "gpt-5" };
    });
    const isMerged = number % 2 === 1 && number % 8 !== 1;
    if (isMerged) sums.merged.push(pr);
    const events = [
      eventOf("run.started"),
      ...steps.map((step) => eventOf("step.usage", step)),
      eventOf("run.finished"),
      ...(isMerged ? [eventOf("pr.merged", { actor: `human:${person}`, run_id: null })] : []),
    ];
    sums.events += events.length;
    await data.append(events);
  }
  return sums;
}
