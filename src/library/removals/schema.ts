/** Schemas of what is taken back: the public copy or the files of an asset, and texts. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import { Choice, Count, DateTime, Limit, Line, Nullable, Prose, Slug, Uri } from "../../core/wire.ts";
import { AssetId } from "../assets/ids.ts";

/** What is taken back of an asset. */
export const assetRemovalKinds = ["publication", "file"] as const;
/** Texts that are redacted where they are stored. */
export const redactedKinds = ["event", "annotation", "decision"] as const;
/** What admins take back, beside files. */
export const takenBackKinds = [...redactedKinds, "person", "project"] as const;
export const removalKinds = [...assetRemovalKinds, ...takenBackKinds] as const;

export const Reason = Prose(1024, {
  description: "Why. It stays, so do not repeat what you remove.",
  examples: ["The map shows the old harbor."],
});

export const Removal = Type.Object(
  {
    kind: Choice(removalKinds, {
      description:
        "`publication`: unpublished. `file`: all files deleted. `event`, `annotation`, `decision`: " +
        "redacted. `person`: erased. `project`: removed.",
    }),
    subject: Type.String({ description: "The ID of what was taken back.", examples: ["128"] }),
    project: Nullable(Slug),
    removed_by: Type.String({ examples: ["human:ana"] }),
    removed_at: DateTime(),
    reason: Type.String({ examples: Reason.examples }),
    finished_at: Nullable(
      DateTime({
        description: "When the last file or copy of the text was gone; null while svc is deleting them.",
      }),
    ),
  },
  { $id: "Removal" },
);
export type Removal = Static<typeof Removal>;

export const UnpublishInput = Type.Object({ id: AssetId, reason: Reason });
export type UnpublishInput = Static<typeof UnpublishInput>;

export const DeleteFilesInput = Type.Object({
  id: AssetId,
  reason: Reason,
  all_versions: Type.Optional(Type.Boolean({ default: false, description: "Of all its versions." })),
});
export type DeleteFilesInput = Static<typeof DeleteFilesInput>;

export const RemovalPreview = Type.Object(
  {
    title: Type.String(),
    removals: Type.Array(Removal, { description: "What was taken back already." }),
    versions: Type.Array(
      Type.Object({
        id: AssetId,
        version: Type.Integer({ minimum: 1 }),
        size: Count("File size in bytes.", 48_213),
        has_file: Type.Boolean(),
        url: Nullable(Uri({ description: "Signed URL, to save the file first." })),
        public_url: Nullable(Uri()),
      }),
      { description: "All versions, oldest first." },
    ),
    shares: Count("Share links that show it and are valid.", 1),
    same_file: Type.Array(AssetId, {
      description: "Other assets with the same file, at most 20: they keep it.",
    }),
  },
  { $id: "RemovalPreview" },
);
export type RemovalPreview = Static<typeof RemovalPreview>;

const RemovalSubject = {
  kind: Choice(takenBackKinds, { description: "What is taken back." }),
  subject: Line(128, {
    description:
      "ID of the event, annotation, decision, person or project; of a person also the name of a token.",
    examples: ["128"],
  }),
};

export const RemovalSubjectInput = Type.Object({
  ...RemovalSubject,
  also: Type.Optional(
    Line(1024, {
      description: "Further names of a person that texts have, separated by commas.",
      examples: ["Dana K., dkim"],
    }),
  ),
});
export type RemovalSubjectInput = Static<typeof RemovalSubjectInput>;

export const TakeBackInput = Type.Object({
  ...RemovalSubjectInput.properties,
  reason: Prose(512, { description: Reason.description, examples: ["It names a customer."] }),
});
export type TakeBackInput = Static<typeof TakeBackInput>;

export const RemovalPlan = Type.Object(
  {
    ...RemovalSubject,
    project: Nullable(Slug),
    places: Type.Array(
      Type.Object({
        place: Type.String({ description: "Table of the database.", examples: ["events"] }),
        rows: Count("Rows that change.", 2),
      }),
    ),
    names: Type.Array(Type.String(), { description: "Of a person: what is replaced in texts, in any case." }),
    removal: Nullable(Removal),
  },
  { $id: "RemovalPlan", description: "What taking something back changes." },
);
export type RemovalPlan = Static<typeof RemovalPlan>;

export const RemovalsQuery = Type.Object({
  limit: Limit(50),
  cursor: Type.Optional(Cursor(" [a-z]+ .+")),
});
export type RemovalsQuery = Static<typeof RemovalsQuery>;

export const RemovalList = Type.Object(
  {
    removals: Type.Array(Removal),
    count: Count("Removals on this page.", 1),
    next_cursor: Nullable(Type.String({ description: "Pass as `cursor` for the next page." })),
  },
  { $id: "RemovalList" },
);
export type RemovalList = Static<typeof RemovalList>;

export const RemovalRows = Type.Object(
  {
    rows: Type.Array(
      Type.Object({
        table: Type.String({ examples: ["events"] }),
        row: Type.String({ description: "JSON text of the row, without secrets." }),
      }),
    ),
  },
  { $id: "RemovalRows" },
);
export type RemovalRows = Static<typeof RemovalRows>;
