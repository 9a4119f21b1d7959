/** Schemas of checklists: what a reviewer looks at, for the assets of a project and kind. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Line, Slug } from "../../core/wire.ts";

export const itemsMax = 50;

const ItemId = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{0,39}$",
  description: "Id of an item.",
  examples: ["logo-visible"],
});
const text = Line(200, { description: "What to check.", examples: ["Logo visible"] });

export const ChecklistItem = Type.Object({
  id: ItemId,
  text,
  required: Type.Boolean({ description: "To approve, it needs an answer that is not `fail`." }),
});
export type ChecklistItem = Static<typeof ChecklistItem>;

/** An item as it is set: the id is made of the text by default. */
export const NewItem = Type.Object({
  id: Type.Optional(ItemId),
  text,
  required: Type.Optional(Type.Boolean({ default: true })),
});
export type NewItem = Static<typeof NewItem>;

const version = Type.Integer({ minimum: 1, description: "A change makes a new one.", examples: [2] });

export const Checklist = Type.Object(
  {
    project: Slug,
    kind: Type.String({ description: "Kind of the assets.", examples: ["image"] }),
    version,
    items: Type.Array(ChecklistItem, { description: "Empty: it was removed." }),
    changed_by: Type.String({ description: "Actor, `<kind>:<name>`.", examples: ["human:maria"] }),
    changed_at: DateTime(),
  },
  { $id: "Checklist", description: "What reviewers check, for the assets of a project and kind." },
);
export type Checklist = Static<typeof Checklist>;

export const ChecklistList = Type.Object(
  { checklists: Type.Array(Checklist, { description: "The current ones, sorted by kind." }) },
  { $id: "ChecklistList" },
);
export type ChecklistList = Static<typeof ChecklistList>;

export const ChecklistSet = Type.Object(
  {
    ...Checklist.properties,
    changed: Type.Boolean({ description: "False if it had these items already." }),
  },
  { $id: "ChecklistSet" },
);
export type ChecklistSet = Static<typeof ChecklistSet>;

const result = Choice(["pass", "fail", "na"], { examples: ["pass"] });
const note = Type.Optional(Line(400, { examples: ["cut off at the left"] }));

/** The answers of a review as they are sent. */
export const AnswersInput = Type.Object({
  version,
  answers: Type.Array(Type.Object({ id: ItemId, result, note }), { maxItems: itemsMax }),
});
export type AnswersInput = Static<typeof AnswersInput>;

/** The answers of a review as they are kept, with the text that was answered. */
export const Answers = Type.Object({
  version,
  answers: Type.Array(Type.Object({ ...ChecklistItem.properties, result, note })),
});
export type Answers = Static<typeof Answers>;
