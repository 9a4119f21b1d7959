/** Schemas of backfilling: what an agent's own files on a disk say about its past sessions. */
import { type Static, Type } from "@sinclair/typebox";
import { allAgents } from "../../core/agents/agents.ts";
import { Choice, Cost, Count, DateTime, Line, RunId, Slug, TaskNumber } from "../../core/wire.ts";

const code = (description: string) => Type.String({ pattern: "^[\\w.:-]{1,64}$", description });
const name = (description: string) => Type.Optional(Line(128, { description }));
const count = (description: string) => Type.Optional(Count(description));

const BackfillStep = Type.Object({
  at: DateTime({ description: "When the model answered." }),
  key: name("Id of the request, as the agent's telemetry names it: a call of both is added once."),
  model: name("Model that answered."),
  provider: name("Provider of the model, for its price."),
  branch: Type.Optional(Line(255, { description: "Branch, if not that of the run." })),
  tokens_in: count("Uncached input tokens."),
  tokens_out: count("Output tokens, reasoning included."),
  cache_read: count("Tokens read from the cache."),
  cache_write: count("Tokens written to the cache."),
  cache_write_1h: count("Those of them that stay in the cache for an hour."),
  cost: Type.Optional(Cost("Cost in USD, if the agent names it.", 0.42, { maximum: 1e12 })),
  duration_ms: count("Duration in milliseconds."),
  failed: Type.Optional(code("The request failed: its status or the class of its error.")),
});
export type BackfillStep = Static<typeof BackfillStep>;

const BackfillRun = Type.Object({
  agent: Choice(allAgents, { description: "Agent whose session it was." }),
  id: RunId("Id of the session, as the agent's hooks and telemetry name it."),
  parent: Type.Optional(RunId("For a subagent: the session that started it.")),
  project: Slug,
  branch: Type.Optional(Line(255, { description: "Branch; its name can hold the issue." })),
  pr: Type.Optional({ ...TaskNumber, description: "Pull request that it made." }),
  email: Type.Optional(Line(254, { description: "Email of whose work it was. Never stored." })),
  started_at: DateTime({ description: "When it started." }),
  ended_at: Type.Optional(DateTime({ description: "When it ended; absent while it goes on." })),
  failed: Type.Optional(code("It ended with a failure: its class.")),
  steps: Type.Array(BackfillStep, { maxItems: 5000, description: "Calls of a model." }),
});
export type BackfillRun = Static<typeof BackfillRun>;

export const BackfillRequest = Type.Object({
  runs: Type.Array(BackfillRun, { minItems: 1, maxItems: 1000 }),
});
export type BackfillRequest = Static<typeof BackfillRequest>;

export const BackfillResult = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0, description: "Events added." }),
    duplicates: Type.Integer({
      minimum: 0,
      description: "What hooks, telemetry or a backfill had reported.",
    }),
    rejected: Type.Integer({ minimum: 0, description: "What is not in the feed." }),
    message: Type.String({ description: "Why; empty if none was rejected." }),
  },
  { $id: "BackfillResult" },
);
export type BackfillResult = Static<typeof BackfillResult>;
