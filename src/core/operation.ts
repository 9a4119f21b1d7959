/** An operation: everything that HTTP, MCP, OpenAPI, the docs and the tests need to know about it. */
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Caller } from "./auth/caller.ts";
import type { Scope } from "./auth/scopes.ts";
import type { CoreContext, RequestControl } from "./context.ts";
import type { TagData } from "./lib/strings/untrusted-text.ts";
import type { Status } from "./problem.ts";
import type { Json } from "./rendered-json.ts";
import type { CaptionedImage, Frames } from "./wire.ts";

export const tags = {
  info: "About this service.",
  feed: "The append-only feed of events.",
  inbox: "What needs you, what is new to you, and saved views.",
  runs: "Runs: what agents did for a task, kept from the events they report.",
  projects: "Linked projects, with their decisions and models.",
  usage: "Tokens and cost, by group and period.",
  budgets: "What work should cost at most, and what is left of it.",
  memory: "Decisions, preferences, vendor guidance, and the briefs compiled from them.",
  assets: "Files made by agents: uploaded, versioned, published.",
  reviews: "Reviews of assets, annotations, checklists, and who has to approve.",
  shares: "Links to assets for people without a token.",
  removals: "What admins take back: texts, people and projects.",
  people: "People and their teams, for admins.",
  tokens: "Access tokens and the audit log for admins, and your own sessions.",
  webhooks: "Subscriptions that send events to a URL, and the log of their deliveries.",
} as const;

export interface HttpBinding {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * Relative to `/api/v1`. `{name}` is a field of the input; the other fields come from the query string of a
   * GET, else from the JSON body.
   */
  path: string;
  status?: 200 | 201;
  /** Error statuses in addition to those that every operation can return. */
  errors?: Status[];
  bodyBytesMax?: number;
  /** Still served but not documented: another operation replaced it before it was stable. */
  unlisted?: true;
  /**
   * Media type of the request body; selects between operations with the same method and path. Defaults to
   * JSON; null means no body.
   */
  media?: "multipart/form-data" | null;
  /** A request without a body is one without its fields. */
  hasOptionalBody?: true;
  /** Component name of the body schema in OpenAPI; without it the schema is inlined. */
  body?: string;
  /** Input fields read from a request header: field name to header name. */
  headers?: Record<string, string>;
  /** Input fields whose path parameter has another name: field name to parameter name. */
  params?: Record<string, string>;
  /** The response has an ETag: it changes only when rows do, apart from ages in it. */
  revalidates?: true;
  /** The field of the output with rows that are also returned as CSV, for `Accept: text/csv`. */
  csv?: string;
  /** The response is a stream of Server-Sent Events with the output as data. */
  stream?: true;
}

export interface ToolBinding<O extends TSchema = TSchema, C extends CoreContext = CoreContext> {
  name: string;
  title: string;
  /**
   * Renders the output as text, with text written by others enclosed in data tags; the result has nothing
   * else. Without it, the result is JSON, both as text and as structured content.
   */
  text?(output: Static<O>, enclose: TagData): string;
  /** The result has structured content as well as text. */
  structured?: true;
  /** Fields of the input that `tools/list` leaves out, as models have no use for them. A call may have them. */
  unlistedFields?: readonly string[];
  /** Programs act on its result, not only models, so `tools/list` has the names and types of its fields. */
  forPrograms?: true;
  /** A call can take long, and reports progress to clients that listen. */
  reportsProgress?: true;
  /** Images that follow the text of a result, for models that see. Only where the call asks for them. */
  images?(ctx: C, output: Static<O>, caller: Caller): Promise<CaptionedImage[]>;
  /** Chats that can (MCP Apps) show its result as a review card. */
  reviewCard?: true;
  /**
   * Hints for tools that write: `destructive` changes or hides existing data, `idempotent` changes nothing
   * when repeated.
   */
  destructive?: true;
  idempotent?: true;
}

/** What an operation does: with the context of its room, its input, and who calls. */
export type Rule<C extends CoreContext, I, O> = (ctx: C, input: I, caller: Caller) => Promise<O>;

type Tag = keyof typeof tags;

/** @typeParam C the context of its room */
export interface Operation<
  I extends TObject = TObject,
  O extends TSchema = TSchema,
  C extends CoreContext = CoreContext,
> extends OperationRow<I, O, C> {
  tag: Tag;
}

interface OperationRow<I extends TObject, O extends TSchema, C extends CoreContext> {
  id: string;
  summary: string;
  description: string;
  scope: Scope | "public";
  /** Public in that it needs no scope, but the request must have a valid token: any, or that of an admin. */
  token?: "any" | "admin";
  /** It is about what is the caller's own: someone in a browser needs no scope for it. */
  isPersonal?: true;
  /** Covered by the versioning policy. */
  stable?: true;
  /** Changes rows; returns 501 in demo mode. Every method but GET does, without saying so. */
  writes?: true;
  /** Store it requires; without it the operation returns 501. */
  needs?: "store" | "publicStore";
  /** Absent for an operation that is only a tool. */
  http?: HttpBinding;
  /** Absent for an operation that is only on HTTP. */
  tool?: ToolBinding<O, C>;
  input: I;
  output: O;
  run(
    ctx: C,
    input: Static<I>,
    caller: Caller,
    control?: RequestControl,
  ): Promise<Static<O> | Json<Static<O>> | Frames>;
}

/**
 * Defines operations of a room. Their types are checked here; the list holds them without.
 * @param tag of those that name no other
 */
export const operationOf =
  <C extends CoreContext>(tag: Tag) =>
  <I extends TObject, O extends TSchema>(
    row: OperationRow<I, O, C> & { tag?: Tag },
    // biome-ignore lint/suspicious/noExplicitAny: the list mixes types; `invoke` validates the input
  ): Operation<any, any, C> => ({
    tag,
    ...row,
    ...(row.http && row.http.method !== "GET" && { writes: true }),
  });
