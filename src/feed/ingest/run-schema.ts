/** The schema of the tool that reports a run. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Choice, RunId, Slug, TaskNumber } from "../../core/wire.ts";
import type { reportableKinds } from "../kinds.ts";
import { EventInput } from "../schema.ts";
import { AppendResult } from "./schema.ts";

/** What each action of a run appends. */
export const runActions = {
  start: "run.started",
  step: "step.usage",
  finish: "run.finished",
  fail: "run.failed",
} as const satisfies Record<string, (typeof reportableKinds)[number]>;
export type RunAction = keyof typeof runActions;

/**
 * A field of an event, without null. Every session pays for the length of `tools/list`, so a field whose name
 * says enough has no description.
 */
function fieldOf<T extends TSchema>(field: T, description?: string) {
  const { description: _, examples: __, ...schema }: TSchema = field.anyOf?.[0] ?? field;
  return Type.Unsafe<NonNullable<Static<T>>>({ ...schema, ...(description && { description }) });
}
const optionalField = <T extends TSchema>(field: T, description?: string) =>
  Type.Optional(fieldOf(field, description));

const { properties } = EventInput;

export const RunReport = Type.Object({
  action: Choice(Object.keys(runActions) as RunAction[]),
  project: fieldOf(Slug),
  run: optionalField(RunId("Your id for the run."), "Your id for it; optional if hooks report your session."),
  parent: optionalField(properties.parent_run_id, "The run that started it."),
  step: optionalField(TaskNumber, "Its number, from 1."),
  summary: fieldOf(properties.summary, "In one line."),
  by: optionalField(properties.actor, "Your actor, such as agent:codex."),
  issue: optionalField(properties.issue),
  pr: optionalField(properties.pr),
  task: optionalField(properties.task),
  lane: optionalField(properties.lane),
  model: optionalField(properties.model),
  tokens_in: optionalField(properties.tokens_in),
  tokens_out: optionalField(properties.tokens_out),
  cache_read: optionalField(properties.cache_read),
  cache_write: optionalField(properties.cache_write),
  cost_equiv: optionalField(properties.cost_equiv, "In USD."),
  duration_ms: optionalField(properties.duration_ms),
  url: optionalField(properties.url),
});
export type RunReport = Static<typeof RunReport>;

export const ReportedRun = Type.Object({
  ...AppendResult.properties,
  run_id: RunId("The run, to be passed with what it makes."),
});
export type ReportedRun = Static<typeof ReportedRun>;
