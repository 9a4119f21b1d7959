/** Schemas of checks: what a decision forbids or requires, as a program verifies it. */
import { type Static, Type } from "@sinclair/typebox";
import { Actor, Choice, Id, Line, RunId, Slug } from "../../core/wire.ts";
import { type MetadataName, metadataNames } from "../../files/probe/measures/schema.ts";

export const checkKinds = ["forbid", "require", "command", "run", "asset"] as const;
export const checksMax = 8;

const limit = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 40, description, examples: [example] }));

const names = (description: string, example: MetadataName) =>
  Type.Optional(
    Type.Array(Choice(metadataNames), { minItems: 1, maxItems: 8, description, examples: [[example]] }),
  );

export const CheckRule = Type.Object(
  {
    kind: Choice(checkKinds, {
      description:
        "`forbid` or `require` a text or pattern in changed files, forbid a shell `command`, `run` one " +
        "that has to exit with 0, or limit an `asset`.",
    }),
    text: Type.Optional(
      Line(512, { description: "Exact text, or the words of a command.", examples: ["#FF0000"] }),
    ),
    pattern: Type.Optional(
      Line(512, { description: "RE2, in place of `text`; of a line, or from the start of a command." }),
    ),
    paths: Type.Optional(
      Type.Array(Line(256), { maxItems: 8, description: "Globs.", examples: [["src/**/*.css"]] }),
    ),
    run: Type.Optional(Line(1024, { description: "The command of `run`.", examples: ["make lint"] })),
    max_bytes: limit("Of an asset.", 204_800),
    max_width: limit("In pixels.", 1600),
    max_height: limit("In pixels.", 1200),
    min_width: limit("In pixels.", 320),
    min_height: limit("In pixels.", 240),
    max_duration_ms: limit("In milliseconds.", 30_000),
    min_contrast: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 21,
        description: "Of text, as its HTML or SVG declares colors (WCAG).",
        examples: [4.5],
      }),
    ),
    forbid_metadata: names("What the file must not say, such as where it was taken.", "gps"),
    require_metadata: names("What the file has to say.", "license"),
  },
  { $id: "CheckRule", additionalProperties: false },
);
export type CheckRule = Static<typeof CheckRule>;

export const Rules = Type.Array(CheckRule, {
  maxItems: checksMax,
  examples: [[{ kind: "forbid", text: "#FF0000", paths: ["src/**/*.css"] }]],
});

export const Check = Type.Object(
  {
    ...CheckRule.properties,
    standing: Choice(["confirmed", "proposed"], {
      description: "`proposed`: by an agent. It does nothing until a person saves it.",
    }),
    actor: Type.String({ description: "Who set it.", examples: ["human:mara"] }),
  },
  { $id: "Check" },
);
export type Check = Static<typeof Check>;

export const ChecksInput = Type.Object({
  id: Id({ description: "Id of the decision.", examples: [31] }),
  checks: Rules,
});
export type ChecksInput = Static<typeof ChecksInput>;

export const StopInput = Type.Object({
  id: ChecksInput.properties.id,
  key: Line(64, { description: "Unique: what is sent twice counts once.", examples: ["01J9ZC5W8Q"] }),
  by: Type.Optional(Actor),
  run_id: Type.Optional(RunId("The run that it stopped.")),
});
export type StopInput = Static<typeof StopInput>;

export const Stopped = Type.Object({
  stops: Type.Integer({ minimum: 0, description: "How often its checks stopped something.", examples: [3] }),
});
export type Stopped = Static<typeof Stopped>;

export const ProjectChecksQuery = Type.Object({ slug: Slug });
export type ProjectChecksQuery = Static<typeof ProjectChecksQuery>;

export const CheckInForce = Type.Object(
  {
    decision: Id({ examples: [31] }),
    text: Type.String({ description: "The words of the decision.", examples: ["No pure red."] }),
    actor: Type.String({ description: "Who decided.", examples: ["human:mara"] }),
    rule: CheckRule,
  },
  { $id: "CheckInForce" },
);
export type CheckInForce = Static<typeof CheckInForce>;

export const CheckList = Type.Object(
  { checks: Type.Array(CheckInForce), count: Type.Integer({ minimum: 0, examples: [1] }) },
  { $id: "CheckList", description: "The newest decision first." },
);
export type CheckList = Static<typeof CheckList>;
