/** The schema of a run with everything it was told and made. */

import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { DateTime, Id, Nullable } from "../../core/wire.ts";
import { briefFields, fields, id, Run, RunStatus, runMemoryDays } from "../../feed/runs/schema.ts";
import { Event } from "../../feed/schema.ts";
import { AssetVersion } from "../../library/assets/schema.ts";
import { Decision } from "../../memory/schema.ts";

const Attempt = Nullable(Type.Object({ id, status: RunStatus, started_at: fields.started_at }));

export const RunDetail = Type.Object(
  {
    ...fields,
    previous: { ...Attempt, description: "The run before on the same task." },
    next: { ...Attempt, description: "The run after on the same task." },
    children: Type.Array(Run, { description: "Runs that it started, newest event first; at most 50." }),
    files: Type.Array(
      Type.Object({
        path: Type.String({ examples: ["src/app.ts"] }),
        at: DateTime({ description: "When an event last named it." }),
      }),
      { description: "Files that it changed, as its hooks or events say, newest first; at most 200." },
    ),
    assets_made: Type.Array(
      Type.Object({
        id: AssetVersion.properties.id,
        title: Type.String(),
        version: AssetVersion.properties.version,
        status: AssetVersion.properties.status,
      }),
      { description: "Oldest first; at most 200." },
    ),
    decisions_made: Type.Array(Decision, { description: "Oldest first; at most 200." }),
    briefs: Type.Array(
      Type.Object({
        ...briefFields,
        text: Nullable(Type.String({ description: `Null when it is older than ${runMemoryDays} days.` })),
        decisions: Type.Array(Id(), { description: "Ids of the decisions that it carried." }),
      }),
      { description: "What it was told, oldest first; at most 50." },
    ),
    recalls: Type.Array(
      Type.Object({
        at: DateTime(),
        query: Type.String(),
        hits: Type.Integer({ minimum: 0, description: "Number of hits." }),
      }),
      { description: `What it searched memory for in ${runMemoryDays} days, oldest first; at most 200.` },
    ),
    events: Type.Array(Event, { description: "Its first events, oldest first; at most 200." }),
  },
  { $id: "RunDetail" },
);

export type RunDetail = Static<typeof RunDetail>;
