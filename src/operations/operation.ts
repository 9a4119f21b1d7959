/** A row of the table: everything that HTTP, OpenAPI, the documents and the tests know of an operation. */
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Caller } from "../auth/caller.ts";
import type { Scope } from "../auth/scopes.ts";
import type { Context } from "../context.ts";
import type { TagData } from "../lib/data-tags.ts";
import type { Status } from "../problem.ts";
import type { Frames, Json } from "../wire.ts";

export const tags = {
  info: "What this service is.",
  feed: "The append-only feed of events.",
  projects: "Linked projects, with their decisions and models.",
  memory: "Decisions, preferences, guidance, and briefs made of them.",
  assets: "What agents made: uploaded, versioned, reviewed, published.",
} as const;

export interface HttpFacts {
  method: "GET" | "POST" | "PUT";
  /**
   * Below `/api/v1`; `{name}` is a field of the input. Other fields come from the query of a GET, else from
   * the JSON body.
   */
  path: string;
  status?: 200 | 201;
  /** Problems beside those that every operation may answer. */
  errors?: Status[];
  bodyBytesMax?: number;
  /** Still answers and is in no document: another operation took its place before it was stable. */
  unlisted?: true;
  /**
   * Type of the body, by which rows of one method and path are told apart. By default JSON; null: there is
   * none.
   */
  media?: "multipart/form-data" | null;
  /** Name of the body's shape in documents; without it the body is described in its place. */
  body?: string;
  /** Fields that come from a header. */
  headers?: Record<string, string>;
  /** The answer is the same until rows change, but for ages in it: it has an ETag. */
  revalidates?: true;
  /** The answer is a stream of Server-Sent Events whose data is the output. */
  stream?: true;
}

export interface ToolFacts<O extends TSchema = TSchema> {
  name: string;
  title: string;
  /**
   * The answer as text for a reader, others' words enclosed, and nothing else; without it the answer is JSON,
   * as text and as structured content.
   */
  text?(output: Static<O>, enclose: TagData): string;
  /** The answer has structured content beside its text. */
  structured?: true;
  /** The answer only confirms what was written, so `tools/list` does not describe it. */
  receipt?: true;
  /**
   * Only for what writes: whether it changes or hides what was there, and whether doing it again changes
   * nothing.
   */
  destructive?: true;
  idempotent?: true;
}

export interface Operation<I extends TObject = TObject, O extends TSchema = TSchema> {
  id: string;
  tag: keyof typeof tags;
  summary: string;
  description: string;
  scope: Scope | "public";
  /** Covered by the versioning policy. */
  stable?: true;
  /** Changes rows, so mock mode answers 501. */
  writes?: true;
  /** A deployment without that store answers 501. */
  needs?: "store" | "publicStore";
  /** Absent: only a tool. */
  http?: HttpFacts;
  /** Absent: only on HTTP. */
  tool?: ToolFacts<O>;
  input: I;
  output: O;
  run(ctx: Context, input: Static<I>, caller: Caller): Promise<Static<O> | Json<Static<O>> | Frames>;
}

/** Keeps the row's own types; the table holds them as plain `Operation`. */
// biome-ignore lint/suspicious/noExplicitAny: rows of different shapes stand in one table; `invoke` checks the input first
export const operation = <I extends TObject, O extends TSchema>(row: Operation<I, O>): Operation<any, any> =>
  row;
