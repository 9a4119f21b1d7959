/** Operations on models, vendor guidance and digests, for admins. */
import { type Static, Type } from "@sinclair/typebox";
import { actorOf, eventActor } from "../core/auth/actor.ts";
import { operationOf } from "../core/operation.ts";
import { Actor, Count, Line, ProjectName, Prose } from "../core/wire.ts";
import { consolidate as summarize } from "./consolidate.ts";
import type { MemoryContext } from "./context.ts";
import { refreshGuidance, onboardModel as saveModel } from "./models/onboard.ts";
import { GuidanceRefresh, ModelInput } from "./models/schema.ts";

const operation = operationOf<MemoryContext>("memory");

const forAdmins = { scope: "public", token: "admin" } as const;
const by = Type.Optional(Actor);

export const onboardModel = operation({
  ...forAdmins,
  id: "onboardModel",
  summary: "Add or change a model",
  description: "Says who provides a model and in which lanes it works. Guidance that was stored stays.",
  http: { method: "PUT", path: "/models", body: "ModelRequest", errors: [401, 403] },
  input: Type.Object({ ...ModelInput.properties, by }),
  output: Type.Object({ id: Type.String(), added: Type.Boolean({ description: "False: it was there." }) }),
  run: async (ctx, { by, ...model }, caller) => {
    const outcome = await saveModel(ctx, model, eventActor(actorOf(caller, by)));
    return { id: model.id, added: outcome === "onboarded" };
  },
});

const guidanceFilesMax = 500;
const guidanceBytesMax = 32 * 2 ** 20;

export const GuidanceInput = Type.Object({
  ...GuidanceRefresh.properties,
  files: Type.Array(
    Type.Object({ file: Line(512, { description: "Its path." }), text: Prose(guidanceBytesMax) }),
    {
      minItems: 1,
      maxItems: guidanceFilesMax,
      description: "Markdown files.",
    },
  ),
  by,
});
export type GuidanceInput = Static<typeof GuidanceInput>;

export const addGuidance = operation({
  ...forAdmins,
  id: "addGuidance",
  summary: "Add vendor guidance",
  description: "Replaces what is stored for a model from the same source. An unknown model is added.",
  http: {
    method: "PUT",
    path: "/guidance",
    body: "GuidanceRequest",
    bodyBytesMax: guidanceBytesMax,
    errors: [401, 403],
  },
  input: GuidanceInput,
  output: Type.Object({ sections: Count("Sections that are stored now.", 12) }),
  run: async (ctx, { files, by, ...refresh }, caller) => {
    const actor = eventActor(actorOf(caller, by));
    return { sections: await refreshGuidance(ctx, refresh, files, actor) };
  },
});

export const consolidate = operation({
  ...forAdmins,
  id: "consolidate",
  summary: "Summarize events",
  description: "Folds new events of a project, or of all, into the digests that briefs read.",
  http: {
    method: "POST",
    path: "/consolidate",
    hasOptionalBody: true,
    body: "ConsolidateRequest",
    errors: [401, 403, 404],
  },
  input: Type.Object({ project: Type.Optional(ProjectName) }),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        project: Type.String({ examples: ["atlas"] }),
        events: Count("Events that had not been summarized before.", 60),
        rollups: Count("Roll-ups that they are in.", 4),
      }),
    ),
  }),
  run: async (ctx, { project }) => ({
    results: await summarize(ctx, project === undefined ? undefined : [project]),
  }),
});
