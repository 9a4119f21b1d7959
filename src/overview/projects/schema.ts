/** The schema of a project with its decisions, models, and events. */

import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { Nullable } from "../../core/wire.ts";
import { Project } from "../../feed/projects/schema.ts";
import { taskUrlText } from "../../feed/projects/tracker.ts";
import { Event } from "../../feed/schema.ts";
import { CurrentDecision, Model } from "../../memory/schema.ts";

export const ProjectDetail = Type.Object(
  {
    ...Project.properties,
    check_cmd: Nullable(
      Type.String({ description: "Command that checks a change.", examples: ["bun run check"] }),
    ),
    branch_pattern: Nullable(
      Type.String({
        description:
          "Regular expression whose group is the issue that a branch is for. Null: a number after " +
          "`issue` or `gh`, or at the start of a path segment.",
        examples: ["ATLAS-(\\d+)"],
      }),
    ),
    task_url: Nullable(Type.String(taskUrlText)),
    decisions: Type.Array(CurrentDecision, { description: "Current decisions, newest first, at most 200." }),
    models: Type.Array(Model, { description: "Models that share a lane with the project." }),
    events: Type.Array(Event, { description: "The 20 newest events." }),
  },
  { $id: "ProjectDetail" },
);

export type ProjectDetail = Static<typeof ProjectDetail>;
